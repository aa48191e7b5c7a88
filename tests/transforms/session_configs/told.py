"""Runs programs and writes what their sessions, or their devices, were told: `told.py OUT FOLDER ...`.

On TF 1.15.5 that is the ConfigProto of each session; on TF 2.21 what `configure_gpus` was given, and
whether TensorFlow had started its devices by then. Each program runs in a process of its own, forked
once TensorFlow is imported. Python 3.7.
"""
import json
import os
import runpy
import sys
import traceback


def of_config(config):
    """The fields that say something, under the names of `configure_gpus`'s parameters."""
    gpu = config.gpu_options
    said = {
        "growth": gpu.allow_growth, "fraction": round(gpu.per_process_gpu_memory_fraction, 3),
        "visible": gpu.visible_device_list, "device_count": dict(config.device_count),
        "soft_placement": config.allow_soft_placement, "log_placement": config.log_device_placement,
        "inter_op_threads": config.inter_op_parallelism_threads,
        "intra_op_threads": config.intra_op_parallelism_threads,
        "jit": config.graph_options.optimizer_options.global_jit_level > 0,
    }
    return {name: value for name, value in said.items() if value}


def watch_sessions(told):
    from tensorflow.python.client import session

    original = session.BaseSession.__init__

    def init(self, target="", graph=None, config=None):
        if config is not None:
            told.append(dict(of_config(config), cuda=os.environ.get("CUDA_VISIBLE_DEVICES")))
        original(self, target, graph, config)

    session.BaseSession.__init__ = init


def watch_devices(told):
    import inspect

    import tensorflow as tf
    from tensorflow.python.eager import context
    from tf1_support import gpu

    original = gpu.configure_gpus

    def configure(*args, **kwargs):
        given = inspect.signature(original).bind(*args, **kwargs).arguments
        said = {name: value for name, value in given.items() if value}
        said["growth"] = said.pop("memory", None) == "growth"
        if given.get("visible") == []:
            said["device_count"] = {"GPU": 0}
        if "fraction" in said:
            said["fraction"] = round(said["fraction"], 3)
        said["jit"] = bool(tf.config.optimizer.get_jit())
        said = {name: value for name, value in said.items() if value}
        made = context._context
        late = made is not None and made._context_handle is not None
        told.append(dict(said, cuda=os.environ.get("CUDA_VISIBLE_DEVICES"), late=late))
        return []

    gpu.configure_gpus = configure


def run(folder):
    """What one program was told; its error, if it failed."""
    told: list = []
    os.chdir(folder)
    sys.path.insert(0, folder)
    sys.argv = ["prog.py"]
    os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    import tensorflow as tf

    (watch_sessions if tf.__version__.startswith("1.") else watch_devices)(told)
    try:
        runpy.run_path("prog.py", run_name="__main__")
    except SystemExit as end:
        if end.code:
            return {"told": told, "error": str(end.code)}
    except Exception:
        return {"told": told, "error": traceback.format_exc()}
    return {"told": told}


def main(out, folders):
    import tensorflow  # noqa: F401  # once for all

    found = {}
    for folder in folders:
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            with os.fdopen(writer, "w") as pipe:
                json.dump(run(os.path.abspath(folder)), pipe)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            found[os.path.basename(folder)] = json.load(pipe)
        os.waitpid(child, 0)
    with open(out, "w") as fh:
        json.dump(found, fh, indent=1, sort_keys=True)
        fh.write("\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
