"""Makes the templates importable as the package they are rendered into."""
import importlib.util
import os
import sys
from pathlib import Path

import pytest

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

HERE = Path(__file__).resolve().parent
SUPPORT = HERE.parents[1] / "templates" / "support"


def _package(name: str, folder: Path) -> None:
    if name not in sys.modules:
        init = folder / "__init__.py"
        spec = importlib.util.spec_from_file_location(
            name, init, submodule_search_locations=[str(folder)])
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        if spec.loader is not None:
            spec.loader.exec_module(module)


_package("tf1_support", SUPPORT)
sys.path.insert(0, str(HERE))


@pytest.fixture(autouse=True)
def forget_earlier_state() -> None:
    """A Saver without a list saves the states of all live optimizers: here, only this test's."""
    from tf1_support import names

    names._states.clear()
