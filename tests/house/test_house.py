"""The layers: which package may import which, and rules for every file."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import nbprof
from tests.support.syntax import tree_of

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "nbprof"
SOURCES = sorted(PACKAGE.rglob("*.py"))
#: Written by js/generate_messages.py.
GENERATED = "messages.ts"
#: A method for each table; it grows with their number.
METHODS = "trace_methods.py"

#: The parts of the package, floor by floor; parts of one floor do not know each other.
FLOORS = [
    {"model"},
    {"sources", "analysis"},
    {"timeline"},
    {"profiles"},
    {"charts"},
    {"export"},
    {"widgets"},
    {"cli"},
]
#: What a part may import besides itself.
BELOW = {
    part: set().union(*FLOORS[:height]) for height, floor in enumerate(FLOORS) for part in floor
}
#: Single modules at the top of the package, and the part that each belongs to.
TOP = {
    "content": "profiles",
    "defaults": "model",
    "diffs": "profiles",
    "loading": "profiles",
    "profiles": "profiles",
    "ranks": "profiles",
    "registry": "model",
    "testing": "export",
    "tables": "profiles",
    "trace": "profiles",
    "trace_files": "profiles",
    "cli": "cli",
    "__main__": "cli",
}


def part_of(module: str) -> str:
    """Give the part a dotted module name belongs to; "" for the table of contents."""
    names = module.split(".")
    if len(names) == 1 or names[1] == "__init__":
        return ""
    return TOP.get(names[1], names[1])


def module_of(path: Path) -> str:
    names = list(path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


def imports_of(path: Path) -> list[tuple[int, str]]:
    """List the nbprof modules that a file imports anywhere, typing blocks included."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            if node.module == "nbprof":
                found += [(node.lineno, f"nbprof.{alias.name}") for alias in node.names]
            else:
                found.append((node.lineno, node.module or ""))
    return [(line, name) for line, name in found if name.split(".")[0] == "nbprof"]


def wrong_imports(path: Path, own: str) -> list[str]:
    faults = []
    for line, name in imports_of(path):
        other = part_of(name)
        if other not in {"", own} | BELOW[own] and name != "nbprof.__version__":
            faults.append(f"{path.relative_to(ROOT)}:{line}: {own} imports {name}")
    return faults


def test_imports_point_downwards() -> None:
    faults = []
    for path in SOURCES:
        own = part_of(module_of(path))
        if own:
            assert own in BELOW, f"{path}: a part of the house that has no floor"
            faults += wrong_imports(path, own)
    assert faults == []


def test_the_import_rule_sees_an_upward_import(tmp_path: Path) -> None:
    path = ROOT / "nbprof" / "x.py"
    code = "def f():\n    from nbprof.charts import theme\n    import nbprof.sources.read\n"
    file = tmp_path / "x.py"
    file.write_text(code, "utf-8")
    names = [name for _, name in imports_of(file)]
    assert names == ["nbprof.charts", "nbprof.sources.read"]
    assert [part_of(name) in BELOW["analysis"] for name in names] == [False, False]
    assert BELOW["analysis"] == {"model"}
    assert part_of(module_of(path.parent / "model" / "x.py")) == "model"


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = ["bokeh", "pandas", "pyarrow", "numpy", "anywidget", "ipywidgets", "IPython", "msgspec"]
    code = f"import sys, nbprof; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_loading_tables_needs_no_widget_code() -> None:
    heavy = ["bokeh", "pandas", "anywidget", "ipywidgets", "IPython"]
    code = f"import sys, nbprof; nbprof.load; print([n for n in {heavy} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there() -> None:
    missing = [name for name in nbprof.__all__ if not hasattr(nbprof, name)]
    assert missing == []
    with pytest.raises(AttributeError, match="no attribute 'shwo'"):
        _ = nbprof.shwo


@pytest.mark.parametrize(
    "suffix", ["nbprof/**/*.py", "tests/**/*.py", "js/src/**/*.ts", "js/tests/**/*.ts"]
)
def test_files_stay_small(suffix: str) -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in ROOT.glob(suffix)
        if path.name not in (GENERATED, METHODS)
        and (lines := len(path.read_text("utf-8").splitlines())) > 350
    }
    assert long == {}


def test_nothing_prints_but_the_command_line() -> None:
    printing = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in SOURCES
        if part_of(module_of(path)) != "cli"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
    ]
    assert printing == []


def test_everything_public_is_documented() -> None:
    bare = []
    for path in SOURCES:
        tree = tree_of(path)
        nodes: list[tuple[str, ast.AST]] = [("module", tree)]
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                nodes.append((node.name, node))
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                nodes += [
                    (f"{node.name}.{part.name}", part)
                    for part in node.body
                    if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
                ]
        bare += [
            f"{path.relative_to(ROOT)}: {name}"
            for name, node in nodes
            if not name.split(".")[-1].startswith("_") and not ast.get_docstring(node)
        ]
    assert bare == []


