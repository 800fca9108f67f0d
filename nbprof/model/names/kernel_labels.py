"""Says in few words what a kernel with a C++ name is: ``elementwise · add (half)``.

Such a name is a template: the kernel, what it applies to every element (its functor), and types.
The rest, such as namespaces, layouts and the numbers that it was compiled for, tells kernels apart
but nobody what they do.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.model.names.short_names import deepest, display_name, fnv1a, short_name
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from nbprof.model.trace.model import TraceModel

#: Longer names, and those with brackets in more brackets, are shown as they are.
_LONGEST, _DEEPEST = 4096, 40
#: So many kernels of a trace have labels.
_MOST: Final = 1000

#: Scalar types by their names in C++; the last part of a name counts.
_TYPES: Final = {
    **{name: name for name in ("float", "double", "int", "long", "short", "bool", "char")},
    "unsigned": "uint",
    "unsigned int": "uint",
    "unsigned long": "ulong",
    "unsigned char": "uchar",
    "signed char": "schar",
    "long long": "long",
    "Half": "half",
    "__half": "half",
    "half_t": "half",
    "BFloat16": "bfloat16",
    "__nv_bfloat16": "bfloat16",
    "hip_bfloat16": "bfloat16",
    "bfloat16_t": "bfloat16",
    "Float8_e4m3fn": "float8_e4m3fn",
    "Float8_e5m2": "float8_e5m2",
    "__nv_fp8_e4m3": "float8_e4m3fn",
    "__nv_fp8_e5m2": "float8_e5m2",
}
#: Kernels that apply a functor to each element, whatever else they differ in.
_ELEMENTWISE: Final = re.compile(r"^(?:[a-z]+_)*elementwise_kernel(?:_manual_unroll)?$")
#: What only carries out an operation, and is named by its first argument instead.
_WRAPPERS: Final = re.compile(
    r"^(?:[AB]?UnaryFunctor|BinaryFunctor|BUnaryFunctor|gpu_kernel_\w+|gpu_index_kernel|ReduceOp"
    r"|func_wrapper_t|(?:Unary|Binary|Pointwise|Ternary)Op\w*Functor|opmath_\w+|Kernel2?"
    r"|device_kernel|kentry)$"
)
#: What holds, addresses or adjusts, and names no operation.
_CARRIERS: Final = re.compile(
    r"^(?:true|false|TensorList\w*|FusedOptimizer\w*|[Aa]rray|TensorInfo|tuple|pair|OpaqueType"
    r"|integral_constant|\w*OffsetCalculator|(?:Load|Store)\w*Cast|\w*(?:[Pp]olicy\d*|State|Traits"
    r"|[Tt]raits_\w+|[Pp]arams_?|_params\w*|kernel_traits\w*)|(?:float|half|int|uint)[234])$"
)
_SUFFIX: Final = re.compile(
    r"(?:_?(?:Math)?[Ff]unctor|(?:CUDA)?Kernel(?:Impl(?:Internal)?)?|(?:_cuda)?_kernel(?:_cuda|_impl)?|_cuda|_impl"
    r"|Ops?)$"
)
#: What opens arguments; brackets and separators; ``->`` closes nothing.
_OPENED: Final = re.compile(r"[<(]")
_MARKS: Final = re.compile(r"[<({\[)}\],]|(?<!-)>|::")
_PREFIX: Final = re.compile(r"^(?:CUDAFunctor(?:OnSelf|OnOther)?_|launch_|gpu_)")


@dataclass(frozen=True)
class _Part:
    """One part of a qualified name: ``base<arguments>(parameters)``."""

    base: str
    arguments: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    types: tuple[str, ...] = ()


def kernel_labels(names: Sequence[str]) -> dict[str, str]:
    """Return the labels of kernels; no two are the same.

    Where two would be, the kernel has its name and numbers, or its arguments if it is no template,
    and those that are still the same are counted, in the order of their names.

    Parameters
    ----------
    names : sequence of str
        All names that may stand beside each other.
    """
    left = sorted(set(names))
    found: dict[str, str] = {}
    taken: set[str] = set()
    for by_name in (False, True):
        shown = {name: _label(name, by_name=by_name) for name in left}
        times = Counter(shown.values())
        alone = {text for text, count in times.items() if count == 1} - taken
        found |= {name: text for name, text in shown.items() if text in alone}
        taken |= set(times)  # also what several have: none of them alone may have it
        left = [name for name in left if name not in found]
    count: Counter[str] = Counter()
    for name in left:
        text = shown[name]
        while True:
            count[text] += 1
            counted = f"{text} #{count[text]}"
            if counted not in taken:
                break
        found[name] = counted
    return found


def labels_of(model: TraceModel) -> dict[str, str]:
    """Return the labels of the kernels of a trace that take most time, by recorded name; cached.

    Labels that only drop a result type or arguments are left out.
    """
    return model.cached("kernel labels", lambda: _labels_of(model))


def _labels_of(model: TraceModel) -> dict[str, str]:
    rows = model.column("device", "kind") == kinds.KERNEL
    codes = model.column("device", "name")[rows]
    known = model.values("device", "name")
    time = np.bincount(codes, weights=model.column("device", "duration_ns")[rows])
    largest = np.argsort(-time, kind="stable")[:_MOST]
    ran = np.bincount(codes, minlength=len(time))[largest] > 0
    names = [known[code] for code in largest[ran].tolist()]
    found = kernel_labels([name for name in names if len(name) <= _LONGEST])
    return {name: label for name, label in found.items() if label != display_name(name)}


def labels_by_hash(*models: TraceModel) -> dict[str, str]:
    """Return labels by the FNV-1a hashes of names; no two kernels of all models have the same."""
    labels = [labels_of(model) for model in models]
    names = set().union(*labels)
    found = labels[0] if len(labels) == 1 else kernel_labels(sorted(names))
    return {str(fnv1a(name)): label for name, label in found.items()}


def label_by(model: TraceModel, other: Callable[[str], str]) -> Callable[[str], str]:
    """Return a function from names to labels; `other` makes those of all but kernels."""
    labels = labels_of(model)
    return lambda name: labels.get(name) or other(name)


def _label(full: str, *, by_name: bool) -> str:
    plain = short_name(full)
    if "<" not in plain or len(full) > _LONGEST or deepest(plain) > _DEEPEST:
        arguments = full.strip().removeprefix("void ").removeprefix(display_name(full))
        return f"{plain} {arguments}" if by_name and arguments else plain
    part = _parts(plain)[-1]
    if not re.fullmatch(r"\w+", part.base):
        return plain
    inner = _operation(part.arguments)
    if _WRAPPERS.match(part.base):
        return inner.base if inner else plain
    kernel = "elementwise" if _ELEMENTWISE.match(part.base) else _SUFFIX.sub("", part.base)
    if by_name:
        numbers = [one for one in part.arguments if re.fullmatch(r"\d+|true|false", one)]
        kernel = part.base + (f"<{', '.join(numbers)}>" if numbers else "")
    types = inner.types if inner and inner.types else _types(part.arguments)
    # What elements are addressed with is seldom of interest.
    types = tuple(one for one in types if one != "uint") or types
    shown = f"{kernel or part.base} · {inner.base}" if inner else kernel or part.base
    return f"{shown} ({', '.join(types)})" if types else shown


def _operation(arguments: Sequence[str]) -> _Part | None:
    """Return the functor among the arguments of a template, with its types."""
    for text in arguments:
        parts = _parts(text)
        found = _named(parts)
        if found is not None:
            return found
    return None


def _named(parts: Sequence[_Part]) -> _Part | None:
    """Return what a qualified name is a functor of, None if it is none."""
    called = [part for part in parts if part.base and not part.base.startswith("operator")]
    types = _types([one for part in parts for one in (*part.arguments, *part.parameters)])
    for part in reversed(called):
        if part.base == "lambda":
            continue
        if _WRAPPERS.match(part.base):
            inner = _operation(part.arguments)
            return _Part(inner.base, types=inner.types or types) if inner else None
        if _CARRIERS.match(part.base) or _bare(part.base) in _TYPES or not part.base[0].isalpha():
            return None
        name = _SUFFIX.sub("", _PREFIX.sub("", part.base)) or part.base
        return _Part(name.lower() if name[1:].islower() else name, types=types)
    return None


def _types(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the scalar types in texts, each once, in order."""
    found: dict[str, None] = {}
    for text in texts:
        bare = _bare(text)
        known = _TYPES.get(bare.rpartition("::")[2])
        if known:
            found[known] = None
        elif "<" in bare or "lambda" in bare:
            for part in _parts(bare):
                found |= dict.fromkeys(_types((*part.arguments, *part.parameters)))
    return tuple(found)


