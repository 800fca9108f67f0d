"""Messages are declared once, in Python; the TypeScript types and real replies match them."""

from __future__ import annotations

import ast
import importlib.util
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.programs.offline import parts

if TYPE_CHECKING:
    from tests.widgets.conftest import Page

ROOT = Path(__file__).resolve().parents[3]


def load_generator() -> Any:
    path = ROOT / "js" / "generate_messages.py"
    spec = importlib.util.spec_from_file_location("generate_messages", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


generator = load_generator()
MESSAGES = {message.name: message for message in generator.messages()}
PLAIN = {"str": str, "int": int, "float": (int, float), "bool": bool, "None": type(None)}


def test_the_generated_types_are_those_of_the_declared_messages() -> None:
    generated = generator.TARGET.read_text("utf-8")
    assert generated == generator.typescript(), "run `make messages`"
    assert generator.TABS.read_text("utf-8") == generator.tabs(), "run `make messages`"


def declared(name: str) -> dict[str, Any]:
    """Return the fields of a message by name, those that it inherits too."""
    message = MESSAGES[name]
    inherited = declared(message.base) if message.base else {}
    return {**inherited, **{field.name: field for field in message.fields}}


def faults(value: Any, name: str, path: str = "") -> list[str]:
    """List where a value is not what a message declares."""
    if not isinstance(value, dict):
        return [f"{path}: {value!r} is no {name}"]
    fields = declared(name)
    found = [f"{path}.{key} is not declared in {name}" for key in value if key not in fields]
    for key, field in fields.items():
        if key in value:
            found += type_faults(value[key], field.type, f"{path}.{key}")
        elif field.required:
            found.append(f"{path}.{key} is missing")
    return found


def type_faults(  # noqa: PLR0911 - one for each kind of annotation
    value: Any, type_: ast.expr, path: str
) -> list[str]:
    """List where a value is not of the type of an annotation."""
    wrong = [f"{path}: {str(value)[:60]!r} is no {ast.unparse(type_)}"]
    if isinstance(type_, ast.BinOp):
        sides = [type_faults(value, side, path) for side in (type_.left, type_.right)]
        return [] if [] in sides else wrong
    if isinstance(type_, ast.Constant):
        return [] if value is None else wrong
    if isinstance(type_, ast.Name):
        if type_.id in MESSAGES:
            return faults(value, type_.id, path)
        if type_.id in {"Any", "Op", "Category"}:
            return []
        whole = not isinstance(value, bool) or type_.id == "bool"
        return [] if whole and isinstance(value, PLAIN[type_.id]) else wrong
    assert isinstance(type_, ast.Subscript)
    kind = ast.unparse(type_.value)
    inner = type_.slice.elts if isinstance(type_.slice, ast.Tuple) else [type_.slice]
    if kind == "Literal":
        return [] if value in [ast.literal_eval(one) for one in inner] else wrong
    if kind == "dict":
        if not isinstance(value, dict):
            return wrong
        return [f for k, v in value.items() for f in type_faults(v, inner[1], f"{path}[{k}]")]
    if not isinstance(value, list) or (kind == "tuple" and len(value) != len(inner)):
        return wrong
    types = inner if kind == "tuple" else inner * len(value)
    pairs = enumerate(zip(value, types, strict=True))
    return [f for at, (v, t) in pairs for f in type_faults(v, t, f"{path}[{at}]")]


REPLIES = [
    ("hello", "Hello", {}),
    ("catalog", "Catalog", {}),
    ("trace", "TraceInfo", {}),
    ("overview", "Overview", {}),
    ("charts", "Described", {"view": "kernels"}),
    ("page", "Page", {"table": "kernels"}),
    ("page", "Page", {"table": "kernels", "search": "nothing like it"}),
    ("page", "Page", {"table": "modules", "tree": {}}),
    ("stacks", "Stacks", {"name": "aten::add", "table": "operators"}),
    ("spreads", "Spreads", {"table": "kernel_launches"}),
    ("csv", "Csv", {"table": "operators"}),
    ("memory", "Memory", {}),
    ("flame", "Flame", {"width": 200}),
    ("icicle", "Icicle", {"width": 200}),
    ("distributed", "Distributed", {}),
    ("timeline", "Layout", {}),
    ("slices", "WindowInfo", {"start_ns": 0, "end_ns": 10**7, "width": 100, "rows": [[0, 4]]}),
    ("slice", "SliceDetails", {"slice": 3}),
    ("find", "Found", {"search": "conv", "direction": 1}),
    ("area", "Area", {"start_ns": 0, "end_ns": 10**7}),
    (
        "flows",
        "Flows",
        {"start_ns": 0, "end_ns": 10**7, "rows": [[0, 5]], "kinds": ["enqueue", "fwdbwd"]},
    ),
]


@pytest.mark.parametrize(("op", "message", "params"), REPLIES)
def test_replies_are_what_the_messages_declare(
    page: Page, op: str, message: str, params: dict[str, Any]
) -> None:
    assert faults(page.result(op, state=page.state(), **params), message) == []


def test_every_message_of_the_protocol_is_declared(page: Page) -> None:
    asked = {"v": 1, "id": 1, "op": "page", "gen": 0, "params": {"state": page.state()}}
    assert faults(asked, "Request") == []
    for message, _ in page.say({**asked, "params": {"state": page.state(), "table": "no"}}):
        assert faults(message, "Answer") == []
    for tab in page.view.tabs:
        assert faults(json.loads(json.dumps(tab)), "TabInfo") == []


def test_the_kept_timeline_says_of_itself_what_is_declared(page: Page) -> None:
    page.result("timeline", state=page.state())
    page.view._saver.save()
    about = json.loads(parts(page.view.snapshot, "timeline")[0])
    assert faults(about, "SavedTimeline") == []
