"""What adjusted estimates do to waits on every log, as one run each (Tang et al., section 6.2).

The criteria of OWN-32 and OWN-33 were committed when OWN-18 to OWN-22 had been decided, and before their own results.
"""

from functools import cached_property, partial
from itertools import product

import numpy as np
import pandas as pd

from ...analysis import cache
from ...core.schedule import simulate
from ...policies import walltime
from ...policies.easy import EASY
from ...policies.walltime import Adjustment, Scheme
from ..exhibit import LOGS, Part
from ..parameters import PERCENTILE, RESAMPLES, SECONDS, SEED, SHARE, WINDOW, parameter, repeats, some
from ..tang2013.scheduling import BASELINE, ORDERS, STRATEGIES, printed_table
from . import ENOUGH_ESTIMATES, OnMachines, deciding, of_adjusting, pictures
from .effects import effects, of_case, together

LATER = "OWN-32", "OWN-33"
"""Findings that say in their evidence what they go with."""

CLAIMS = (*(f"OWN-{number}" for number in range(18, 23)), *LATER)

KEY, OF_USER = "user+estimate", "user"

MANY_ESTIMATES = 0.9
"""Logs of which a smaller share of the jobs has an estimate are adjusted by user alone."""

LEAST_JOBS = 10
"""Earlier jobs that a key has to have, as in the paper."""

PERCENTILES = 95, 85, 70
"""The paper's, of which all but the middle one are in a picture of their own."""

CASES = {(order, strategy): f"{order.upper()}, {strategy}" for order in ORDERS for strategy in reversed(STRATEGIES)}

AGAINST_REGULAR = {order: f"{order.upper()}, selective against regular" for order in ORDERS}

LOWEST_AGAINST_HIGHEST = {order: f"{CASES[order, 'regular']}, 70th against 95th" for order in ORDERS}


def at(case, percentile):
    """Name a case at one of the other percentiles."""
    return f"{case}, {percentile:g}th"


MEASURES = {"wait": "wait", "bounded_slowdown": "slowdown"}
"""What the paper's numbers call them; its slowdown has no bound."""

STAND_IN = "stands in for the paper's log"

TRAITS = {"load": "load", "before": "mean accuracy of the users' estimates"}

ACCURACY = ("key", "before", "after", "lowered", "too_low")


