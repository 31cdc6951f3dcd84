"""What is left: the months of Table 1 that are off under the likely program, how far, and what is known of each."""

from functools import cached_property

import numpy as np
import pandas as pd

from ..exhibit import Part
from ..judging import LIKELY, OFF, RESTORED, published, reading
from ..parameters import SECONDS, SEED, parameter, repeats, some_of
from . import METRICS, TRACES, leftovers_forks, leftovers_pictures
from .leftovers_forks import PROGRAMS, near
from .on_traces import OnTraces
from .suspects import monthly
from .table1 import Table1, in_order

MONTH = ["trace", "month", "scheduler"]

OF_METRIC = ("printed", "median", "verdict", "verdict_in_table1", "rank", "wide_rank")

COLUMNS = [*(f"{metric}_{what}" for metric in METRICS for what in OF_METRIC), "both", "wide_both", "why"]

SHARES = {"low": 0.025, "quarter": 0.25, "median": 0.5, "three_quarters": 0.75, "high": 0.975}
"""What is told of a distribution."""

UNTOLD = "not looked at yet"
"""Of a month that nothing is written of."""


class Leftovers(OnTraces, name="mualem2001/what-is-left", section="5", seconds=65, after="mualem2001/lost-jobs"):
    """The printed means that no reading meets, month by month.

    Of logs that are not here nothing can be left, so nothing is told of their twins.
    """

    puts_back = True

    traces: tuple = parameter(TRACES, some_of(TRACES))
    shakes: int = repeats(100)
    wide_shakes: int = repeats(40)
    fork_shakes: int = repeats(500)
    shake_s: int = parameter(60, SECONDS)
    wide_s: int = parameter(3600, SECONDS)
    seed: int = parameter(0, SEED)

    @property
    def real(self):
        """The traces whose logs are here."""
        return [trace for trace in self.found if not trace.workload.stand_in]

    @property
    def wide_settings(self):
        """The same, further."""
        return {"shakes": self.wide_shakes, "shake_s": self.wide_s, "seed": self.seed}

    # Which months are off

    @cached_property
    def judged(self):
        """The printed means by (trace, month, scheduler, metric), from `judged`, in all runs and in Table 1's."""
        here, of_table1 = (self._judged(shakes) for shakes in (self.shakes, min(self.shakes, Table1.other_shakes)))
        return here.assign(verdict_in_table1=of_table1.verdict)

    def _judged(self, shakes):
        rules = LIKELY, RESTORED
        counts = {"shakes": shakes, "other_shakes": shakes}
        table = Table1(self.traces, rules, shake_s=self.shake_s, seed=self.seed, **counts)
        vars(table)["_found"] = self.real, []
        return judged(table.cells if self.real else [])

    @cached_property
    def _printed(self):
        """The rows of `judged` by metric, of each triple (trace, month, scheduler)."""
        return {place: part.droplevel(MONTH) for place, part in self.judged.groupby(level=MONTH, sort=False)}

    @property
    def off_months(self):
        """The triples (trace, month, scheduler) of which a metric is off, in all runs or in those that Table 1 has."""
        of_either = (self.judged[["verdict", "verdict_in_table1"]] == OFF).any(axis=1)
        return list(dict.fromkeys(place[:3] for place in self.judged.index[of_either]))

    def runs(self, place, wide=False):
        """The means of an off month in shaken runs: a row a run, a column a metric."""
        settings = self.wide_settings if wide else self.settings
        _, month, scheduler = place
        if (place, wide) not in self._runs:
            runs = monthly(self.trace_of(place), PROGRAMS[scheduler], **settings)
            self._runs[place, wide] = runs[month][list(METRICS)]
        return self._runs[place, wide]

    @cached_property
    def _runs(self):
        """What `runs` has made."""
        return {}

    def trace_of(self, place):
        """The trace that has an off month, with its lost jobs back."""
        name, month, _ = place
        found = next(each for each in self.real if each.trace == name and month in each.month_edges[0])
        return found.under(RESTORED)

    # How far off, and why

    @cached_property
    def off(self):
        """The off months, by (trace, month, scheduler).

        Of each metric what is `printed`, the `median` of our runs, the `verdict` and that of `table1`; `rank` and
        `wide_rank`, the share of runs below print, shaken as everywhere and further. `both` and `wide_both`: the share
        of runs that come close to print in both metrics. And `why`, or what was tried.
        """
        rows = [self._off(place) for place in self.off_months]
        return pd.DataFrame(rows, pd.MultiIndex.from_tuples(self.off_months, names=MONTH), COLUMNS)

    def _off(self, place):
        of, runs, wide = self._printed[place], self.runs(place), self.runs(place, wide=True)
        row = {"both": near(runs, of.published).mean(), "wide_both": near(wide, of.published).mean()}
        for metric, one in of.iterrows():
            told = one.published, one["median"], one.verdict, one.verdict_in_table1
            ranks = (runs[metric] < one.published).mean(), (wide[metric] < one.published).mean()
            row |= {f"{metric}_{what}": value for what, value in zip(OF_METRIC, (*told, *ranks), strict=True)}
        return row | {"why": reasons().get(place, UNTOLD)}

    @cached_property
    def spread(self):
        """How the runs of each off month lie around print, which is 1.

        By (trace, month, scheduler, metric, shake_s): the shares of `SHARES`.
        """
        found = {}
        for place in self.off_months:
            for wide, seconds in ((False, self.shake_s), (True, self.wide_s)):
                relative = self.runs(place, wide) / self._printed[place].published
                for metric in METRICS:
                    found[*place, metric, seconds] = relative[metric].quantile(list(SHARES.values())).to_numpy()
        index = pd.MultiIndex.from_tuples(list(found), names=[*MONTH, "metric", "shake_s"])
        return pd.DataFrame(np.array(list(found.values())).reshape(-1, len(SHARES)), index, list(SHARES))

    # What can be shown of them

    @cached_property
    def winter(self):
        """Shaken runs of SDSC under EASY, from `leftovers_forks.watched`."""
        trace = next(each for each in self.real if each.trace == "SDSC")
        return leftovers_forks.watched(trace, runs=self.fork_shakes, seconds=self.shake_s, seed=self.seed)

    @cached_property
    def fork_runs(self):
        """Every run behind `forks`, by (name, variant, run), from `leftovers_forks`."""
        return leftovers_forks.runs(self)

    @cached_property
    def forks(self):
        """What single changes do to a month, by (name, variant), from `leftovers_forks.summed_up`."""
        return leftovers_forks.summed_up(self.fork_runs)

    # What it shows

    def parts(self):
        pictures = leftovers_pictures
        return {
            "": Part(lambda: self.off, (lambda: pictures.spread(self.spread, self.off)) if self.real else None),
            "spread": Part(lambda: self.spread),
            "forks": Part(lambda: self.forks, (lambda: pictures.forks(self.fork_runs)) if self.shows_forks else None),
            "fork-runs": Part(lambda: self.fork_runs),
        }

    @property
    def shows_forks(self):
        """Whether a log is here of which a fork is known."""
        return bool(leftovers_forks.known(self.real))


def judged(cells):
    """Take from Table 1's cells the printed means, by the first of our readings that is judged.

    Returns
    -------
    DataFrame
        By (trace, month, scheduler, metric): `published`, the `median` of our runs, `verdict`.
    """
    found = {}
    for cell in cells:
        of, ours = cell["of"], reading(cell, RESTORED, LIKELY)
        if of["metric"] in METRICS and ours:
            found[tuple(of[key] for key in (*MONTH, "metric"))] = cell["published"], ours["median"], ours["verdict"]
    index = pd.MultiIndex.from_tuples(list(found), names=[*MONTH, "metric"])
    return in_order(pd.DataFrame(list(found.values()), index, ["published", "median", "verdict"]))


def reasons():
    """The sentences of `data/published/mualem2001_leftovers.csv`, by (trace, month, scheduler)."""
    return published("mualem2001_leftovers").set_index(MONTH).why.to_dict()
