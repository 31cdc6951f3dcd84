"""EASY against conservative backfilling, and what estimates do, on every log (MF sections 3.2, 4.2 and 4.5)."""

from functools import cached_property, partial

import pandas as pd

from ... import estimates
from ...policies import EASY, Conservative
from ..exhibit import LOGS, Part, repeats
from ..judging import published
from . import ENOUGH_ESTIMATES, OnMachines, deciding, findings, of_backfilling, pictures
from .effects import BACKFILLED, backfilled, effects, of_case, together

CLAIMS = tuple(f"OWN-{number}" for number in range(11, 18))

CONSERVATIVE, LIKELY = "conservative", "conservative, likely programs"
EXACT, DOUBLED = "exact", "doubled"
BETWEEN = {2: "f = 2", 4: "f = 4"}
AGAINST_EXACT = {f: f"{name}, against exact" for f, name in BETWEEN.items()}
"""Estimates drawn from one to f run times, against the users' and against exact ones."""

METRICS = {"response": "response_s", "bounded_slowdown": "bounded_slowdown"}
"""What the printed tables call the measures."""

TITLES = {"response": "mean response time", "bounded_slowdown": "mean bounded slowdown"}

TEXT = EASY(), Conservative()

PARTS = {"": CONSERVATIVE, "exact": EXACT, "inaccurate": AGAINST_EXACT[2], "more-inaccurate": AGAINST_EXACT[4]}
PARTS |= {"doubled": DOUBLED}
"""The pictures of response times and slowdowns, by suffix: which case."""

SIGNS = {CONSERVATIVE: 1}
"""Where the claim is that something grows; elsewhere it falls."""

WHO = pictures.SAID | {deciding.WITH: "EASY is better", deciding.AGAINST: "conservative is better"}

TRAITS = {"load": "load", "used": "median share of the estimate that is used"}


class Backfilling(
    OnMachines, name="elsewhere/backfilling", section="3.2", seconds=40, claims=dict.fromkeys(CLAIMS, LOGS)
):
    """On how many machines does what Mu'alem & Feitelson found on five hold?"""

    taken = staticmethod(of_backfilling)

    shakes: int = repeats(5)
    shake_s: int = 60
    resamples: int = 300
    seed: int = 0

    @cached_property
    def effects(self):
        """Every effect on every log, from `effects`."""
        return together([of_machine(machine, self.settings) for machine in self.found])

    @cached_property
    def by_case(self):
        """The effects of each picture, with what is printed of them."""
        return {case: with_printed(self.effects, case) for case in PARTS.values()}

    @property
    def shares(self):
        """The share of backfilled jobs under both, and by how much it changes, by log."""
        return of_case(self.effects, CONSERVATIVE, BACKFILLED)

    @cached_property
    def hangs(self):
        """What the difference between the schedulers goes with, from `correlations`."""
        differences = {TITLES[measure]: of_case(self.effects, CONSERVATIVE, measure).effect for measure in METRICS}
        return deciding.correlations(differences, self.about[list(TRAITS)], self.waits, self.seed)

    # What it shows

    def judge(self):
        asked = [(CONSERVATIVE, ["response"]), (CONSERVATIVE, ["bounded_slowdown"])]
        asked += [(case, list(METRICS)) for case in (EXACT, AGAINST_EXACT[2], DOUBLED)]
        found = [self._on_most(id, *of) for id, of in zip(CLAIMS, asked, strict=False)]
        return [*found, findings.similar(self.shares), findings.hanging("OWN-17", self.hangs)]

    def _on_most(self, id, case, measures):
        rows, likely = (
            {measure.replace("_", " "): of_case(self.effects, each, measure) for measure in measures}
            for each in (case, LIKELY)
        )
        return findings.on_most(id, rows, SIGNS.get(case, -1), self.waits, likely if case == CONSERVATIVE else None)

    @property
    def waits(self):
        """Mean waits under EASY in seconds, by log."""
        return of_case(self.effects, CONSERVATIVE, "wait").base

    def parts(self):
        found = {
            suffix: Part(partial(self.by_case.__getitem__, case), self._drawn(self._forest, case))
            for suffix, case in PARTS.items()
        }
        found["backfilled"] = Part(lambda: self.shares, self._drawn(self._shares))
        found["hangs-on"] = Part(lambda: self.hangs, self._drawn(self._scatter))
        return found | {"effects": Part(lambda: self.effects), "logs": Part(lambda: self.about)}

    def _drawn(self, draw, *of):
        """What draws a picture; None where there is no log to draw."""
        return partial(draw, *of) if self.found else None

    def _forest(self, case):
        panels = self._panels(case)
        if case == CONSERVATIVE:
            for measure, title in TITLES.items():
                panels[title] = panels[title].assign(likely=of_case(self.effects, LIKELY, measure).effect)
        said = {"said": WHO} if case == CONSERVATIVE else {}
        return pictures.forest(panels, self.about, SIGNS.get(case, -1), WORDS[case], **said)

    def _panels(self, case):
        """The tables of a picture, by title."""
        return {title: self.by_case[case].xs(measure, level="measure") for measure, title in TITLES.items()}

    def _shares(self):
        return pictures.forest({"share of jobs backfilled": self.shares}, self.about, None, WORDS[BACKFILLED])

    def _scatter(self):
        return pictures.scatter(
            self._panels(CONSERVATIVE), self.about, TRAITS, 1, "conservative against EASY", said=WHO
        )


