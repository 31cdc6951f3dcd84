"""EASY against conservative backfilling, and what estimates do, on every log (MF sections 3.1, 3.2, 4.2 and 4.5).

The criteria of OWN-23 to OWN-27 were committed when OWN-11 to OWN-17 had been decided, and before their own results.
"""

from functools import cached_property, partial

import pandas as pd

from ...core import estimates
from ...policies.conservative import Conservative
from ...policies.easy import EASY
from ..exhibit import LOGS, Part
from ..parameters import RESAMPLES, SECONDS, SEED, parameter, repeats
from ..verdicts import published
from . import ENOUGH_ESTIMATES, OnMachines, deciding, of_backfilling, pictures
from .effects import BACKFILLED, effects, growth, line, minus, of_case, together
from .effects import of_machine as effects_of_machine

FIRST, LATER = range(11, 18), range(23, 28)
"""The findings; what those of later go with is said in their evidence."""

CLAIMS = tuple(f"OWN-{number}" for number in (*FIRST, *LATER))

USERS, CONSERVATIVE, LIKELY = "EASY", "conservative", "conservative, likely programs"
EXACT, DOUBLED, DOUBLED_CONSERVATIVE = "exact", "doubled", "doubled, conservative"

FACTORS = (2, 4, 8, 16)
BETWEEN = {f: f"f = {f}" for f in FACTORS}
AGAINST_EXACT = {f: f"{name}, against exact" for f, name in BETWEEN.items()}
"""Estimates drawn from one to f run times, against the users' and against exact ones."""

USERS_AGAINST_EXACT, LEVELLED = "users', against exact", "f = 16, against f = 4"

METRICS = {"response": "response_s", "bounded_slowdown": "bounded_slowdown"}
"""What the printed tables call the measures."""

TITLES = {"response": "mean response time", "bounded_slowdown": "mean bounded slowdown"}

PARTS = {"": CONSERVATIVE, "exact": EXACT, "inaccurate": AGAINST_EXACT[2], "against-users": BETWEEN[4]}
PARTS |= {"doubled": DOUBLED, "doubled-conservative": DOUBLED_CONSERVATIVE}
"""The pictures of response times and slowdowns, by suffix: which case."""

CURVE = {1: None} | AGAINST_EXACT | {"users'": USERS_AGAINST_EXACT}
"""By what is written on the axis of the curve over f: which case."""

SIGNS = {CONSERVATIVE: 1}
"""Where the claim is that something grows; elsewhere it falls."""

WHO = pictures.SAID | {deciding.WITH: "EASY is better", deciding.AGAINST: "conservative is better"}

TRAITS = {"load": "load", "used": "median share of the estimate that is used"}