def _bare(text: str) -> str:
    """Return a type without pointers, references and const."""
    return re.sub(r"\bconst\b|[*&]", "", text).strip()


def _parts(name: str) -> list[_Part]:
    """Split a qualified name at its ``::`` outside of brackets."""
    return [_part(text) for text in _split(name, "::")]


def _part(text: str) -> _Part:
    text = text.strip().removeprefix("void ")
    if text.startswith(("{lambda(", "[lambda(", "'lambda")):
        inside = text[text.find("(") + 1 :]
        return _Part("lambda", parameters=tuple(_split(inside[: _closing(inside)], ",")))
    opened = _OPENED.search(text)
    at = opened.start() if opened else len(text)
    base, rest = text[:at], text[at:]
    arguments: tuple[str, ...] = ()
    if rest.startswith("<"):
        end = _closing(rest[1:])
        arguments, rest = tuple(_split(rest[1 : end + 1], ",")), rest[end + 2 :]
    return _Part(base.strip(), arguments)


def _closing(text: str) -> int:
    """Return where the bracket closes that was opened before a text."""
    return next((mark.start() for mark, depth in _marks(text) if depth < 0), len(text))


def _split(text: str, separator: str) -> list[str]:
    """Split a text at a separator outside of brackets."""
    found, start = [], 0
    for mark, depth in _marks(text):
        if depth == 0 and mark[0] == separator:
            found.append(text[start : mark.start()].strip())
            start = mark.end()
    found.append(text[start:].strip())
    return [one for one in found if one]


def _marks(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """Yield brackets and separators, and how many brackets are open after each."""
    depth = 0
    for mark in _MARKS.finditer(text):
        if mark[0] in "<({[":
            depth += 1
        elif mark[0] in ")}]>":
            depth -= 1
        yield mark, depth
