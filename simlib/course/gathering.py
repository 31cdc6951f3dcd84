"""Find the source of a student's function or object in the notebook's process, with all that it refers to.

This runs beside the student's code, so nobody relies on what it finds: `screening` reads the source again.
"""

import ast
import inspect
import linecache
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from .screening import MODULES


class Unreadable(Exception):
    """Why the source of something cannot be carried."""


class Source:
    """The source of what was handed in.

    Attributes
    ----------
    parts : dict
        By name the text of an import or a definition.
    constants : dict
        By name the data that the functions use.
    """

    def __init__(self) -> None:
        self.parts: dict[str, str] = {}
        self.constants: dict[str, Any] = {}
        self._taken: dict[str, Any] = {}

    @property
    def text(self) -> str:
        """All definitions, those first that others refer to."""
        return "\n\n".join(self.parts.values()) + "\n"

    def take(self, value: Any, name: str | None = None) -> str:
        """Take a function or a class, and what it refers to; give its name in `text`.

        Raises
        ------
        Unreadable
        """
        node, names = _class(value) if isinstance(value, type) else _function(value)
        if isinstance(node, ast.Lambda):
            node = ast.Assign([ast.Name(name or "handed_in", ast.Store())], node)
        own = node.targets[0].id if isinstance(node, ast.Assign) else node.name  # type: ignore[attr-defined]
        if self._take_name(own, value):
            node = ast.fix_missing_locations(_WithoutTypes().visit(node))
            for each in _used(node):
                if each != own and each in names:
                    self._refer(each, names[each])
            self.parts[own] = ast.unparse(node)
        return own

    def _take_name(self, name: str, value: Any) -> bool:
        """Tell whether a name is new; refuse one that stands for something else."""
        if name in self._taken and self._taken[name] is not value:
            raise Unreadable(f"two things in it are called `{name}`")
        new = name not in self._taken
        self._taken[name] = value
        return new

    def _refer(self, name: str, value: Any) -> None:
        """Take what a function finds under a name outside of itself."""
        if isinstance(value, ModuleType):
            if value.__name__ in MODULES and self._take_name(name, value):
                self.parts[name] = f"import {value.__name__} as {name}"
        elif isinstance(value, (FunctionType, type)) and not _home(value):
            try:
                taken = self.take(value, name)
            except Unreadable as error:
                raise Unreadable(f"it uses `{name}`: {error}") from None
            if taken != name and self._take_name(name, value):
                self.parts[name] = f"{name} = lambda *args: {taken}(*args)"
        elif home := _home(value):
            if self._take_name(name, value):
                self.parts[name] = f"from {home} import {value.__name__} as {name}"
        elif not callable(value) and self._take_name(name, value):
            self.constants[name] = value


def _home(value: Any) -> str | None:
    """Name the module of `MODULES` that has a function."""
    if not isinstance(value, (BuiltinFunctionType, FunctionType, type, np.ufunc)):
        return None
    name = getattr(value, "__name__", "")
    for module, names in MODULES.items():
        if name in names and getattr(__import__(module), name, None) is value:
            return module
    return None


class _WithoutTypes(ast.NodeTransformer):
    """Take out type hints, which nobody needs for judging."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], self.visit(node.value)), node)


def _used(node: ast.AST) -> list[str]:
    """List the names that are read in a definition, each once, in their order; names of built-ins that are none too."""
    names = (each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))
    return list(dict.fromkeys(names))


def _function(value: Any) -> tuple[ast.AST, dict[str, Any]]:
    """Find the definition of a function, and the names that it sees outside."""
    function = inspect.unwrap(getattr(value, "py_func", value))  # as it was before numba compiled it
    if not isinstance(function, FunctionType):
        raise Unreadable("it is no function that was written in the notebook")
    found = function.__code__
    if found.co_freevars:
        raise Unreadable(f"`{function.__name__}` was made inside another function and uses what is there")
    nodes = [
        node
        for node in ast.walk(_tree(found.co_filename, function.__name__))
        if isinstance(node, (ast.FunctionDef, ast.Lambda)) and _line(node) == found.co_firstlineno
        if isinstance(node, ast.Lambda) == (function.__name__ == "<lambda>")
    ]
    if len(nodes) != 1:
        raise Unreadable(f"the definition of `{function.__name__}` was not found in the notebook, or twice in a line")
    return nodes[0], function.__globals__


def _line(node: Any) -> int:
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])


def _class(value: type) -> tuple[ast.AST, dict[str, Any]]:
    """Find the definition of a class by one of its methods."""
    for method in vars(value).values():
        if isinstance(method, FunctionType):
            code = method.__code__
            for node in ast.walk(_tree(code.co_filename, value.__name__)):
                if isinstance(node, ast.ClassDef) and any(
                    isinstance(each, ast.FunctionDef) and _line(each) == code.co_firstlineno for each in node.body
                ):
                    return node, method.__globals__
    raise Unreadable(f"the definition of the class `{value.__name__}` was not found in the notebook")


def _tree(file: str, name: str) -> ast.AST:
    lines = linecache.getlines(file)
    if not lines:
        raise Unreadable(f"the source of `{name}` was not found")
    if not file.startswith("<") and "simlib" in file.replace("\\", "/").split("/"):
        raise Unreadable(f"`{name}` is simlib's own, and not written in the notebook")
    return ast.parse("".join(lines))
