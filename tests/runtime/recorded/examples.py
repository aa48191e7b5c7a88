"""Examples that are decoded, images that are turned and moved, matching (Python 3.7, TensorFlow 2.21).

Each function of CASES takes a namespace with `tf`, `decoders`, `image` (TF 1: contrib modules,
TF 2: modules of the support package) and gives a dict of tensors.
"""

from types import SimpleNamespace

import numpy as np
import tensorflow as tf

from tests.runtime.recorded import files

PNG_SIZE = (4, 6, 3)


def picture():
    """A small image [4, 6, 3] of uint8."""
    return np.random.RandomState(0).randint(0, 255, PNG_SIZE).astype(np.uint8)


def _bytes(tf, *values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=list(values)))


def _floats(tf, *values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=list(values)))


def _ints(tf, *values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=list(values)))


def _example(m, **features):
    tf = m.tf
    named = {key.replace("__", "/"): value for key, value in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=named)).SerializeToString()


def _fixed(m, shape, dtype):
    return m.tf.io.FixedLenFeature(shape, dtype)


def _decoded(m, serialized, features, handlers, items=None):
    decoder = m.decoders.TFExampleDecoder(features, handlers)
    names = items or decoder.list_items()
    return dict(zip(names, decoder.decode(m.tf.constant(serialized), items)))


def images(m, image_format="png"):
    """Encoded images: told from their content, with a shape, as another dtype."""
    tf = m.tf
    encoded = m.png if image_format == "png" else m.jpeg
    serialized = _example(m, image__encoded=_bytes(tf, encoded),
                          image__format=_bytes(tf, image_format.encode()))
    features = {"image/encoded": _fixed(m, [], tf.string),
                "image/format": _fixed(m, [], tf.string)}
    image = m.decoders.Image
    return _decoded(m, serialized, features, {
        "plain": image(), "shaped": image(shape=[4, 6, 3], channels=3),
        "gray": image(channels=1), "float": image(dtype=tf.float32),
        "accurate": image(dct_method="INTEGER_ACCURATE")})


def jpeg_images(m):
    return images(m, "jpeg")


def raw_images(m):
    """Bytes of the values themselves."""
    tf = m.tf
    raw = np.arange(24, dtype=np.float32).tobytes()
    serialized = _example(m, raw=_bytes(tf, raw), kind=_bytes(tf, b"RAW"))
    features = {"raw": _fixed(m, [], tf.string), "kind": _fixed(m, [], tf.string)}
    return _decoded(m, serialized, features, {
        "image": m.decoders.Image("raw", "kind", shape=[2, 4, 3], dtype=tf.float32)})


def repeated_images(m):
    tf = m.tf
    serialized = _example(m, image__encoded=_bytes(tf, m.png, m.png),
                          image__format=_bytes(tf, b"png"))
    features = {"image/encoded": _fixed(m, [2], tf.string),
                "image/format": _fixed(m, [], tf.string)}
    return _decoded(m, serialized, features, {"images": m.decoders.Image(repeated=True)})


def boxes(m):
    """Boxes from sparse and from dense features."""
    tf = m.tf
    columns = {"ymin": [0.1, 0.2], "xmin": [0.3, 0.4], "ymax": [0.5, 0.6], "xmax": [0.7, 0.8]}
    serialized = _example(m, **{"b__" + k: _floats(tf, *v) for k, v in columns.items()})
    sparse = {"b/" + k: tf.io.VarLenFeature(tf.float32) for k in columns}
    dense = {"b/" + k: _fixed(m, [2], tf.float32) for k in columns}
    box = m.decoders.BoundingBox
    named = box(["xmin", "ymin", "xmax", "ymax"], "b/")
    result = _decoded(m, serialized, sparse, {"default": box(prefix="b/"), "named": named})
    result["dense"] = _decoded(m, serialized, dense, {"d": box(prefix="b/")})["d"]
    return result


