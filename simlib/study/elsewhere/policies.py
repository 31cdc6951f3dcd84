"""Every policy against EASY on every log, and where between EASY and conservative backfilling they come to differ.

The criteria of OWN-35 to OWN-41 were committed before their results.
"""

from functools import cached_property, partial

import pandas as pd

from ...policies.easy import EASY
from ...report.policies import POLICIES, why_not_usable
from ..exhibit import LOGS, Part
from ..parameters import RESAMPLES, SECONDS, SEED, parameter, repeats, some, whole
from . import ENOUGH_ESTIMATES, OnMachines, deciding, of_backfilling, pictures
from .effects import HOUR_LONGER, LONGEST_WAIT, WAIT_95TH, effects, of_case, of_level, together

CLAIMS = tuple(f"OWN-{number}" for number in range(35, 42))

BASE, CONSERVATIVE, FIVE, ADAPTIVE = "EASY", "conservative", "five reservations", "selective, adaptive"
SJBF, PLUS_PLUS, LOOKAHEAD = "EASY-SJBF", "EASY++", "EASY, lookahead"
SHORTEST, FAIR, FCFS = "EASY, shortest first", "fair share", "FCFS"

ACROSS = {CONSERVATIVE: CONSERVATIVE, "two reservations": "2 reservations", FIVE: "5 reservations"}
ACROSS |= {"selective": "selective, at 2", ADAPTIVE: "selective, adaptive"}
ACROSS |= {SHORTEST: "shortest first", "EASY, WFP": "WFP", FAIR: "fair share"}
ACROSS |= {SJBF: "SJBF", "EASY, best fit": "best fit", "EASY, largest": "largest first"}
ACROSS |= {"EASY, smallest area": "smallest area", LOOKAHEAD: "lookahead", PLUS_PLUS: "EASY++"}
"""What the policies are called in pictures, by their names in `simlib.report.POLICIES`: more reservations than EASY,
other heads of the queue, other orders of backfilling. FCFS is far off, and in a table."""

BY_ESTIMATE = {"selective", ADAPTIVE, SHORTEST, "EASY, WFP", SJBF, "EASY, best fit", "EASY, smallest area", PLUS_PLUS}
"""Those that prefer one job to another for its estimate: logs with few estimates take no part."""

AGAINST_CONSERVATIVE = "selective, adaptive, against conservative"

TITLES = {"response": "mean response time", "bounded_slowdown": "mean bounded slowdown"}

LOSING = {
    HOUR_LONGER: "jobs that wait an hour longer [% of all jobs]",
    WAIT_95TH: "95th percentile of waits",
    LONGEST_WAIT: "longest wait",
}

EARLY, TENTHS = 5, 0.9
"""At how many reservations it is asked how much of the difference is there, and what nearly all is."""


