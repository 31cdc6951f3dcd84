"""What a reader adds to a notebook, a third policy or another measure, reaches its tables and pictures."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from exhibits import executed
from helpers import words
from matplotlib.colors import same_color
from matplotlib.figure import Figure


@dataclass(frozen=True)
class Added:
    """What is added to a notebook by edits or parameters: its name and its neighbour's, in pictures perhaps others.

    What has the neighbour has it too, but for the tables `not_in`.
    """

    notebook: str
    edits: dict
    names: tuple
    parameters: dict
    shown: tuple = ()
    not_in: set = frozenset()


FEW = {"shakes": 2, "other_shakes": 2, "logs": ["KTH"]}
SHORT = {"feitelson_jobs": 700, "jann_jobs": 700, "feitelson_batch": 20, "jann_batch": 20, "number_of_runs": 2}
SHORT |= {"loads": [0.7, 0.8]}
MODELS = {"resamples": 20, "model_jobs": 2000, "least_jobs": 50}
MODEL = {"logs": ["KTH"], "factors": [2], "seeds": 3, "shakes": 2}
ACCURACY = {"logs": ["SDSC-SP2"], "resamples": 10}
MONTHS = {"logs": ["SDSC-SP2"], "shakes": 2, "large_shakes": 2}
SJF = "SJF", "conservative"
DIFFERENCES = {"difference", "in_per_cent", "changes", "tables, differences"}
"""Of the two policies whose differences are printed."""

POLICY = {'"conservative": Conservative()}': '"conservative": Conservative(), "SJF": EASY(order="sjf")}'}
WAIT = {"measures = MEASURES": 'measures = MEASURES | {"wait_95th": lambda of: of.jobs.wait.quantile(0.95)}'}
WORKLOAD = {"workloads = logs | models": 'workloads = logs | models | {"mine": models["Jann"].scale_load(0.5)}'}
MEMBER = {"family = feitelson_family.members()": 'family = feitelson_family.members()\nfamily["mine"] = family["KTH"]'}
ESTIMATES = {"  # each run draws with its own seed": '; models["tripled"] = estimates.Uniform(3)'}
CASE = {'| {"EASY++": EASY.plus_plus()}': '| {"EASY++": EASY.plus_plus(), "SJF": EASY(backfill="sjf")}'}
KIND = {'"R below 0.1": "r < 0.1",': '"R below 0.01": "r < 0.01", "R below 0.1": "r < 0.1",'}
LINE = {'"median": 50}': '"median": 50, "95th percentile": 95}'}

ADDED = [
    Added("mualem2001/table1", POLICY, SJF, FEW, not_in={"known", "off"} | DIFFERENCES),
    Added("mualem2001/table4", WAIT, ("wait_95th", "response_s"), FEW, ("wait_95th", "response time")),
    Added("mualem2001/figure6", MEMBER, ("mine", "Paragon"), MODELS),
    Added("mualem2001/estimate-model", ESTIMATES, ("tripled", "f2"), MODEL),
    Added("tang2013/table2", {'["project",': '["estimate", "project",'}, ("estimate", "project"), ACCURACY),
    Added("tang2013/figure13", {"[95, 85, 70]": "[95, 85, 70, 50]"}, ("p50", "p70"), ACCURACY),
]

LONG = [
    Added("mualem2001/table3", POLICY, SJF, FEW | {"draws": 3, "factors": [2, 11]}),
    Added("mualem2001/figure4", POLICY, SJF, SHORT),
    Added("mualem2001/figure7", POLICY, SJF, SHORT),
    Added("mualem2001/estimate-model", POLICY, SJF, MODEL),
    Added("tang2013/figures4-7", {"ing.KEYS": 'ing.KEYS + ("estimate",)'}, ("estimate", "user"), ACCURACY),
    Added("tang2013/figure11", LINE, ("95th percentile", "85th percentile"), ACCURACY),
    Added("mualem2001/table2-figure8", {}, ("CM5", "KTH"), {"logs": ["KTH", "CM5"]}),
    Added("mualem2001/figures1-3", POLICY, ("SJF", "without"), {"logs": ["CTC"], "lengths": [10, 1000]}, SJF),
    Added("tang2013/table1-figures1-2", {}, ("SDSC-DS", "SDSC-SP2"), {"resamples": 10}),
    Added(
        "tang2013/figures4-7", {"ing.PERCENTILES": "ing.PERCENTILES + (40,)"}, (40, 50), ACCURACY, ("40th", "median")
    ),
    Added("mualem2001/figure5", POLICY, SJF, {"shakes": 2, "model_jobs": 600, "model_seeds": 2, "logs": ["SDSC"]}),
    Added("mualem2001/figure6", WORKLOAD, ("mine", "Jann"), MODELS, ("mine", "CM5"), {"some"}),
    Added("mualem2001/figure9", POLICY, SJF, {"shakes": 2}),
    Added("tang2013/figures8-10", {"ing.WINDOWS": 'ing.WINDOWS + ("1 week",)'}, ("1 week", "1 month"), ACCURACY),
    Added(
        "tang2013/figures14-17",
        {"[95, 85, 70]": "[95, 85, 70, 60]"},
        ("regular p60", "regular p70"),
        MONTHS,
        not_in={"shown"},  # which has the percentile in the middle
    ),
    Added("tang2013/beyond", CASE, ("SJF", "EASY++"), MONTHS),
    Added("tang2013/beyond", KIND, ("R below 0.01", "R below 0.1"), MONTHS),
]
"""What takes long, or is like another one; these notebooks come to their ends in other tests, too."""


def named(table):
    """The values of all levels of a table."""
    axes = [table.index] + ([table.columns] if isinstance(table, pd.DataFrame) else [])
    return {value for axis in axes for level in range(axis.nlevels) for value in axis.unique(level)}


def inside(values, kind):
    """The tables or pictures among values, and those that these hold, by name; but for what is of printed numbers."""
    for name, value in values.items():
        if "print" in name or name == "paper":
            continue
        if isinstance(value, kind):
            yield name, value
        elif isinstance(value, (dict, tuple, list)) and not name.startswith("_"):
            held = value if isinstance(value, dict) else dict(enumerate(value))
            yield from inside({f"{name}, {place}": one for place, one in held.items()}, kind)


def drawn(picture, entry):
    """Whether a finite point is drawn in the colour of an entry of the legend, if it has this entry."""
    handles = [handle for one in picture.legends for handle in one.legend_handles if handle.get_label() == entry]
    colours = [handle.get_facecolor() if hasattr(handle, "get_facecolor") else handle.get_color() for handle in handles]
    lines = [line for ax in picture.axes for line in ax.lines if np.isfinite(line.get_xydata()).all(axis=1).any()]
    patches = [
        colour for ax in picture.axes for one in ax.patches for colour in (one.get_facecolor(), one.get_edgecolor())
    ]
    there = [line.get_color() for line in lines] + patches
    return all(any(same_color(colour, one) for one in there) for colour in colours)


MARKED = [(one, pytest.mark.slow) for one in ADDED] + [(one, pytest.mark.thorough) for one in LONG]


@pytest.mark.parametrize(
    "added", [pytest.param(one, id=f"{one.notebook} {one.names[0]}", marks=mark) for one, mark in MARKED]
)
def test_what_is_added_stands_beside_its_neighbour_in_all_tables_and_pictures(added, small_logs):
    made = executed(added.notebook, added.edits, **added.parameters)
    (name, beside), (shown, beside_shown) = added.names, added.shown or added.names
    levels = {at: named(table) for at, table in inside(made, (pd.DataFrame, pd.Series)) if beside in named(table)}
    assert levels and {at for at, of in levels.items() if name not in of} == added.not_in
    pictures = [picture for _, picture in inside(made, Figure) if beside_shown in words(picture)]
    assert pictures and all(shown in words(picture) for picture in pictures)
    assert all(drawn(picture, entry) for picture in pictures for entry in (shown, beside_shown))
    files = [path for path in small_logs.rglob("*.csv") if f"tables, {path.stem}" not in added.not_in]
    saved = [path.read_text(encoding="utf-8") for path in files]
    assert saved and all(str(name) in text for text in saved if str(beside) in text)
