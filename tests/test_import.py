import subprocess
import sys


def test_importing_compiles_nothing():
    """Compiling takes seconds: it happens on first use, once, and is kept on disk. Optimal transport loads slowly."""
    code = """
import importlib, pkgutil, sys, pluribus
from numba.core.dispatcher import Dispatcher
for room in ("compare", "consensus", "constrained", "constraints", "generate", "report", "cli"):
    importlib.import_module(f"pluribus.{room}")
assert "ot" not in sys.modules
import pluribus._kernels as kernels
found = 0
for module in pkgutil.walk_packages(kernels.__path__, "pluribus._kernels."):
    for value in vars(importlib.import_module(module.name)).values():
        if isinstance(value, Dispatcher):
            found += 1
            assert not value.signatures, value
            assert value.targetoptions.get("nogil"), value
assert found > 10
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_top_level_is_light():
    code = "import sys, pluribus; assert not {'numba', 'sklearn', 'pandas'} & set(sys.modules); pluribus.Ensemble"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_top_level_names():
    import pluribus

    names = {"Clustering", "Constraints", "Ensemble", "EnsembleClusterer", "cluster", "combine", "load"}
    assert names <= set(dir(pluribus))
    assert all(hasattr(pluribus, name) for name in pluribus.__all__)


def test_every_command_answers_for_help_at_once():
    code = """
import sys
from pluribus.cli._app import app
from typer.testing import CliRunner
assert CliRunner().invoke(app, ["cluster", "--help"]).exit_code == 0
assert not {'numba', 'sklearn', 'pandas'} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
