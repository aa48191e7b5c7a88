"""Decoders, image transforms and matching against TF 1.15.5 (recorded/examples.py)."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.runtime.recorded import examples as cases
from tests.runtime.recorded import files

tf = pytest.importorskip("tensorflow")

from tf1_support import contrib_image, tfexample_decoder  # noqa: E402

ARRAYS = files.arrays("examples")
# Colours: TF 1's kernel has rounded coefficients. Others: float32 rounding.
TOLERANCES = {"colours": 2e-3, "transforms": 1e-5}
NAMES = sorted({name.partition("/")[0] for name in ARRAYS.files if "/" in name})


def namespace() -> SimpleNamespace:
    files = {kind: ARRAYS[f"{kind}_file"].tobytes() for kind in ("png", "jpeg")}
    return SimpleNamespace(tf=tf, decoders=tfexample_decoder, image=contrib_image,
                           adjust=contrib_image.adjust_hsv_in_yiq, **files)


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
@pytest.mark.parametrize("name", NAMES)
def test_equal_to_tf1(name: str, traced: bool) -> None:
    m = namespace()
    run = cases.CASES[name]
    found = tf.function(lambda: run(m), autograph=False)() if traced else run(m)
    wanted = {key.partition("/")[2]: key for key in ARRAYS.files if key.startswith(name + "/")}
    assert set(found) == set(wanted)
    for key, value in found.items():
        expected, got = ARRAYS[wanted[key]], np.asarray(value)
        if got.dtype == object:
            got = got.astype("S")
        assert got.dtype == expected.dtype and got.shape == expected.shape, key
        if got.dtype.kind == "f":
            tolerance = TOLERANCES.get(name, 0.0)
            np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance, err_msg=key)
        elif name == "colours":  # one step of uint8
            assert np.abs(got.astype(int) - expected.astype(int)).max() <= 1, key
        else:
            np.testing.assert_array_equal(got, expected, err_msg=key)


def test_every_case_is_recorded() -> None:
    assert set(NAMES) == set(cases.CASES)


def test_decoders_inside_a_data_set() -> None:
    m = namespace()
    serialized = cases._example(m, image__encoded=cases._bytes(tf, m.png),
                                image__format=cases._bytes(tf, b"png"))
    features = {key: tf.io.FixedLenFeature([], tf.string)
                for key in ("image/encoded", "image/format")}
    decoder = tfexample_decoder.TFExampleDecoder(features, {"image": tfexample_decoder.Image()})
    dataset = tf.data.Dataset.from_tensors(serialized).map(lambda s: decoder.decode(s)[0])
    assert dataset.element_spec.shape.as_list() == [None, None, 3]
    np.testing.assert_array_equal(next(iter(dataset)), cases.picture())


def test_sequences() -> None:
    """Not in TF 1.15's contrib (tf_slim added them later): against values by hand."""
    def feature(*values: float) -> Any:
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    frames = [(0.1,), (), (0.2, 0.3)]
    lists = {key: tf.train.FeatureList(feature=[feature(*frame) for frame in frames])
             for key in ("b/ymin", "b/xmin", "b/ymax", "b/xmax")}
    example = tf.train.SequenceExample(
        feature_lists=tf.train.FeatureLists(feature_list=lists)).SerializeToString()
    decoder = tfexample_decoder.TFSequenceExampleDecoder(
        {}, {key: tf.io.VarLenFeature(tf.float32) for key in lists},
        {"boxes": tfexample_decoder.BoundingBoxSequence(prefix="b/"),
         "count": tfexample_decoder.NumBoxesSequence(sorted(lists))})
    boxes, count = decoder.decode(example)
    assert boxes.shape == (3, 2, 4)
    np.testing.assert_allclose(boxes[0, 0], [0.1] * 4, rtol=1e-6)
    np.testing.assert_array_equal(boxes[1], -np.ones([2, 4]))
    np.testing.assert_array_equal(count, [1, 0, 2])
    uneven = dict(lists, **{"b/ymin": tf.train.FeatureList(feature=[feature(1.0)] * 3)})
    broken = tf.train.SequenceExample(
        feature_lists=tf.train.FeatureLists(feature_list=uneven)).SerializeToString()
    with pytest.raises(tf.errors.InvalidArgumentError):
        decoder.decode(broken, ["count"])
