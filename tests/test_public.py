"""What the documentation names is there: under its name, for completion, and without being imported before."""

import subprocess
import sys

import pytest
from helpers import API, PACKAGES

import simlib


def test_the_list_of_what_is_documented_is_read():
    asked = {"simlib.load", "simlib.analysis.stats.band", "simlib_study.judge", "simlib_course.lessons.check"}
    assert asked <= set(API) and len(API) > 100


@pytest.mark.slow
def test_what_is_documented_is_an_attribute_from_the_start_and_is_completed():
    for name in API:
        package, _, rest = name.partition(".")
        assert package != "simlib" or rest.partition(".")[0] in dir(simlib)
    code = "".join(f"import {package}\n" for package in PACKAGES) + "\n".join(API)
    subprocess.run([sys.executable, "-c", code], check=True)


def test_all_that_completion_offers_is_there_and_nothing_else_is():
    assert all(hasattr(simlib, name) for name in dir(simlib))
    assert not hasattr(simlib, "nothing")
