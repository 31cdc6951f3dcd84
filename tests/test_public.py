"""What the documentation names is there: under its name, for completion, and without being imported before."""

import re
import subprocess
import sys

import pytest
from helpers import ROOT

import simlib

BLOCKS = re.findall(
    r"\.\. autosummary::\n(?: +:.*\n)*\n((?: {3}\S+\n)+)", (ROOT / "docs" / "api.md").read_text("utf-8")
)
DOCUMENTED = [name for block in BLOCKS for name in block.split()]


def test_the_list_of_what_is_documented_is_read():
    assert {"load", "logs.restoring.put_back", "analysis.stats", "policies.orders", "course.widgets"} <= set(DOCUMENTED)


@pytest.mark.slow
def test_what_is_documented_is_an_attribute_from_the_start_and_is_completed():
    for name in DOCUMENTED:
        assert name.partition(".")[0] in dir(simlib)
    code = "import operator, sys, simlib\n" + "".join(f"operator.attrgetter('{name}')(simlib)\n" for name in DOCUMENTED)
    subprocess.run([sys.executable, "-c", code], check=True)


def test_all_that_completion_offers_is_there_and_nothing_else_is():
    assert all(hasattr(simlib, name) for name in dir(simlib))
    assert not hasattr(simlib, "nothing")


@pytest.mark.slow
def test_what_costs_time_is_imported_when_it_is_used():
    code = "import sys, simlib; dir(simlib); print({'simlib.plots', 'matplotlib', 'click'} & {*sys.modules})"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "set()\n"