class AdjustedEstimates(
    OnMachines,
    name="elsewhere/adjusted-estimates",
    section="6.2",
    seconds=40,
    after="elsewhere/policies",
    claims=dict.fromkeys(CLAIMS, LOGS),
):
    """On how many machines do adjusted estimates shorten waits?"""

    taken = staticmethod(of_adjusting)
    with_partitions = True

    percentile: float = parameter(85, PERCENTILE)
    other_percentiles: tuple = parameter((95, 70), some(PERCENTILE))
    window: str = parameter("1 month", WINDOW)
    threshold: float = parameter(0.5, SHARE)
    shakes: int = repeats(5)
    other_shakes: int = repeats(2)
    shake_s: int = parameter(60, SECONDS)
    resamples: int = parameter(300, RESAMPLES)
    seed: int = parameter(0, SEED)

    def __post_init__(self):
        super().__post_init__()
        if self.percentile in self.other_percentiles:
            self.refuse("other_percentiles", f"others than the percentile, {self.percentile:g}")

    @property
    def adjustable(self):
        """The logs that have users and enough estimates."""
        return [one for one in self.found if one.estimated >= ENOUGH_ESTIMATES and (one.workload.jobs.user != -1).any()]

    taking_part = adjustable

    def scheme(self, machine, percentile):
        """Make the scheme for a log, a `walltime.Scheme`."""
        key = KEY if machine.estimated >= MANY_ESTIMATES else OF_USER
        return Scheme(key, self.window, percentile, self.threshold, LEAST_JOBS)

    @cached_property
    def effects(self):
        """Every effect on every log, from `effects`."""
        found, fewer = [], self.settings | {"shakes": self.other_shakes}
        for machine in self.adjustable:
            for percentiles, settings in (((self.percentile,), self.settings), (self.other_percentiles, fewer)):
                schemes = {percentile: self.scheme(machine, percentile) for percentile in percentiles}
                found.append(of_machine(machine, schemes, self.percentile, settings))
        return together(found)

    @cached_property
    def accuracy(self):
        """What adjusting does to the estimates of each log, from jobs that ended under FCFS, selective adjustment."""
        once, rows = cache.once(_accuracy, "workload"), []
        for one in self.adjustable:
            rows.append(once(cache.state_of(one.workload), one.workload, self.scheme(one, self.percentile)))
        return pd.DataFrame(rows, pd.Index([one.name for one in self.adjustable], name="log"), list(ACCURACY))

    @property
    def told(self):
        """What the logs are, and how accurate their estimates."""
        return self.about.join(self.accuracy)

    @property
    def waits(self):
        """Mean waits in seconds under FCFS, unadjusted, by log."""
        return of_case(self.effects, CASES["fcfs", "selective"], "wait").base

    @cached_property
    def hangs(self):
        """What the gains in wait by selective adjustment go with, from `correlations`."""
        gains = {case: self.whole(self.rows(case)).effect for case in self._selective}
        return deciding.correlations(gains, self.told[list(TRAITS)], self.waits, self.seed)

    @property
    def _selective(self):
        return [CASES[order, "selective"] for order in ORDERS]

    @cached_property
    def by_percentile(self):
        """The change of the mean wait, by (case, log, percentile)."""
        percentiles = sorted({self.percentile, *self.other_percentiles}, reverse=True)
        tables = {
            (case, percentile): of_case(
                self.effects, case if percentile == self.percentile else at(case, percentile), "wait"
            )
            for case in CASES.values()
            for percentile in percentiles
        }
        table = pd.concat(tables, names=["case", "percentile", "log"]).reorder_levels(["case", "log", "percentile"])
        logs = [one.name for one in self.adjustable]
        return table.reindex(pd.MultiIndex.from_product([CASES.values(), logs, percentiles], names=table.index.names))

    def rows(self, case, measure="wait"):
        """The effects of a case, by log, with what is printed."""
        printed = printed_effects().get((case, measure), np.nan)
        return of_case(self.effects, case, measure).assign(printed=printed)

    # What it shows

    def judge(self):
        selective = [self._on_most(f"OWN-{18 + place}", case) for place, case in enumerate(self._selective)]
        regular = deciding.not_shorter("OWN-20", self.whole(self.rows(CASES["fcfs", "regular"])))
        both = self._on_most("OWN-21", *AGAINST_REGULAR.values())
        found = [*selective, regular, both, deciding.hanging("OWN-22", self.hangs)]
        found.append(self._on_most("OWN-32", *LOWEST_AGAINST_HIGHEST.values(), sign=1))
        return [*found, self._on_most("OWN-33", *(at(case, PERCENTILES[-1]) for case in self._selective))]

    def _on_most(self, id, *cases, sign=-1):
        rows = {f"{case}: wait": self.whole(self.rows(case)) for case in cases}
        traits = self.told[list(deciding.TRAITS)]
        effects = {name: of.effect for name, of in rows.items()}
        told = deciding.correlations(effects, traits, self.waits, self.seed) if id in LATER else None
        return deciding.finding_on_most(id, rows, sign, self.waits, hangs=told)

    def parts(self):
        kinds = {"": ("wait", CASES.values()), "slowdown": ("bounded_slowdown", CASES.values())}
        kinds["against-regular"] = "wait", AGAINST_REGULAR.values()
        kinds["lowest-percentile"] = "wait", LOWEST_AGAINST_HIGHEST.values()
        found = {
            suffix: Part(partial(self._table, *of), self._drawn(self._forest, *of)) for suffix, of in kinds.items()
        }
        found["percentiles"] = Part(lambda: self.by_percentile, self._drawn(self._percentiles))
        found["hangs-on"] = Part(lambda: self.hangs, self._drawn(self._scatter))
        return found | {"effects": Part(lambda: self.effects), "logs": Part(lambda: self.told)}

    def _table(self, measure, cases):
        return pd.concat({case: self.rows(case, measure) for case in cases}, names=["case"])

    def _forest(self, measure, cases):
        against = f"change of the mean {measure.replace('_', ' ')} against "
        first = next(iter(cases))
        against += BASES.get(first, "unadjusted estimates")
        panels = {case: self.rows(case, measure) for case in cases}
        if first in LOWEST_AGAINST_HIGHEST.values():
            return pictures.forest(panels, self.about, 1, against, STAND_IN, WORSE)
        return pictures.forest(panels, self.about, -1, against, STAND_IN)

    def _percentiles(self):
        lines = {case: self.by_percentile.loc[case] for case in CASES.values()}
        against = "change of the mean wait against unadjusted estimates"
        return pictures.of_effects(lines, self.about, -1, "percentile", against, STAND_IN)

    def _scatter(self):
        panels = {case: self.whole(self.rows(case)) for case in self._selective}
        return pictures.scatter(panels, self.told, TRAITS, -1, "change of the mean wait", STAND_IN)


