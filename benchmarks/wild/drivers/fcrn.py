"""iro-cp/FCRN-DepthPrediction: tells how far away what a picture shows is."""

from __future__ import annotations

from kit import carried, picture

REPOSITORY = "https://github.com/iro-cp/FCRN-DepthPrediction"
COMMIT = "4212943719de2ce7e287a289e9fb2b4b54bc2417"

# Every layer but the last has a sixteenth of its maps, and what is shown is kept.
_SMALL = """
import sys
import numpy as np
import matplotlib
matplotlib.use('Agg')
import matplotlib.pyplot as plt
imshow = plt.imshow
plt.imshow = lambda depths, **k: (np.save('depths.npy', np.asarray(depths)), imshow(depths, **k))[1]
sys.path.insert(0, 'tensorflow')
from models.network import Network
whole = Network.conv
Network.conv = lambda self, height, width, maps, *a, **k: whole(
    self, height, width, max(maps // 16, 1), *a, **k)
"""


@carried
def data(w):
    """A picture, and a checkpoint of the network as it begins."""
    picture("some.png", 120, 160, seed=2)
    w.script("tensorflow/predict.py", "some.ckpt", "some.png", ahead=_SMALL,
             instead=[("saver.restore(sess, model_data_path)",
                       "tf.set_random_seed(1); sess.run(tf.global_variables_initializer()); "
                       "saver.save(sess, model_data_path)")])  # fmt: skip


def predict(w):
    w.script("tensorflow/predict.py", "some.ckpt", "some.png", ahead=_SMALL)