WORDS = {
    CONSERVATIVE: "conservative against EASY",
    EXACT: "EASY with exact estimates against the users'",
    AGAINST_EXACT[2]: "EASY with estimates of one to two run times against exact ones",
    AGAINST_EXACT[4]: "EASY with estimates of one to four run times against exact ones",
    DOUBLED: "EASY with the users' estimates doubled against as they are",
    BACKFILLED: "conservative against EASY",
}
"""Under the pictures: what is held against what."""


def of_machine(machine, settings):
    """Work out all effects on one log; of estimates only where it has enough."""
    easy, reusing = EASY(), EASY(reuse_extra=True)
    likely = {"EASY": reusing, LIKELY: Conservative("start")}
    tables = [effects(machine, likely, "EASY", settings), backfilled(machine, CONSERVATIVE, TEXT, settings)]
    cases = {"EASY": easy, CONSERVATIVE: Conservative()}
    if machine.estimated >= ENOUGH_ESTIMATES:
        drawn = {f: (easy, estimates.Uniform(f, settings["seed"])) for f in BETWEEN}
        cases |= {EXACT: (easy, "exact"), DOUBLED: (easy, estimates.Scaled(2))}
        cases |= {BETWEEN[f]: case for f, case in drawn.items()}
        against = {EXACT: (easy, "exact")} | {AGAINST_EXACT[f]: case for f, case in drawn.items()}
        tables.append(effects(machine, against, EXACT, settings))
    return together([effects(machine, cases, "EASY", settings), *tables])


# The printed effects


def with_printed(table, case):
    """Take a case's effects on response time and slowdown, with what the paper has of each as `printed`."""
    rows = {measure: of_case(table, case, measure) for measure in METRICS}
    known = printed().get(case, {})
    rows = {measure: of.assign(printed=of.index.map(known.get(measure, {}))) for measure, of in rows.items()}
    return pd.concat(rows, names=["measure"]).astype({"printed": float})


def printed():
    """Work out the printed effects, by case, measure and log.

    Of whole logs, from Tables 3 and 4; of Par (1996) and CM-5, which these lack, from Table 1's months.
    """
    table3 = published("mualem2001_table3").set_index(["scheduler", "metric", "trace"]).sort_index()
    table4 = published("mualem2001_table4").set_index(["metric", "trace"]).sort_index()
    found = {}
    for measure, metric in METRICS.items():
        easy, conservative = (table3.loc[scheduler, metric] for scheduler in ("easy", "conservative"))
        of_logs = (conservative.original / easy.original - 1).to_dict() | _of_months(metric)
        cases = {CONSERVATIVE: of_logs, EXACT: easy.f1 / easy.original - 1}
        cases |= {AGAINST_EXACT[f]: easy[f"f{f}"] / easy.f1 - 1 for f in BETWEEN}
        doubled = table4.loc[metric]
        cases[DOUBLED] = doubled.easy_x2 / doubled.easy_original - 1
        for case, of in cases.items():
            found.setdefault(case, {})[measure] = {LOGS_OF[trace]: value for trace, value in of.items()}
    return found


LOGS_OF = {"CTC": "CTC-SP2", "KTH": "KTH-SP2", "SDSC": "SDSC-SP2", "Par": "SDSC-Par-96", "CM5": "LANL-CM5"}


def _of_months(metric):
    """The printed difference between the schedulers on Par and CM5, from their months, each by its jobs."""
    months = published("mualem2001_table1")
    months = months[(months.trace == "CM5") | ((months.trace == "Par") & months.month.str.startswith("1996"))]
    sums = months.assign(
        easy=months.jobs * months[f"easy_{metric}"], conservative=months.jobs * months[f"conservative_{metric}"]
    )
    sums = sums.groupby("trace")[["easy", "conservative"]].sum()
    return (sums.conservative / sums.easy - 1).to_dict()