WORSE = pictures.SAID | {deciding.WITH: "worse at the 70th", deciding.AGAINST: "better at the 70th"}

BASES = dict.fromkeys(AGAINST_REGULAR.values(), "regular adjustment")
BASES |= dict.fromkeys(LOWEST_AGAINST_HIGHEST.values(), "the 95th percentile")
"""What cases are held against that are not held against unadjusted estimates."""


def of_machine(machine, schemes, shown, settings):
    """Work out the effects of schemes on one log, by percentile; that which is shown has no percentile in its names."""
    cases, pairs = {}, {}
    for order in ORDERS:
        cases[order, BASELINE] = EASY(order=order)
        for (strategy, running), (percentile, scheme) in product(STRATEGIES.items(), schemes.items()):
            cases[order, strategy, percentile] = _policy(order, scheme, running)
            name = CASES[order, strategy] if percentile == shown else at(CASES[order, strategy], percentile)
            pairs[name] = (order, strategy, percentile), (order, BASELINE)
        if shown in schemes:
            pairs[AGAINST_REGULAR[order]] = (order, "selective", shown), (order, "regular", shown)
        if {PERCENTILES[0], PERCENTILES[-1]} <= set(schemes):
            lowest, highest = ((order, "regular", PERCENTILES[end]) for end in (-1, 0))
            pairs[LOWEST_AGAINST_HIGHEST[order]] = lowest, highest
    return effects(machine, cases, pairs, settings)


def _policy(order, scheme, running):
    """EASY with adjusted estimates; a queue in order of arrival does not look at them."""
    return EASY(order=order, adjust=Adjustment(scheme, queue=order != "fcfs", running=running))


def _accuracy(key, workload, scheme):
    jobs = simulate(workload, _policy("fcfs", scheme, False)).jobs
    before, after = (walltime.accuracy(jobs.run, jobs[column]).mean() for column in ("estimate", "adjusted"))
    lowered, too_low = (float((jobs.adjusted < jobs[column]).mean()) for column in ("estimate", "run"))
    return {"key": scheme.key, "before": before, "after": after, "lowered": lowered, "too_low": too_low}


def printed_effects():
    """List the average changes that the paper prints for the 85th percentile, by case and measure."""
    gains = printed_table().value
    found = {}
    for (order, strategy), case in CASES.items():
        for measure, metric in MEASURES.items():
            place = order, f"{strategy} p85", metric, "mean"
            if place in gains.index:
                found[case, measure] = -float(gains.loc[place])
    return found
