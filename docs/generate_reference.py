"""Writes docs/reference.md: every public name, its arguments, and the first line of what it says.

Run it with ``make generated`` after a change of the public face; `tests/house/test_generated.py`
fails where that was forgotten, so that nothing becomes public unnoticed.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anywidget
import traitlets

import nbprof
from nbprof.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE: Final = Path(__file__).resolve().parent / "reference.md"

#: Headings, and the public names under them; what is under none is an error of `reference`.
SECTIONS: Final = {
    "Open and show": ("load", "show", "diff", "diagnose", "options"),
    "Record": ("profile", "trace_handler"),
    "Profiles, traces and filters": (
        "Profile",
        "Trace",
        "Filter",
        "Diff",
        "TraceFile",
        "StepCandidate",
    ),
    "Views": (
        "Explorer",
        "OverviewView",
        "OperatorsView",
        "KernelsView",
        "RooflineView",
        "TimelineView",
        "MemoryView",
        "ModulesView",
        "FunctionsView",
        "DistributedView",
        "DiffView",
        "StaticView",
        "ViewError",
    ),
    "Errors and warnings": (
        "NbprofError",
        "SourceError",
        "RecordingError",
        "TraceNotFoundError",
        "TraceFormatError",
        "OutOfMemoryError",
        "FilterError",
        "LimitError",
        "UnknownNameError",
        "PageError",
        "RasterError",
        "FilterWarning",
        "ExtensionWarning",
    ),
}
#: The heading of all other names.
EXTENSIONS: Final = "Tables, views and recorders of your own"

#: What stands in no docstring.
OTHERS: Final = {"registry": "Where `register` puts it."}

HEAD: Final = """\
# Reference

Every public name of nbprof. `help(nbprof.load)`, or `nbprof.load?` in a notebook, has the rest:
parameters, units, errors and examples. Tables with their columns are in [tables.md](tables.md).
This page is generated.
"""


def outputs() -> dict[Path, str]:
    """Return the text of every generated file."""
    return {PAGE: reference()}


def reference() -> str:
    """Return the page."""
    listed = [name for names in SECTIONS.values() for name in names]
    others = [name for name in nbprof.__all__ if name not in listed and not name.startswith("_")]
    sections = {**SECTIONS, EXTENSIONS: others}
    return HEAD + "".join(
        f"\n## {title}\n" + "".join(_described(name) for name in names)
        for title, names in sections.items()
    )


def _described(name: str) -> str:
    value = getattr(nbprof, name)
    call = f"{name}{_arguments(value)}" if callable(value) and not _is_named_only(value) else name
    members = [] if _is_error(value) else list(_members(value))
    rows = ["", "| | |", "|---|---|", *members] if members else []
    return "\n".join([f"\n### {name}\n", f"`{call}`: {_first_line(value)}", *rows]) + "\n"


def _is_named_only(value: Any) -> bool:
    """Whether nobody calls it, or it takes the arguments of the Explorer."""
    made_elsewhere = (nbprof.Profile, nbprof.Trace)
    return _is_error(value) or value in made_elsewhere or _is_single_view(value)


def _is_single_view(value: Any) -> bool:
    is_view = isinstance(value, type) and issubclass(value, nbprof.Explorer)
    return is_view and value is not nbprof.Explorer


def _is_error(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Exception)


def _members(value: Any) -> Iterator[str]:
    """Yield a row for every public attribute that nbprof itself gives to an object."""
    of = value if isinstance(value, type) else type(value)
    if not isinstance(value, type) and not of.__module__.startswith("nbprof"):
        return
    if inspect.isfunction(value):
        return
    traits = _trait_documentation(of)
    for name in _public_names(of, value):
        if name in TABLES and issubclass(of, (nbprof.Profile, nbprof.Trace)):
            continue
        found = inspect.getattr_static(of, name, None)
        if inspect.isroutine(found) and name not in _parameters(of):
            bound = getattr(of, name)
            yield f"| `{name}{_arguments(bound)}` | {_first_line(bound)} |"
        elif isinstance(found, property):
            yield f"| `{name}` | {_first_line(found)} |"
        elif isinstance(found, traitlets.TraitType):
            yield f"| `{name}` (trait) | {traits[name]} |"
        else:
            yield f"| `{name}` | {_parameters(of).get(name, OTHERS.get(name, ''))} |"
    if issubclass(of, (nbprof.Profile, nbprof.Trace)):
        tables = [f"`{name}`" for name in TABLES if TABLES.is_own(name) and hasattr(of, name)]
        yield f"| tables | {', '.join(tables)} |"


def _public_names(of: type, value: Any) -> list[str]:
    """Return the names that the classes of nbprof define, and those of options and fields."""
    ours = [cls for cls in reversed(of.__mro__) if cls.__module__.startswith("nbprof")]
    if _is_single_view(of):
        return []
    names = [name for cls in ours for name in vars(cls)]
    names += [name for cls in ours for name in getattr(cls, "__slots__", ())]
    if dataclasses.is_dataclass(of):
        names += [field.name for field in dataclasses.fields(of)]
    if not isinstance(value, type):
        names += dir(value)
    names += _parameters(of, "Attributes")
    theirs = dir(anywidget.AnyWidget) if issubclass(of, nbprof.Explorer) else ()
    return sorted({name for name in names if not name.startswith("_") and name not in theirs})


def _parameters(of: type, *titles: str) -> dict[str, str]:
    """Return what a class says of its parameters and attributes, their first sentences by name."""
    found: dict[str, str] = {}
    section, names = "", []
    for line in (inspect.getdoc(of) or "").splitlines():
        if line and not line.startswith((" ", "-")):
            if line in {"Parameters", "Attributes", "Notes", "Raises", "Examples"}:
                section = line
            elif section in (titles or ("Parameters", "Attributes")):
                names = [name.strip() for name in line.split(" : ")[0].split(",")]
                found.update(dict.fromkeys(names, ""))
        elif section in {"Parameters", "Attributes"} and line.startswith(" "):
            found.update({name: f"{found[name]} {line.strip()}".strip() for name in names})
    return {name: _escaped(text.split(". ")[0].rstrip(".") + ".") for name, text in found.items()}


def _trait_documentation(of: type) -> dict[str, str]:
    """Return the strings under the traits in the source of a class and its bases."""
    found = {}
    for cls in of.__mro__:
        if not cls.__module__.startswith("nbprof") or not issubclass(cls, traitlets.HasTraits):
            continue
        body = ast.parse(inspect.cleandoc("\n" + inspect.getsource(cls))).body[0].body
        for statement, after in pairwise(body):
            if isinstance(statement, ast.Assign) and isinstance(after, ast.Expr):
                text = " ".join(str(ast.literal_eval(after.value)).split())
                found[statement.targets[0].id] = _escaped(text.split(". ")[0].rstrip(".") + ".")
    return found


def _arguments(value: Any) -> str:
    """Return the arguments of a call, as ``(source, *, cache=, …)``."""
    parts = []
    starred = False
    for parameter in inspect.signature(value).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        if parameter.kind is parameter.VAR_KEYWORD:
            parts.append(f"**{parameter.name}")
        elif parameter.default is parameter.empty:
            parts.append(parameter.name)
        else:
            parts.append(f"{parameter.name}=")
    return f"({', '.join(parts)})"


def _first_line(value: Any) -> str:
    return _escaped((inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " "))


def _escaped(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


def main() -> None:
    """Write the page where it is not what it should be, and say so."""
    for path, text in outputs().items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            sys.stdout.write(f"docs/{path.name}\n")


if __name__ == "__main__":
    main()
