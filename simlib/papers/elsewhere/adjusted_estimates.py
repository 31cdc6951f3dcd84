"""What adjusted estimates do to waits on every log, as one run each (Tang et al., section 6.2)."""

from functools import cached_property, partial

import numpy as np
import pandas as pd

from ... import walltime
from ...policies import EASY
from ...schedule import simulate
from ...walltime import Adjustment, Scheme
from .. import cache
from ..exhibit import LOGS, Part, repeats
from ..tang2013.scheduling import BASELINE, ORDERS, STRATEGIES, printed_table
from . import ENOUGH_ESTIMATES, OnMachines, deciding, findings, of_adjusting, pictures
from .effects import effects, of_case, together

CLAIMS = tuple(f"OWN-{number}" for number in range(18, 23))

KEY, OF_USER = "user+estimate", "user"

MANY_ESTIMATES = 0.9
"""Logs of which a smaller share of the jobs has an estimate are adjusted by user alone."""

LEAST_JOBS = 10
"""Earlier jobs that a key has to have, as in the paper."""

CASES = {(order, strategy): f"{order.upper()}, {strategy}" for order in ORDERS for strategy in reversed(STRATEGIES)}

AGAINST_REGULAR = {order: f"{order.upper()}, selective against regular" for order in ORDERS}

MEASURES = {"wait": "wait", "bounded_slowdown": "slowdown"}
"""What the paper's numbers call them; its slowdown has no bound."""

STAND_IN = "stands in for the paper's log"

TRAITS = {"load": "load", "before": "mean accuracy of the users' estimates"}

ACCURACY = ("key", "before", "after", "lowered", "too_low")


class AdjustedEstimates(
    OnMachines, name="elsewhere/adjusted-estimates", section="6.2", seconds=40, claims=dict.fromkeys(CLAIMS, LOGS)
):
    """On how many machines do adjusted estimates shorten waits?"""

    taken = staticmethod(of_adjusting)

    percentile: float = 85
    window: str = "1 month"
    threshold: float = 0.5
    shakes: int = repeats(5)
    shake_s: int = 60
    resamples: int = 300
    seed: int = 0

    @property
    def adjustable(self):
        """The logs that have users and enough estimates."""
        return [one for one in self.found if one.estimated >= ENOUGH_ESTIMATES and (one.workload.jobs.user != -1).any()]

    def scheme(self, machine):
        """Make the scheme for a log, a `walltime.Scheme`."""
        key = KEY if machine.estimated >= MANY_ESTIMATES else OF_USER
        return Scheme(key, self.window, self.percentile, self.threshold, LEAST_JOBS)

    @cached_property
    def effects(self):
        """Every effect on every log, from `effects`."""
        return together([of_machine(one, self.scheme(one), self.settings) for one in self.adjustable])

    @cached_property
    def accuracy(self):
        """What adjusting does to the estimates of each log, from `accuracy`."""
        rows = [accuracy(one, self.scheme(one)) for one in self.adjustable]
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
        gains = {CASES[order, "selective"]: self.rows(CASES[order, "selective"]).effect for order in ORDERS}
        return deciding.correlations(gains, self.told[list(TRAITS)], self.waits, self.seed)

    def rows(self, case, measure="wait"):
        """The effects of a case, by log, with what is printed."""
        printed = printed_effects().get((case, measure), np.nan)
        return of_case(self.effects, case, measure).assign(printed=printed)

    # What it shows

    def judge(self):
        selective = [self._on_most(f"OWN-{18 + place}", CASES[o, "selective"]) for place, o in enumerate(ORDERS)]
        regular = findings.not_shorter("OWN-20", self.rows(CASES["fcfs", "regular"]))
        both = self._on_most("OWN-21", *AGAINST_REGULAR.values())
        return [*selective, regular, both, findings.hanging("OWN-22", self.hangs)]

    def _on_most(self, id, *cases):
        return findings.on_most(id, {f"{case}: wait": self.rows(case) for case in cases}, -1, self.waits)

    def parts(self):
        kinds = {"": ("wait", CASES.values()), "slowdown": ("bounded_slowdown", CASES.values())}
        kinds["against-regular"] = "wait", AGAINST_REGULAR.values()
        found = {
            suffix: Part(partial(self._table, *of), self._drawn(self._forest, *of)) for suffix, of in kinds.items()
        }
        found["hangs-on"] = Part(lambda: self.hangs, self._drawn(self._scatter))
        return found | {"effects": Part(lambda: self.effects), "logs": Part(lambda: self.told)}

    def _drawn(self, draw, *of):
        """What draws a picture; None where there is no log to draw."""
        return partial(draw, *of) if self.adjustable else None

    def _table(self, measure, cases):
        return pd.concat({case: self.rows(case, measure) for case in cases}, names=["case"])

    def _forest(self, measure, cases):
        against = f"change of the mean {measure.replace('_', ' ')} against "
        against += "regular adjustment" if "against" in next(iter(cases)) else "unadjusted estimates"
        panels = {case: self.rows(case, measure) for case in cases}
        return pictures.forest(panels, self.about, -1, against, STAND_IN)

    def _scatter(self):
        panels = {CASES[order, "selective"]: self.rows(CASES[order, "selective"]) for order in ORDERS}
        return pictures.scatter(panels, self.told, TRAITS, -1, "change of the mean wait", STAND_IN)


def of_machine(machine, scheme, settings):
    """Work out all effects on one log."""
    tables = []
    for order in ORDERS:
        adjusting = {name: _policy(order, scheme, running) for name, running in STRATEGIES.items()}
        named = {CASES[order, name]: policy for name, policy in adjusting.items()}
        tables.append(effects(machine, {BASELINE: EASY(order=order)} | named, BASELINE, settings))
        against = {"regular": adjusting["regular"], AGAINST_REGULAR[order]: adjusting["selective"]}
        tables.append(effects(machine, against, "regular", settings))
    return together(tables)


def _policy(order, scheme, running):
    """EASY with adjusted estimates; a queue in order of arrival does not look at them."""
    return EASY(order=order, adjust=Adjustment(scheme, queue=order != "fcfs", running=running))


def accuracy(machine, scheme):
    """Tell what adjusting does to estimates, from jobs that have ended in the simulation, FCFS and selective.

    Returns
    -------
    dict
        `key`; mean accuracy `before` and `after`; the shares of estimates that are `lowered`, and `too_low` then.
    """
    key = cache.state_of(machine.workload)
    return cache.once(_accuracy, "workload")(key, machine.workload, scheme)


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
