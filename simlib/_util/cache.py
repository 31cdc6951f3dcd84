"""Keep results in `build/cache/` of the checkout under keys of all that they depend on, and make such keys.

A function depends on its code and on all that this reads by name; an object on its class and its attributes. Only what
is known completely has a key. A result that depends on anything else, such as a file, is not kept.

Notebooks that run at once share finished results; each can also run alone. Outside a checkout nothing is kept.
"""

import builtins
import copyreg
import dis
import functools
import hashlib
import importlib
import inspect
import pickle
import re
import sys
import time
import types
from collections.abc import Callable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pandas as pd
from numba.core.dispatcher import Dispatcher

from . import paths

FOLDER = paths.ROOT / "build" / "cache"


def once(function: Callable) -> Callable:
    """Make a function that calls the given one only for new arguments.

    It must be possible to pickle the function's result, which may depend only on its arguments and the library.
    """
    return functools.partial(_read_or_made, function)


def _read_or_made(function: Callable, *args: Any, **options: Any) -> Any:
    """Read a function's earlier result; if there is none, or the file is damaged, call the function."""
    key = function.__name__.strip("_"), function, inspect.signature(function).bind(*args, **options).arguments
    path = place(*key)
    content = None if path is None else paths.read_sealed(path)
    if content is None:
        content = pickle.dumps(function(*args, **options))
        keep(path, place(*key), content)
    return pickle.loads(content)


def keep(before: Path | None, after: Path | None, content: bytes) -> None:
    """Write a result, unless its place is unknown or is another after the computation: then something has changed."""
    if before is not None and before == after:
        paths.write_sealed(before, content)


def place(kind: str, *key: Any) -> Path | None:
    """Find the path of a result of a kind, by everything on which it depends; None if that is not known completely."""
    try:
        return FOLDER / kind / f"{identity([library(), *key])[:32]}.pickle"
    except TypeError:
        return None


# The library: its sources, and what it works with.

_PACKAGE = Path(__file__).parents[1]

_OTHERS = ("study", "course", "report", "plots")
"""Rooms that change often and hardly matter for a result, whose key has the functions of theirs that it depends on."""

_LOADED = time.time()


@functools.cache
def _sources() -> dict[str, Path]:
    """The files that any number may depend on."""
    code = [path for path in _PACKAGE.rglob("*.py") if path.relative_to(_PACKAGE).parts[0] not in _OTHERS]
    data = [path for path in (paths.DATA / "models").rglob("*") if path.is_file()]
    return {str(path): path for path in sorted([*code, *data])}


def library() -> str:
    """Make a digest of the library and of what it works with; TypeError if a file may differ from what is loaded."""
    if any(path.stat().st_mtime > _LOADED for path in _sources().values()):
        raise TypeError("library: found a file that has changed since it was imported, expected none")
    return _digest()


@functools.cache
def _digest() -> str:
    versions = sys.version, np.__version__, pd.__version__, numba.__version__
    files = (path.read_bytes() for path in _sources().values())
    return hashlib.sha256(b"".join([repr(versions).encode(), *files])).hexdigest()


def installed(module: types.ModuleType) -> bool:
    """Tell whether a module belongs to Python, an installed package or the library, and so does not change."""
    name, file = module.__name__, getattr(module, "__file__", None) or ""
    top = name.partition(".")[0]
    of_library = top == __package__.partition(".")[0] and not name.startswith(f"{top}.study")
    return of_library or top in sys.stdlib_module_names or "site-packages" in file


# Make a key of what a value depends on.


def identity(value: Any) -> str:
    """Make a key of all that a value depends on; TypeError if that is not known completely."""
    try:
        return hashlib.sha256(repr(_known(value, {}, {})).encode()).hexdigest()
    except Exception as error:  # objects raise what they like
        raise TypeError(f"identity: found something that is not known completely ({error})") from None


_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))


