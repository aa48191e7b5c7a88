"""pierluigiferrari/ssd_keras (Keras 2.2.4 before): its small SSD, trained by its loss and its generator, its
three ways of decoding, and the layers of the large one."""

from __future__ import annotations

import contextlib
import io

import numpy as np
from kit import carried, fill, picture, settings, under, write

REPOSITORY = "https://github.com/pierluigiferrari/ssd_keras"
COMMIT = "3ac9adaf3889f1020d74b0eeefea281d5e82f353"

_SIZE = (96, 128, 3)
_NET = {
    "image_size": _SIZE, "n_classes": 3, "l2_regularization": 0.0005, "normalize_coords": True,
    "scales": [0.08, 0.16, 0.32, 0.64, 0.96], "aspect_ratios_global": [0.5, 1.0, 2.0],
    "subtract_mean": 127.5, "divide_by_stddev": 127.5,
}  # fmt: skip


@carried
def data(w):
    random = np.random.RandomState(0)
    lines = ["frame,xmin,xmax,ymin,ymax,class_id"]
    for i in range(6):
        picture(f"pictures/{i}.jpg", 96, 128, seed=i)
        for _ in range(2):
            x, y = random.randint(0, 70), random.randint(0, 50)
            lines.append(f"{i}.jpg,{x},{x + random.randint(20, 50)},{y},{y + random.randint(20, 40)},"
                         f"{random.randint(1, 4)}")
    write("labels.csv", "\n".join(lines) + "\n")


@carried
def weights(w):
    from models.keras_ssd7 import build_model

    model = build_model(mode="training", **_NET)
    fill(model, np.random.RandomState(0))
    model.save_weights("small.h5")


@under("TF316", "models/keras_ssd7.py", "its moving averages were those of the batches since training began")
@settings(timeout=1800)
def train(w):
    """As ssd7_training.ipynb does, with SGD."""
    from data_generator.object_detection_2d_data_generator import DataGenerator
    from keras.optimizers import SGD
    from keras_loss_function.keras_ssd_loss import SSDLoss
    from models.keras_ssd7 import build_model
    from ssd_encoder_decoder.ssd_input_encoder import SSDInputEncoder

    model, sizes = build_model(mode="training", return_predictor_sizes=True, **_NET)
    model.load_weights("small.h5", by_name=True)
    loss = SSDLoss(neg_pos_ratio=3, alpha=1.0)
    model.compile(optimizer=SGD(0.001, momentum=0.9), loss=loss.compute_loss)
    pictures = DataGenerator(load_images_into_memory=False, hdf5_dataset_path=None)
    pictures.parse_csv(images_dir="pictures", labels_filename="labels.csv", include_classes="all",
                       input_format=["image_name", "xmin", "xmax", "ymin", "ymax", "class_id"])  # fmt: skip
    encoder = SSDInputEncoder(
        img_height=96, img_width=128, n_classes=3, predictor_sizes=sizes, scales=_NET["scales"],
        aspect_ratios_global=[0.5, 1.0, 2.0], normalize_coords=True, pos_iou_threshold=0.5,
        neg_iou_limit=0.3, matching_type="multi",
    )  # fmt: skip
    made = pictures.generate(batch_size=2, shuffle=False, transformations=[], label_encoder=encoder,
                             returns={"processed_images", "encoded_labels"})  # fmt: skip
    images, labels = next(made)
    with contextlib.redirect_stdout(io.StringIO()):
        fit = model.fit if w.after else model.fit_generator
        batches = (tuple(batch) for batch in made)
        history = fit(batches, steps_per_epoch=2, epochs=2, validation_data=(images, labels))
    w.dump(sizes=np.asarray(sizes), labels=labels, found=model.predict(images), **history.history)


def decode(w):
    from keras.layers import Input
    from keras.models import Model
    from keras_layers.keras_layer_L2Normalization import L2Normalization
    from models.keras_ssd7 import build_model
    from ssd_encoder_decoder.ssd_output_decoder import decode_detections

    images = np.random.RandomState(1).uniform(0, 255, (2, *_SIZE)).astype("f")
    for mode in ("training", "inference", "inference_fast"):
        model = build_model(mode=mode, confidence_thresh=0.4, top_k=20, nms_max_output_size=10, **_NET)
        model.load_weights("small.h5", by_name=True)
        found = model.predict(images)
        w.dump(**{mode: found})
        if mode == "training":  # of NumPy, whose argpartition has no order
            decoded = decode_detections(
                found, confidence_thresh=0.4, top_k="all", img_height=96, img_width=128)
            w.dump(decoded=[sorted(map(tuple, boxes)) for boxes in decoded])
    seen = Input((8, 8, 16))
    normed = Model(seen, L2Normalization(gamma_init=20, name="normed")(seen))
    normed.compile("sgd", "mse")
    given = np.random.RandomState(2).normal(size=(2, 8, 8, 16)).astype("f")
    lost = normed.train_on_batch(given, given)
    w.dump(normed=normed.predict(given), lost=lost, weights=normed.get_weights(),
           trained=len(normed.trainable_weights))  # fmt: skip
