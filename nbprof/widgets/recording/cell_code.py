"""`CellCode`: the code of a cell, run by a magic as IPython runs a cell."""

from __future__ import annotations

import ast
from typing import Any


class CellCode:
    """Compiled code of a cell.

    Its names are variables of the notebook, its lines are in tracebacks, and the value of its last
    expression is returned.

    Parameters
    ----------
    shell : InteractiveShell
        IPython.
    cell : str
        The code, which may contain magics and shell commands.

    Raises
    ------
    SyntaxError
        The code is invalid.
    """

    def __init__(self, shell: Any, cell: str) -> None:
        text = shell.transform_cell(cell)
        number = len(shell.user_ns["In"]) - 1  # of the cell that is running
        name = shell.compile.cache(text, number, raw_code=cell)
        tree = shell.transform_ast(shell.compile.ast_parse(text, filename=name))
        last = tree.body[-1] if tree.body else None
        self._shell = shell
        self._last: Any = None
        if isinstance(last, ast.Expr):
            tree.body.pop()
            self._last = shell.compile(ast.Expression(last.value), name, "eval")
        self._statements = shell.compile(tree, name, "exec")

    def run(self) -> Any:
        """Run the code, and return the value of its last expression."""
        __tracebackhide__ = True
        names = self._shell.user_ns
        exec(self._statements, names)  # noqa: S102 - what the user wrote
        return None if self._last is None else eval(self._last, names)  # noqa: S307
