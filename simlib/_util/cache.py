"""Keep results in `build/cache/` of the checkout under keys of all that they depend on, and make such keys.

Two values with the same key do the same. The name of a function, or what `repr` shows of a policy, is not enough: a
function also depends on the globals that it reads, a policy on tables that its `repr` leaves out.

The key of a result depends on the inputs, the code of the function that makes it, and the state of the library: after
any change it is computed again. Notebooks that run at once share finished results; each can also run alone. Outside a
checkout nothing is kept.
"""

import dataclasses
import functools
import hashlib
import inspect
import pickle
import sys
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from . import paths

FOLDER = paths.ROOT / "build" / "cache"


def once(function: Callable, *ignored: str) -> Callable:
    """Make a function that calls the given one only for new arguments; arguments that are `ignored` do not count.

    It must be possible to pickle the function's result, which may depend only on its arguments and the library.
    """
    return functools.partial(_read_or_made, function, ignored)


def _read_or_made(function: Callable, ignored: tuple[str, ...], *args: Any, **options: Any) -> Any:
    """Read a function's earlier result; if there is none, or the file is damaged, call the function."""
    given = inspect.signature(function).bind(*args, **options).arguments
    path = place(function.__name__.strip("_"), function, {k: value for k, value in given.items() if k not in ignored})
    content = paths.read_sealed(path)
    if content is None:
        content = pickle.dumps(function(*args, **options))
        paths.write_sealed(path, content)
    return pickle.loads(content)


def place(kind: str, *key: Any) -> Path:
    """Find the path of a result of a kind, by everything on which it depends."""
    return FOLDER / kind / f"{hashlib.sha256(repr(identity(list(key))).encode()).hexdigest()[:32]}.pickle"


@functools.cache
def library() -> tuple[str, str]:
    """A digest of the library, because any change may change numbers, and of NumPy, which draws random numbers."""
    package = Path(__file__).parents[1]
    others = ("study", "course", "report", "plots")
    files = [path for path in sorted(package.rglob("*.py")) if path.relative_to(package).parts[0] not in others]
    return np.__version__, hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


# Make a key of what a value depends on.


def identity(value: Any, within: tuple[types.CodeType, ...] = ()) -> tuple:
    """Make a key of all that a value depends on.

    A function whose code is among those `within`, such as one that calls itself, is represented by its name.
    """
    value = getattr(value, "py_func", value)  # of a function that numba compiled
    kind = type(value)
    if kind in (bool, int, float, complex, str, bytes, type(None), type(...)) or isinstance(value, np.generic):
        return kind.__name__, repr(value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        if value.ndim == 1 and value.size > 1 and value.dtype.kind in "iub" and (value == value[0]).all():
            return "array", value.dtype.str, str(value.shape), "all", repr(value[0])  # sooner told than digested
        return "array", value.dtype.str, str(value.shape), hashlib.sha256(np.ascontiguousarray(value).data).hexdigest()
    if isinstance(value, pd.DataFrame):
        return "table", identity(value.index, within), *((str(name), identity(value[name], within)) for name in value)
    if isinstance(value, (pd.Series, pd.Index)):
        rest = identity(value.index, within) if isinstance(value, pd.Series) else ()
        return kind.__name__, repr(value.name), identity(value.to_numpy(), within), rest
    if isinstance(value, (list, tuple, np.ndarray)):
        if {*map(type, value)} <= {str, int}:  # long lists of names
            return kind.__name__, repr(list(value))
        return kind.__name__, *(identity(item, within) for item in value)
    if isinstance(value, (set, frozenset)):
        return kind.__name__, *sorted(identity(item, within) for item in value)
    if isinstance(value, dict):
        return kind.__name__, *((identity(key, within), identity(item, within)) for key, item in value.items())
    if isinstance(value, types.FunctionType):
        return _of_function(value, within)
    if isinstance(value, functools.partial):
        return "partial", *(identity(part, within) for part in (value.func, value.args, value.keywords))
    if isinstance(value, types.MethodType):
        return "method", identity(value.__func__, within), identity(value.__self__, within)
    if isinstance(value, types.ModuleType):
        return "module", value.__name__
    if isinstance(value, (type, types.BuiltinFunctionType, np.ufunc)):
        return kind.__name__, str(getattr(value, "__module__", "")), getattr(value, "__qualname__", value.__name__)
    return _of_object(value, within)


def _of_object(value: Any, within: tuple[types.CodeType, ...]) -> tuple:
    """The key of an object: of its class and attributes, or of its pickle where it hides some."""
    kind = type(value)
    methods: Mapping[str, Any] = {} if _in_library(kind) else vars(kind)
    own = {name: value for name, value in methods.items() if isinstance(value, types.FunctionType)}
    called = [name for name in own if name == "__call__" or not name.startswith("__")]
    of_class = kind.__module__, kind.__qualname__, *((name, identity(own[name], within)) for name in called)
    if dataclasses.is_dataclass(value):
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    elif hasattr(value, "__dict__") and getattr(value.__reduce_ex__(2)[0], "__module__", "") == "copyreg":
        parts = vars(value)  # and nothing is hidden in C
    else:
        try:
            return kind.__qualname__, hashlib.sha256(pickle.dumps(value)).hexdigest()
        except Exception as error:
            raise TypeError(f"identity: found {value!r}, expected something that can be pickled ({error})") from None
    return *of_class, *((name, identity(part, within)) for name, part in parts.items())


def installed(module: types.ModuleType) -> bool:
    """Tell whether a module belongs to Python, an installed package or the library, and so does not change."""
    name, file = module.__name__, getattr(module, "__file__", None) or ""
    top = name.partition(".")[0]
    of_library = top == __package__.partition(".")[0] and not name.startswith(f"{top}.study")
    return of_library or top in sys.stdlib_module_names or "site-packages" in file


def _in_library(value: Any) -> bool:
    """Tell whether a function or class is of this package, but not of the study, where exhibits come and go."""
    package = __package__.partition(".")[0]
    name = f"{value.__module__}."
    return name.startswith(f"{package}.") and not name.startswith(f"{package}.study.")


def _of_function(function: types.FunctionType, within: tuple[types.CodeType, ...]) -> tuple:
    """The key of a function: of its code, its defaults, and the values that its code reads by name.

    If it reads a module, the attributes that its code names count.
    """
    code = function.__code__
    if code in within or _in_library(function):
        return "function", str(function.__module__), function.__qualname__
    within = (*within, code)
    names = sorted(_names(code))
    read = {name: function.__globals__[name] for name in names if name in function.__globals__}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        read[name] = cell.cell_contents if cell != types.CellType() else None  # one that is not filled yet
    for module in [value for value in read.values() if isinstance(value, types.ModuleType) and not installed(value)]:
        own = {name: getattr(module, name) for name in names if hasattr(module, name)}
        read |= {f"{module.__name__}.{name}": value for name, value in own.items()}
    parts = function.__defaults__, function.__kwdefaults__, read
    return "function", _of_code(code), *(identity(part, within) for part in parts)


def _of_code(code: types.CodeType) -> tuple:
    """The key of what a function does, and the functions in it, apart from the values that it reads by name."""
    consts = (_of_code(one) if isinstance(one, types.CodeType) else identity(one, ()) for one in code.co_consts)
    return code.co_name, code.co_code.hex(), repr(code.co_names), repr(code.co_varnames), *consts


def _names(code: types.CodeType) -> set[str]:
    """The names that a function's code, and the functions in it, read of globals or as attributes."""
    inner = (_names(one) for one in code.co_consts if isinstance(one, types.CodeType))
    return {*code.co_names}.union(*inner)