def _known(value: Any, seen: dict[int, tuple[int, Any]], inside: dict[int, Any]) -> tuple:
    """Take a value apart into plain ones; an error if that is not possible.

    Functions and classes that were `seen` have a number; values that are being looked at are in `inside`.
    """
    kind = type(value)
    if kind in _PLAIN:
        return kind.__name__, repr(value)
    if id(value) in seen:
        return "again", seen[id(value)][0]
    if id(value) in inside:
        raise TypeError(f"a {kind.__name__} that contains itself")
    if name := _name(value):
        return "named", name
    if isinstance(value, (types.FunctionType, type)):
        seen[id(value)] = len(seen), value  # whose id is nobody else's as long as it is here
        parts: Any = _of_class(value) if isinstance(value, type) else _of_function(value)
        return kind.__name__, *[_known(part, seen, inside) for part in parts]
    inside[id(value)] = value
    parts = [_known(part, seen, inside) for part in _parts(value)]
    del inside[id(value)]
    return kind.__name__, *(sorted(parts) if kind in (set, frozenset) else parts)


# What others have made and nobody changes is known by its name.

_STABLE = {
    *("abc", "bisect", "builtins", "cmath", "collections", "contextlib", "copy", "copyreg", "dataclasses", "datetime"),
    *("decimal", "enum", "fractions", "functools", "heapq", "itertools", "math", "numbers", "numpy", "operator"),
    *("pandas", "pytz", "re", "scipy", "statistics", "string", "types", "typing", "zoneinfo"),
}
"""Python's and other packages that only compute."""

_READS_MORE = re.compile(
    r"builtins\.(eval|exec|compile|__import__|globals|locals|vars|dir|input|breakpoint|id)"
    r"|numpy\.random\..*(?<!\.default_rng)(?<!\.Generator)(?<!\.SeedSequence)"
    r"|numpy\..*\b(load|loadtxt|genfromtxt|fromfile|fromregex|memmap|DataSource)"
    r"|pandas\..*\b(read_\w+|HDFStore|ExcelFile)"
    r"|scipy\.(io|datasets)\b.*"
)
"""What does not only compute: it reads files, any variable, or a state that all share."""


