"""Other ways to make the Feitelson '96 model, since its constants are not available: what does a result depend on?

MF make three variants of the model F: Fs, with sizes "to emphasize small jobs", Fl, with run times "to emphasize longer
jobs", and Fsl with both, which mimics CTC. Every member of the family is an F with such variants; `MAIN` is the one
that `feitelson96` makes by default. `answers` lays out the measurements on each member, and `drawn` draws them.
"""

import textwrap
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from simlib import plots
from simlib._util import paths
from simlib.models import feitelson96

from ..claims import HOLDS, HOLDS_NOT, OPEN, Claim, Criterion, Measure, claim, claims, criteria
from ..judging import bracketed
from ..loading import Logs
from .load_curves import Curves, readings

MAIN = "mostly Paragon, Fl by size"
"""The member of `feitelson96.table`: run times of Fl and Fsl are fitted size by size."""

Member = Mapping[str, Any]
"""Numbers as from `feitelson96.table`, and how it `mimics` the run times of CTC."""


def members() -> dict[str, Member]:
    """Read the family: each `Member` by name."""
    others = tomllib.loads((paths.DATA / "models" / "feitelson_family.toml").read_text(encoding="utf-8"))
    main = feitelson96.table()
    family: dict[str, Member] = {MAIN: main | {"mimics": "by size"}}
    for member in others["member"]:
        size = {"general": member["size"], "ctc": main["size"]["ctc"]}
        run = {"general": member["run"], "ctc": others["ctc"]}
        own = {"fit": f"refitted: {member['name']}", "mimics": "in two branches"}
        family[member["name"]] = main | own | {"size": size, "run": run}
    return family


def labels(members: Mapping[str, Member]) -> dict[tuple[str, str], str]:
    """Label each member's variants: alike where the numbers are; each Fsl by how its run times are fitted."""
    labelled = {}
    first: dict[str, str] = {}
    for (name, about), (variant, parts) in product(members.items(), feitelson96.VARIANTS.items()):
        numbers = repr([about[part][which] for part, which in zip(("size", "run"), parts, strict=True)])
        shared = f"Fsl {about['mimics']}" if variant == "Fsl" and "mimics" in about else ""
        label = f"{variant} of {name}" if shared in {"", *first.values()} else shared
        labelled[name, variant] = first.setdefault(numbers, label)
    return labelled


def fsl(members: Mapping[str, Member]) -> dict[str, str]:
    """Name the Fsl of the family, each with a member that has it."""
    first: dict[str, str] = {}
    for (name, variant), label in labels(members).items():
        if variant == "Fsl":
            first.setdefault(label, name)
    return first


def unlike(about: Member) -> list[str]:
    """List the variants that do not do what their names say: smaller jobs of Fs, and longer ones of Fl, than of F."""
    table = described(about)
    smaller = table.mean_size["Fs"] < table.mean_size["F"] and table.upto_8["Fs"] > table.upto_8["F"]
    longer = (table.loc["Fl"] > table.loc["F"])[["median_run", "above_1h", "above_4h"]].all()
    return [variant for variant, fits in (("Fs", smaller), ("Fl", longer)) if not fits]


def family(members: Mapping[str, Member]) -> pd.DataFrame:
    """Describe all members, by (member, variant), as `described`; and tell in a column which are `unlike`."""
    table = pd.concat({name: described(about) for name, about in members.items()}, names=["member"])
    without = {name: unlike(about) for name, about in members.items()}
    return table.assign(unlike=[variant in without[name] for name, variant in table.index])


