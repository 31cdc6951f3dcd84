"""Keep results in `build/cache/` of the checkout under keys of all that they depend on, and make such keys.

A key is made of plain values, arrays and tables, of objects of this package, and of functions: of their code and of all
that it reads by name. Whatever else a result depends on, such as a class of your own or a file, is not known
completely: then the result has no key, and is made anew each time.

Notebooks that run at once share finished results; each can also run alone. Outside a checkout nothing is kept.
"""

import datetime
import dis
import functools
import hashlib
import inspect
import pickle
import sys
import types
from collections.abc import Callable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from . import paths

FOLDER = paths.ROOT / "build" / "cache"


def once(function: Callable) -> Callable:
    """Make a function that calls the given one only for new arguments.

    It must be possible to pickle the function's result, which may depend only on its arguments and the library.
    """
    return functools.partial(_read_or_made, function)


def _read_or_made(function: Callable, *args: Any, **options: Any) -> Any:
    """Read a function's earlier result; if there is none, or the file is damaged, call the function."""
    given = inspect.signature(function).bind(*args, **options).arguments
    path = place(function.__name__.strip("_"), function, given)
    content = None if path is None else paths.read_sealed(path)
    if content is None:
        content = pickle.dumps(function(*args, **options))
        if path is not None:
            paths.write_sealed(path, content)
    return pickle.loads(content)


def place(kind: str, *key: Any) -> Path | None:
    """Find the path of a result of a kind, by everything on which it depends; None if that is not known completely."""
    try:
        return FOLDER / kind / f"{identity([_library(), *key])[:32]}.pickle"
    except TypeError:
        return None


_PACKAGE = Path(__file__).parents[1]
_TOP = _PACKAGE.name
_BUILT_ON_IT = f"{_TOP}_"
"""Begins the names of the packages beside this one, where exhibits and lessons come and go."""


@functools.cache
def _library() -> str:
    """Make a digest of the library, because any change may change numbers, and of NumPy and pandas.

    It leaves out the pictures.
    """
    code = [path for path in _PACKAGE.rglob("*.py") if path.relative_to(_PACKAGE).parts[0] != "plots"]
    return _digest([*code, *(path for path in (paths.DATA / "models").rglob("*") if path.is_file())])


@functools.cache
def _beside(package: str) -> str:
    """Make a digest of a package beside this one."""
    return _digest((_PACKAGE.parent / package).rglob("*.py"))


def _digest(files: Any) -> str:
    versions = repr((np.__version__, pd.__version__)).encode()
    return hashlib.sha256(b"".join([versions, *(path.read_bytes() for path in sorted(files))])).hexdigest()


# Make a key of what a value depends on.


def identity(value: Any) -> str:
    """Make a key of all that a value depends on; TypeError if that is not known completely."""
    try:
        return hashlib.sha256(repr(_known(value, ())).encode()).hexdigest()
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise TypeError(f"identity: found something that is not known completely ({error})") from None


_PLAIN: tuple[type, ...] = (bool, int, float, complex, str, bytes, type(None), type(...), range, slice)
_PLAIN += (datetime.date, datetime.datetime, datetime.timedelta, pd.Timestamp, pd.Timedelta, type(pd.NaT))


def _known(value: Any, within: tuple[types.CodeType, ...]) -> tuple:
    """Take a value apart into plain ones; TypeError if that is not possible.

    A function whose code is among those `within`, such as one that calls itself, is represented by its name.
    """
    kind = type(value)
    if kind in _PLAIN or (isinstance(value, np.generic) and _is_of(kind, "numpy")):
        return kind.__name__, repr(value)
    if kind in (list, tuple):
        if {*map(type, value)} <= {str, int}:  # long lists of names
            return kind.__name__, repr(value)
        return kind.__name__, *(_known(part, within) for part in value)
    if kind is dict:
        return "dict", *(_known(pair, within) for pair in value.items())
    if kind in (set, frozenset):
        return kind.__name__, *sorted(_known(part, within) for part in value)
    if kind is np.ndarray:
        return "array", *_of_array(value)
    if kind in (pd.DataFrame, pd.Series) or (isinstance(value, pd.Index) and _is_of(kind, "pandas")):
        return kind.__name__, *(_known(part, within) for part in _of_table(value))
    if kind is functools.partial:
        return "partial", *(_known(part, within) for part in (value.func, value.args, value.keywords))
    if kind is types.MethodType:
        return "method", _known(value.__func__, within), _known(value.__self__, within)
    if kind is types.FunctionType and not (_is_of(value, _TOP) and _name(value)):
        return "function", *_of_function(value, within)
    if name := _name(value):
        return "named", name
    if _is_ours(kind) and (name := _name(kind)):
        plain: Any = next(base for base in kind.__mro__ if not (_is_ours(base) or base.__module__ in ("typing", "abc")))
        if plain not in (object, tuple, list, dict, set, frozenset, str, int, float):
            raise TypeError(f"a {kind.__qualname__}, which is a {plain.__qualname__}")
        content = () if plain is object else (_known(plain(value), within),)
        return "object", name, *content, *(_known(pair, within) for pair in _state(value).items())
    raise TypeError(f"a {kind.__module__}.{kind.__qualname__}")