class Policies(
    OnMachines,
    name="elsewhere/policies",
    section="8",
    seconds=60,
    after="elsewhere/backfilling",
    claims=dict.fromkeys(CLAIMS, LOGS),
):
    """What does every policy do against EASY, on every log?"""

    taken = staticmethod(of_backfilling)

    reservations: tuple = parameter((2, 3, 5, 10, 20, 50), some(whole(2)))
    shakes: int = repeats(3)
    shake_s: int = parameter(60, SECONDS)
    resamples: int = parameter(300, RESAMPLES)
    seed: int = parameter(0, SEED)

    @cached_property
    def effects(self):
        """Every effect on every log, from `effects`."""
        return together([of_machine(machine, self.reservations, self.settings) for machine in self.found])

    @cached_property
    def exact(self):
        """Changes by numbers of reservations with exact estimates, from `effects`: one run of each log."""
        asked = [machine for machine in self.found if machine.estimated >= ENOUGH_ESTIMATES]
        cases = {case: POLICIES[case] for case in (BASE, CONSERVATIVE)}
        cases |= {depth(k): EASY(reservations=k) for k in self.reservations}
        exact = {case: (policy, "exact") for case, policy in cases.items()}
        pairs, one_run = {case: (case, BASE) for case in list(cases)[1:]}, self.settings | {"shakes": 0}
        return together([effects(machine, exact, pairs, one_run) for machine in asked])

    def panels(self, measures, policies=ACROSS):
        """A measure's effects by policy and log, by title."""
        return {title: self.by_policy(measure, policies) for measure, title in measures.items()}

    def by_policy(self, measure, policies=ACROSS):
        """The effects of these policies on a measure, by (policy, log)."""
        tables = {policy: of_case(self.effects, policy, measure) for policy in policies}
        return pd.concat(tables, names=["policy", "log"])

    @property
    def fcfs(self):
        """Waits under EASY and FCFS, in seconds, and the bounded slowdowns, by log."""
        rows = {of: of_case(self.effects, FCFS, of)[["base", "value"]] for of in ("wait", "bounded_slowdown")}
        return pd.concat({of: table.set_axis([BASE, FCFS], axis=1) for of, table in rows.items()}, axis=1)

    @property
    def left_out(self):
        """What takes no part where, a sentence a policy and log."""
        pairs = ((machine, policy, why_not(machine, policy)) for policy in ACROSS for machine in self.found)
        return [f"{machine.name}, {policy}: {why}" for machine, policy, why in pairs if why]

    # Between EASY and conservative

    @cached_property
    def curve(self):
        """Changes against EASY by the number of reservations, by (measure, log, k): 1 is EASY, all conservative.

        The column `exact` has the same with exact estimates, from one run.
        """
        cases = {str(k): depth(k) for k in self.reservations} | {"all": CONSERVATIVE}
        tables = {
            (of, k): of_case(self.effects, case, of).assign(exact=of_case(self.exact, case, of).effect)
            for of in TITLES
            for k, case in cases.items()
        }
        zero = dict.fromkeys(("effect", "low", "high", "year_low", "year_high"), 0.0)  # of EASY against itself
        for of in TITLES:
            end = tables[of, "all"]
            tables[of, "1"] = end.assign(value=end.base, exact=end.exact * 0, **zero)
        table = pd.concat(tables, names=["measure", "k", "log"]).reorder_levels(["measure", "log", "k"])
        logs = [machine.name for machine in self.found]
        return table.reindex(pd.MultiIndex.from_product([TITLES, logs, ["1", *cases]], names=table.index.names))

    @cached_property
    def arises(self):
        """How much of conservative backfilling's change is there at each k: see `arises`."""
        return pd.concat({of: arises(of_level(self.curve, of)) for of in TITLES}, names=["measure"])

    def said(self):
        """Say on how many logs nearly all of the difference is there at `EARLY`, a sentence a measure."""
        if not self.found or EARLY not in self.reservations:
            return []
        shares = {title: of_level(self.arises, of)[str(EARLY)] for of, title in TITLES.items()}
        return [
            f"{title}: with {EARLY} reservations nine tenths of the difference are there on "
            f"{(of_title >= TENTHS).sum()} of {len(of_title)} logs"
            for title, of_title in shares.items()
        ]

    # What it shows

    def judge(self):
        rows = partial(of_case, self.effects)
        slowdown, response = "bounded_slowdown", "response"
        waits = rows(CONSERVATIVE, "wait").base
        asked = {"OWN-36": ({"bounded slowdown": rows(SJBF, slowdown)}, -1)}
        asked["OWN-37"] = {"wait": rows(PLUS_PLUS, "wait"), "bounded slowdown": rows(PLUS_PLUS, slowdown)}, -1
        asked["OWN-38"] = {"response": rows(LOOKAHEAD, response)}, -1
        asked["OWN-39"] = (
            {
                f"bounded slowdown against {base}": rows(case, slowdown)
                for base, case in {BASE: ADAPTIVE, CONSERVATIVE: AGAINST_CONSERVATIVE}.items()
            },
            -1,
        )
        asked["OWN-40"] = {"response": rows(FAIR, response)}, 1
        found = [deciding.finding_on_most(id, *of, waits) for id, of in asked.items()]
        found.append(deciding.longer("OWN-41", rows(SHORTEST, LONGEST_WAIT)))
        early = {title: tuple(rows(case, of) for case in (FIVE, CONSERVATIVE)) for of, title in TITLES.items()}
        return [deciding.half_there("OWN-35", early), *found]

    def parts(self):
        found = {"": Part(lambda: self._table(TITLES), self._drawn(self._heat, TITLES, AGAINST))}
        for measure in TITLES:
            drawn = self._drawn(self._forests, measure)
            found[measure.replace("_", "-")] = Part(partial(self.by_policy, measure), drawn)
        found["who-loses"] = Part(lambda: self._table(LOSING), self._drawn(self._heat, LOSING, AGAINST))
        found["reservations"] = Part(lambda: self.curve, self._drawn(self._reservations))
        found["arises"] = Part(lambda: self.arises)
        return found | {"effects": Part(lambda: self.effects), "logs": Part(lambda: self.about)}

    def _table(self, measures):
        return pd.concat({of: self.by_policy(of) for of in measures}, names=["measure"])

    def _heat(self, measures, against):
        return pictures.maps(self.panels(measures), self.about, ACROSS, against)

    def _forests(self, measure):
        return pictures.forests(self.by_policy(measure), self.about, ACROSS, f"{TITLES[measure]}, {AGAINST}")

    def _reservations(self):
        lines = {title: self.curve.loc[of] for of, title in TITLES.items()}
        words = "jobs in the queue with a reservation"
        return pictures.of_effects(lines, self.about, 1, words, AGAINST, said=WHO)


AGAINST = "change against EASY"

WHO = pictures.SAID | {deciding.WITH: "EASY is better", deciding.AGAINST: "more reservations are better"}


def depth(k):
    """Name the case of so many reservations.

    >>> depth(2), depth(3)
    ('two reservations', '3 reservations')
    """
    return {2: "two reservations", EARLY: FIVE}.get(k, f"{k} reservations")


def why_not(machine, policy):
    """Tell why a policy is not run on a log; "" where it is."""
    if policy in BY_ESTIMATE and machine.estimated < ENOUGH_ESTIMATES:
        return f"{machine.estimated:.0%} of the jobs have an estimate"
    return why_not_usable(machine.workload, POLICIES[policy])


def of_machine(machine, reservations, settings):
    """Work out all effects on one log."""
    names = [name for name in (FCFS, *ACROSS) if not why_not(machine, name)]
    cases = {depth(k): EASY(reservations=k) for k in reservations}
    cases = {BASE: POLICIES[BASE]} | {name: POLICIES[name] for name in names} | cases
    pairs = {case: (case, BASE) for case in list(cases)[1:]}
    if ADAPTIVE in cases:
        pairs[AGAINST_CONSERVATIVE] = ADAPTIVE, CONSERVATIVE
    return effects(machine, cases, pairs, settings, tails=True)


def arises(table):
    """Divide the change at each number of reservations by that of conservative backfilling, where that is clear.

    Gives a DataFrame, a row a log on which coincidence is clear of nought for conservative backfilling, a column
    a number.
    """
    wide = table.effect.unstack("k", sort=False)
    clear = deciding.sides(table[table.index.isin(["all"], "k")].droplevel("k"), 1) != deciding.OPEN
    wide = wide[clear.reindex(wide.index)]
    return wide.div(wide["all"], axis=0) if len(wide) else wide
