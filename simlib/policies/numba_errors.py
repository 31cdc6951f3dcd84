"""Say in the words of Python why a function cannot be compiled, with the line, and what would do in its place."""

import builtins
import dis
import inspect
import itertools
import linecache
import re
import traceback
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np
from numba.core import types

BY_MEANS_OF = "arithmetic, `if`, `for`, and the functions of math and numpy"


class Found(NamedTuple):
    """What stands in a line that cannot be compiled, and what would do."""

    function: FunctionType
    line: int
    what: str
    expected: str

    def said(self, of: FunctionType) -> str:
        """Write it as the end of a sentence that begins with the function `of`, which calls the one found."""
        function, line, what, expected = self
        return f"{_in_line(function, line, of)}: {what}; expected {expected}"


def _in_line(function: FunctionType, line: int, of: FunctionType) -> str:
    """A line of a function that the function `of` calls, or of itself."""
    source = linecache.getline(function.__code__.co_filename, line).strip()
    inside = "" if function == of else f" of {function.__name__!r}, which it calls"
    return f"line {line}{inside}{f' (`{source}`)' if source else ''}"


def raised_in(function: FunctionType, error: Exception) -> str:
    """Say in which line of a function, or of one that it calls, an error was raised."""
    return _in_line(*_where_raised(function, error), function)


def in_python(value: Any) -> Any:
    """Give the function of Python's that numba compiled, or that a `Multifactor` stands for; else the value itself."""
    value = getattr(value, "function", value)
    return getattr(value, "py_func", value)


def printing(function: FunctionType) -> Found | None:
    """Find where a function, or one that it calls, prints or asks; it would do so many thousand times."""
    does: dict[Any, str] = {print: "it prints", input: "it asks for input"}
    for one in called(function):
        for line, value in _values(one):
            if isinstance(value, BuiltinFunctionType) and value in does:
                what = does[value]
                return Found(one, line, what, "a function that returns a number and does nothing else")
    return None


def random(function: FunctionType) -> Found | None:
    """Find where a function, or one that it calls, draws a number at random, or is no plain function."""
    for one in called(function):
        if one.__code__.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            return Found(one, one.__code__.co_firstlineno, "it is written with `async`", "a plain `def`")
        for line, value in _values(one):
            if _is_random(value) or _is_random(getattr(value, "__self__", None)):
                expected = "a number that hangs on nothing but what the function is told"
                return Found(one, line, "it draws a number at random", expected)
    return None


def _is_random(value: Any) -> bool:
    """Tell whether a value draws numbers, or is a module of such."""
    module = value.__name__ if isinstance(value, ModuleType) else str(getattr(value, "__module__", ""))
    kinds = Random, np.random.RandomState, np.random.Generator, np.random.BitGenerator
    return isinstance(value, kinds) or module == "random" or module.startswith("numpy.random")


def called(function: FunctionType) -> Iterator[FunctionType]:
    """Go through a function and those that it calls, each once, except installed ones."""
    seen, coming = [], [function]
    while coming:
        one = coming.pop(0)
        if one.__code__ in seen:
            continue
        seen.append(one.__code__)
        yield one
        functions = [value for _, read in _values(one) if isinstance(value := in_python(read), FunctionType)]
        coming += [value for value in functions if "site-packages" not in value.__code__.co_filename]


def why(function: FunctionType, error: Exception, typical: dict[str, float]) -> str:
    """Say why numba refused to compile a function: what stands in which line, and what was expected there."""
    found = next(_names_unknown(function), None) or _raised(function, typical) or next(_constructs(function), None)
    return (found or _by_numba(function, error)).said(function)


def kind(returned: types.Type) -> str | None:
    """Say what a function returns that should return a number; None where it does."""
    if isinstance(returned, (types.Number, types.Boolean)) and not isinstance(returned, types.Complex):
        return None
    if isinstance(returned, types.Literal) and isinstance(returned.literal_value, (int, float)):
        return None
    for numbas, said in _KINDS.items():
        if isinstance(returned, numbas):
            return said
    return _in_words(str(returned))


_KINDS: dict[Any, str] = {
    types.NoneType: "nothing",
    types.Optional: "nothing in some cases",
    types.BaseTuple: "several values (a tuple)",
    types.List: "a list",
    types.Array: "an array",
    types.Generator: "its values by `yield`",
    types.Complex: "a complex number",
}


def case(function: FunctionType, typical: dict[str, float], of: type[Exception] | None = None) -> str:
    """Find a case in which a function returns nothing, or raises `of`: near the numbers that stand in its code."""
    written = [one for one in function.__code__.co_consts if isinstance(one, (int, float))]
    near = {0.0, 1.0, 60.0, 3600.0, 86400.0, *(float(one + step) for one in written for step in (-1, 0, 1))}
    tried = [[value, *sorted(near - {value})] for value in typical.values()]
    for numbers in itertools.islice(itertools.product(*tried), 20_000):
        found: object = None
        try:
            found = type(function(**dict(zip(typical, numbers, strict=True))))
        except Exception as error:
            found = type(error)
        if found is (of or type(None)):
            return ", ".join(f"{name}={value:g}" for name, value in zip(typical, numbers, strict=True))
    return ""


def without_value(function: FunctionType, typical: dict[str, float]) -> str:
    """Find a case in which a function reads a variable that has no value yet, which numba takes as any number."""
    code = function.__code__
    loops = any("JUMP_BACKWARD" in instruction.opname for _, instruction in _lines(code))  # it may never end
    return "" if loops or code.co_nlocals == code.co_argcount else case(function, typical, UnboundLocalError)


# What can be seen without numba


