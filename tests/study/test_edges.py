"""All parameters of all notebooks at their edges: each works to the end, or is refused where the exhibit is made."""

import dataclasses
from functools import cache
from itertools import chain
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from helpers import code_cells, listing, tagged_cell

from simlib import Workload, load, study
from simlib.logs import archive
from simlib.logs.swf import jobs_of
from simlib.study import mualem2001
from simlib.study.exhibit import exhibits
from simlib.study.investigations import suspects

EXHIBITS = exhibits()
NOTHING = float("nan")

every_exhibit = pytest.mark.parametrize("name", list(EXHIBITS))


def wrong(default):
    """What a parameter cannot be that has this default in its notebook."""
    if isinstance(default, bool):
        return [0, 1, "yes", None]
    if isinstance(default, dict):
        return [[], "KTH", {"bogus": ""}, {"KTH": 1}, None]
    if isinstance(default, list):
        twice = [default[0], default[0]]
        return [[], "bogus", ["bogus"], [-1], [None], None, [default], [True], twice, {default[0]: 1}]
    if isinstance(default, str):
        return [0, -1, [default], True]
    return [-1, "bogus", True, NOTHING, float("inf"), [default], []]


@every_exhibit
def test_what_a_parameter_cannot_be_is_refused_by_name_where_the_exhibit_is_made(name):
    own, taken = tagged_cell(name), []
    for parameter, default in own.items():
        for value in wrong(default):
            try:
                EXHIBITS[name].of(own | {parameter: value})
            except ValueError as error:
                assert str(error).startswith(f"{name}: {parameter}: found ") and ", expected " in str(error)
            else:
                taken.append((parameter, value))
    assert taken == []


@pytest.mark.parametrize(
    "name, wrong",
    [
        ("mualem2001/table1", {"rules": ["restored"]}),  # which is the likely program where nothing was lost
        ("mualem2001/figure5", {"rules": ["bogus"]}),
        ("mualem2001/figure6", {"resamples": 0}),
        ("mualem2001/table4", {"shakes": 1}),
        ("mualem2001/detective", {"traces": ["Par"]}),  # programs are searched on SP2 logs
        ("mualem2001/figure4", {"last_load": 0.4}),
        ("mualem2001/figure4", {"feitelson_batch": 200_000}),
        ("mualem2001/feitelson-family", {"last_variant_load": 0.1}),
        ("elsewhere/adjusted-estimates", {"other_percentiles": [85]}),
        ("tang2013/figure3", {"percentile": 42}),
        ("tang2013/figure11", {"window": "1 fortnight"}),
        ("tang2013/table3-figure12", {"order": "bogus"}),
    ],
)
def test_what_would_break_later_is_refused(name, wrong):
    (parameter,) = wrong
    with pytest.raises(ValueError, match=f"{name}: {parameter}: found .*, expected "):
        EXHIBITS[name].of(tagged_cell(name) | wrong)


# To the end, on small logs

HERE = "CTC-SP2", "KTH-SP2", "SDSC-SP2", "SDSC-Par-96", "LANL-CM5", "SDSC-DS"
DAYS = 70

FEW = {"model_jobs": 1000, "feitelson_jobs": 600, "jann_jobs": 600, "feitelson_batch": 100, "jann_batch": 100}
FEW |= {"load_step": 0.4, "first_variant_load": 0.5, "least_jobs": 50, "number_of_runs": 2, "fork_shakes": 2}


def small(name, variant=None, months=0):
    """The first days of the sample in place of a log, by a clock so slow that they last for so many months."""
    log = sample()
    if name in HERE:  # another week of it, for they are not the same
        begin = 7 * 86400 * HERE.index(name)
        log = log[log.submit.between(begin, begin + 86400 * DAYS)]
        log = log.assign(submit=log.submit - begin)
    slow = 31 * months // DAYS + 1
    times = log[["submit", "wait", "run", "requested_time"]]
    log = log.assign(**times.where(times < 0, times * slow))
    first = {setting["log"]: setting["months"][0] for setting in mualem2001.settings()}.get(name, "2004-03")
    start = pd.Timestamp(f"{first}-01", tz="US/Pacific")
    source = {"file": f"{name}.swf", "variant": variant or "original", "sha256": "0" * 64, "verified": True}
    return Workload(jobs_of(log), 128, name, log=log, start=start, source=source)


@cache
def sample():
    return load("sample").log


@pytest.fixture
def small_logs(monkeypatch, root):
    """Some logs are here, all of them small."""
    sample()  # while there is the real one
    monkeypatch.setattr(archive, "find", lambda name, variant=None: Path(name) if name in HERE else None)
    monkeypatch.setattr(study, "load", cache(small))
    months = {one["log"]: len(pd.period_range(*one["months"], freq="M")) for one in mualem2001.settings()}
    slow = cache(lambda name, variant=None: small(name, variant, months[name]))
    for module in (mualem2001, suspects):
        monkeypatch.setattr(module, "log", slow)
    return root


def least(cls, parameter, default):
    """The smallest that a parameter may be; one entry of a list, which is here."""
    first = -2 if parameter == "trace" else 0  # Curie has no small log
    values = [default[first : first + 1]] if isinstance(default, tuple) else [0, 1, 2]
    return _first_taken(cls, parameter, values)


def other(cls, parameter, default):
    """Another edge: the last entry of a list, or the second; nothing, another name, the other way."""
    values = [default[-1:], default[1:2]] if isinstance(default, tuple) else [None, "CTC", "user", "sjf"]
    values = [not default] if isinstance(default, bool) else values
    return _first_taken(cls, parameter, values) or least(cls, parameter, default)


def _first_taken(cls, parameter, values):
    for value in values:
        try:
            cls(**few(cls) | {parameter: value})
        except ValueError:
            continue
        return {parameter: value}
    return {}


def few(cls):
    """What makes an exhibit small, of its parameters."""
    return {each.name: FEW[each.name] for each in dataclasses.fields(cls) if each.name in FEW}


SHOWN = "display.max_rows", "display.max_colwidth", "display.float_format"
"""The settings of pandas that notebooks change."""

QUICK = "mualem2001/footnote2", "mualem2001/table3", "mualem2001/table4", "tang2013/table2", "tang2013/figure13"
"""Those that take a second or two, which `make test` tries."""


@pytest.mark.parametrize("edge", [least, other])
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in QUICK else pytest.mark.thorough) for name in EXHIBITS]
)
def test_all_parameters_at_an_edge_come_to_the_end(name, edge, small_logs):
    cls = EXHIBITS[name]
    found = {}
    for parameter, default in cls().parameters.items():
        if parameter not in FEW and parameter != "log":
            found |= edge(cls, parameter, default)
    variables = tagged_cell(name) | few(cls) | found | {"display": repr}
    with plt.rc_context(), pd.option_context(*chain.from_iterable((option, None) for option in SHOWN)):
        for cell in code_cells(name)[1]:
            exec(cell, variables)
    made = variables["exhibit"]
    folder = next((small_logs / "build" / "explorations").glob("*")) if made.changed else small_logs / "figures"
    assert len([file for file in listing(folder) if file.endswith(".json")]) == len(made.made)
    assert [path.name for path in small_logs.iterdir()] == ["build" if made.changed else "figures"]
