"""Model how run-time estimates arise: each model gives each job an estimate (MF sections 4.2 to 4.5).

`Workload.with_estimates` and `simlib.replicate` take a model of this file, or a function `f(jobs, rng)`: of the jobs
table (`Workload.jobs`) and of a `numpy.random.Generator` of the run's seed. It returns an estimate in whole seconds for
each job: a Series by the index of the jobs, or an array in their order.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from .._util import checks
from .._util.arrays import Bools, Floats, Ints
from .._util.compiled import compiled

Model = Callable[..., pd.Series | np.ndarray | Sequence[float]]
"""A model of this file, or a function of the jobs and of a generator: see above."""

WEEK = 7 * 86400

_SEED = checks.or_none(checks.whole_number(0))


def in_seconds(estimate: pd.Series, model: object) -> pd.Series:
    """Check the estimates of a model: whole seconds from 0 to 2^61 for each job, as int64; else ValueError."""
    return pd.Series(checks.whole_seconds(str(model), estimate, estimate.index, least=0), estimate.index)


@dataclass(frozen=True)
class User:
    """Take what the users requested: the log's own estimates.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 15, 3), B=(1, 5, 8, 2))
    >>> w.with_estimates(User()).jobs.estimate.to_list()
    [15, 8]
    """

    def __call__(self, jobs: pd.DataFrame) -> pd.Series:
        return jobs.estimate


@dataclass(frozen=True)
class Exact:
    """Take the run time itself: perfect estimates.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 15, 3), B=(1, 5, 8, 2))
    >>> w.with_estimates(Exact()).jobs.estimate.to_list()
    [10, 5]
    """

    def __call__(self, jobs: pd.DataFrame) -> pd.Series:
        return jobs.run


@dataclass(frozen=True)
class Uniform:
    """Draw at random from [r, f r], r being the run time and f >= 1 the badness factor (MF section 4.2).

    Parameters
    ----------
    f : float
        The badness factor.
    seed : int, optional
        By default the seed of the run: each run of `simlib.replicate` draws anew, `Workload.with_estimates` with its
        `seed`.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.load("sample").with_estimates(Uniform(f=2, seed=1))
    >>> bool(w.jobs.estimate.between(w.jobs.run, 2 * w.jobs.run).all())
    True
    """

    f: float
    seed: int | None = None

    def __post_init__(self) -> None:
        checks.settings(
            self, seed=checks.or_none(checks.whole_number(0)), f=checks.number("a number of at least 1", least=1)
        )

    def __call__(self, jobs: pd.DataFrame) -> pd.Series:
        u = np.random.default_rng(self.seed or 0).random(len(jobs))
        return in_seconds(np.floor(jobs.run * (1 + (float(self.f) - 1) * u)), self)  # never above f r


@dataclass(frozen=True)
class Scaled:
    """Multiply the present estimates by a factor, such as 2 (MF section 4.5).

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 15, 3), B=(1, 5, 8, 2))
    >>> w.with_estimates(Scaled(2)).jobs.estimate.to_list()
    [30, 16]
    """

    factor: float

    def __post_init__(self) -> None:
        checks.settings(self, factor=checks.number("a positive number", above=0))

    def __call__(self, jobs: pd.DataFrame) -> pd.Series:
        return in_seconds(np.rint(jobs.estimate * float(self.factor)), self)


@dataclass(frozen=True)
class Modelled:
    """Model the users' requests: unrelated to the run time, except that they are seldom below it (MF section 4.3).

    1. With probability `under` the estimate is 0.99 T_r, where T_r is the run time. Then no further step applies.
    2. Otherwise it is T_r / u, where u is uniform in (0, 1]. So jobs use evenly distributed shares of their estimates.
    3. If T_r < `short` seconds, the estimate is multiplied by `stretch`.
    4. It is cut to `cap` seconds, but never below T_r: only step 1 makes estimates that are too small.

    Rounding to whole seconds makes step 1 return T_r itself for jobs of up to 50 s.

    Parameters
    ----------
    seed : int, optional
        As for `Uniform`.
    under : float
        A share of the jobs.
    short, stretch, cap : float
        Seconds, a factor, and seconds.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.load("sample").with_estimates(Modelled(seed=1))
    >>> round(float((w.jobs.estimate < w.jobs.run).mean()), 2)
    0.1
    """

    seed: int | None = None
    under: float = 0.10
    short: float = 90
    stretch: float = 10
    cap: float = 86400

    def __post_init__(self) -> None:
        checks.settings(
            self,
            seed=_SEED,
            under=checks.number("a probability", least=0, most=1),
            short=checks.number("a number of seconds, at least 0", least=0, most=np.inf),
            stretch=checks.number("a number of at least 1", least=1),
            cap=checks.number("a positive number of seconds", above=0),
        )

    def __call__(self, jobs: pd.DataFrame) -> pd.Series:
        rng = np.random.default_rng(self.seed or 0)
        too_small = rng.random(len(jobs)) < self.under
        u = 1 - rng.random(len(jobs))  # NumPy's interval is [0, 1)
        estimate = jobs.run / u * np.where(jobs.run < self.short, float(self.stretch), 1)
        estimate = estimate.clip(upper=np.maximum(jobs.run, float(self.cap)))
        return in_seconds(estimate.where(~too_small, 0.99 * jobs.run).round(), self)


@dataclass(frozen=True)
class Historical:
    """Predict from earlier runs of the same application by the same user on as many processors (MF section 4.4).

    The estimate is the mean run time of these runs plus some standard deviations. If there is no such run, all runs of
    the workload so far count. The first job keeps its estimate. For each triple (application, user, processors), and
    for the whole workload, the model keeps three numbers: the number of runs, the sum of their run times, and the sum
    of the squares. It discards the numbers of a triple when they are stale.

    Parameters
    ----------
    deviations : float
        How many standard deviations are added. They are those of a sample (divisor n - 1); of one run, 0.
    stale : float
        Seconds after which the numbers of a triple are discarded; `numpy.inf` for never.
    since : {"last", "first"}
        Whether the seconds are counted from the last run recorded, or from the first.
    killed : bool
        Whether runs that did not complete (a known status other than 1) are recorded.
    ends : Series, optional
        By the index of the jobs, the second at which each job's run time becomes known: it counts for jobs submitted
        later. By default every earlier job of the table counts, also one that has not ended, which no scheduler could
        know.

    Examples
    --------
    >>> import pandas as pd, simlib
    >>> table = pd.DataFrame({"submit": [0, 100, 200], "run": [10, 30, 20], "procs": 1, "user": 7, "app": 3})
    >>> simlib.Workload(table, 4).with_estimates(Historical(deviations=0)).jobs.estimate.to_list()
    [10, 10, 20]
    """

    deviations: float = 1.5
    stale: float = WEEK
    since: str = "last"
    killed: bool = False
    ends: pd.Series | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        checks.settings(
            self,
            deviations=checks.number("a number of at least 0", least=0),
            stale=checks.number("a positive number of seconds", above=0, most=np.inf),
            since=checks.one_of("last", "first"),
            killed=checks.FLAG,
            ends=checks.or_none(_ENDS),
        )

    def __call__(self, jobs: pd.DataFrame) -> pd.Series:
        past = self.past(jobs)
        deviations = float(self.deviations)
        estimate = (past["mean"] + deviations * past["sd"]).where(past["runs"] > 0)
        estimate = estimate.fillna(past["all_mean"] + deviations * past["all_sd"])
        # cut to whole seconds, so that an estimate is below the run time if and only if it was before
        return in_seconds(estimate.where(past["all_runs"] > 0, jobs.estimate) // 1, self)

    def past(self, jobs: pd.DataFrame) -> pd.DataFrame:
        """Collect the numbers of each job's triple, and of the whole workload, that are known at its submission.

        Returns
        -------
        DataFrame
            `runs` recorded, their `mean` and `sd` in seconds (0 where there is none), and `all_runs`, `all_mean`,
            `all_sd` of the whole workload; by the index of `jobs`.

        Examples
        --------
        >>> import pandas as pd, simlib
        >>> table = pd.DataFrame({"submit": [0, 100, 200], "run": [10, 30, 20], "procs": 1, "user": 7, "app": 3})
        >>> Historical().past(simlib.Workload(table, 4).jobs)[["runs", "mean"]].to_numpy().tolist()
        [[0.0, 0.0], [1.0, 10.0], [2.0, 20.0]]
        """
        submit = jobs.submit.to_numpy()
        if self.ends is None:  # in order of submission, whatever the clock
            recorded, by_submit = submit, np.argsort(submit, kind="stable")
            asked = known = np.argsort(by_submit)
        else:
            recorded = known = ends_of(jobs, self.ends, "Historical: ends")
            asked = submit
        triple = jobs.groupby(["app", "user", "procs"]).ngroup().to_numpy().astype(np.int64)
        learn = np.full(len(jobs), True) if self.killed else ~did_not_complete(jobs).to_numpy()
        run, since_last = jobs.run.to_numpy(float), self.since == "last"
        past = _past(asked, known, submit, recorded, triple, run, learn, float(self.stale), since_last)
        return pd.DataFrame(past, index=jobs.index, columns=["runs", "mean", "sd", "all_runs", "all_mean", "all_sd"])


@dataclass(frozen=True)
class LastTwo:
    """Predict the mean run time of the user's last two jobs that have ended, at most the user's request.

    This is the predictor of `simlib.Predictions` (Tsafrir, Etsion & Feitelson 2005, section 3.2), for jobs whose ends
    are known beforehand. Among the jobs of the same user that have ended when a job is submitted, the two that were
    submitted last count. If only one has ended, it counts alone. If none has ended, or the user is not known, the job
    keeps its estimate. The prediction is rounded down to whole seconds, and at least one second.

    Parameters
    ----------
    ends : Series
        By the index of the jobs, the second at which each ends: the job counts for jobs submitted from then on.

    Examples
    --------
    >>> import pandas as pd, simlib
    >>> table = pd.DataFrame({"submit": [0, 100, 200], "run": [10, 30, 20], "procs": 1, "user": 7, "estimate": 60})
    >>> w = simlib.Workload(table, 4)
    >>> w.with_estimates(LastTwo(ends=w.jobs.submit + w.jobs.run)).jobs.estimate.to_list()
    [60, 10, 20]
    """

    ends: pd.Series = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        checks.settings(self, ends=_ENDS)

    def __call__(self, jobs: pd.DataFrame) -> pd.Series:
        submit, user, ran = (jobs[name].to_numpy() for name in ("submit", "user", "run"))
        ends = ends_of(jobs, self.ends, "LastTwo: ends")
        by_submit = np.argsort(submit, kind="stable")
        number = np.argsort(by_submit, kind="stable")
        by_end = np.lexsort((number, ends))
        last_two: dict[int, list[tuple[int, int]]] = {}  # by user: number and run time, the last one first
        predicted, ended = jobs.estimate.to_numpy(copy=True), 0
        for job in by_submit:
            while (ends[one := by_end[ended]], number[one]) < (submit[job], number[job]):
                last_two[user[one]] = sorted([*last_two.get(user[one], []), (number[one], ran[one])])[-2:]
                ended += 1
            if user[job] != -1 and (known := last_two.get(user[job])):
                mean = sum(run for _, run in known) // len(known)
                predicted[job] = min(max(mean, 1), predicted[job])
        return pd.Series(predicted, jobs.index)


_ENDS = checks.instance(pd.Series, "a Series of seconds by the index of the jobs")


def ends_of(jobs: pd.DataFrame, ends: pd.Series, where: str) -> Ints:
    """Find the second at which each job ended, from a Series by the index of the jobs."""
    return checks.whole_seconds(where, checks.by_job(where, ends, jobs.index), jobs.index)


def requested(workload: Any) -> pd.Series:
    """Tell which jobs have a request in the log, by the index of the jobs.

    Without a log all jobs have one, unless every estimate is the run time: then there may have been none.
    """
    jobs = workload.jobs
    if workload.log is not None:
        return workload.log.requested_time.loc[jobs.index] > 0
    return pd.Series(bool((jobs.estimate != jobs.run).any()), jobs.index)


def did_not_complete(jobs: pd.DataFrame) -> pd.Series:
    """Tell which jobs failed, were killed or cancelled: a known status other than 1 (MF Table 2's "killed jobs")."""
    return (jobs.status >= 0) & (jobs.status != 1)


@compiled
def _past(
    asked: Ints,
    known: Ints,
    submit: Ints,
    recorded: Ints,
    triple: Ints,
    run: Floats,
    learn: Bools,
    stale: float,
    since_last: bool,
) -> Floats:
    """Find runs, mean and standard deviation of each job's triple and of the workload, from the runs known before it.

    A run is known to a job if its `known` is below the job's `asked`. `recorded` and `submit` are the same in seconds.
    """
    n = asked.size
    workload = triple.max() + 1 if n else 0
    sums = np.zeros((workload + 1, 3))  # runs, sum of the run times, sum of their squares
    since = np.zeros(workload, np.int64)  # the last run recorded, or the first
    past = np.zeros((n, 6))
    in_turn = np.argsort(known, kind="mergesort")
    taken = 0
    for job in np.argsort(asked, kind="mergesort"):
        while taken < n and known[in_turn[taken]] < asked[job]:
            earlier = in_turn[taken]
            taken += 1
            if not learn[earlier]:
                continue
            own = triple[earlier]
            if recorded[earlier] - since[own] > stale:
                sums[own] = 0
            if since_last or sums[own, 0] == 0:
                since[own] = recorded[earlier]
            for which in (own, workload):
                sums[which, 0] += 1
                sums[which, 1] += run[earlier]
                sums[which, 2] += run[earlier] ** 2
        own = triple[job]
        if submit[job] - since[own] > stale:
            sums[own] = 0
        for place, which in ((0, own), (3, workload)):
            count, total, squares = sums[which]
            past[job, place] = count
            if count > 0:
                past[job, place + 1] = total / count
            if count > 1:
                past[job, place + 2] = np.sqrt(max(count * squares - total**2, 0) / (count * (count - 1)))
    return past


NAMES: dict[str, Model] = {"user": User(), "exact": Exact()}


def is_model(value: object) -> bool:
    """Tell whether a value is a model of this file."""
    return type(value).__module__ == __name__


def named(model: str | Model) -> Model:
    """Look up a model by its name in `NAMES`; a model or a function of jobs and generator is returned as it is."""
    if isinstance(model, str) and model in NAMES:
        return NAMES[model]
    if is_model(model):
        return model  # type: ignore[return-value]
    expected = "a function f(jobs, rng) of the jobs table and a numpy.random.Generator of the run's seed"
    if not callable(model) or isinstance(model, type) or isinstance(getattr(model, "func", None), type):
        raise ValueError(
            f"estimates: found {model!r}, expected one of {', '.join(map(repr, NAMES))}, "
            f"a model such as simlib.estimates.Uniform(f=2), or {expected}"
        )
    try:
        inspect.signature(model).bind("jobs", "rng")
    except (TypeError, ValueError) as error:  # the latter of some that are not written in Python
        raise ValueError(f"estimates: found {model!r} ({error}), expected {expected}") from None
    return model


def draws(model: str | Model | None) -> bool:
    """Tell whether a model may draw other estimates for another seed."""
    return getattr(model, "seed", 0) is None or not (model is None or isinstance(model, str) or is_model(model))


def made_by(model: Model, jobs: pd.DataFrame, seed: int) -> tuple[Any, str]:
    """Make the estimates of some jobs with a seed, and describe how."""
    if not is_model(model):
        called = getattr(model, "__name__", repr(model)) + f", seed {seed}" * (seed != 0)
        return model(jobs, np.random.default_rng(seed)), called
    if draws(model):
        model = replace(model, seed=seed)  # type: ignore[type-var]
    return model(jobs), str(model)