def tracked() -> list[Path]:
    """List the files under version control that hold text."""
    try:
        done = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout: the list of files is not known")
    names = [ROOT / name for name in done.stdout.split("\0") if name]
    return [p for p in names if p.is_file() and p.suffix not in {".png", ".gz", ".arrow"}]


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    # Put together from pieces, so that this file does not name them either.
    forbidden = re.compile(
        "|".join(
            [
                r"(?<![\w.])/" + "work" + r"/",
                "/" + r"home/[a-z]",
                "/" + r"Users/[A-Za-z]",
                "/" + "root/",
                "/" + r"opt/(pypi|wheels)",
                r"file://" + "/",
                "registry" + r"\.npm" + "js",
                "files.python" + "hosted",
                "pypi" + r"\.org/simple",
            ]
        )
    )
    found = []
    for path in tracked():
        text = path.read_text("utf-8", errors="replace")
        found += [f"{path.relative_to(ROOT)}: {hit[0]}" for hit in forbidden.finditer(text)]
    assert found == []


def test_the_lock_file_and_the_constraints_name_no_download_address() -> None:
    lock = ROOT / "js" / "package-lock.json"
    assert '"resolved"' not in lock.read_text("utf-8")
    for path in (ROOT / "constraints").glob("*.txt"):
        assert not re.search(r"^-|://|@ ", path.read_text("utf-8"), re.MULTILINE), path


def test_one_version_everywhere() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    version = re.search(r'^version = "(.+)"$', project, re.MULTILINE)
    assert version is not None
    package = json.loads((ROOT / "js" / "package.json").read_text("utf-8"))
    assert nbprof.__version__ == version[1] == package["version"]


def test_every_import_is_a_declared_dependency() -> None:
    # Not from the metadata, which are those of the day when the checkout was installed.
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    block = project.split("\ndependencies = [")[1].split("\n]")[0]
    lines = re.findall(r'^  "([^"]+)"', block, re.MULTILINE)
    declared = {re.split(r"[^\w-]", line)[0].lower() for line in lines}
    # traitlets, IPython and comm come with ipywidgets, by the same project; typing_extensions,
    # which only type checkers need, with anywidget.
    imported = {
        "ipython": "ipywidgets",
        "traitlets": "ipywidgets",
        "comm": "ipywidgets",
        "typing_extensions": "anywidget",
    }
    used = set()
    for path in SOURCES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Import):
                used |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                used.add((node.module or "").split(".")[0])
    outside = {imported.get(name.lower(), name.lower()) for name in used}
    outside -= {"nbprof"} | {name.lower() for name in sys.stdlib_module_names}
    assert outside <= declared


#: Names of vendors, and of what only one of them has.
VENDORS = re.compile(r"ascend(?!ing|s\b)|paddle|hccl|torch_npu|\bcann\b|kineto", re.IGNORECASE)
#: Where they are at home. Readers of other formats may build on that of PyTorch's own (kineto).
HOMES = ("sources/ascend/", "sources/paddle/", "sources/kineto/", "sources/recorders.py")
#: Other code that names one, and why it may.
NAMES_A_VENDOR = {
    "analysis/costs/peaks/npu.py": "names of devices with their peak rates",
    "analysis/kernels/matrix_devices.py": "tells by its name whether a device is NVIDIA's or AMD's",
    "analysis/ranks/calls.py": "prefixes of communication libraries, whoever records them",
    "analysis/memory/components.py": "names of operators in graphs, as recordings give them",
    "charts/cards/kernels.py": "colours of cores, by the names that recordings give them",
    "analysis/kernels/kernel_columns.py": "examples in the meaning of a column",
    "analysis/launches/columns.py": "examples in the meaning of a column",
    "model/names/communication_names.py": "names of communication libraries and kernels",
}


def vendor_names(path: Path, within_sources: bool) -> list[str]:
    """List the code that names a vendor: identifiers and texts, docstrings excepted."""
    if not VENDORS.search(path.read_text("utf-8")):
        return []
    tree = tree_of(path)
    first = (getattr(node, "body", None) for node in ast.walk(tree))
    docstrings = {
        id(body[0].value)
        for body in first
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr)
    }
    found = []
    for node in ast.walk(tree):
        words: list[object] = []
        for _, value in ast.iter_fields(node):
            words += value if isinstance(value, list) else [value]
        if id(node) in docstrings:
            continue
        for word in words:
            text = word.decode("latin-1") if isinstance(word, bytes) else word
            if isinstance(text, str) and VENDORS.search(text):
                if within_sources and "kineto" in text:
                    continue
                found.append(f"{path}:{getattr(node, 'lineno', 0)}: {text}")
    return found


def test_vendors_are_named_at_home_only() -> None:
    named = {}
    for path in SOURCES:
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(HOMES):
            named[name] = vendor_names(path, name.startswith("sources/"))
    faults = [text for name, texts in named.items() if name not in NAMES_A_VENDOR for text in texts]
    assert faults == []
    assert [name for name in NAMES_A_VENDOR if not named.get(name)] == []


def test_the_rule_about_vendors_sees_them(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text('"""Of Paddle."""\n\n\ndef is_paddle(a):\n    return a == "Ascend"  # HCCL\n')
    assert len(vendor_names(file, within_sources=False)) == 2


def test_scripts_name_no_vendor() -> None:
    named = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in (ROOT / "js" / "src").rglob("*.ts")
        if (found := VENDORS.search(path.read_text("utf-8")))
    ]
    assert named == []
