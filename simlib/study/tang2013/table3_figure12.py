"""Table 3 and Figure 12: what over- and underestimates do to backfilling (sections 5.1 and 5.2).

The schedules, and what is read off them, are in `examples`.
"""

from functools import cached_property
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ...plots.style import COLOURS
from ...policies.orders import ORDERS
from .. import claims
from ..claims import Measure
from ..exhibit import EXAMPLES, Exhibit, Part
from ..parameters import SHARE, one_of, parameter
from ..verdicts import TEXT
from . import LEVEL_COLOURS, examples
from .examples import backfill_decisions

TABLE_3 = {
    ("waiting", "OE"): ("job 3 overestimated", "backfill chance increased, no delay"),
    ("waiting", "UE"): ("job 4 underestimated", "chance increased, may delay"),
    ("waiting", "BE"): ("job 4 badly underestimated", "chance increased, may delay"),
    ("running", "OE"): ("job 1 overestimated", "shorter backfill window"),
    ("running", "UE"): ("job 1 underestimated", "shorter window and delay"),
    ("running", "BE"): ("job 1 badly underestimated", "shorter window and delay"),
}
"""By cell, the case that decides it and what is printed; in print, UE and BE are one column."""

LEFT, RIGHT = (
    {
        case: (case, False)
        for case in ("users' estimates", *(case for (job, _), (case, _) in TABLE_3.items() if job == of))
    }
    for of in ("waiting", "running")
)
"""Either half of Figure 12 one effect at a time: by title the case, and whether adjustment is selective."""

FIGURE_12 = {
    "left: jobs 3 and 4 adjusted": ("jobs 3 and 4", False),
    "right: running job 1 adjusted too": ("jobs 1, 3 and 4", False),
}
"""Both halves as in print, each with all that is adjusted in it; by title as `LEFT` and `RIGHT`."""

MOVED = "job 3 overestimated"
"""The case in which selective adjustment moves the reservation, at half past two."""

BEFORE_AND_AFTER = {
    "regular: job 3 taken for 4:00": (MOVED, False),
    "selective: job 3 taken for 8:00": (MOVED, True),
}


class Table3Figure12(Exhibit, name="tang2013/table3-figure12", section="5.1", seconds=10, claims={"TG-13": EXAMPLES}):
    """What do over- and underestimates do to backfilling?"""

    order: str = parameter("fcfs", one_of(*ORDERS))
    lowest_share: float = parameter(0.5, SHARE)

    @cached_property
    def results(self):
        """The effects of every case, by strategy and case."""
        return examples.study(self.order)

    @cached_property
    def table(self):
        """Table 3 by strategy, job and estimation, from `table3`."""
        return table3(self.results)

    @property
    def two_running(self):
        """The effects where two jobs run of which one is underestimated, by strategy."""
        jobs = examples.two_running()
        cases = {"users' estimates": ({},), "regular": ({1: 0.6},), "selective": ({1: 0.6}, True)}
        return pd.DataFrame({name: examples.effects(examples.scheduled(jobs, *how)) for name, how in cases.items()}).T

    @cached_property
    def sweeps(self):
        """The effects by A of the job that is adjusted, which goes from 1 down to `lowest_share`."""
        shares = np.round(np.arange(1, self.lowest_share - 0.001, -0.01), 2)
        adjusted = {"job 4 waits": 4, "job 1 runs": 1}
        return {title: examples.by_share(job, shares, self.order) for title, job in adjusted.items()}

    def judge(self):
        return [claim(self.results)]

    def parts(self):
        regular, on = self.results.loc["regular"], (EXAMPLES,)
        moved = self.results.xs(MOVED, level="case")
        return {
            "": Part(lambda: self.table, lambda: as_printed(self.table.loc["regular"]), on),
            "figure12": Part(regular.loc[[case for case, _ in FIGURE_12.values()]], lambda: self._draw(FIGURE_12), on),
            "left": Part(regular.loc[list(LEFT)], lambda: self._draw(LEFT), on),
            "right": Part(regular.loc[list(RIGHT)], lambda: self._draw(RIGHT), on),
            "between": Part(lambda: pd.concat(self.sweeps, names=["adjusted job"]), lambda: by_share(self.sweeps), on),
            "moved": Part(moved, lambda: self._draw(BEFORE_AND_AFTER, 150 * examples.MINUTE), on),
        }

    def _draw(self, columns, now=examples.DECISION):
        schedules = {}
        for title, (case, selective) in columns.items():
            job4, shares = examples.CASES[case]
            schedules[title] = examples.scheduled(examples.figure12(job4), shares, selective, self.order)
        return backfill_decisions(schedules, now, examples.HEAD)