def described(about: Member) -> pd.DataFrame:
    """Work out from the numbers, not from a sample, sizes in processors and run times in seconds of each variant."""
    n = np.arange(1, about["machine"] + 1)
    seconds = np.geomspace(1, 1e6, 5000)
    rows = {}
    for variant, (sizes, runs) in feitelson96.VARIANTS.items():
        chances = feitelson96.size_chances(about["size"][sizes], about["machine"])
        branches = chances @ feitelson96.branch_chances(about["run"][runs], n)
        upto = 1 - np.exp(-seconds[:, None] / np.array(about["run"][runs]["means"])) @ branches
        rows[variant] = {"mean_size": chances @ n, "upto_8": chances[:8].sum()}
        rows[variant] |= {"median_run": np.interp(0.5, upto, seconds)}
        rows[variant] |= {f"above_{hours}h": 1 - np.interp(3600 * hours, seconds, upto) for hours in (1, 4)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("variant")


# What is asked of each member, and answered.


def of_member(curves: Curves, members: Mapping[str, Member], name: str, steps: Iterable[str]) -> Curves:
    """Take the simulations of a member's models, of the `steps` from its Fsl and of Jann's, under short labels."""
    of_family = labels(members)
    named = {variant: of_family[name, variant] for variant in feitelson96.VARIANTS}
    named |= {f"Fsl, {step}": f"{named['Fsl']}: {step}" for step in steps} | {"Jann": "Jann"}
    there = curves.points.index.unique("workload")
    named = {short: label for short, label in named.items() if label in there}
    tables = []
    for table in curves:
        levels: Any = table.index.names
        parts = {short: table.xs(label, level="workload") for short, label in named.items()}
        tables.append(pd.concat(parts, names=["workload"]).reorder_levels(levels))
    return Curves(*tables)


Measured = dict[str, dict[str, Mapping[str, Measure]]]
"""What was measured for a claim: by reading, member and part."""


def asked(
    questions: Mapping[str, Callable[[Curves], Mapping[str, Measure]]], of_members: Mapping[str, Curves]
) -> dict[str, Measured]:
    """Ask questions of each member's simulations by reading, as far as a changed notebook can answer them."""
    measured: dict[str, Measured] = {}
    for id, question in questions.items():
        for name, curves in of_members.items():
            for reading, read in readings(curves).items():
                answers = measured.setdefault(id, {}).setdefault(reading, {})
                with suppress(KeyError):
                    answers[name] = question(read)
    return measured


ABOUT = {"MF-20": "Fl", "MF-21": "Fl", "MF-22": "Fs"}
"""The variants that claims are about; those of MF-43 are the names of its parts."""

NOT_COUNTED = "not counted"
"""What a legend calls a verdict, where not by its name."""


Unlike = Mapping[tuple[str, str], bool] | pd.Series
"""By member and variant, whether it does not do what its name says: a column of `family`."""


def counts_for(id: str, part: str, member: str, unlike: Unlike) -> bool:
    """Tell whether a member's variants do what their names say, as far as this part of a claim is about one."""
    return not unlike.get((member, ABOUT.get(id, part)), False)


def decided(id: str, measured: Measured, unlike: Unlike, logs: Logs | None = None) -> Claim:
    """Decide a claim by what was measured: by reading, member and part. Of `unlike` members nothing counts."""
    by_part = {
        reading: {
            part: {on: parts[part] for on, parts in members.items() if counts_for(id, part, on, unlike)}
            for part in criteria()[id]
        }
        for reading, members in measured.items()
    }
    without = []
    for (on, parts), (part, criterion) in product(next(iter(measured.values())).items(), criteria()[id].items()):
        if not counts_for(id, part, on, unlike):
            measure, form = parts[part], f"{{:{criterion.form}}}"
            without.append(f"{part}, {on} {bracketed(form, measure.value, measure.low, measure.high)}")
    note = f"not counted, because the variant is not what its name says: {'; '.join(without)}" if without else ""
    return claim(id, by_part, lambda parts: parts, logs, note=note)


def answers(measured: Mapping[str, Measured], unlike: Unlike) -> pd.DataFrame:
    """Lay out what was measured by (claim, part, under, member): `value`, `low`, `high`, and the verdict on it."""
    rows = {}
    for id, by_reading in measured.items():
        for (part, criterion), (reading, members) in product(criteria()[id].items(), by_reading.items()):
            for on, parts in members.items():
                measure = parts[part]
                verdict = criterion.judge(measure) if counts_for(id, part, on, unlike) else NOT_COUNTED
                row = {"value": measure.value, "low": measure.low, "high": measure.high, "verdict": verdict}
                rows[id, part, reading, on] = row
    levels, columns = ["claim", "part", "under", "member"], ["value", "low", "high", "verdict"]
    return pd.DataFrame(list(rows.values()), pd.MultiIndex.from_tuples(list(rows), names=levels), columns)


GREY = "#808080"
SHADES = {HOLDS: plots.COLOURS[0], HOLDS_NOT: plots.COLOURS[1], OPEN: GREY, NOT_COUNTED: GREY}
BOUNDS: dict[str, Any] = {"facecolor": "#DDE8DD"}


MEASURED: dict[str, str | dict[str, str]] = {
    "MF-05": "{part}, conservative against EASY",
    "MF-14": "jobs backfilled, conservative against EASY",
    "MF-18": "{part}, SP2 logs over the others",
    "MF-20": "size of the difference, Fl less F",
    "MF-21": {"enlarged": "size of the difference, Fsl less Fl", "considerably": "size of the difference, Fl over Fsl"},
    "MF-22": "size of the difference, Fs less F",
    "MF-23": "{part}: size of the difference, Jann less Fsl",
    "MF-24": "{part}: share of the remaining difference",
    "MF-41": {"batches": "simulations of 100 batches", "accuracy": "half width of the interval over the mean"},
    "MF-43": "size of the difference, {part} over Fsl",
}
"""What stands on the x axis of a claim's panels, or of a part's: what was measured."""


def drawn(answers: pd.DataFrame, said: str = "by the text's rules") -> Figure:
    """Draw the `answers` by the first reading, `said` in the title: a panel each part of a claim, a dot each member."""
    table: Any = answers.xs(answers.index.unique("under")[0], level="under")
    panels, members = list(table.index.droplevel("member").unique()), list(table.index.unique("member"))
    columns = 2 if len(panels) == 4 else min(3, len(panels))
    rows = -(-len(panels) // columns)
    size = (plots.WIDEST, 1.2 + rows * (1.5 + 0.16 * len(members)))
    figure, axes = plots.plt.subplots(rows, columns, figsize=size, sharey=True, squeeze=False)
    for ax, (id, part) in zip(axes.flat, panels, strict=False):
        _panel(ax, table.xs((id, part), level=("claim", "part")), members, criteria()[id][part])
        ax.set_title(textwrap.fill(claims()[id]["claim"], 90 // columns), size=8)
        measured = MEASURED.get(id, "{part}")
        measured = measured if isinstance(measured, str) else measured[part]
        ax.set_xlabel(textwrap.fill(measured.format(part=part), 90 // columns), size=8)
    for ax in axes.flat[len(panels) :]:
        ax.set_axis_off()
    axes[0, 0].set(yticks=range(len(members)), ylim=(len(members) - 0.5, -0.5))
    for ax in axes[:, 0]:
        ax.set_yticks(range(len(members)), members, size=8)
    dots = {verdict: {"color": colour} | _dot(verdict) for verdict, colour in SHADES.items()}
    there = {verdict: style for verdict, style in dots.items() if (table.verdict == verdict).any()}
    plots.legend(figure, there | {"the range that the claim requires": BOUNDS})
    counted = table.verdict[table.verdict != NOT_COUNTED]
    everywhere = (counted == HOLDS).groupby(level=["claim", "part"]).all()
    count = f"{everywhere.sum()} of {len(everywhere)} parts of the claims hold"
    plots.title(figure, f"{count} on every model counted, {said}")
    return figure


def _panel(ax: Axes, rows: pd.DataFrame, members: Sequence[str], criterion: Criterion) -> None:
    """Draw what was measured on each member, and shade the range that the claim requires."""
    bounds = np.array([criterion.above, criterion.below])
    known = np.array([*rows.value, *rows.low, *rows.high, *bounds])
    ends = known[np.isfinite(known)].min(), known[np.isfinite(known)].max()
    margin = 0.06 * (ends[1] - ends[0]) or 0.06
    ax.set_xlim(ends[0] - margin, ends[1] + margin)
    ax.axvspan(*np.clip(bounds, *ax.get_xlim()), zorder=0, **BOUNDS)
    for name, row in rows.iterrows():
        position, colour = members.index(str(name)), SHADES[row.verdict]
        ax.hlines(position, *np.clip([row.low, row.high], *ax.get_xlim()), color=colour, linewidth=3, alpha=0.4)
        ax.plot(row.value, position, color=colour, markersize=5, **_dot(row.verdict))
    unit, sign = (100, "%") if "%" in criterion.form else (1, "")
    ax.xaxis.set_major_locator(MaxNLocator(4, steps=(1, 2, 5, 10)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{unit * value:.3g}{sign}"))
    ax.grid(axis="y", visible=False)


def _dot(verdict: str) -> dict[str, Any]:
    """The mark of a verdict."""
    return {"marker": "o", "linestyle": "", "fillstyle": "none" if verdict == NOT_COUNTED else "full"}