class Backfilling(
    OnMachines, name="elsewhere/backfilling", section="3.2", seconds=55, claims=dict.fromkeys(CLAIMS, LOGS)
):
    """On how many machines does what Mu'alem & Feitelson found on five hold?"""

    taken = staticmethod(of_backfilling)

    shakes: int = repeats(5)
    load_shakes: int = repeats(2)
    shake_s: int = parameter(60, SECONDS)
    resamples: int = parameter(300, RESAMPLES)
    seed: int = parameter(0, SEED)

    @cached_property
    def effects(self):
        """Every effect on every log, from `effects`."""
        return together([of_machine(machine, self.settings) for machine in self.found])

    @cached_property
    def by_load(self):
        """What conservative changes against EASY at several loads, from `effects.of_machine`."""
        settings = self.settings | {"shakes": self.load_shakes}
        found = [effects_of_machine(machine, settings) for machine in self.found]
        return together([table for table in found if table is not None])

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
        both = list(METRICS)
        asked = {"OWN-11": (CONSERVATIVE, both[:1]), "OWN-12": (CONSERVATIVE, both[1:])}
        asked |= {"OWN-13": (EXACT, both), "OWN-14": (AGAINST_EXACT[2], both), "OWN-15": (DOUBLED, both)}
        asked |= {"OWN-25": (BETWEEN[4], both), "OWN-26": (DOUBLED_CONSERVATIVE, both)}
        found = [self._on_most(id, *of) for id, of in asked.items()]
        found += [deciding.similar(self.shares), deciding.hanging("OWN-17", self.hangs)]
        found.append(self._told("OWN-23", "response, highest less lowest load", growth(self.by_load), 1))
        found.append(deciding.levelled(of_case(self.effects, LEVELLED, "response")))
        doubled = (of_case(self.effects, case, "bounded_slowdown") for case in (DOUBLED_CONSERVATIVE, DOUBLED))
        found.append(self._told("OWN-27", "bounded slowdown, conservative less EASY", minus(*doubled), -1))
        return sorted(found, key=lambda one: CLAIMS.index(one["id"]))

    def _on_most(self, id, case, measures):
        rows, likely = (
            {measure.replace("_", " "): of_case(self.effects, each, measure) for measure in measures}
            for each in (case, LIKELY)
        )
        sign = SIGNS.get(case, -1)
        told = self._goes_with(rows) if id in CLAIMS[len(FIRST) :] else None
        return deciding.finding_on_most(id, rows, sign, self.waits, likely if case == CONSERVATIVE else None, told)

    def _told(self, id, name, rows, sign):
        return deciding.finding_on_most(id, {name: rows}, sign, self.waits, hangs=self._goes_with({name: rows}))

    def _goes_with(self, rows):
        return deciding.correlations(
            {name: of.effect for name, of in rows.items()}, self.about[list(deciding.TRAITS)], self.waits, self.seed
        )

    @cached_property
    def curve(self):
        """Mean response time and slowdown under EASY against exact estimates, by (measure, log, f)."""
        tables = {(of, f): of_case(self.effects, case, of) for of in METRICS for f, case in CURVE.items() if case}
        table = pd.concat(tables, names=["measure", "f", "log"]).reorder_levels(["measure", "log", "f"])
        logs = [one.name for one in self.found if one.estimated >= ENOUGH_ESTIMATES]
        places = [list(METRICS), logs, list(CURVE)[1:]]  # the first place is the base
        return table.reindex(pd.MultiIndex.from_product(places, names=table.index.names))

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
        found["by-load"] = Part(lambda: self.by_load, self._drawn(self._by_load))
        found["curve"] = Part(lambda: self.curve, self._drawn(self._curve))
        found["hangs-on"] = Part(lambda: self.hangs, self._drawn(self._scatter))
        return found | {"effects": Part(lambda: self.effects), "logs": Part(lambda: self.about)}

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

    def _by_load(self):
        lines = {TITLES[of]: line(self.by_load, of) for of in METRICS}
        return pictures.by_load(lines, self.about, 1, WORDS[CONSERVATIVE], WHO)

    def _curve(self):
        lines = {TITLES[of]: self.curve.loc[of] for of in METRICS}
        return pictures.of_effects(lines, self.about, -1, "f", WORDS["curve"])


WORDS = {
    CONSERVATIVE: "conservative against EASY",
    EXACT: "EASY with exact estimates against the users'",
    AGAINST_EXACT[2]: "EASY with estimates of one to two run times against exact ones",
    BETWEEN[4]: "EASY with estimates of one to four run times against the users'",
    "curve": "EASY with other estimates against exact ones",
    DOUBLED: "EASY with the users' estimates doubled against as they are",
    DOUBLED_CONSERVATIVE: "conservative with the users' estimates doubled against as they are",
    BACKFILLED: "conservative against EASY",
}
"""Under the pictures: what is held against what."""


def of_machine(machine, settings):
    """Work out all effects on one log; of estimates only where it has enough."""
    easy, conservative = EASY(), Conservative()
    cases = {USERS: easy, CONSERVATIVE: conservative, "reusing": EASY(reuse_extra=True), LIKELY: Conservative("start")}
    pairs = {CONSERVATIVE: (CONSERVATIVE, USERS), LIKELY: (LIKELY, "reusing")}
    if machine.estimated >= ENOUGH_ESTIMATES:
        cases |= {EXACT: (easy, "exact"), DOUBLED: (easy, estimates.Scaled(2))}
        cases |= {DOUBLED_CONSERVATIVE: (conservative, estimates.Scaled(2))}
        cases |= {BETWEEN[f]: (easy, estimates.Uniform(f, settings["seed"])) for f in FACTORS}
        pairs |= {case: (case, USERS) for case in (EXACT, DOUBLED, *BETWEEN.values())}
        pairs |= {DOUBLED_CONSERVATIVE: (DOUBLED_CONSERVATIVE, CONSERVATIVE), USERS_AGAINST_EXACT: (USERS, EXACT)}
        pairs |= {AGAINST_EXACT[f]: (BETWEEN[f], EXACT) for f in FACTORS}
        pairs[LEVELLED] = BETWEEN[16], BETWEEN[4]
    return effects(machine, cases, pairs, settings)


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
        cases |= {AGAINST_EXACT[2]: easy.f2 / easy.f1 - 1, BETWEEN[4]: easy.f4 / easy.original - 1}
        doubled = table4.loc[metric]
        cases[DOUBLED] = doubled.easy_x2 / doubled.easy_original - 1
        cases[DOUBLED_CONSERVATIVE] = doubled.conservative_x2 / doubled.conservative_original - 1
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
