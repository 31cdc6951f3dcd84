"""FCFS and EASY, and the base class of all policies whose queue has an order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd

from .. import engine
from .._util import checks
from .._util.arrays import Ints
from .._util.compiled import COMPILED, MISSING, WAITING, CFunc, NotReady, during, say
from ..core.jobs_table import checked_past
from ..core.schedule import WHOSE, Feedback, whose
from ..engine.events import NEVER
from ..engine.ranking import Facts, NoRank, Usage
from ..plain import easy, estimates, reserving
from ..plain.loop import Policy
from ..plain.orders import Order
from . import in_plain, orders

if TYPE_CHECKING:
    from .adjusting import Adjustment

_LOOKAHEAD = "lookahead"

MOST_AHEAD = 5_000_000
"""Processors of a machine on which lookahead is possible: its table, of 2 GB then, has a column for each."""

_HALF_LIFE_S = 7 * orders.DAY
"""Of what an order is told as `usage`, unless it is a `Multifactor` that says otherwise."""

SMALL = 200
"""So many jobs are scheduled in plain Python where no kernel is compiled: it gives the same schedule, and sooner."""

Given = tuple[Ints, Ints, Ints, Ints, int, Ints, Ints, Ints]
"""What all kernels begin with: submit, run, estimate, procs, machine, preceding, think, progress_and_stop."""


_PREDICTORS = {"last two": ["user"], "same estimate": ["user", "estimate"], "exact": None, "estimate": None}
"""The names of predictors; of those that learn, the columns of the jobs that they look at."""

_FROM_ONE = checks.number("", least=1, most=np.inf)

COUNT = checks.Kind(
    lambda value: _FROM_ONE.fits(value) and (value == np.inf or value == int(value)),
    "a whole number of at least 1, or math.inf",
)
"""How many jobs."""

_ADJUST = checks.Kind(
    lambda value: hasattr(value, "history") and not isinstance(value, type),
    "a simlib.policies.adjusting.Adjustment or simlib.Predictions",
)

_NONE = -3
"""The number of a past job that there is not: below those of the last two, -1 and -2."""


@dataclass(frozen=True)
class Predictions:
    """Plan with predicted run times instead of the users' estimates, and correct predictions that jobs outlive.

    A job's run time is predicted when it arrives. Among the jobs of the same user that have ended by then, the two that
    were submitted last count: their mean run time, in whole seconds and at least one, is the prediction. If only one
    has ended, the prediction is its run time. If none has ended, or the user is not known, it is the user's estimate.
    What is predicted from other jobs counts only if it is below the estimate. A running job that outlives its
    prediction is then expected to run for the user's estimate. If it outlives its estimate, it is expected to run for
    one minute more, then for another 5, 15 and 30 minutes, and another 1, 2, 5, 10, 20, 50 and 100 hours, one after
    another. Each such correction causes a scheduling pass. A prediction never kills a job.

    The estimate is the requested time, at least one second, even if the job runs longer. Without predictions, or where
    they are switched off, `simulate` raises it to the run time.

    Parameters
    ----------
    predictor : {"last two", "same estimate", "exact", "estimate"}
        "last two" as above; "same estimate" predicts only if both of these jobs requested as much as this one; "exact"
        predicts the run time itself, also where it is above the estimate, so that nothing is corrected (the report's
        PERFECT++, section 3.5); "estimate" makes no predictions: it only corrects estimates.
    queue, backfill, running : bool
        Whether predictions are used for the order of the queue, for candidates of backfilling, and for running jobs and
        so for the reservation of the head. These are the switches of `simlib.policies.adjusting.Adjustment`.
    correct : bool
        Whether a prediction that a running job outlives is corrected. If not, the job is expected to end at once, again
        and again, which prevents backfilling (section 3.3).
    past : DataFrame, optional
        Earlier jobs, all of which have ended: `submit`, `run`, `user`, and for "same estimate" `estimate`; whole
        numbers as in `Workload.jobs`, and each has run. The policy keeps a copy.

    Raises
    ------
    ValueError
        For an unknown predictor, for a switch that is neither True nor False, or for a past without these columns or
        with values that no job of a `Workload` has.

    References
    ----------
    D. Tsafrir, Y. Etsion and D. G. Feitelson, "Backfilling using runtime predictions rather than user estimates",
    technical report, Hebrew University, 2005. Section 3.2 defines the predictor and 3.4 the correction. Section 5.1
    takes the last two similar jobs, with the same estimate; section 6 calls this an immediate window. The report does
    not state that there must be two such jobs, but the printed numbers of Tables 2, 5 and 6 result only then. It leaves
    open how a mean is rounded (here: down), whether a job that ends in the second of an arrival has ended (here: yes),
    and what follows the 100 hours (here: another 100 hours each time).

    Examples
    --------
    >>> import pandas as pd, simlib
    >>> rows = {"submit": [0, 100, 200], "run": [10, 30, 50], "estimate": 60, "procs": 1, "user": 7}
    >>> w = simlib.Workload(pd.DataFrame(rows), 4)
    >>> simlib.simulate(w, simlib.EASY(adjust=Predictions())).jobs.adjusted.to_list()
    [60, 10, 20]
    """

    predictor: str = "last two"
    queue: bool = True
    backfill: bool = True
    running: bool = True
    correct: bool = True
    past: pd.DataFrame | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        checks.settings(
            self,
            predictor=checks.one_of(*_PREDICTORS),
            queue=checks.FLAG,
            backfill=checks.FLAG,
            running=checks.FLAG,
            correct=checks.FLAG,
        )
        needed = ["submit", "run", *(_PREDICTORS[self.predictor] or ())]
        object.__setattr__(self, "past", checked_past(self.past, needed, "Predictions"))

    def history(self, jobs: pd.DataFrame) -> tuple[tuple[Ints, Ints, Ints], Ints, Ints]:
        """Find each user's last two past jobs, the last one first, and each job's user and estimate.

        The two are arrays of shape (users, 2): run times in seconds, -1 if there is no job; numbers -1 and -2, before
        those of the jobs; and estimates. A job's user is -1 for none; its estimate is at least one second. ValueError
        if the predictor learns from users' jobs and no job has a user.
        """
        estimate = jobs.estimate.clip(lower=1).to_numpy(np.int64)
        columns = _PREDICTORS[self.predictor]
        if columns is None:
            return (np.empty((0, 2), np.int64),) * 3, np.full(len(jobs), -1), estimate
        if "user" not in jobs or (len(jobs) and (jobs.user == -1).all()):
            raise ValueError("Predictions: found no job with a user, which predictions are made by; expected some")
        past = jobs[:0] if self.past is None else self.past.sort_values("submit", kind="stable")[::-1]  # latest first
        of_all = pd.factorize(pd.concat([jobs.user, past.user]))[0].astype(np.int64)
        user, of_past = of_all[: len(jobs)], of_all[len(jobs) :]
        users = int(of_all.max(initial=-1)) + 1
        runs, numbers, asked = np.full((users, 2), -1), np.full((users, 2), _NONE), np.zeros((users, 2), np.int64)
        before = past.groupby(of_past).cumcount().to_numpy()  # 0 for the last one of a user, 1 for the one before it
        known = before < 2
        runs[of_past[known], before[known]] = past.run[known]
        numbers[of_past[known], before[known]] = -1 - before[known]
        if "estimate" in columns:
            asked[of_past[known], before[known]] = past.estimate[known].clip(lower=1)
        return (runs, numbers, asked), np.where(jobs.user == -1, -1, user), estimate

    def plain(self, policy: Policy) -> Policy:
        """Make the plain policy that plans with these predictions."""
        past = [] if self.past is None else self.past.sort_values("submit", kind="stable").to_dict("records")
        rows = [(row.get("user", -1), row["run"], row.get("estimate", 1)) for row in past]
        uses = self.queue, self.backfill, self.running
        return estimates.Predictions(policy, self.predictor, uses, self.correct, rows)


@dataclass(frozen=True, eq=False)
class JobFacts:
    """The facts of jobs that only some policies read: whose they are, and the history of earlier jobs."""

    index: pd.Index
    by_job: list[np.ndarray]
    past: Any = None

    @classmethod
    def of(cls, jobs: pd.DataFrame, adjust: Adjustment | Predictions | None = None) -> JobFacts:
        """Collect the facts of the jobs of a workload."""
        past, *learned = adjust.history(jobs) if adjust is not None else (None,)
        return cls(jobs.index, [*whose(jobs).values(), *learned], past)

    def of_same(self, jobs: pd.DataFrame) -> JobFacts | None:
        """Reorder the facts at little cost for the same jobs in another order, as after shaking; None for other jobs.

        If the order is also the same, it returns the same object.
        """
        if len(jobs) != len(self.index):
            return None
        index, wanted = self.index.to_numpy(), jobs.index.to_numpy()  # pandas' own search is not made for threads
        if np.array_equal(index, wanted):
            return self
        by_number = index.argsort(kind="stable")
        nearest = np.minimum(index.searchsorted(wanted, sorter=by_number), max(len(index) - 1, 0))
        place = by_number[nearest]
        if not np.array_equal(index[place], wanted):
            return None
        return JobFacts(jobs.index, [column[place] for column in self.by_job], self.past)

    def facts(self, machine: int, account: str = "user", half_life_s: float = _HALF_LIFE_S) -> Facts:
        """Collect the facts that an order may read, before any use of the machine."""
        by_job = dict(zip(WHOSE, self.by_job, strict=False))
        of_job, accounts = pd.factorize(by_job[account])
        had, share, fair_share = np.zeros((3, len(accounts) + 1))
        fair_share += 1
        held, since, told = np.zeros((3, len(accounts) + 1), np.int64)
        told -= NEVER
        counted = had, held, since, np.full(3, -np.inf)
        usage = Usage(of_job.astype(np.int64), *counted, float(half_life_s), share, fair_share, told)
        return Facts(by_job["user"], by_job["group"], by_job["queue"], machine, usage)


@dataclass(frozen=True, repr=False)
class Ordered:
    """A policy with an `order`; the base class of this package's policies: `_run` calls the kernel of each.

    Some have `promise`, what the first start is called that a job is promised, and `reserves`: see `in_plain`.
    """

    known: JobFacts | None = field(default=None, kw_only=True, repr=False, compare=False)
    few: pd.DataFrame | None = field(default=None, kw_only=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        for setting, (order, names) in self._orders.items():
            orders.check(order, names, f"{type(self).__name__}: {setting}")

    def __repr__(self) -> str:
        """Write the call that makes the policy: its name, and the options that are not the defaults."""
        options = []
        for one in fields(self):
            value = getattr(self, one.name)
            if one.repr and not (type(value) is type(one.default) and value == one.default):
                options.append(f"{one.name}={getattr(value, '__name__', None) or repr(value)}")
        return f"{type(self).__name__}({', '.join(options)})"

    @property
    def _orders(self) -> dict[str, tuple[Any, dict[str, Callable]]]:
        """By setting: the order, and the known names."""
        order: Any = getattr(self, "order", None)
        return {"order": (order, orders.ORDERS)}

    @property
    def _asks_for_more(self) -> bool:
        """Whether an order reads more than three numbers."""
        three = set(orders.THREE)
        return any(not set(orders.asked_for(order, names)) <= three for order, names in self._orders.values())

    def prepare(self, jobs: pd.DataFrame) -> Self:
        """Prepare the policy for these jobs, if it reads more than their times and sizes."""
        adjust = getattr(self, "adjust", None)
        few = jobs if (len(jobs) <= SMALL or MISSING) and in_plain.is_known(self) else None
        if adjust is None and not self._asks_for_more:
            return self if few is self.few else replace(self, few=few)
        same = self.known.of_same(jobs) if self.known is not None else None
        return replace(self, known=same or JobFacts.of(jobs, adjust), few=few)

    def schedule(
        self,
        submit: Ints,
        run: Ints,
        estimate: Ints,
        procs: Ints,
        machine: int,
        feedback: Feedback | None = None,
        progress_and_stop: Ints | None = None,
        gpus: tuple[Ints, int] | None = None,
    ) -> dict[str, np.ndarray]:
        """Schedule jobs in order of arrival: see `simlib.policies`."""
        followed = feedback or engine.OPEN
        watched = np.zeros(2, np.int64) if progress_and_stop is None else progress_and_stop
        # kernels write into what they get, as submissions that follow jobs
        submit, run, estimate, procs = (np.require(one, np.int64, ["C", "W"]) for one in (submit, run, estimate, procs))
        given = submit, run, estimate, procs, machine, *followed, watched
        with_gpus = {} if gpus is None else {"gpus": gpus[0], "machine_gpus": gpus[1]}
        by_name = all(isinstance(order, str | orders.Multifactor) for order, _ in self._orders.values())
        few = self.few if by_name and not COMPILED.get() else None
        if MISSING and in_plain.is_known(self):
            say(f"{MISSING}; schedules are made in plain Python, which takes longer")
            few = pd.DataFrame({"estimate": estimate}) if self.few is None else self.few
        try:
            if MISSING:
                raise NotReady(f"{self!r} needs numba: {MISSING}")
            with during(WAITING, few is None):
                columns = self._run(given, self._facts(machine), **with_gpus)
        except NotReady:
            if few is None:
                raise
            jobs = few, submit, run, estimate, procs
            return in_plain.scheduled(self, self.plain(), *jobs, machine, feedback, gpus, watched)
        except NoRank as error:
            numbers, backfilling = error.args
            setting = "backfill" if backfilling else "order"
            order, names = self._orders[setting]
            orders.failed(order, *numbers, known=names, where=f"{type(self).__name__}: {setting}")
        return {"submit": submit, **columns}

    def plain(self) -> Policy:
        """Make the policy for one run of `simlib.plain`."""
        raise NotImplementedError

    def _run(self, given: Given, facts: Facts | None, **gpus: Any) -> dict[str, np.ndarray]:
        """Call the kernel of the policy, with `gpus` and `machine_gpus` if any; return its results by column."""
        raise NotImplementedError

    def _facts(self, machine: int) -> Facts | None:
        """The facts that the orders read besides three numbers; None if they read no more."""
        if not self._asks_for_more:
            return None
        if self.known is None:
            raise ValueError(f"{self!r}: has to know whose the jobs are, expected prepare(jobs) first")
        given = self._orders.values()
        if not any({"usage", "fair_share"}.intersection(orders.asked_for(order, names)) for order, names in given):
            return self.known.facts(machine, half_life_s=0)
        shares = [(one.account, one.half_life_s) for one, _ in given if isinstance(one, orders.Multifactor)]
        return self.known.facts(machine, *(shares[0] if shares else ()))

    def _by(self) -> Order | None:
        """The order of the queue as `simlib.plain` has it; None for the order of arrival."""
        order, names = self._orders["order"]
        return None if order == "fcfs" else in_plain.order(order, names)

    def _pointer(self, setting: str, facts: Facts | None) -> CFunc:
        """The compiled order of a setting."""
        order, names = self._orders[setting]
        return orders.compiled(order, facts is not None, names, f"{type(self).__name__}: {setting}")

    def _queue(self, given: Given, facts: Facts | None) -> dict[str, Any]:
        """How the queue of `engine.reserving` is ordered: by places known beforehand, or by ranks in each pass."""
        if self._orders["order"][0] == "fcfs":
            return {}
        if (places := self._places(given, facts)) is not None:
            return {"places": places}
        return {"priority": self._pointer("order", facts), "facts": facts}

    def _ranked(self, given: Given, facts: Facts | None, anew: bool = False) -> dict[str, Any]:
        """How the queue of `engine.easy` is ordered: by places that are known beforehand, or `anew` in each pass."""
        if (order := self._orders["order"][0]) == "fcfs":
            return {}
        if not anew and (places := self._places(given, facts)) is not None:
            return {"places": places}
        return {"priority": self._ranking(facts), "rise": orders.rise(order)}

    def _places(self, given: Given, facts: Facts | None) -> np.ndarray | None:
        """Find the place of each job in the queue; None where the order may change, or some jobs follow others."""
        submit, _, estimate, procs, _, preceding, *_ = given
        if orders.changes(self._orders["order"][0]) or preceding.size:
            return None
        return engine.places_in_order(self._ranking(facts), facts, submit, estimate, procs)

    def _ranking(self, facts: Facts | None) -> CFunc:
        """The compiled order of the queue, which ranks many jobs at once."""
        order = self._orders["order"][0]
        return orders.compiled_for_queue(order, facts is not None, f"{type(self).__name__}: order")


@dataclass(frozen=True, repr=False)
class FCFS(Ordered):
    """First come, first served: a job starts only when all before it in the queue have started (MF section 1).

    A job of length zero starts only if its processors are free, like any other. It ends in the same instant; then
    another pass follows.

    Parameters
    ----------
    order : str or callable
        The order of the queue, as for `simlib.EASY`; by default the order of arrival.

    Raises
    ------
    ValueError
        For an unknown order.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2), C=(2, 5, 5, 1))
    >>> simlib.simulate(w, simlib.FCFS()).jobs.start.to_list()
    [0, 10, 10]

    The shortest job first; no job passes the head of the queue:

    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 9, 9, 4), C=(2, 5, 5, 1))
    >>> [simlib.simulate(w, simlib.FCFS(order=order)).jobs.start.to_list() for order in ("fcfs", "sjf")]
    [[0, 10, 19], [0, 10, 2]]
    """

    order: orders.Order = "fcfs"

    def plain(self) -> Policy:
        """Make the policy for one run of `simlib.plain`."""
        return partial(easy.fcfs, order=self._by())

    def _run(self, given: Given, facts: Facts | None, **gpus: Any) -> dict[str, np.ndarray]:
        rules = self._ranked(given, facts) | gpus
        return {"start": engine.easy(*given, passing=engine.NOBODY, facts=facts, **rules)[0]}


@dataclass(frozen=True, repr=False)
class EASY(Ordered):
    """EASY backfilling: jobs may pass the head of the queue if they do not delay it (MF section 2.2).

    A job of length zero, the head or one behind it, starts only if its processors are free, like any other. It ends in
    the same instant; then another pass follows.

    If jobs need GPUs, both processors and GPUs have to be free. The shadow time is the earliest time at which enough of
    both are free for the head; there are extra processors and extra GPUs. A job passes the head if it fits now, and
    either ends by the shadow time or fits the extra processors and the extra GPUs. Lookahead refuses GPUs.

    Parameters
    ----------
    reuse_extra : bool
        False, the text's rule: jobs that start beside the head share the processors that the head will leave free at
        its shadow time. True: each such job is compared with all of these, so that several jobs together can delay the
        head.
    order : str or callable
        The order of the queue, sorted again in each pass, ties by arrival: "fcfs" (arrival), "sjf" (shortest estimate
        first), "wfp" ((wait / estimate)^3 x procs, Tang et al. 2013, equation 5; an estimate below 1 s counts as 1 s),
        "unicef", "expansion factor", "smallest area", "f1" to "f4" (see `docs/reference/policies.md`),
        `simlib.Multifactor` (age, size and fair share), `simlib.Thresholded` (another order, but starved jobs go
        first), or a function that numba can compile, such as one of (wait, estimate, procs), all floats; the job with
        the largest value is the head. The names of a function's parameters choose the facts that it gets: see
        `simlib.policies.orders`. Global variables keep the values that they have when the simulation begins. A function
        that never returns cannot be interrupted: Ctrl+C gives the prompt back, but the function runs until the process
        ends or the kernel is restarted. A second Ctrl+C ends a process that waits for it.
    adjust : simlib.policies.adjusting.Adjustment or simlib.Predictions, optional
        Adjust the users' estimates when jobs arrive, by the run times of similar jobs that have ended in the
        simulation, or predict run times. The results replace estimates in the order of the queue, in backfilling, and
        for running jobs (Tang et al. 2013, section 5). They are in the schedule's column `adjusted`. They never kill a
        job.
    backfill : str or callable, optional
        The order in which EASY tries the jobs behind the head; each starts if it does not delay the head; ties by
        arrival. None: the order of the queue. "arrival"; "sjf", the shortest estimate first, which is called SJBF
        (Tsafrir et al. 2005); "largest", the most processors first; "smallest area", the fewest processor-seconds
        first; "expansion factor", the slowest job first; "best-fit", the job that fills most of the backfill window
        (processors x seconds, at most until the shadow time); or a function as for `order`, which may also use `extra`
        and `window`. Each start changes which jobs fit, so the best of the rest is chosen again. "lookahead" is no
        order: among the first 50 jobs behind the head it starts the set that takes the most free processors (Shmueli &
        Feitelson 2005, section 3). Ties: the set with the first candidate wins; then the set with the second, and so
        on.
    reservations : int or float
        The number of jobs at the front of the queue that have a reservation: 1 is EASY, `math.inf` gives every job one.
        A pass goes through the jobs in the order of the queue. A job among the first so many, without a reservation,
        gets one: the earliest time from which on enough processors are free for its whole estimate, beside the running
        jobs and the other reservations. It keeps the reservation until it starts. When a job ends early, reservations
        move forward one by one in the order of the queue, as under conservative backfilling. Any other job starts if it
        fits from now until its expected end without touching a reservation. With `order`, a job that is no longer among
        the first loses its reservation at the beginning of a pass, and the others move forward. So `math.inf` in order
        of arrival is conservative backfilling. A job with an estimate of 0 takes no processors, as there. Maui calls
        the number RESERVATIONDEPTH.

    Raises
    ------
    ValueError
        For an unknown option; for several reservations with `reuse_extra`, `adjust` or `backfill`; in a simulation with
        lookahead, for a machine of more than 5 million processors.

    References
    ----------
    D. Tsafrir, Y. Etsion and D. G. Feitelson, "Backfilling using runtime predictions rather than user estimates",
    technical report, Hebrew University, 2005; later in IEEE TPDS 18(6), 2007. SJBF: section 3.5.
    E. Shmueli and D. G. Feitelson, "Backfilling with lookahead to optimize the packing of parallel jobs", J. Parallel
    Distrib. Comput. 65(9), 2005.

    Examples
    --------
    The third job fits beside the first and ends before the second can start: it is backfilled.

    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2), C=(2, 5, 5, 1))
    >>> simlib.simulate(w, simlib.EASY()).jobs.start.to_list()
    [0, 10, 2]

    Your own order puts the narrowest job first:

    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 4), B=(1, 5, 5, 3), C=(2, 5, 5, 2))
    >>> simlib.simulate(w, simlib.EASY(order=lambda wait, estimate, procs: -procs)).jobs.start.to_list()
    [0, 15, 10]
    """

    promise: ClassVar[str] = "shadow"
    reuse_extra: bool = False
    order: orders.Order = "fcfs"
    adjust: Adjustment | Predictions | None = None
    backfill: orders.Order | None = None
    reservations: float = 1

    def __post_init__(self) -> None:
        checks.settings(self, reuse_extra=checks.FLAG, adjust=checks.or_none(_ADJUST), reservations=COUNT)
        super().__post_init__()
        most = self.reservations
        others = {"reuse_extra": self.reuse_extra, "adjust": self.adjust, "backfill": self.backfill}
        if most != 1 and (given := [name for name, value in others.items() if value]):
            raise ValueError(f"EASY: found reservations={most!r} with {given[0]}, expected one of the two")
        if self.backfill == _LOOKAHEAD and self.reuse_extra:
            raise ValueError("EASY: found reuse_extra=True with backfill='lookahead', which gives extra out once")

    @classmethod
    def plus_plus(cls) -> EASY:
        """Make EASY++: it predicts run times, and backfills the job with the shortest prediction first.

        The queue and its head are in order of arrival; everything else uses `simlib.Predictions` (Tsafrir, Etsion &
        Feitelson 2005, sections 3.2 to 3.5). The report's other variants: EASY-PCOR is
        `EASY(adjust=Predictions("estimate"))`, EASY+ is `EASY(adjust=Predictions())`, EASY-SJBF is
        `EASY(backfill="sjf")`, and PERFECT++ is `EASY(adjust=Predictions("exact"), backfill="sjf")`.

        Examples
        --------
        >>> EASY.plus_plus()
        EASY(adjust=Predictions(predictor='last two', queue=True, ...), backfill='sjf')
        """
        return cls(adjust=Predictions(), backfill="sjf")

    @property
    def _orders(self) -> dict[str, tuple[Any, dict[str, Callable]]]:
        by_setting = super()._orders
        if self.backfill is not None and not (isinstance(self.backfill, str) and self.backfill == _LOOKAHEAD):
            by_setting["backfill"] = self.backfill, orders.BACKFILL | {_LOOKAHEAD: orders.BACKFILL["arrival"]}
        return by_setting

    @property
    def reserves(self) -> bool:
        """Whether jobs other than the head of the queue may be promised a start."""
        return self.reservations != 1

    def plain(self) -> Policy:
        """Make the policy for one run of `simlib.plain`."""
        if self.reserves:
            return partial(reserving.reserving, order=self._by(), most=self.reservations)
        options: dict[str, Any] = {"reuse_extra": self.reuse_extra}
        if self.backfill == _LOOKAHEAD:
            options = {"backfill": easy.lookahead}
        elif self.backfill is not None:
            options |= {"backfill": easy.best_first, "by": in_plain.order(self.backfill, orders.BACKFILL)}
        plain = partial(easy.easy, order=self._by(), **options)
        return plain if self.adjust is None else self.adjust.plain(plain)

    def _run(self, given: Given, facts: Facts | None, **gpus: Any) -> dict[str, np.ndarray]:
        if self.reserves:
            most = {"most": int(min(self.reservations, engine.EVERYONE))}
            start, shadow, backfilled = engine.reserving(*given, **(most | self._queue(given, facts) | gpus))
            return {"start": start, "backfilled": backfilled, "shadow": shadow}
        machine = given[4]
        if self.backfill == _LOOKAHEAD and gpus:
            raise ValueError(
                f"{self!r}: found jobs that need GPUs, expected another backfill than 'lookahead', which fills the "
                "machine with processors only; or workload.without_gpus()"
            )
        if self.backfill == _LOOKAHEAD and machine > MOST_AHEAD:
            raise ValueError(
                f"EASY: found a machine of {machine:,} processors with backfill='lookahead', expected at most "
                f"{MOST_AHEAD:,}"
            )
        anew = self.adjust is not None or self.backfill == _LOOKAHEAD  # estimates may change; it sorts by rank
        rules: dict[str, Any] = self._ranked(given, facts, anew) | self._estimating() | gpus
        if self.backfill == _LOOKAHEAD:
            rules["passing"] = engine.BEST_SET
        elif not self._backfills_in_order:
            rules |= {"backfill": self._pointer("backfill", facts), "shortest": self.backfill == "sjf"}
        start, backfilled, shadow, t_sched = engine.easy(*given, bool(self.reuse_extra), facts=facts, **rules)
        adjusted = {} if self.adjust is None else {"adjusted": t_sched}
        return {"start": start, "backfilled": backfilled, "shadow": shadow, **adjusted}

    @property
    def _backfills_in_order(self) -> bool:
        """Whether backfilling tries the jobs in the order of the queue."""
        return self.backfill is None or (self.backfill == "arrival" and self.order == "fcfs")

    def _estimating(self) -> dict[str, Any]:
        """Give the kernel the adjustment or prediction, with a copy of the history, which the simulation changes."""
        if self.adjust is None:
            return {}
        if self.known is None:
            raise ValueError("EASY: found adjust, which needs to know whose the jobs are: expected prepare(jobs) first")
        past, learned = self.known.past, self.known.by_job[-2:]
        if isinstance(self.adjust, Predictions):
            (user, estimate), (runs, numbers, asked) = learned, (one.copy() for one in past)
            switches = bool(self.adjust.queue), bool(self.adjust.backfill), bool(self.adjust.running)
            kind = self.adjust.predictor
            rules = kind == "exact", bool(self.adjust.correct), kind == "same estimate"
            return {"predicting": engine.Predicting(*rules, estimate, user, runs, numbers, asked, *switches)}
        scheme, (group, r) = self.adjust.scheme, learned
        adjusting = engine.Adjusting(
            type(past)(*(numbers.copy() for numbers in past)),
            group,
            r,
            window=scheme.window_s,
            percentile=float(scheme.percentile),
            least=int(scheme.least),
            threshold=float(scheme.threshold or 0),
            queue=bool(self.adjust.queue),
            backfill=bool(self.adjust.backfill),
            running=bool(self.adjust.running),
            overdue=int(self.adjust.overdue),
        )
        return {"adjusting": adjusting}