def _name(value: Any) -> str:
    """The name of something of a stable package, by which all find the same; else empty."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if isinstance(value, np.ufunc):
        module, name = "numpy", value.__name__
    if not (isinstance(module, str) and isinstance(name, str) and _is_stable(module) and module in sys.modules):
        return ""
    try:
        found = attrgetter(name)(sys.modules[module])
    except AttributeError:
        return ""
    if found is value and _READS_MORE.fullmatch(f"{module}.{name}"):
        raise TypeError(f"{module}.{name}, which reads more than its arguments")
    return f"{module}.{name}" if found is value else ""


def _is_stable(module: str) -> bool:
    return module.partition(".")[0].removeprefix("_") in _STABLE


def _of_package(code: types.CodeType) -> bool:
    """Whether code is of this package, whose own memory does not make a difference."""
    return _PACKAGE in Path(code.co_filename).parents


# Containers, and the like


def _parts(value: Any) -> Iterator[Any]:
    """The parts of a value that is no function or class."""
    kind = type(value)
    if kind in (list, tuple, set, frozenset):
        yield from value
    elif kind in (dict, types.MappingProxyType):
        yield from value.items()
    elif kind is np.ndarray or (isinstance(value, np.generic) and _is_stable(kind.__module__)):
        dtype = value.dtype
        yield from (value.shape, repr(dtype.descr) if dtype.names else dtype.str)
        yield value.ravel().tolist() if dtype.hasobject else hashlib.sha256(value.tobytes()).hexdigest()
    elif kind is pd.DataFrame:
        columns = (value.iloc[:, place] for place in range(value.shape[1]))
        yield from (value.attrs, value.index, value.columns, *map(_column, columns))
    elif kind is pd.Series:
        yield from (value.attrs, value.index, value.name, _column(value))
    elif kind is pd.MultiIndex:
        yield from (*value.names, *value.levels, *map(np.asarray, value.codes))
    elif isinstance(value, pd.Index) and _is_stable(kind.__module__):
        yield from (value.name, str(getattr(value, "freq", None)), _column(value))
    elif kind is types.CodeType:
        yield from _of_code(value)
    elif kind is types.CellType:
        yield from () if value == types.CellType() else (value.cell_contents,)
    elif kind is property:
        yield from (value.fget, value.fset, value.fdel)
    elif kind in (staticmethod, classmethod, types.MethodType):
        yield from (value.__func__, getattr(value, "__self__", None))
    elif kind is functools.cached_property:
        yield value.func
    elif kind in (types.BuiltinMethodType, types.MethodWrapperType):
        yield from (value.__name__, value.__self__)
    elif kind in _DESCRIPTORS and (kind in _DESCRIPTORS[:2] or _name(value.__objclass__)):
        yield from (value.__name__, value.__objclass__)
    elif isinstance(value, (types.GenericAlias, types.UnionType)) or kind.__module__ == "typing":
        yield repr(value)
    elif kind is functools._lru_cache_wrapper or isinstance(value, Dispatcher):
        yield from _of_remembering(value)
    else:
        yield from _of_object(value)


_DESCRIPTORS = (
    types.MemberDescriptorType,
    types.GetSetDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.WrapperDescriptorType,
)
"""Those of attributes, which have no code, then those of methods that are written in C."""


def _column(values: Any) -> Any:
    """The values of a column or an index."""
    dtype = values.dtype
    if isinstance(dtype, np.dtype):
        return values.to_numpy()
    if isinstance(dtype, pd.CategoricalDtype):
        return dtype.ordered, dtype.categories, getattr(values, "cat", values).codes
    return str(dtype), values.to_numpy(object)


def _of_remembering(value: Any) -> Iterator[Any]:
    """The parts of a function that keeps results, or machine code into which numba put the variables that it reads.

    Both may be of before a change; only those of this package are trusted.
    """
    kept = isinstance(value, Dispatcher)
    inner = value.py_func if kept else value.__wrapped__
    if not _of_package(inner.__code__) and (value.signatures if kept else value.cache_info().currsize):
        raise TypeError(f"{inner.__name__}, which remembers earlier calls")
    yield from (inner, value.targetoptions if kept else None)


def _of_object(value: Any) -> Iterator[Any]:
    """The parts of an object: its class, and what `copy.copy` takes of it."""
    kind = type(value)
    by_name = bool(_name(kind))
    own = [name for name in _STATES if getattr(kind, name) is not getattr(object, name)]
    own += [
        name
        for name in _NEW
        if isinstance(method := getattr(kind, name, None), types.FunctionType) and not _is_home(method)
    ]
    if own and not by_name:
        raise TypeError(f"a {kind.__name__}, whose method {own[0]} may hide a part")
    taken: Any = copyreg.dispatch_table[kind](value) if kind in copyreg.dispatch_table else value.__reduce_ex__(2)
    if isinstance(taken, str):
        raise TypeError(f"a {kind.__name__}, which is known by name only")
    parts: list[Any] = [*taken, None, None, None]
    make, args, state, items, pairs = parts[:5]
    if isinstance(state, dict) and (left_out := _derived(kind)):
        state = {name: part for name, part in state.items() if name not in left_out}
    items = list(list.__iter__(value)) if isinstance(value, list) else items and list(items)
    pairs = list(dict.items(value)) if isinstance(value, dict) else pairs and list(pairs)
    yield from (kind, make, args, state, items, pairs, *parts[5:])


_STATES = "__reduce__", "__reduce_ex__", "__getstate__"
_NEW = "__getnewargs__", "__getnewargs_ex__"


def _derived(kind: type) -> set[str]:
    """The attributes of this package's objects that follow from the others: what is cached, and `_memory`."""
    names = set()
    for base in kind.__mro__:
        file = getattr(sys.modules.get(base.__module__), "__file__", None) or ""
        if _PACKAGE in Path(file).parents:
            cached = (name for name, value in vars(base).items() if isinstance(value, functools.cached_property))
            names |= {*cached, *vars(base).get("_memory", ())}
    return names


# Classes and functions


_NO_MATTER = {
    "__module__",
    "__doc__",
    "__dict__",
    "__weakref__",
    "__annotations__",
    "__annotate__",
    "__annotate_func__",
}
_NO_MATTER |= {"__annotations_cache__", "__firstlineno__", "__static_attributes__", "__orig_bases__", "__parameters__"}
_NO_MATTER |= {"_abc_impl"}


