"""Turn a user's function into one that numba can compile and that cannot raise, or say in Python's terms why not."""

import builtins
import dis
import inspect
import itertools
import linecache
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from .._util.compiled import NumbaWarning, numba, types

_BY_MEANS_OF = "arithmetic, `if`, `for`, and the functions of math and numpy"


def in_python(value: Any) -> Any:
    """Give the Python function behind a compiled one, or behind a `Multifactor` or the like; else the value."""
    value = getattr(value, "function", value)
    return getattr(value, "py_func", value)


def guarded(
    function: FunctionType,
    given: tuple[str, ...],
    told: dict[str, str],
    typical: dict[str, float],
    where: str,
    expected: str,
) -> FunctionType:
    """Compile a function of floats that returns a number, and guard it: it returns nan if the function raised."""
    function = plain(function)
    if obstacle := _random(function):  # it would return another number each time
        raise ValueError(f"{where}, {obstacle.said(function)}")
    if obstacle := _printing(function):  # it would fill a page: it is called for each job at each decision
        example = f"{function.__name__}({', '.join(f'{name}={value}' for name, value in typical.items())})"
        raise ValueError(
            f"{where}, {obstacle.said(function)}. It is called many thousand times. To see what it returns for one "
            f"job, take that line out, and write print({example}) in a cell of its own"
        )
    defaults = {name: one.default for name, one in inspect.signature(function).parameters.items()}
    inner = _copied(function, numba.njit(error_model="numpy", boundscheck=True))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaWarning)  # in numba's words
            inner.compile(tuple(types.float64 if name in told else numba.typeof(defaults[name]) for name in defaults))
    except Exception as error:  # numba raises what it likes, its own errors and others
        obstacle = next(_names_unknown(function), None) or _raised(function, typical)
        obstacle = obstacle or next(_constructs(function), None)
        raise ValueError(f"{where}, {(obstacle or _by_numba(function, error)).said(function)}") from None
    if kind := _no_number(inner.nopython_signatures[0].return_type):
        if kind.startswith("nothing in") and (case := _case(function, typical)):
            kind = f"nothing for {case}"
        raise ValueError(f"{where} returns {kind}; expected {expected}, in every case")
    if case := _without_value(function, typical):
        raise ValueError(f"{where} reads a variable that has no value yet for {case}; expected one in every case")
    in_turn = ", ".join(told.get(name, f"default_{name}") for name in defaults)  # by name numba mixes them up in `try`
    lines = f"def guarded({', '.join(given)}):", " try:", f"  return float64(inner({in_turn}))"
    names: dict[str, Any] = {"inner": inner, "float64": np.float64, "nan": np.nan}
    names |= {f"default_{name}": default for name, default in defaults.items()}
    exec("\n".join([*lines, " except Exception:", "  return nan"]), names)  # for numba cannot pick arguments
    compiled: FunctionType = names["guarded"]
    return compiled


def plain(function: FunctionType) -> FunctionType:
    """Copy a function with the functions that it calls, all as plain Python, whose errors name the line."""
    copy: FunctionType = _copied(function, lambda copy: copy)
    return copy


def _copied(function: FunctionType, make: Callable[[FunctionType], Any], callers: tuple[CodeType, ...] = ()) -> Any:
    """Copy a function and `make` something of it, with the present state of the functions and variables that it reads.

    A function that numba compiled before would keep the old values of global variables, and would read tables beyond
    their ends. `callers` has the functions that are being copied already, as when a function calls itself.
    """
    names, modules = {*function.__code__.co_names}, dict[str, ModuleType]()

    def copied(value: Any) -> Any:
        if isinstance(value, ModuleType) and not _is_installed(value):
            if value.__name__ not in modules:
                module = modules[value.__name__] = ModuleType(value.__name__)
                own = {name: copied(part) for name, part in vars(value).items() if name in names}
                vars(module).update(vars(value) | own)
            return modules[value.__name__]
        value = in_python(value)
        if (
            not isinstance(value, FunctionType)
            or value.__code__ in callers
            or str(value.__module__).startswith("numba.")
        ):
            return value
        return _copied(value, make, (*callers, function.__code__))

    own = {name: copied(value) for name, value in function.__globals__.items() if name in names}
    read = function.__globals__ | own
    cells = tuple(CellType(copied(cell.cell_contents)) for cell in function.__closure__ or ())
    copy = FunctionType(function.__code__, read, function.__name__, function.__defaults__, cells)
    return make(copy)


