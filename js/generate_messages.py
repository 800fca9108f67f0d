"""Write the TypeScript types of the messages from the typed messages of Python.

``python js/generate_messages.py`` rewrites ``js/src/core/protocol/messages.ts``; a test compares
the two.
The sources are read, not imported, so that annotations stand as they were written.
"""

from __future__ import annotations

import ast
import json
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from nbprof.timeline.slice_categories import CATEGORIES
from nbprof.widgets.requests import protocol
from nbprof.widgets.requests.handlers import operations
from nbprof.widgets.views.registry import VIEWS
from nbprof.widgets.views.tabs import tab_info

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ROOT: Final = Path(__file__).resolve().parents[1]

#: The Python modules that declare messages, in the order of the generated types.
SOURCES: Final = tuple(
    _ROOT / "nbprof" / "widgets" / "requests" / "messages" / f"{name}.py"
    for name in (
        *("envelope", "tabs", "catalog", "trace", "tables"),
        *("charts", "allocator", "timeline", "diff"),
    )
)

#: The file that is generated.
TARGET: Final = _ROOT / "js" / "src" / "core" / "protocol" / "messages.ts"

#: The tabs of nbprof's own views, for the tests of the browser side.
TABS: Final = _ROOT / "js" / "tests" / "tabs.json"

_HEAD: Final = """\
/**
 * The messages between Python and the browser.
 *
 * Generated from nbprof/widgets/requests/messages/ by `make messages`: do not edit.
 */
"""

#: What Python's types are called in TypeScript.
_NAMES: Final = {"int": "number", "float": "number", "str": "string", "bool": "boolean"}
_NAMES_OF_ANY: Final = {"Any": "unknown", "None": "null"}

_WIDTH: Final = 100


class Field(NamedTuple):
    """A field of a message.

    Parameters
    ----------
    name : str
    type : ast.expr
        Its annotation, without `NotRequired`.
    required : bool
    doc : str
        What stands below it.
    """

    name: str
    type: ast.expr
    required: bool
    doc: str


class Message(NamedTuple):
    """A declared message.

    Parameters
    ----------
    name : str
    base : str
        The message that it extends; empty without one.
    doc : str
    fields : list of Field
        Its own.
    """

    name: str
    base: str
    doc: str
    fields: list[Field]


def messages(sources: Sequence[Path] = SOURCES) -> list[Message]:
    """Return the messages that modules declare, in their order."""
    return [
        _message(node)
        for path in sources
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef)
    ]


def typescript() -> str:
    """Return the generated file."""
    parts = [
        _HEAD,
        f"export const VERSION = {protocol.VERSION};\n",
        _names("OPS", "Op", "What the browser can ask for.", tuple(operations())),
        _names("CATEGORIES", "Category", "What a slice is, by its code.", CATEGORIES),
        *map(_interface, messages()),
    ]
    return "\n".join(parts)


def _message(node: ast.ClassDef) -> Message:
    """Read the class of a message."""
    [base] = [base.id for base in node.bases if isinstance(base, ast.Name)]
    total = not any(key.arg == "total" for key in node.keywords)
    doc = ast.get_docstring(node) or ""
    return Message(node.name, "" if base == "TypedDict" else base, doc, list(_fields(node, total)))


def _fields(node: ast.ClassDef, total: bool) -> Iterator[Field]:
    for at, line in enumerate(node.body):
        if not isinstance(line, ast.AnnAssign) or not isinstance(line.target, ast.Name):
            continue
        annotation, required = line.annotation, total
        if isinstance(annotation, ast.Subscript) and _called(annotation) == "NotRequired":
            annotation, required = annotation.slice, False
        below = node.body[at + 1] if at + 1 < len(node.body) else None
        doc = below.value.value if _is_text(below) else ""  # type: ignore[union-attr]
        yield Field(line.target.id, annotation, required, doc)


def _is_text(node: ast.stmt | None) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _called(node: ast.expr) -> str:
    target = node.value if isinstance(node, ast.Subscript) else node
    return target.id if isinstance(target, ast.Name) else ""


def _interface(message: Message) -> str:
    extends = f" extends {message.base}" if message.base else ""
    lines = [*_comment(message.doc, ""), f"export interface {message.name}{extends} {{"]
    for field in message.fields:
        lines += _comment(field.doc, "  ")
        mark = "" if field.required else "?"
        lines += _declaration(f"  {field.name}{mark}:", field.type)
    return "\n".join([*lines, "}", ""])


def _declaration(head: str, type_: ast.expr) -> list[str]:
    """Return a field as biome formats it: a long union has a line for each of its members."""
    line = f"{head} {_type(type_)};"
    if len(line) <= _WIDTH:
        return [line]
    *members, last = _type(type_).split(" | ")
    return [head, *(f"    | {member}" for member in members), f"    | {last};"]


def _type(node: ast.expr) -> str:  # noqa: PLR0911 - one for each kind of annotation
    """Return a Python annotation as a TypeScript type."""
    if isinstance(node, ast.Constant):
        return "null" if node.value is None else f'"{node.value}"'
    if isinstance(node, ast.Name):
        return _NAMES.get(node.id) or _NAMES_OF_ANY.get(node.id, node.id)
    if isinstance(node, ast.BinOp):
        return f"{_type(node.left)} | {_type(node.right)}"
    if not isinstance(node, ast.Subscript):
        message = f"No TypeScript for {ast.unparse(node)}."
        raise TypeError(message)
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    words = [_type(one) for one in inner]
    match _called(node):
        case "list":
            return f"({words[0]})[]" if " " in words[0] and words[0][0] != "[" else f"{words[0]}[]"
        case "tuple":
            return f"[{', '.join(words)}]"
        case "dict":
            return f"Record<{', '.join(words)}>"
        case "Literal":
            return " | ".join(words)
        case called:
            message = f"No TypeScript for {called}."
            raise TypeError(message)


def _names(constant: str, type_: str, doc: str, values: Sequence[str]) -> str:
    lines = [*_comment(doc, ""), f"export const {constant} = ["]
    lines += [f'  "{value}",' for value in values]
    lines += ["] as const;", f"export type {type_} = (typeof {constant})[number];", ""]
    return "\n".join(lines)


def _comment(doc: str, indent: str) -> list[str]:
    words = " ".join(doc.split("\n\n", maxsplit=1)[0].split()).replace("``", "`")
    if not doc:
        return []
    rest = " ".join(doc.split("\n\n")[1:]).split()
    words = f"{words} {' '.join(rest)}".strip().replace("``", "`")
    line = f"{indent}/** {words} */"
    if len(line) <= _WIDTH:
        return [line]
    wrapped = textwrap.wrap(words, _WIDTH - len(indent) - 3)
    return [f"{indent}/**", *(f"{indent} * {one}" for one in wrapped), f"{indent} */"]


def tabs() -> str:
    """Return what the browser is told of nbprof's own views, as JSON."""
    found = [tab_info(VIEWS[name]) for name in VIEWS if VIEWS.is_own(name)]
    return json.dumps(found, indent=2) + "\n"


if __name__ == "__main__":
    TARGET.write_text(typescript(), "utf-8")
    TABS.write_text(tabs(), "utf-8")
