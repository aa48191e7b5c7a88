"""aymericdamien/TensorFlow-Examples: the tutorial scripts for TensorFlow 1, each for some steps."""

from __future__ import annotations

from kit import carried, picture, write_digits

REPOSITORY = "https://github.com/aymericdamien/TensorFlow-Examples"
COMMIT = "6dcbe14649163814e72a22a999f20c5e247ce988"

_AT = "tensorflow_v1/examples/"
_NETS = "3_NeuralNetworks/"
_AHEAD = """
import random, matplotlib, numpy, tensorflow
matplotlib.use('Agg')
import matplotlib.pyplot
matplotlib.pyplot.waitforbuttonpress = lambda *a: None
numpy.random.seed(1)
random.seed(1)
"""
_DATA = ('"/tmp/data/"', '"data/"')


@carried
def data(w):
    write_digits("data")
    for number in range(12):
        picture(f"pictures/{'ab'[number % 2]}/{number}.jpg", 80, 80, number)


def _script(w, name, *instead, data=True):
    w.script(_AT + name, ahead=_AHEAD, instead=[_DATA, *instead] if data else list(instead))


def hello(w):
    _script(w, "1_Introduction/helloworld.py", data=False)


def operations(w):
    _script(w, "1_Introduction/basic_operations.py", data=False)


def eager(w):
    _script(w, "1_Introduction/basic_eager_api.py", data=False)


def linear(w):
    _script(w, "2_BasicModels/linear_regression.py", ("= 1000", "= 60"), data=False)


def linear_eager(w):
    _script(w, "2_BasicModels/linear_regression_eager_api.py", ("= 1000", "= 60"), data=False)


def logistic(w):
    _script(w, "2_BasicModels/logistic_regression.py", ("= 25", "= 2"))


def logistic_eager(w):
    _script(w, "2_BasicModels/logistic_regression_eager_api.py", ("num_steps = 1000", "num_steps = 5"))


def nearest(w):
    _script(w, "2_BasicModels/nearest_neighbor.py", ("(200)", "(20)"))


def autoencoder(w):
    _script(w, _NETS + "autoencoder.py", ("= 30000", "= 5"), ("display_step = 1000", "display_step = 2"))


def bidirectional(w):
    _script(w, _NETS + "bidirectional_rnn.py",
            ("= 10000", "= 3"), ("display_step = 200", "display_step = 1"))  # fmt: skip


def recurrent(w):
    _script(w, _NETS + "recurrent_network.py",
            ("= 10000", "= 3"), ("display_step = 200", "display_step = 1"))  # fmt: skip


def dynamic(w):
    _script(w, _NETS + "dynamic_rnn.py", ("= 10000", "= 3"), ("display_step = 200", "display_step = 1"),
            data=False)  # fmt: skip


def convolution(w):
    _script(w, _NETS + "convolutional_network.py",
            ("= 2000", "= 3"), ("batch_size = 128", "batch_size = 16"))  # fmt: skip


def convolution_raw(w):
    _script(w, _NETS + "convolutional_network_raw.py", ("num_steps = 200", "num_steps = 3"),
            ("display_step = 10", "display_step = 1"), ("batch_size = 128", "batch_size = 16"))  # fmt: skip


def perceptron(w):
    _script(w, _NETS + "multilayer_perceptron.py", ("= 15", "= 2"))


def network(w):
    _script(w, _NETS + "neural_network.py", ("num_steps = 1000", "num_steps = 3"))


def network_eager(w):
    _script(w, _NETS + "neural_network_eager_api.py", ("num_steps = 1000", "num_steps = 5"))


def network_raw(w):
    _script(w, _NETS + "neural_network_raw.py",
            ("= 500", "= 4"), ("display_step = 100", "display_step = 1"))  # fmt: skip


def dcgan(w):
    _script(w, _NETS + "dcgan.py",
            ("num_steps = 20000", "num_steps = 2"), ("batch_size = 32", "batch_size = 4"))  # fmt: skip


def gan(w):
    _script(w, _NETS + "gan.py", ("num_steps = 100000", "num_steps = 3"), ("i % 1000 == 0", "True"))


def variational(w):
    _script(w, _NETS + "variational_autoencoder.py", ("num_steps = 30000", "num_steps = 3"),
            ("i % 1000 == 0", "True"))  # fmt: skip


def save(w):
    _script(w, "4_Utils/save_restore_model.py",
            ('"MNIST_data/"', '"data/"'), ('"/tmp/model.ckpt"', '"kept/model.ckpt"'),
            data=False)  # fmt: skip


def board(w):
    _script(w, "4_Utils/tensorboard_basic.py",
            ("= 25", "= 2"), ("'/tmp/tensorflow_logs/example/'", "'logs'"))  # fmt: skip


def board_advanced(w):
    _script(w, "4_Utils/tensorboard_advanced.py",
            ("= 25", "= 1"), ("'/tmp/tensorflow_logs/example/'", "'logs'"))  # fmt: skip


def images(w):
    _script(w, "5_DataManagement/build_an_image_dataset.py", ("'/path/to/dataset/'", "'pictures'"),
            ("= 10000", "= 3"), ("display_step = 100", "display_step = 1"),
            ("batch_size = 128", "batch_size = 4"), data=False)  # fmt: skip


def dataset(w):
    _script(w, "5_DataManagement/tensorflow_dataset_api.py", ("num_steps = 2000", "num_steps = 4"),
            ("display_step = 100", "display_step = 1"), ("batch_size = 128", "batch_size = 16"))  # fmt: skip


def devices(w):
    _script(w, "6_MultiGPU/multigpu_cnn.py",
            ("num_gpus = 2", "num_gpus = 1"), ("num_steps = 200", "num_steps = 2"),
            ("batch_size = 1024", "batch_size = 16"))  # fmt: skip