class _Obstacle(NamedTuple):
    """Code that cannot be compiled, its line, and code that can."""

    function: FunctionType
    line: int
    what: str
    expected: str

    def said(self, of: FunctionType) -> str:
        """Write the end of a sentence that begins with the function `of`, which calls this one."""
        function, line, what, expected = self
        return f"{_in_line(function, line, of)}: {what}; expected {expected}"


def _in_line(function: FunctionType, line: int, of: FunctionType) -> str:
    """A line of the function `of`, or of a function that it calls."""
    source = linecache.getline(function.__code__.co_filename, line).strip()
    inside = "" if function == of else f" of {function.__name__!r}, which it calls"
    return f"line {line}{inside}{f' (`{source}`)' if source else ''}"


def raised_in(function: FunctionType, error: Exception) -> str:
    """Name the line of a function, or of one that it calls, that raised an error."""
    return _in_line(*_where_raised(function, error), function)


def _printing(function: FunctionType) -> _Obstacle | None:
    """Find where a function, or one that it calls, prints or reads input; it would do so many thousand times."""
    does: dict[Any, str] = {print: "it prints", input: "it asks for input"}
    for called in _called(function):
        for line, value in _values(called):
            if isinstance(value, BuiltinFunctionType) and value in does:
                what = does[value]
                return _Obstacle(called, line, what, "a function that returns a number and does nothing else")
    return None


def _random(function: FunctionType) -> _Obstacle | None:
    """Find where a function, or one that it calls, draws a random number, or is no plain function."""
    for called in _called(function):
        if called.__code__.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            return _Obstacle(called, called.__code__.co_firstlineno, "it is written with `async`", "a plain `def`")
        for line, value in _values(called):
            if _is_random(value) or _is_random(getattr(value, "__self__", None)):
                expected = "a number that depends only on the arguments of the function"
                return _Obstacle(called, line, "it draws a number at random", expected)
    return None


def _is_random(value: Any) -> bool:
    """Tell whether a value draws numbers, or is a module of such."""
    module = value.__name__ if isinstance(value, ModuleType) else str(getattr(value, "__module__", ""))
    kinds = Random, np.random.RandomState, np.random.Generator, np.random.BitGenerator
    return isinstance(value, kinds) or module == "random" or module.startswith("numpy.random")


def _is_installed(module: ModuleType) -> bool:
    """Tell whether a module belongs to Python, an installed package or the library, and so does not change."""
    name, file = module.__name__, getattr(module, "__file__", None) or ""
    top = name.partition(".")[0]
    return top in (__package__.partition(".")[0], *sys.stdlib_module_names) or "site-packages" in file


def _called(function: FunctionType) -> Iterator[FunctionType]:
    """Iterate over a function and the functions that it calls, each once, except installed ones."""
    seen, coming = [], [function]
    while coming:
        called = coming.pop(0)
        if called.__code__ in seen:
            continue
        seen.append(called.__code__)
        yield called
        functions = [value for _, read in _values(called) if isinstance(value := in_python(read), FunctionType)]
        coming += [value for value in functions if "site-packages" not in value.__code__.co_filename]


def _no_number(returned: Any) -> str | None:
    """Say what a function returns instead of a number; None if it returns one."""
    if isinstance(returned, (types.Number, types.Boolean)) and not isinstance(returned, types.Complex):
        return None
    if isinstance(returned, types.Literal) and isinstance(returned.literal_value, (int, float)):
        return None
    kinds: dict[Any, str] = {
        types.NoneType: "nothing",
        types.Optional: "nothing in some cases",
        types.BaseTuple: "several values (a tuple)",
        types.List: "a list",
        types.Array: "an array",
        types.Generator: "its values by `yield`",
        types.Complex: "a complex number",
    }
    return next((said for numbas, said in kinds.items() if isinstance(returned, numbas)), _in_words(str(returned)))


