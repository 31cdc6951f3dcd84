"""The examples in docstrings run, and every name that docs/api.md lists has one."""

import doctest
import importlib
import operator
from importlib import resources
from pathlib import Path
from types import FunctionType

import pytest
from helpers import API

import simlib

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
def test_what_is_listed_has_a_docstring_with_an_example(name):
    """Of a class, its methods and properties have a docstring, too."""
    public = operator.attrgetter(name)(simlib)
    assert callable(public) and public.__doc__
    own = vars(public) if isinstance(public, type) else {}
    methods = [one for one, value in own.items() if isinstance(value, (FunctionType, classmethod, property))]
    assert [one for one in methods if not one.startswith("_") and not own[one].__doc__] == []
    assert ">>> " in public.__doc__ or issubclass(public, Exception)


def test_the_package_says_that_it_has_types():
    assert resources.files("simlib").joinpath("py.typed").is_file()