def tensors(m):
    """Plain, defaulted, reshaped and looked-up features, and callbacks."""
    tf = m.tf
    serialized = _example(
        m, x=_floats(tf, *range(6)), rows=_ints(tf, 2), columns=_ints(tf, 3), shape=_ints(tf, 3, 2),
        ids=_ints(tf, 1, 4), words=_bytes(tf, b"b", b"a"))
    var, tensor = tf.io.VarLenFeature, m.decoders.Tensor
    features = {"x": var(tf.float32), "dense": _fixed(m, [], tf.int64),
                "rows": _fixed(m, [1], tf.int64), "columns": _fixed(m, [1], tf.int64),
                "shape": var(tf.int64), "ids": var(tf.int64), "missing": var(tf.float32),
                "words": var(tf.string)}
    features["dense"] = tf.io.FixedLenFeature([1], tf.int64, default_value=[7])
    handlers = {
        "x": tensor("x"), "by_keys": tensor("x", shape_keys=["rows", "columns"]),
        "by_shape_key": tensor("x", shape_keys="shape"), "fixed": tensor("x", shape=[3, 2]),
        "dense": tensor("dense"), "scalar": tensor("dense", shape=[]),
        "missing": tensor("missing", default_value=-1.0), "words": tensor("words", default_value=""),
        "twice": m.decoders.ItemHandlerCallback(
            ["rows", "columns"], lambda found: found["rows"] * found["columns"]),
        "backup": m.decoders.BackupHandler(tensor("missing"), tensor("x")),
        "no_backup": m.decoders.BackupHandler(tensor("x"), tensor("missing")),
        "sparse": m.decoders.SparseTensor("ids", "values_of_ids", shape=[6], densify=True)}
    serialized2 = _example(m, ids=_ints(tf, 1, 4), values_of_ids=_floats(tf, 0.5, 0.25))
    sparse = _decoded(m, serialized2, {"ids": var(tf.int64), "values_of_ids": var(tf.float32)},
                      {"sparse": handlers.pop("sparse")})
    result = _decoded(m, serialized, features, handlers)
    result.update(sparse)
    result["chosen"] = _decoded(m, serialized, features, handlers, ["fixed"])["fixed"]
    return result


ANGLES = [0.3, -1.1]
TRANSFORM = [1.1, 0.1, -1.0, -0.05, 0.9, 0.5, 0.001, -0.002]


def transforms(m):
    """Rotations, translations, projective transforms of batches, single and gray images."""
    tf, image = m.tf, m.image
    random = np.random.RandomState(1)
    batch = tf.constant(random.uniform(0, 255, (2, 7, 9, 3)).astype(np.float32))
    single = tf.constant(random.randint(0, 255, (7, 9, 3)).astype(np.uint8))
    gray = tf.constant(random.uniform(0, 1, (6, 6)).astype(np.float32))
    result = {}
    for kind in ("NEAREST", "BILINEAR"):
        result["rotate_each_" + kind] = image.rotate(batch, ANGLES, kind)
        result["rotate_all_" + kind] = image.rotate(batch, 0.5, interpolation=kind)
        result["rotate_gray_" + kind] = image.rotate(gray, np.pi / 2, kind)
        result["translate_" + kind] = image.translate(batch, [[1.5, -2.0], [0.0, 3.0]], kind)
        result["transform_" + kind] = image.transform(single, TRANSFORM, kind)
    result["angles"] = image.angles_to_projective_transforms(ANGLES, 7.0, 9.0)
    result["translations"] = image.translations_to_projective_transforms([2.0, -3.0])
    result["composed"] = image.compose_transforms(
        TRANSFORM, image.translations_to_projective_transforms([2.0, -3.0])[0])
    result["matrices"] = image.flat_transforms_to_matrices(TRANSFORM)
    result["flat"] = image.matrices_to_flat_transforms(
        np.arange(1, 10, dtype=np.float32).reshape(3, 3))
    return result


def matching(m):
    """Greedy matching, with all rows, some rows, and few matches."""
    result = {}
    for case, (rows, columns) in enumerate([(5, 4), (3, 6), (2, 2), (8, 8)]):
        distances = np.random.RandomState(case).uniform(size=(rows, columns)).astype(np.float32)
        for valid in (-1, 2):
            for top in (-1, 1, 3):
                pair = m.image.bipartite_match(m.tf.constant(distances), float(valid), top)
                for side, value in zip(("rows", "columns"), pair):
                    result["%dx%d_%d_%d_%s" % (rows, columns, valid, top, side)] = value
    return result


def colours(m):
    image = m.tf.constant(np.random.RandomState(3).uniform(size=(3, 4, 3)).astype(np.float32))
    return {"turned": m.adjust(image, 0.7, 1.3, 0.8), "plain": m.adjust(image),
            "bytes": m.adjust(m.tf.constant(picture()), -0.4, 0.5, 0.7)}


CASES = {f.__name__: f for f in (
    images, jpeg_images, raw_images, repeated_images, boxes, tensors, transforms, matching, colours)}


def record():
    from tensorflow.contrib.image.python.ops import distort_image_ops

    with tf.Graph().as_default(), tf.Session() as session:
        encoded = session.run({"png": tf.image.encode_png(picture()),
                               "jpeg": tf.image.encode_jpeg(picture())})
    arrays = {name + "_file": np.frombuffer(value, np.uint8) for name, value in encoded.items()}
    for name, case in CASES.items():
        with tf.Graph().as_default(), tf.Session() as session:
            m = SimpleNamespace(tf=tf, decoders=tf.contrib.slim.tfexample_decoder,
                                image=tf.contrib.image,
                                adjust=distort_image_ops.adjust_hsv_in_yiq, **encoded)
            for key, value in session.run(case(m)).items():
                value = np.asarray(value)
                arrays[name + "/" + key] = value.astype("S") if value.dtype == object else value
    files.write_arrays("examples", arrays)
