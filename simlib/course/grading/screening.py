"""Let a student's function be judged only if it does nothing but compute.

What it may do is listed here, by the nodes of its syntax tree, the names it calls and the attributes it reads. All else
is refused, so that a person looks at it. It is run with no other built-in functions than those listed either.
"""

import ast
import builtins
import importlib
import inspect
import linecache
import math
from collections.abc import Iterable, Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

# Find the source of a student's function or object in the notebook's process, with all that it refers to.


class Unreadable(Exception):
    """Why the source of something cannot be carried."""


class Source:
    """The source of what was handed in."""

    def __init__(self) -> None:
        self.parts: dict[str, str] = {}
        self.constants: dict[str, Any] = {}
        self._taken: dict[str, Any] = {}

    @property
    def text(self) -> str:
        """All definitions, those first that others refer to."""
        return "\n\n".join(self.parts.values()) + "\n"

    def take(self, value: Any, name: str | None = None) -> str:
        """Take a function or a class, and what it refers to; give its name in `text`."""
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


LONGEST = 20_000
"""Characters of source that are read."""


class Refused(Exception):
    """What a function does that is not on the lists."""


_NODES = """
Module FunctionDef ClassDef Lambda arguments arg Return Yield YieldFrom Assign AugAssign For While If Break Continue
Pass Expr Assert Import ImportFrom alias BoolOp And Or BinOp UnaryOp IfExp Compare Call keyword Constant Attribute
Subscript Slice Starred Name Load Store Del Delete List Tuple Set Dict ListComp SetComp DictComp GeneratorExp
comprehension NamedExpr JoinedStr FormattedValue Add Sub Mult Div FloorDiv Mod Pow LShift RShift BitOr BitXor BitAnd
MatMult Not Invert UAdd USub Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn
"""
NODES = tuple(getattr(ast, name) for name in _NODES.split())

BUILTINS = tuple(
    """
abs all any bool dict divmod enumerate filter float frozenset int isinstance iter len list map max min next pow print
range reversed round set sorted str sum tuple zip
""".split()
)

_NUMPY = """
abs all any arange argmax argmin argsort array asarray ceil clip cos count_nonzero cumsum diff divide dot e exp exp2
float64 floor greater greater_equal hypot inf int64 isfinite isinf isnan less less_equal linspace log log10 log1p log2
logical_and logical_not logical_or max maximum mean median min minimum mod multiply nan ones percentile pi power prod
quantile round sign sin sort sqrt square std subtract sum tan tanh where zeros
"""
MODULES: dict[str, frozenset[str]] = {
    "math": frozenset(name for name in dir(math) if not name.startswith("_")),
    "numpy": frozenset(_NUMPY.split()),
    "bisect": frozenset(("bisect", "bisect_left", "bisect_right", "insort")),
    "collections": frozenset(("Counter", "defaultdict", "deque")),
    "heapq": frozenset(("heapify", "heappop", "heappush", "nlargest", "nsmallest")),
    "itertools": frozenset(("accumulate", "chain", "combinations", "islice", "pairwise", "permutations", "takewhile")),
}
"""What may be imported, and what of it may be used."""

_JOBS = """
number submit procs estimate user group queue start end expected_end run wait response guarantee bounded_slowdown
backfilled now free running ended fits shadow free_at
"""
_DATA = """
abs add all any append argmax argmin astype between clear clip copy count cumsum diff difference discard empty eq
extend fillna ge get gt head idxmax idxmin iloc index insert intersection isin isna item items iterrows itertuples
keys le loc lt max mean median min ne nlargest notna nsmallest pop popleft prod quantile remove reset_index reverse
round setdefault shape shift size sort sort_index sort_values std sub sum tail to_dict to_list to_numpy tolist union
update value_counts values where
"""
ATTRIBUTES = frozenset((_JOBS + _DATA).split())
"""What may be read or called of jobs, queues, machines, tables and lists: nothing that reads files or runs text."""

_METHODS = ("__init__", "__call__")


def load(source: str, name: str, constants: Mapping[str, Any]) -> Any:
    """Screen a source text and execute it: give what it defines under a name."""
    if len(source) > LONGEST:
        raise Refused(f"its source has {len(source):,} characters, and at most {LONGEST:,} are read")
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Refused(f"its source cannot be read: {error}") from None
    _screen(tree, set(constants))
    file = f"<what was handed in as {name}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    allowed: dict[str, Any] = {each: getattr(builtins, each) for each in BUILTINS}
    allowed |= {"__build_class__": builtins.__build_class__, "__import__": _import, "AssertionError": AssertionError}
    names: dict[str, Any] = {**constants, "__name__": "handed_in", "__builtins__": allowed}
    exec(compile(tree, file, "exec"), names)
    if name not in names:
        raise Refused(f"its source does not define `{name}`")
    return names[name]


def _import(name: str, *_: Any) -> Any:
    """Import one of `MODULES`."""
    if name not in MODULES:
        raise ImportError(f"found {name!r}, expected one of {', '.join(MODULES)}")
    return importlib.import_module(name)


# The syntax tree


