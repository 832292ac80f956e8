"""What Python calls of the kernels can be called: a kernel without a wrapper for Python would crash the process."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from types import ModuleType

import pytest
from numba.core.dispatcher import Dispatcher

import games.solver

SOLVER = Path(games.solver.__file__).parent
MODULES = [importlib.import_module(f"games.solver.{path.stem}") for path in SOLVER.glob("[!_]*.py")]


def kernels(module: ModuleType) -> dict[str, Dispatcher]:
    return {name: value for name, value in vars(module).items() if isinstance(value, Dispatcher)}


def called_by_python(module: ModuleType) -> set[str]:
    """The kernels named outside of the kernels of a module, and outside of its imports."""
    tree = ast.parse(Path(str(module.__file__)).read_text())
    plain = [node for node in tree.body if not (isinstance(node, ast.FunctionDef) and node.name in kernels(module))]
    nodes = [node for part in plain for node in ast.walk(part)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names.intersection(kernels(module)) | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def test_there_are_kernels_of_both_kinds() -> None:
    options = [kernel.targetoptions for module in MODULES for kernel in kernels(module).values()]
    assert any("no_cpython_wrapper" in option for option in options)
    assert any("no_cpython_wrapper" not in option for option in options)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_python_calls_only_kernels_that_have_a_wrapper_for_it(module: ModuleType) -> None:
    everywhere = {name: kernel for other in MODULES for name, kernel in kernels(other).items()}
    for name in called_by_python(module).intersection(everywhere):
        assert "no_cpython_wrapper" not in everywhere[name].targetoptions, name