def _of_class(value: type) -> Iterator[Any]:
    """The parts of a class: its bases and all its attributes."""
    yield from (value.__module__, value.__qualname__, type(value), *value.__bases__)
    left_out = _NO_MATTER | _derived(value)
    yield from sorted((name, part) for name, part in vars(value).items() if name not in left_out)


def _of_function(function: types.FunctionType) -> Iterator[Any]:
    """The parts of a function: its code, and what this reads; of one in a file that does not change, its place."""
    code = function.__code__
    yield from (function.__defaults__, function.__kwdefaults__, vars(function))
    if _is_home(function):
        yield from (function.__module__, function.__qualname__, code.co_firstlineno, *(function.__closure__ or ()))
    else:
        yield from (code, dict(_reads(function)))


def _is_home(function: types.FunctionType) -> bool:
    """Whether a function is as written in a file of a stable package or of the library; an error if it reads files."""
    code, name = function.__code__, str(function.__globals__.get("__name__"))
    module = sys.modules.get(name)
    if module is None or vars(module) is not function.__globals__:
        return False
    if getattr(module, "__file__", None) != code.co_filename:
        return False
    if code.co_filename in _sources() and _READS_FILES.match(name):
        raise TypeError(f"{name}.{function.__qualname__}, which may read files")
    return _is_stable(name) or code.co_filename in _sources()


_READS_FILES = re.compile(r"simlib(\.(logs(?!\.restoring)|_util\.(paths|cache)|__main__)|$)")


def _of_code(code: types.CodeType) -> Iterator[Any]:
    """The parts of a function's code, apart from what it reads by name."""
    yield from (code.co_name, code.co_code, code.co_exceptiontable, code.co_flags, code.co_consts)
    yield from (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    yield from (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)


_GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
_CELL = {"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"}
_UNKNOWN = {"STORE_GLOBAL", "DELETE_GLOBAL", "IMPORT_STAR"}


def _reads(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function, and the functions in it, read by name: variables and builtins, of a module the attributes.

    An error if a module is read otherwise, for then any of its attributes may be.
    """
    variables = vars(builtins) | function.__globals__
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for name, cell in cells.items():
        if cell == types.CellType() or not isinstance(cell.cell_contents, types.ModuleType):
            yield f"closure: {name}", cell
    for code in _codes(function.__code__):
        module: Any = None
        steps = [step for step in dis.get_instructions(code) if step.opname not in ("CACHE", "EXTENDED_ARG")]
        for place, step in enumerate(steps):
            name, following = step.argval, steps[place + 1 :]
            if step.opname in _GLOBAL:
                value = variables.get(name)
            elif step.opname in _CELL and name in cells and cells[name] != types.CellType():
                value = cells[name].cell_contents
            elif step.opname == "IMPORT_NAME":
                level = "." * steps[place - 2].argval
                module = importlib.import_module(level + name, variables.get("__package__"))
                if following[0].opname == "IMPORT_FROM":
                    continue
                value = module
            elif step.opname == "IMPORT_FROM":
                value, name = getattr(module, name), f"{module.__name__}.{name}"
            elif step.opname in _UNKNOWN:
                raise TypeError(f"{function.__qualname__}, which changes the variable {name}")
            else:
                continue
            for attribute in following:
                if not isinstance(value, types.ModuleType) or attribute.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                    break
                name, value = f"{name}.{attribute.argval}", getattr(value, attribute.argval)
            yield name, value


_HIDDEN = {"__globals__", "__builtins__", "__self__", "f_globals", "f_builtins"}


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A function's code and that of the functions in it; an error if it names what leads to all variables."""
    texts = {text for text in code.co_consts if isinstance(text, str)}
    of_tables = {"query", "eval"} & {*code.co_names} and any("@" in text for text in texts)
    if of_tables or _HIDDEN & {*code.co_names, *texts}:
        raise TypeError(f"{code.co_qualname}, which may read any variable")
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from _codes(one)
