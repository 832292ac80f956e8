"""The board's modules as files: imports that the static files storage can rewrite, no cycles, types, tests."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from qvserver.static_storage import HashedStorage

ROOT = Path(__file__).parent.parent.parent
MODULES = ROOT / "games" / "static" / "games"
JS_TESTS = ROOT / "tests" / "js"
_IMPORT = re.compile(
    r"""^(?:import\b|export\b[^;"'=]*\bfrom\b)[^;"']*["'](?P<path>[^"']+)["'](?P<end>.?)""", re.MULTILINE
)
_TYPE_IMPORT = re.compile(r"""\bimport\(["'](?P<path>[^"']+)["']\)""")


def imports_of(module: Path) -> list[tuple[str, str]]:
    """The path of each import and the character after it."""
    text = module.read_text()
    found = [(match["path"], match["end"]) for match in _IMPORT.finditer(text)]
    return found + [(match["path"], ";") for match in _TYPE_IMPORT.finditer(text)]


def test_every_import_is_relative_and_ends_in_a_semicolon() -> None:
    found = {module.name: imports_of(module) for module in MODULES.glob("*.js")}
    assert sum(map(len, found.values())) > 10
    wrong = {
        (name, path)
        for name, imports in found.items()
        for path, end in imports
        if end != ";" or not path.startswith("./") or not (MODULES / path).is_file()
    }
    assert not wrong


def test_no_module_imports_itself_through_others() -> None:
    graph = {module.name: {Path(path).name for path, _ in imports_of(module)} for module in MODULES.glob("*.js")}
    while leaves := {name for name, imports in graph.items() if not imports & graph.keys()}:
        graph = {name: imports for name, imports in graph.items() if name not in leaves}
    assert not graph


def test_the_manifest_storage_rewrites_every_import(tmp_path: Path) -> None:
    shutil.copytree(MODULES, tmp_path / "games")
    storage = HashedStorage(location=str(tmp_path), base_url="/static/")
    names = [f"games/{module.name}" for module in MODULES.glob("*.js")]
    for _, hashed, processed in storage.post_process({name: (storage, name) for name in names}):
        assert processed is True, (hashed, processed)
    for name in names:
        hashed = tmp_path / storage.hashed_files[storage.hash_key(name)]
        for path, _ in imports_of(hashed):
            assert re.search(r"\.[0-9a-f]{12}\.js$", path), (name, path)


@pytest.mark.skipif(not (JS_TESTS / "node_modules").is_dir(), reason="npm ci was not run in tests/js")
@pytest.mark.parametrize("script", ["types", "test"])
def test_types_and_tests_of_the_modules(script: str) -> None:
    done = subprocess.run(["npm", "run", "--silent", script], cwd=JS_TESTS, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
