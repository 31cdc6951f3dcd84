"""The examples in docstrings run, and every name that docs/reference/api.md lists has one."""

import doctest
import importlib
import pkgutil
from importlib import resources
from types import FunctionType

import pytest
from helpers import API, PACKAGES, ROOT

WITH_EXAMPLES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for package in PACKAGES
    for path in (ROOT / package).rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
} - {"simlib_course.lessons", "simlib_course.widgets"}  # whose examples are for a notebook


@pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")
@pytest.mark.parametrize("name", sorted(WITH_EXAMPLES))
def test_the_examples_in_docstrings_do_what_they_say(name):
    module = importlib.import_module(name)
    # as typed in, and not of the library, whose functions `identity` takes by their names
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE  # where a long line breaks does not matter
    examples = doctest.testmod(module, extraglobs={"__name__": "__main__"}, optionflags=flags)
    assert examples.attempted and not examples.failed


@pytest.mark.parametrize("name", API)
def test_what_is_listed_has_a_docstring_with_an_example(name):
    """Of a class, its methods and properties have a docstring, too."""
    public = pkgutil.resolve_name(name.replace(".", ":", 1))
    assert callable(public) and public.__doc__
    own = vars(public) if isinstance(public, type) else {}
    methods = [one for one, value in own.items() if isinstance(value, (FunctionType, classmethod, property))]
    assert [one for one in methods if not one.startswith("_") and not own[one].__doc__] == []
    assert ">>> " in public.__doc__ or issubclass(public, Exception)


@pytest.mark.parametrize("package", ["simlib", "simlib_report", "simlib_course"])
def test_a_package_says_that_it_has_types(package):
    assert resources.files(package).joinpath("py.typed").is_file()
