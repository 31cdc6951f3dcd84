"""The table of policies names every policy and every order, and what it shows can be written so."""

import math
import re

import pytest

import simlib
import simlib_report as report
from simlib import policies, simulate
from simlib._util.paths import ROOT
from simlib.models.sample import sample
from simlib.policies import orders
from simlib.policies.adjusting import Adjustment, Scheme

DOCUMENT = ROOT / "docs" / "reference" / "policies.md"


@pytest.fixture(scope="module")
def table():
    """The first column of the table."""
    rows = [line.split(" | ")[0] for line in DOCUMENT.read_text("utf-8").splitlines() if line.startswith("| `")]
    return "\n".join(rows)


def test_every_policy_class_is_in_the_table(table):
    classes = [
        name for name in vars(policies) if name[0].isupper() and name not in ("Feedback", "Policy", "Predictions")
    ]
    assert {"FCFS", "EASY", "Conservative", "Selective", "Multifactor"} <= set(classes)
    assert [name for name in classes if f"{name}(" not in table] == []
    assert "Predictions" in DOCUMENT.read_text("utf-8")


def test_every_order_is_in_the_document(table):
    assert [name for name in orders.BACKFILL if f'backfill="{name}"' not in table] == []
    text = DOCUMENT.read_text("utf-8")
    assert [name for name in orders.ORDERS if f'`"{name}"`' not in text] == []


def test_every_policy_of_the_table_makes_a_schedule(table):
    names = vars(simlib) | {"math": math, "k": 3}
    written = [one for one in re.findall(r"`([^`]+)`", table) if "..." not in one and "function" not in one]
    assert len(written) > 15
    few = sample().select("submit < 172800")
    for one in written:
        assert simulate(few, eval(one, names)).summary().jobs == len(few)
    simulate(few, simlib.EASY(adjust=Adjustment(Scheme("user"))))


def test_costs_are_those_that_the_benchmark_measured():
    rows = [line[2:-2].split(" | ") for line in DOCUMENT.read_text("utf-8").splitlines() if line.startswith("| `")]
    told = {row[0].strip("`"): row[-1] for row in rows if re.search(r"\d\.\d", row[-1])}
    two, every = told.pop("EASY(reservations=k)").split("; ")
    told["EASY(reservations=2)"] = two.removesuffix(" for 2")
    told["EASY(reservations=math.inf)"] = every.removesuffix(" for all")
    told['EASY(adjust=Adjustment(Scheme("user")))'] = told.pop("EASY(adjust=Adjustment(...))")
    results = (ROOT / "benchmarks" / "RESULTS.md").read_text("utf-8")
    measured = {
        name: ", ".join(f"{float(ratio):.1f}" for ratio in ratios.split(" | "))
        for name, ratios in re.findall(r"^\| `(.+)` \| ([\d.]+(?: \| [\d.]+){2}) \|$", results, re.MULTILINE)
    }
    assert len(told) > 15 and told == {name: measured.get(name) for name in told}


def test_every_name_that_my_cluster_knows_is_in_its_document():
    text = (ROOT / "docs" / "how-to" / "my-cluster.md").read_text("utf-8")
    assert [name for name in report.POLICIES if f"`{name}`" not in text] == []
