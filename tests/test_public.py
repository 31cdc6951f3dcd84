"""What the documentation names is there: under its name, for completion, and without being imported before."""

import subprocess
import sys

import pytest
from helpers import API

import simlib


def test_the_list_of_what_is_documented_is_read():
    assert {"load", "logs.restoring.put_back", "analysis.stats.band", "core.estimates.LastTwo"} <= set(API)


@pytest.mark.slow
def test_what_is_documented_is_an_attribute_from_the_start_and_is_completed():
    for name in API:
        assert name.partition(".")[0] in dir(simlib)
    code = "import operator, sys, simlib\n" + "".join(f"operator.attrgetter('{name}')(simlib)\n" for name in API)
    subprocess.run([sys.executable, "-c", code], check=True)


def test_all_that_completion_offers_is_there_and_nothing_else_is():
    assert all(hasattr(simlib, name) for name in dir(simlib))
    assert not hasattr(simlib, "nothing")