def _is_of(kind: Any, package: str) -> bool:
    return (kind.__module__ or "").partition(".")[0] == package  # a function from `eval` may have no module


def _is_ours(kind: type) -> bool:
    return _is_of(kind, _TOP) or kind.__module__.startswith(_BUILT_ON_IT)


def _of_array(value: np.ndarray) -> tuple:
    """The key of an array of numbers, or of plain values."""
    if value.dtype.names or not (value.dtype.isbuiltin or value.dtype.kind in "SUmM"):
        raise TypeError(f"an array of {value.dtype}")
    if value.dtype.hasobject:
        return value.shape, _known(value.ravel().tolist(), ())
    if value.size > 1 and value.dtype.kind in "iub" and (value == value.flat[0]).all():
        return value.dtype.str, value.shape, repr(value.flat[0])  # sooner told than digested
    return value.dtype.str, value.shape, hashlib.sha256(np.ascontiguousarray(value).data).hexdigest()


def _of_table(value: Any) -> Iterator[Any]:
    """The parts of a table, a column or an index."""
    if isinstance(value, pd.DataFrame):
        yield from (value.attrs, value.index, value.columns)
        yield from (value.iloc[:, place] for place in range(value.shape[1]))
    elif isinstance(value, pd.MultiIndex):
        yield from ([*value.names], *value.levels, *map(np.asarray, value.codes))
    else:
        yield from (value.attrs, value.index) if isinstance(value, pd.Series) else ()
        if isinstance(value.dtype, pd.CategoricalDtype):
            raise TypeError("a column of categories")
        yield from (value.name, str(value.dtype), value.to_numpy())


def _state(value: Any) -> dict[str, Any]:
    """The attributes of an object of this package, but for those that follow from others."""
    kind = type(value)
    cached = functools.cached_property
    derived = {name for base in kind.__mro__ for name, own in vars(base).items() if isinstance(own, cached)}
    derived |= {name for base in kind.__mro__ for name in vars(base).get("_memory", ())}
    slots = [name for base in kind.__mro__ for name in vars(base).get("__slots__", ())]
    attributes = getattr(value, "__dict__", {}) | {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return {name: attributes[name] for name in sorted(attributes) if name not in derived}


# What nobody changes is known by its name, and by the digest of what it is written in.

_COMPUTING = ("builtins", "math", "numpy", "pandas", "scipy", "statistics", "itertools", "functools", "operator")
"""Packages that only compute, but for `_MORE`."""


def _name(value: Any) -> str:
    """The name of a function, class or module of this package or of one that only computes; else empty."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if isinstance(value, types.ModuleType):
        module, name = value.__name__, ""
    elif isinstance(value, np.ufunc):
        module, name = "numpy", value.__name__
    if not (isinstance(module, str) and isinstance(name, str)) or module not in sys.modules:
        return ""
    try:
        if name and attrgetter(name)(sys.modules[module]) is not value:
            return ""
    except AttributeError:
        return ""
    top = module.partition(".")[0]
    if top.startswith(_BUILT_ON_IT):
        return f"{module}.{name} {_beside(top)}"
    return f"{module}.{name}" if top in (_TOP, *_COMPUTING) else ""


def _of_function(function: types.FunctionType, within: tuple[types.CodeType, ...]) -> Iterator[Any]:
    """The key of a function: its code, its defaults, and the values that its code reads by name."""
    code = function.__code__
    if code in within:
        return iter([function.__qualname__])
    if vars(function):
        raise TypeError(f"{function.__qualname__}, which has attributes")
    names = _names(code)
    read = {name: function.__globals__[name] for name in sorted(names) if name in function.__globals__}
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    closure = {name: cell.cell_contents for name, cell in cells if cell != types.CellType()}
    parts = function.__defaults__, function.__kwdefaults__, read, closure
    return iter([_of_code(code), *(_known(part, (*within, code)) for part in parts)])


def _of_code(code: types.CodeType) -> tuple:
    """The key of what a function does, and the functions in it, apart from the values that it reads by name."""
    consts = (_of_code(one) if isinstance(one, types.CodeType) else _known(one, ()) for one in code.co_consts)
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return code.co_name, code.co_code.hex(), code.co_exceptiontable.hex(), counts, names, *consts


_MORE = {
    *"breakpoint compile dir eval exec globals id input locals open query vars".split(),
    *"datasets fromfile fromregex genfromtxt io load loadtxt memmap now random today".split(),
}
"""Names of what does not only compute: it reads files, any variable, the clock, or a state that all share."""


def _names(code: types.CodeType) -> set[str]:
    """The names that a function's code, and the functions in it, read; TypeError if what they lead to is not known."""
    names = {*code.co_names}
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            names |= _names(one)
    if more := {name for name in names if name in _MORE or name.startswith(("__", "read_", "f_"))}:
        raise TypeError(f"{code.co_qualname}, which uses {', '.join(sorted(more))}")
    if any(step.opname in ("IMPORT_NAME", "STORE_GLOBAL", "DELETE_GLOBAL") for step in dis.get_instructions(code)):
        raise TypeError(f"{code.co_qualname}, which imports something or changes a global variable")
    return names