def _case(function: FunctionType, typical: dict[str, float], of: type[Exception] | None = None) -> str:
    """Find arguments for which a function returns nothing, or raises `of`: near the numbers in its code."""
    written = [number for number in function.__code__.co_consts if isinstance(number, (int, float))]
    near = {0.0, 1.0, 60.0, 3600.0, 86400.0, *(float(number + step) for number in written for step in (-1, 0, 1))}
    tried = [[value, *sorted(near - {value})] for value in typical.values()]
    for numbers in itertools.islice(itertools.product(*tried), 20_000):
        outcome: object = None
        try:
            outcome = type(function(**dict(zip(typical, numbers, strict=True))))
        except Exception as error:
            outcome = type(error)
        if outcome is (of or type(None)):
            return ", ".join(f"{name}={value:g}" for name, value in zip(typical, numbers, strict=True))
    return ""


def _without_value(function: FunctionType, typical: dict[str, float]) -> str:
    """Find arguments for which a function reads a variable without a value, which in numba is an arbitrary number."""
    code = function.__code__
    loops = any("JUMP_BACKWARD" in instruction.opname for _, instruction in _lines(code))  # it may never end
    return "" if loops or code.co_nlocals == code.co_argcount else _case(function, typical, UnboundLocalError)


# What can be seen without numba


def _lines(code: CodeType) -> Iterator[tuple[int, dis.Instruction]]:
    """The instructions of a function and of the functions inside it, each with its line."""
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        line = (instruction.positions and instruction.positions.lineno) or line
        yield line, instruction
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _lines(inner)


def _read(function: FunctionType, instruction: dis.Instruction, unknown: Any = None) -> Any:
    """The value that an instruction reads by a global name or from the outer function; None if it reads none."""
    name = instruction.argval
    if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
        return function.__globals__.get(name, getattr(builtins, name, unknown))
    if "DEREF" in instruction.opname or instruction.opname == "LOAD_CLASSDEREF":
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        try:
            return cells[name].cell_contents
        except (KeyError, ValueError):  # of the function itself, or not filled yet
            return None
    return None


def _values(function: FunctionType) -> Iterator[tuple[int, Any]]:
    """The values that a function reads by global names or from modules, each with its line."""
    value = None
    for line, instruction in _lines(function.__code__):
        if instruction.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
            value = _read(function, instruction) if instruction.opname.startswith("LOAD_") else None
        elif isinstance(value, ModuleType):
            value = getattr(value, instruction.argval, None)
        else:
            value = None
        yield line, value


def _names_unknown(function: FunctionType) -> Iterator[_Obstacle]:
    for called in _called(function):
        for line, instruction in _lines(called.__code__):
            if _read(called, instruction, unknown=_names_unknown) is _names_unknown:
                what = f"it reads {instruction.argval!r}, which is not defined"
                yield _Obstacle(called, line, what, "a name that is known when the function is used: is it misspelt?")


def _raised(function: FunctionType, typical: dict[str, float]) -> _Obstacle | None:
    """The exception that plain Python raises for a typical job."""
    try:
        function(**typical)
    except Exception as error:
        numbers = ", ".join(f"{name}={value:g}" for name, value in typical.items())
        what = f"for {numbers} it raises {type(error).__name__}: {error}"
        return _Obstacle(*_where_raised(function, error), what, "a number")
    return None


def _where_raised(function: FunctionType, error: Exception) -> tuple[FunctionType, int]:
    """The function and the line that raised an error: the innermost of `called`."""
    functions = {called.__code__: called for called in _called(function)}
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    return next(
        ((functions[code], line) for code, line in reversed(frames) if code in functions),
        (function, function.__code__.co_firstlineno),
    )


