"""The examples in docstrings run, and everything public in the library has one."""

import doctest
import importlib
import operator
from importlib import resources
from pathlib import Path
from types import FunctionType, ModuleType

import pytest
from helpers import API
from numba.core.dispatcher import Dispatcher

import simlib
from simlib.policies import Policy

PACKAGE = Path(simlib.__file__).parent
WITH_EXAMPLES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
} - {"simlib.course.lessons", "simlib.course.widgets"}  # whose examples are for a notebook


@pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")
@pytest.mark.parametrize("name", sorted(WITH_EXAMPLES))
def test_the_examples_in_docstrings_do_what_they_say(name):
    module = importlib.import_module(name)
    # as typed in, and not of the library, whose functions `identity` takes by their names
    examples = doctest.testmod(module, extraglobs={"__name__": "__main__"}, optionflags=doctest.ELLIPSIS)
    assert examples.attempted and not examples.failed


@pytest.mark.parametrize("name", API)
def test_everything_public_has_a_docstring_and_an_example(name):
    """Of a module: what it hands on, or defines itself without an underscore."""
    public = operator.attrgetter(name)(simlib)
    parts = {name: public}
    if isinstance(public, ModuleType):
        names = getattr(public, "__all__", [one for one in vars(public) if not one.startswith("_")])
        parts = {one: getattr(public, one) for one in names}
        of = "simlib." if hasattr(public, "__all__") else public.__name__
        parts = {one: part for one, part in parts.items() if getattr(part, "__module__", "").startswith(of)}
    parts = {one: part for one, part in parts.items() if isinstance(part, (FunctionType, Dispatcher, type))}
    asked = [one for one, part in parts.items() if part is not Policy and not issubclass_of(part, Exception)]
    assert [one for one in asked if ">>> " not in (parts[one].__doc__ or "")] == []
    members = {
        f"{one}.{member}": value
        for one in asked
        if isinstance(parts[one], type)
        for member, value in vars(parts[one]).items()
        if not member.startswith("_") and isinstance(value, (FunctionType, classmethod, property))
    }
    assert [one for one, value in members.items() if not value.__doc__] == []


def issubclass_of(part, kind):
    """Whether something is a class of a kind."""
    return isinstance(part, type) and issubclass(part, kind)


def test_the_package_says_that_it_has_types():
    assert resources.files("simlib").joinpath("py.typed").is_file()