def table3(found):
    """Decide Table 3 from `examples.study`, by strategy, job and estimation; selective adjustment leaves running jobs.

    Waiting: the chance to be backfilled has increased if a job is let in that is not by the users' estimates. Running:
    the window is shorter if it is so in minutes. Delay: job 2 starts later than it was promised at the decision.
    """
    rows = {}
    for strategy, ((job, level), (case, printed)) in product(("regular", "selective"), TABLE_3.items()):
        row, base = found.loc[strategy, case], found.loc[strategy, "users' estimates"]
        if job == "waiting":
            more = sorted(set(row.backfilled.split(", ")) - {"", *base.backfilled.split(", ")})
            effect, ours = bool(more), f"job {', '.join(more)} let in as well" if more else "no further job let in"
        elif strategy == "regular":
            effect = row.window_min < base.window_min
            ours = f"window {row.window_min:.0f} min instead of {base.window_min:.0f}"
        else:
            continue
        ours += f", delay of {row.late_min:.0f} min" if row.late_min else ", no delay"
        as_printed = effect and (row.late_min > 0) == (level != "OE")
        rows[strategy, job, level] = {"case": case, "printed": printed, "ours": ours, "as_printed": as_printed}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(index=["strategy", "job", "estimation"])


def claim(found):
    """Decide claim TG-13, which is about regular adjustment, by the cells of `table3`; a note on selective."""
    table = table3(found)
    parts = {f"{job}, {level}": Measure.exactly(yes) for (job, level), yes in table.as_printed["regular"].items()}
    by_strategy = {
        strategy: "; ".join(f"{job} {level}: {ours}" for (job, level), ours in table.ours[strategy].items())
        for strategy in ("regular", "selective")
    }
    later = found.loc["regular"].loc[list(RIGHT), "later_min"].max()
    note = (
        f"{by_strategy['regular']}; where the running job is adjusted, job 2 starts {later:.0f} min later than by "
        f"users' estimates at most; by selective adjustment {table.as_printed['selective'].sum()} of "
        f"{len(table.loc['selective'])} cells are as printed: {by_strategy['selective']}"
    )
    return claims.decide("TG-13", {TEXT: parts}, note)


def as_printed(table):
    """Draw Table 3 as the paper has it, and in each of its cells what a table of `table3` found."""
    figure, ax = plt.subplots(figsize=(11, 2.9))
    ax.set_axis_off()
    ax.set(xlim=(0, 1), ylim=(0, 1))
    columns = {"Overestimation (OE)": (0.13, ["OE"]), "Underestimation (UE & BE)": (0.53, ["UE", "BE"])}
    ax.text(0, 0.93, "Job", weight="bold")
    for title, (x, _) in columns.items():
        ax.text(x, 0.93, title, weight="bold")
    for y, width in ((1, 1.6), (0.89, 0.8), (0.45, 0.8), (0.01, 1.6)):
        ax.axhline(y, color="black", linewidth=width)
    for y, job in ((0.79, "waiting"), (0.35, "running")):
        ax.text(0, y, job.capitalize(), weight="bold")
        for x, levels in columns.values():
            ax.text(x, y, table.printed[job, levels[0]], weight="bold")
            for line, level in enumerate(levels, 1):
                row = table.loc[(job, level)]
                mark, colour = ("\u2713", COLOURS[2]) if row.as_printed else ("\u2717", COLOURS[1])
                ax.text(x, y - 0.11 * line, f"{mark} {level}: {row.ours}", color=colour)
    return figure


def by_share(sweeps):
    """Draw when job 2 starts and was promised to, by A of the job that is adjusted; a panel a job, a ground a level."""
    figure, axes = plt.subplots(1, len(sweeps), figsize=(11, 3.8), sharey=True)
    for ax, (title, sweep) in zip(axes, sweeps.items(), strict=True):
        for level, part in sweep.groupby("level", sort=False):
            span = part.index[-1] - 0.005, part.index[0] + 0.005
            ax.axvspan(*span, color=LEVEL_COLOURS[level], alpha=0.25, linewidth=0, label=level)
        ax.plot(sweep.index, sweep.promised_min / 60, "k--", label="job 2 promised")
        ax.step(sweep.index, sweep.started_min / 60, color=COLOURS[1], where="mid", label="job 2 started")
        ax.set(title=title, xlabel="A", xlim=(sweep.index[0] + 0.005, sweep.index[-1] - 0.005))
    axes[0].set_ylabel("time [hours]")
    figure.legend(*axes[1].get_legend_handles_labels(), loc="outside right upper")
    return figure