_CONSTRUCTS = {
    "IMPORT_NAME": ("it imports {}", "the import above the function, in a line of its own"),
    "STORE_GLOBAL": ("it sets the global variable {!r}", "a number made of what the function is told, and of no more"),
    "BEFORE_WITH": ("a `with` block", _BY_MEANS_OF),
    "LOAD_BUILD_CLASS": ("it defines a class", _BY_MEANS_OF),
    "UNPACK_EX": ("a `*` that takes the rest of a list", "a name for each value"),
}
"""By the name of an instruction of Python's machine: what stands there, and what would do."""


def _constructs(function: FunctionType) -> Iterator[_Obstacle]:
    """Constructs that Python has and numba has not, in the order of the code."""
    for called in _called(function):
        for (_, before), (line, instruction) in itertools.pairwise(_lines(called.__code__)):
            if instruction.opname in _CONSTRUCTS:
                what, expected = _CONSTRUCTS[instruction.opname]
                yield _Obstacle(called, line, what.format(instruction.argval), expected)
            if instruction.opname == "CHECK_EXC_MATCH" and before.argval != "Exception":
                what = f"a `try` block that catches {before.argval} by its name"
                yield _Obstacle(called, line, what, "an `if` that asks before, such as `if estimate > 0:`")


# What numba says


def _by_numba(function: FunctionType, error: Exception) -> _Obstacle:
    """The obstacle that numba's message names; if it names none, a line that only plain Python can run."""
    message = str(error)
    called, line = _place(function, message)
    name = re.search(r"Untyped (?:global|freevar) name '(\w+)'", message)
    if name:
        read = (
            _read(called, instruction) for _, instruction in _lines(called.__code__) if instruction.argval == name[1]
        )
        value = next((value for value in read if value is not None), None)
        instead = "numbers: let a variable above the function have the number that it needs"
        if callable(value) or isinstance(value, ModuleType):
            instead = _BY_MEANS_OF
        return _Obstacle(called, line, f"it reads {name[1]!r}, {_described(value)}", instead)
    attribute = re.search(r"Unknown attribute '(\w+)' of type (.*)", message)
    if attribute:
        what = f"it asks for `.{attribute[1]}` of {_in_words(attribute[2])}, which cannot be compiled"
        return _Obstacle(called, line, what, _BY_MEANS_OF)
    mixed = re.search(r"(?:Cannot|Can't) unify (?:return type from the following types: )?(.+)", message)
    if mixed:
        kinds = sorted({_in_words(part) for part in re.split(r" and |, (?![^(\[]*[)\]])", mixed[1].split(" for ")[0])})
        what = f"a value that is sometimes {' and sometimes '.join(kinds)}"
        return _Obstacle(called, line, what, "a number in every case")
    what = "it works with text" if re.search("Literal.str|unicode", message) else "only plain Python can run this"
    return _Obstacle(called, line, what, _BY_MEANS_OF)


def _place(function: FunctionType, message: str) -> tuple[FunctionType, int]:
    """The innermost function, and its line, that numba's message names."""
    functions = list(_called(function))
    for file, line in re.findall(r'(?:File "|Raised from )([^"(]+?)"?,? \(?(?:line )?(\d+)', message):
        for called in functions:
            lines = [at for at, _ in _lines(called.__code__)]
            same = Path(file).name == Path(called.__code__.co_filename).name
            if same and min(lines) <= int(line) <= max(lines):
                return called, int(line)
    return function, function.__code__.co_firstlineno


def _described(value: Any) -> str:
    if isinstance(value, (type, BuiltinFunctionType, FunctionType)):
        return "which cannot be compiled"
    if isinstance(value, (dict, list, set)) and not value:
        return f"an empty {type(value).__name__}"
    return f"which is of type {type(value).__name__}"


def _in_words(numbas: str) -> str:
    """Name a type in the words of students."""
    words = {
        r"Literal.str|unicode": "text",
        r"none": "nothing",
        r"[Ll]ist": "a list",
        r"[Tt]uple": "a tuple",
        r"array": "an array",
        r"dict": "a dictionary",
        r"set\(": "a set",
        r"Module": "a module",
        r"complex": "a complex number",
        r"bool": "true or false",
        r"float|int": "a number",
    }
    return next((said for pattern, said in words.items() if re.search(pattern, numbas)), "something else")