def _screen(tree: ast.Module, constants: set[str]) -> None:
    """Refuse what is not on the lists."""
    for statement in tree.body:
        if not isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
            named = isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Lambda)
            if not named:
                raise _refused(statement, "does something outside of a function")
    modules = _imported(tree)
    bound = {*constants, *modules, *BUILTINS, "AssertionError", *_bound(tree)}
    selves = _selves(tree)
    called = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    classes = {kind.name for kind in tree.body if isinstance(kind, ast.ClassDef)}
    for node in ast.walk(tree):
        if not isinstance(node, NODES):
            raise _refused(node, f"has `{type(node).__name__.lower()}`")
        if isinstance(node, ast.Name):
            _screen_name(node, bound, modules)
            if node.id in classes and node not in called:  # its methods could be given another object as their own
                raise _refused(node, f"uses the class `{node.id}` other than to make an object of it")
        elif isinstance(node, ast.Attribute):
            _screen_attribute(node, modules, selves)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            _screen_definition(node, tree)
        elif isinstance(node, ast.Call) and not isinstance(node.func, (ast.Name, ast.Attribute)):
            raise _refused(node, "calls what has no name")


def _refused(node: ast.AST, what: str) -> Refused:
    line = getattr(node, "lineno", None)
    return Refused(f"line {line}: {what}" if line else what)


def _bound(tree: ast.AST) -> Iterable[str]:
    """List the names that are given a value somewhere: by assignment, as parameters, or by a definition."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name


def _imported(tree: ast.AST) -> dict[str, str]:
    """Give the modules by the names under which they are used; refuse other imports."""
    modules = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name not in MODULES:
                    raise _refused(node, f"imports `{alias.name}`")
                modules[alias.asname or alias.name] = alias.name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if node.level or alias.name not in MODULES.get(node.module or "", ()):
                    raise _refused(node, f"imports `{alias.name}` from `{node.module}`")
                modules[alias.asname or alias.name] = ""  # no module, but a function of it
    if unusual := [name for name in modules if name.startswith("_")]:
        raise Refused(f"imports something as `{unusual[0]}`")
    return modules


def _selves(tree: ast.Module) -> dict[ast.AST, str]:
    """Give, for each node of a method, the name under which the method has its object.

    The name must be bound by nothing else there, and the class stands at the top.
    """
    selves: dict[ast.AST, str] = {}
    for kind in tree.body:
        for method in kind.body if isinstance(kind, ast.ClassDef) else ():
            if isinstance(method, ast.FunctionDef) and method.args.args:
                name = method.args.args[0].arg
                if list(_bound(method)).count(name) == 1:
                    selves |= dict.fromkeys(ast.walk(method), name)
    return selves


def _screen_name(node: ast.Name, bound: set[str], modules: Mapping[str, str]) -> None:
    if node.id.startswith("__") or node.id not in bound:
        raise _refused(node, f"uses `{node.id}`")
    if isinstance(node.ctx, ast.Store) and node.id in modules:
        raise _refused(node, f"gives `{node.id}` another meaning")
    if isinstance(node.ctx, ast.Load) and modules.get(node.id) and not getattr(node, "of_attribute", False):
        raise _refused(node, f"uses the module `{node.id}` as a value")


def _screen_attribute(node: ast.Attribute, modules: Mapping[str, str], selves: Mapping[ast.AST, str]) -> None:
    shown = f"uses `.{node.attr}`"
    if node.attr.startswith("_"):
        raise _refused(node, shown)
    if isinstance(node.value, ast.Name):
        if module := modules.get(node.value.id):
            node.value.of_attribute = True  # type: ignore[attr-defined]
            if node.attr not in MODULES[module] or not isinstance(node.ctx, ast.Load):
                raise _refused(node, f"uses `{module}.{node.attr}`")
            return
        if node.value.id == selves.get(node):
            return
    if node.attr not in ATTRIBUTES:
        raise _refused(node, shown)
    if not isinstance(node.ctx, ast.Load):
        raise _refused(node, f"changes `.{node.attr}` of something")


def _screen_definition(node: ast.FunctionDef | ast.ClassDef, tree: ast.Module) -> None:
    if node.decorator_list:
        raise _refused(node, "has a decorator")
    if isinstance(node, ast.FunctionDef):
        if node.name.startswith("__") and node.name not in _METHODS:
            raise _refused(node, f"defines `{node.name}`")
        return
    if node.bases or node.keywords or node not in tree.body:
        raise _refused(node, f"has a class `{node.name}` that is not a plain one")
    for statement in node.body:
        plain = isinstance(statement, (ast.FunctionDef, ast.Pass))
        if not plain and not (isinstance(statement, (ast.Expr, ast.Assign)) and _is_data(statement.value)):
            raise _refused(statement, f"has a class `{node.name}` that does something outside of its methods")
        if isinstance(statement, ast.Assign):
            _plain_targets(statement)


def _is_data(node: ast.expr) -> bool:
    """Tell whether an expression is written-down data."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _plain_targets(node: ast.Assign) -> None:
    if not all(isinstance(target, ast.Name) and not target.id.startswith("_") for target in node.targets):
        raise _refused(node, "gives a class what is not an attribute of data")