def _lines(code: CodeType) -> Iterator[tuple[int, dis.Instruction]]:
    """The instructions of a function, and of the functions inside it, each with its line."""
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        line = (instruction.positions and instruction.positions.lineno) or line
        yield line, instruction
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _lines(inner)


def _read(function: FunctionType, instruction: dis.Instruction, unknown: Any = None) -> Any:
    """The value that an instruction reads by a global name, or from the function around; None where it reads none."""
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
    """What a function reads by global names, and of the modules among it, each with its line."""
    value = None
    for line, instruction in _lines(function.__code__):
        if instruction.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
            value = _read(function, instruction) if instruction.opname.startswith("LOAD_") else None
        elif isinstance(value, ModuleType):
            value = getattr(value, instruction.argval, None)
        else:
            value = None
        yield line, value


def _names_unknown(function: FunctionType) -> Iterator[Found]:
    for one in called(function):
        for line, instruction in _lines(one.__code__):
            if _read(one, instruction, unknown=_names_unknown) is _names_unknown:
                what = f"it reads {instruction.argval!r}, which is not defined"
                yield Found(one, line, what, "a name that is known when the function is used: is it misspelt?")


def _raised(function: FunctionType, typical: dict[str, float]) -> Found | None:
    """What plain Python raises for a typical job."""
    try:
        function(**typical)
    except Exception as error:
        numbers = ", ".join(f"{name}={value:g}" for name, value in typical.items())
        what = f"for {numbers} it raises {type(error).__name__}: {error}"
        return Found(*_where_raised(function, error), what, "a number")
    return None


def _where_raised(function: FunctionType, error: Exception) -> tuple[FunctionType, int]:
    """The function and its line that raised an error: the innermost of `called`."""
    functions = {one.__code__: one for one in called(function)}
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    return next(
        ((functions[code], line) for code, line in reversed(frames) if code in functions),
        (function, function.__code__.co_firstlineno),
    )


_CONSTRUCTS = {
    "IMPORT_NAME": ("it imports {}", "the import above the function, in a line of its own"),
    "STORE_GLOBAL": ("it sets the global variable {!r}", "a number made of what the function is told, and of no more"),
    "BEFORE_WITH": ("a `with` block", BY_MEANS_OF),
    "LOAD_BUILD_CLASS": ("it defines a class", BY_MEANS_OF),
    "UNPACK_EX": ("a `*` that takes the rest of a list", "a name for each value"),
}
"""By the name of an instruction of Python's machine: what stands there, and what would do."""


def _constructs(function: FunctionType) -> Iterator[Found]:
    """What Python has and numba has not, in the order in which it stands there."""
    for one in called(function):
        for (_, before), (line, instruction) in itertools.pairwise(_lines(one.__code__)):
            if instruction.opname in _CONSTRUCTS:
                what, expected = _CONSTRUCTS[instruction.opname]
                yield Found(one, line, what.format(instruction.argval), expected)
            if instruction.opname == "CHECK_EXC_MATCH" and before.argval != "Exception":
                what = f"a `try` block that catches {before.argval} by its name"
                yield Found(one, line, what, "an `if` that asks before, such as `if estimate > 0:`")


# What numba says


def _by_numba(function: FunctionType, error: Exception) -> Found:
    """What numba's message tells; what it does not, is a line that only plain Python can run."""
    message = str(error)
    one, line = _place(function, message)
    name = re.search(r"Untyped (?:global|freevar) name '(\w+)'", message)
    if name:
        value = _value(one, name[1])
        return Found(one, line, f"it reads {name[1]!r}, {_described(value)}", _instead_of(value))
    attribute = re.search(r"Unknown attribute '(\w+)' of type (.*)", message)
    if attribute:
        what = f"it asks for `.{attribute[1]}` of {_in_words(attribute[2])}, which cannot be compiled"
        return Found(one, line, what, BY_MEANS_OF)
    mixed = re.search(r"(?:Cannot|Can't) unify (?:return type from the following types: )?(.+)", message)
    if mixed:
        kinds = sorted({_in_words(part) for part in re.split(r" and |, (?![^(\[]*[)\]])", mixed[1].split(" for ")[0])})
        what = f"a value that is sometimes {' and sometimes '.join(kinds)}"
        return Found(one, line, what, "a number in every case")
    what = "it works with text" if re.search("Literal.str|unicode", message) else "only plain Python can run this"
    return Found(one, line, what, BY_MEANS_OF)


def _place(function: FunctionType, message: str) -> tuple[FunctionType, int]:
    """The function, and its line, that numba's message names first: the innermost."""
    functions = list(called(function))
    for file, line in re.findall(r'(?:File "|Raised from )([^"(]+?)"?,? \(?(?:line )?(\d+)', message):
        for one in functions:
            lines = [at for at, _ in _lines(one.__code__)]
            same = Path(file).name == Path(one.__code__.co_filename).name
            if same and min(lines) <= int(line) <= max(lines):
                return one, int(line)
    return function, function.__code__.co_firstlineno


def _value(function: FunctionType, name: str) -> Any:
    for _, instruction in _lines(function.__code__):
        if instruction.argval == name and (value := _read(function, instruction)) is not None:
            return value
    return None


def _described(value: Any) -> str:
    if isinstance(value, (type, BuiltinFunctionType, FunctionType)):
        return "which cannot be compiled"
    if isinstance(value, (dict, list, set)) and not value:
        return f"an empty {type(value).__name__}"
    return f"which is of type {type(value).__name__}"


def _instead_of(value: Any) -> str:
    if callable(value) or isinstance(value, ModuleType):
        return BY_MEANS_OF
    return "numbers: let a variable above the function have the number that it needs"


def _in_words(numbas: str) -> str:
    """Name a type as students do."""
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
