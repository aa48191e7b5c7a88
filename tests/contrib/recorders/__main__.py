"""Records what TF 1.15.5 does: `PYTHON37 tests/contrib/recorders` writes tests/contrib/fixtures."""
import json
import os
import sys
from types import SimpleNamespace

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE)]

import cases  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow.contrib.image.python.ops import distort_image_ops  # noqa: E402


def main():
    out = os.path.join(os.path.dirname(HERE), "fixtures")
    with tf.Graph().as_default(), tf.Session() as session:
        encoded = session.run({"png": tf.image.encode_png(cases.picture()),
                               "jpeg": tf.image.encode_jpeg(cases.picture())})
    arrays = {name + "_file": np.frombuffer(value, np.uint8) for name, value in encoded.items()}
    for name, case in cases.CASES.items():
        with tf.Graph().as_default(), tf.Session() as session:
            m = SimpleNamespace(tf=tf, decoders=tf.contrib.slim.tfexample_decoder,
                                image=tf.contrib.image,
                                adjust=distort_image_ops.adjust_hsv_in_yiq, **encoded)
            for key, value in session.run(case(m)).items():
                value = np.asarray(value)
                arrays[name + "/" + key] = value.astype("S") if value.dtype == object else value
    np.savez_compressed(os.path.join(out, "arrays.npz"), **arrays)
    results = [cases.operate(tf.contrib.training.HParams, item) for item in cases.OPERATIONS]
    with open(os.path.join(out, "hparams.json"), "w") as file:
        json.dump(results, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
