"""What is done to HParams, and what comes of it (Python 3.7, TensorFlow 2.21)."""

import tensorflow as tf

from tests.runtime.recorded import files

HPARAMS = {"learning_rate": 0.1, "units": [100, 50], "name": "net", "flag": True, "steps": 10,
           "none": None, "names": ["a", "b"], "rates": [0.5]}
# What is done to HParams(**HPARAMS), and what comes of it: values or the class of an error.
OPERATIONS = [
    ("parse", "learning_rate=0.3,steps=20"), ("parse", "units=[1, 2,3],name=x y"),
    ("parse", "units=[]"), ("parse", "flag=false"), ("parse", "flag=0"), ("parse", "flag=maybe"),
    ("parse", "steps=1.5"), ("parse", "unknown=1"), ("parse", "steps=1,steps=2"),
    ("parse", "units[0]=3"), ("parse", "units[0]=3,units[0]=4"), ("parse", "units[1]=[2]"),
    ("parse", "=3"), ("parse", "name="), ("parse", "names=[x,y z]"), ("parse", ""),
    ("parse", "name=a=b"), ("parse", "learning_rate=1e-3, steps=5"), ("parse", "units=3"),
    ("parse", "rates=[1,2]"), ("parse", "steps=[1,2]"), ("parse", "none=3"),
    ("parse_json", '{"learning_rate": 1, "units": [7]}'), ("parse_json", '{"steps": 1.5}'),
    ("parse_json", '{"name": 3}'), ("parse_json", '{"other": 3}'), ("parse_json", "{"),
    ("override_from_dict", {"steps": 3, "flag": False}), ("override_from_dict", {"flag": 1}),
    ("override_from_dict", {"steps": True}), ("override_from_dict", {"units": 3}),
    ("override_from_dict", {"steps": [3]}), ("override_from_dict", {"none": [1]}),
    ("override_from_dict", {"none": "text"}), ("override_from_dict", {"learning_rate": 3}),
    ("override_from_dict", {"name": None}),
    ("set_hparam", "steps", 4), ("set_hparam", "missing", 4), ("set_hparam", "name", b"x"),
    ("add_hparam", "more", [1.5]), ("add_hparam", "steps", 2), ("add_hparam", "parse", 2),
    ("add_hparam", "empty", []), ("add_hparam", "none", 2), ("del_hparam", "steps"),
    ("del_hparam", "missing"), ("get", "steps"), ("get", "missing"), ("get", "missing", 3),
    ("get", "steps", 2.5), ("get", "units", 3), ("get", "units", [1, 2]), ("get", "steps", True),
    ("to_json",), ("__str__",), ("__repr__",), ("__contains__", "steps"), ("values",),
]


def operate(hparams_class, operation):
    """[result, values afterwards] or the error's class name, as JSON would give it back."""
    hparams = hparams_class(**HPARAMS)
    try:
        result = getattr(hparams, operation[0])(*operation[1:])
        if isinstance(result, hparams_class):
            result = "self"
        return [plain(result), plain(hparams.values())]
    except Exception as error:  # its class is the result
        return type(error).__name__.replace("JSONDecodeError", "ValueError")


def plain(value):
    if isinstance(value, dict):
        return {key: plain(item) for key, item in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value.decode() if isinstance(value, bytes) else value


def record():
    files.write_facts("hparams", [operate(tf.contrib.training.HParams, item) for item in OPERATIONS])
