"""The examples in docstrings run, and everything public in the library has one."""

import doctest
import importlib
import pkgutil
from importlib import resources
from pathlib import Path
from types import FunctionType

import pytest
from numba.core.dispatcher import Dispatcher

import simlib
from simlib.policies import Policy

PACKAGE = Path(simlib.__file__).parent
WITH_EXAMPLES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
} - {"simlib.course.lessons", "simlib.course.widgets"}  # whose examples are for a notebook
LIBRARY_MODULES = sorted(
    {each.name for each in pkgutil.iter_modules(simlib.__path__)}
    - {"__main__", "arrays", "engine", "explain", "lessons", "models", "papers", "plots", "teaching", "web", "widgets"}
)


@pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")
@pytest.mark.parametrize("name", sorted(WITH_EXAMPLES))
def test_the_examples_in_docstrings_do_what_they_say(name):
    module = importlib.import_module(name)
    # as typed in, and not of the library, whose functions `identity` takes by their names
    found = doctest.testmod(module, extraglobs={"__name__": "__main__"}, optionflags=doctest.ELLIPSIS)
    assert found.attempted and not found.failed


def own(of, kinds, module):
    """The public functions, classes or properties that a module or class defines itself, by name."""
    found = {name: value for name, value in vars(of).items() if isinstance(value, kinds) and not name.startswith("_")}
    return {name: value for name, value in found.items() if getattr(value, "__module__", module) == module}


@pytest.mark.parametrize("name", LIBRARY_MODULES)
def test_everything_public_in_the_library_has_a_docstring_and_an_example(name):
    module = importlib.import_module(f"simlib.{name}")
    functions = own(module, (FunctionType, Dispatcher), module.__name__)
    classes = own(module, type, module.__name__)
    plain = {name: kind for name, kind in classes.items() if not issubclass(kind, Exception) and kind is not Policy}
    assert [name for name, value in (functions | plain).items() if ">>> " not in (value.__doc__ or "")] == []
    parts = {
        f"{kind.__name__}.{name}": part
        for kind in classes.values()
        for name, part in own(kind, (FunctionType, classmethod, property), module.__name__).items()
    }
    assert [name for name, value in (classes | parts).items() if not value.__doc__] == []


def test_the_package_says_that_it_has_types():
    assert resources.files("simlib").joinpath("py.typed").is_file()
