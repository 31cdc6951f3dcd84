"""A workload: jobs, their submit times, and the machine."""

import copy
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from html import escape
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._util import checks
from .._util.arrays import Ints, in_order
from . import estimates as _estimates
from . import jobs_table, metrics
from .calendar import MOMENT, Calendar, Moment, check_month
from .jobs_table import COLUMNS

MOST_PROCS = 2**62
"""No machine has more processors."""

MOST_JOBS = 10**8
"""No model makes more jobs."""

_SUBMIT, _USER = COLUMNS.index("submit"), COLUMNS.index("user")


class Workload(Calendar):
    """Describe the jobs submitted to a machine. Immutable: methods that change it return a new workload.

    Parameters
    ----------
    jobs : DataFrame, dict of columns, or list of dicts
        At least the columns `submit`, `run` (seconds) and `procs`; `estimate` defaults to `run`, the other `COLUMNS` to
        -1. The index identifies jobs: each has its own label. A column `gpus` has the total number of GPUs that each
        job needs; without it jobs need none. `submit` may be times, which become seconds after `start`; `run` and
        `estimate` may be lengths of time. Times without a zone are in that of `start`, or else in UTC; of a local time
        that the clock shows twice the first counts.
    procs : int
        Processors of the machine.
    name : str
    gpus : int
        GPUs of the machine. `EASY()` and some other policies schedule both resources; the others refuse such a machine.
    start : Timestamp, optional
        The time of second 0, in the zone whose calendar divides the log into months. By default the first submission,
        if submissions are times.
    header : sequence of str
        Comment lines of the log it came from.
    log : DataFrame, optional
        The 18 SWF fields with the same index (see `simlib.logs.swf.FIELDS`), to select jobs and to write the log. Like
        `jobs`, the attribute gives a copy, so that the workload itself does not change.
    source : dict
        The origin: `file`, and `variant` and `sha256` if known; or the `model`, its `jobs` and `seed`. The attribute
        gives a copy.
    synthetic : bool
        Whether it is made up, not recorded. If `source` names a published model, the workload is that model's; any
        other synthetic workload replaces a log: see `stand_in`.

    Attributes
    ----------
    jobs : DataFrame
        The jobs that take part (run >= 0, 0 < procs <= machine, and no more GPUs than the machine has), in order of
        (submit, line in the log); columns `COLUMNS`, and `gpus` on a machine with GPUs. It is a copy: to change jobs,
        change it and make another workload of it, `Workload(jobs, w.procs)` or `w.derive(jobs, "what was done")`.
    dropped : Series of str
        The reason why each other job does not take part.
    history : tuple of str
        What was done to the log, step by step.

    Raises
    ------
    ValueError
        For a machine without processors, columns that are missing, doubled or of several lengths, numbers and seconds
        that are not whole, times of several zones, labels that repeat or are nan, GPUs below zero, and a parameter of
        another kind.

    Examples
    --------
    >>> import pandas as pd, simlib
    >>> table = pd.DataFrame({"submit": [0, 5, 9], "run": [60, 60, 60], "procs": [3, 4, 5]})
    >>> simlib.Workload(table, 4, "from a table")
    <Workload from a table: 2 jobs on 4 processors; 1 dropped (larger than the machine)>

    Times become seconds since the first submission:

    >>> submit = pd.to_datetime(["2024-05-03 14:30", "2024-05-03 14:31"]).tz_localize("Europe/Berlin")
    >>> w = simlib.Workload({"submit": submit, "run": pd.to_timedelta(["2h", "90s"]), "procs": [3, 4]}, 4)
    >>> w.jobs[["submit", "run"]].to_numpy().tolist(), str(w.start)
    ([[0, 7200], [60, 90]], '2024-05-03 14:30:00+02:00')
    """

    _memory = ("_followed",)  # for `cache.identity`: what follows from the rest

    def __init__(
        self,
        jobs: pd.DataFrame | Mapping[str, Any] | list[dict[str, Any]],
        procs: int,
        name: str = "workload",
        *,
        gpus: int = 0,
        start: Moment | None = None,
        header: Sequence[str] = (),
        log: pd.DataFrame | None = None,
        source: dict[str, Any] | None = None,
        synthetic: bool = False,
    ) -> None:
        checks.check("Workload", "name", name, checks.instance(str, "a text"))
        self.procs, self.gpus = _machine(name, procs, gpus)
        checks.check(name, "start", start, checks.or_none(MOMENT))
        checks.check(name, "header", header, _LINES)
        checks.check(name, "log", log, checks.or_none(jobs_table.TABLE))
        checks.check(name, "source", source, checks.or_none(checks.instance(dict, "a dict")))
        checks.check(name, "synthetic", synthetic, checks.FLAG)
        clock = None if start is None else pd.Timestamp(start)
        clock = clock.tz_localize("UTC") if clock is not None and clock.tz is None else clock
        table, self.start = jobs_table.own(jobs, name, clock)
        table, self._others = jobs_table.taking_part(table, name, self.procs, self.gpus)
        self._jobs = jobs_table.by_arrival(table)
        self.name = name
        self.header = tuple(header)
        if log is not None:
            jobs_table.check_columns(log, f"{name}: log", [])
            jobs_table.check_labels(log.index, f"{name}: log")
        self._log = None if log is None else log.copy()
        self._source = copy.deepcopy(source or {})
        self.synthetic = bool(synthetic)
        self.history: tuple[str, ...] = ()
        self._unrequested = self._jobs.index[:0]  # whose log has no requested time; also those that take no part
        if log is not None and "requested_time" in log:
            self._unrequested = log.index[log.requested_time.to_numpy() <= 0.5]  # half a second is rounded to none
        # once it is known; all workloads that have the same jobs of the same log share the list
        self._followed: list[tuple[Ints, Ints]] = []

    @classmethod
    def of(cls, name: str, procs: int, **jobs: tuple[int, int, int, int]) -> Self:
        """Make a small workload of named jobs by hand.

        Parameters
        ----------
        name : str
        procs : int
            Processors of the machine.
        **jobs
            By the job's name: (submit, run, estimate, procs), seconds and processors.

        Examples
        --------
        >>> import simlib
        >>> simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2))
        <Workload two jobs: 2 jobs on 4 processors>
        """
        for job, row in jobs.items():
            checks.check(f"Workload.of: {name}", job, row, _ROW)
        table = pd.DataFrame.from_dict(jobs, orient="index", columns=["submit", "run", "estimate", "procs"])
        return cls(table, procs, name)

    @property
    def jobs(self) -> pd.DataFrame:
        """The jobs table, a copy: see above."""
        return jobs_table.copied(self._jobs)  # nobody changes ours

    @property
    def dropped(self) -> pd.Series:
        """Why each other job does not take part, a copy: see above."""
        return jobs_table.copied(self._others).dropped

    @property
    def source(self) -> dict[str, Any]:
        """The origin, a copy: see above."""
        return copy.deepcopy(self._source)

    @property
    def log(self) -> pd.DataFrame | None:
        """The fields of the log, a copy: see above."""
        return None if self._log is None else jobs_table.copied(self._log)

    def __len__(self) -> int:
        return len(self._jobs)

    def __repr__(self) -> str:
        text = f"<Workload {self.name}: {len(self):,} jobs on {self.procs:,} processors"
        text += f" and {self.gpus:,} GPUs" * (self.gpus > 0)
        if self.start is not None and len(self):
            first, last = self._jobs.submit.iloc[0], self._jobs.submit.iloc[-1]
            with suppress(ValueError, OverflowError, NotImplementedError):  # beyond the years a calendar has
                text += f", {self.time(first):%Y-%m-%d} to {self.time(last):%Y-%m-%d}"
        if self.synthetic:
            text += ", SYNTHETIC"
        for reason, count in self.dropped.value_counts(sort=False).items():
            text += f"; {count:,} dropped ({reason})"
        if self.unestimated:
            text += f"; {self.unestimated:,} without requested time (the run time is their estimate)"
        return "; ".join([text, *self.history]) + ">"

    def _repr_html_(self) -> str:
        """Show the same text in notebooks, which break lines of plain text within words."""
        return f"<p>{escape(repr(self).strip('<>'))}</p>"

    @property
    def stand_in(self) -> bool:
        """Whether it is made up and replaces a log; every exhibit made from it says so.

        Examples
        --------
        >>> import simlib
        >>> simlib.load("sample").stand_in
        True
        """
        return self.synthetic and "model" not in self._source

    @property
    def unestimated(self) -> int:
        """The number of jobs without a requested time in the log; their run time serves as a perfect estimate.

        It is zero without a log, and with estimates from a model other than the users'.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.load("sample")
        >>> w.unestimated, w.with_estimates("exact").unestimated
        (394, 0)
        """
        if not len(self._unrequested):
            return 0
        jobs = self._jobs
        return int((jobs.index.isin(self._unrequested) & (jobs.estimate == jobs.run).to_numpy()).sum())

    @property
    def ends(self) -> pd.Series:
        """The second at which each job ended by the log's own times; an unknown wait counts as zero.

        Raises
        ------
        ValueError
            Where there is no log.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.load("sample")
        >>> bool((w.ends >= w.jobs.submit + w.jobs.run).all())
        True
        """
        if self._log is None:
            raise ValueError(f"{self.name}: has no log, so it is not known when jobs ended; expected one read from SWF")
        log = self._log.loc[self._jobs.index]
        return log.submit + log.wait.clip(lower=0) + log.run

    def followed(self) -> tuple[Ints, Ints]:
        """Find which job each job follows by the log's fields 17 and 18, for simulations with feedback.

        Returns
        -------
        place : int64 array, read-only
            Of the job that it follows, among `jobs`; -1 for none.
        think : int64 array, read-only
            Seconds between the end of that job and its own submission; 0 where it follows none.

        Raises
        ------
        ValueError
            Where no job follows another, or several jobs have the same number.

        Examples
        --------
        >>> import pandas as pd, simlib
        >>> log = pd.DataFrame(-1, index=[1, 2], columns=simlib.logs.swf.FIELDS)
        >>> log = log.assign(job=[1, 2], submit=[0, 90], run=60, procs=4, preceding=[-1, 1], think=[-1, 30])
        >>> place, think = simlib.Workload(simlib.logs.swf.jobs_of(log), 8, log=log).followed()
        >>> place.tolist(), think.tolist()
        ([-1, 0], [0, 30])
        """
        if self._followed:
            return self._followed[0]
        followed = jobs_table.following(self._log, self._jobs.index, self.name)
        for column in followed:
            column.setflags(write=False)
        self._followed.append(followed)
        return followed

    def equals(self, other: "Workload") -> bool:
        """Tell whether both have the same jobs, machine and clock.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.Workload.of("one job", 4, A=(0, 10, 10, 3))
        >>> w.equals(w.scale_arrivals(2)), w.equals(w.with_procs(8))
        (True, False)
        """
        checks.check(f"{self.name}: equals", "other", other, checks.instance(Workload, "a Workload"))
        machines = [(each.procs, each.gpus, each.start) for each in (self, other)]
        return machines[0] == machines[1] and self._jobs.equals(other._jobs)

    # Selection

    def select(self, which: str | ArrayLike) -> Self:
        """Select the jobs for which `which` holds, as a new Workload.

        Parameters
        ----------
        which : str, Series or array
            A condition on the columns of `jobs` and the fields of the log, such as "procs > 4". Or True or False for
            each job: a Series is matched by the jobs' index, an array or a list by their order. To select jobs by their
            places in the table, write `w.derive(w.jobs.iloc[places], "some jobs")`.

        Raises
        ------
        ValueError
            For what is no condition, for a Series that lacks a job, and for anything but True and False.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2), C=(2, 5, 5, 1))
        >>> w.select("procs > 1").jobs.index.to_list()
        ['A', 'B']
        >>> w.select(w.jobs.sort_values("run").run < 10).jobs.index.to_list()
        ['B', 'C']
        """
        table = self._jobs
        if not isinstance(which, str):
            given = checks.by_job(f"{self.name}: select", which, table.index)
            if len(given) and pd.api.types.infer_dtype(given, skipna=False) != "boolean":
                raise ValueError(
                    f"{self.name}: select: found values such as {given.tolist()[0]!r} of type {given.dtype}, expected "
                    "True or False for each job; by places in the table write "
                    "w.derive(w.jobs.iloc[places], 'some jobs')"
                )
            return self._derived(table[given.astype(bool)], "selected jobs")
        if self._log is not None:
            table = table.join(self._log.loc[table.index, self._log.columns.difference(table.columns)])
        try:
            chosen = table.eval(which)
            if not (isinstance(chosen, pd.Series) and chosen.dtype == bool):
                raise TypeError("it is not true or false of each job")
        except Exception as error:
            raise ValueError(
                f"{self.name}: cannot select {which!r} ({error}); expected a condition on {', '.join(table.columns)}"
            ) from None
        return self._derived(self._jobs[chosen], f"jobs with {which}")

    def months(self, first: str, last: str | None = None) -> Self:
        """Select the jobs submitted from the calendar month `first` to the end of month `last`, as a new Workload."""
        last = first if last is None else last
        for month in (first, last):
            check_month(month, f"{self.name}: ")
        submit = self._jobs.submit
        known, edges = self.month_starts(submit.iloc[0], submit.iloc[-1]) if len(submit) else ([], np.zeros(1))
        chosen = [number for number, month in enumerate(known) if first <= month <= last]
        begin, end = (edges[chosen[0]], edges[chosen[-1] + 1]) if chosen else (0, 0)
        step = f"submitted {first}" + (f" to {last}" if last != first else "")
        part = self._submitted(begin, end, step)
        if not len(part):
            span = f"{known[0]} to {known[-1]}" if known else "no job"
            raise ValueError(f"{self.name}: no job was submitted from {first} to {last}; the log has {span}")
        return part

    def between(self, first: Moment | int, last: Moment | int) -> Self:
        """Select the jobs submitted from one time to just before another, as a new Workload.

        Jobs that ran or waited before `first` are left out: a simulation begins with an empty machine.
        `Schedule.between` and `simlib.plots.gantt` show a part of the full schedule.
        """
        begin, end = self.period(first, last)
        step = f"submitted from {first} to before {last}"
        part = self._submitted(begin, end, step)
        if len(part):
            return part
        submit, span = self._jobs.submit, "a log with jobs"
        if len(submit) and self.start is None:
            span = f"{submit.iloc[0]:,} to {submit.iloc[-1]:,} s"
        elif len(submit):
            span = f"{self.time(submit.iloc[0]):%Y-%m-%d %H:%M} to {self.time(submit.iloc[-1]):%Y-%m-%d %H:%M}"
        raise ValueError(f"{self.name}: no job was submitted from {first} to before {last}; expected a part of {span}")

    def partition(self, *partitions: int | str, procs: int, gpus: int | None = None) -> Self:
        """Select the jobs of one or several partitions (field 16 of the log), on a machine of their size.

        If one of the jobs needs GPUs, `gpus` must give their number.
        """
        if self._log is None:
            expected = "expected one read from SWF"
            raise ValueError(f"{self.name}: has no log, so the jobs' partitions are not known; {expected}")
        partition = self._log.partition
        names = names_of("Partition", self.header)
        counts = partition.loc[self._jobs.index].value_counts().sort_index().to_dict()
        numbers = {number: number for number in counts} | {str(number): number for number in counts}
        numbers |= {called: number for number, called in names.items() if number in counts}
        called = ", ".join(map(str, partitions))
        chosen = [numbers.get(name) if isinstance(name, str) or _NUMBER.fits(name) else None for name in partitions]
        if not chosen or None in chosen:
            titles = [f"{number} {names.get(number, '')}".strip() for number in counts]
            known = ", ".join(f"{title} ({count:,} jobs)" for title, count in zip(titles, counts.values(), strict=True))
            raise ValueError(f"{self.name}: found partition {called or 'none'}, expected one or several of {known}")
        part = self._part(lambda jobs: partition.loc[jobs.index].isin(chosen), f"partition {called}")
        if gpus is None and part.needs_gpus:
            raise ValueError(
                f"{self.name}: partition {called}: found jobs that need GPUs, expected the partition's number of them, "
                "such as gpus=8"
            )
        return part.with_procs(procs, 0 if gpus is None else gpus)

    def _submitted(self, begin: int, end: int, step: str) -> Self:
        """Select the jobs submitted from one second to just before another, also those that do not take part."""
        return self._part(lambda jobs: (jobs.submit >= begin) & (jobs.submit < end), step)

    def _part(self, which: Callable[[pd.DataFrame], "pd.Series[bool]"], step: str) -> Self:
        """Select the jobs for which `which` is true, also among those that do not take part."""
        new = self._derived(self._jobs[which(self._jobs)], step)
        new._others = self._others[which(self._others)]
        return new

    @property
    def needs_gpus(self) -> bool:
        """Whether a job needs GPUs.

        Examples
        --------
        >>> import simlib
        >>> simlib.Workload.of("one job", 4, A=(0, 10, 10, 3)).needs_gpus
        False
        """
        return "gpus" in self._jobs and bool((self._jobs.gpus > 0).any())

    # Load

    @property
    def load(self) -> float:
        """The offered load: processor-seconds of all jobs / (machine x time from first to last submit).

        Examples
        --------
        >>> import simlib
        >>> simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 2), B=(20, 30, 30, 2)).load
        1.0
        """
        submit, run, procs = (self._jobs[column].to_numpy() for column in ("submit", "run", "procs"))
        return metrics.offered_load(submit, run, procs, self.procs)

    def scale_arrivals(self, factor: float) -> Self:
        """Multiply all interarrival times by `factor`, so that the load becomes load / factor (MF 3.1).

        Run times do not change.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 2), B=(20, 30, 30, 2)).scale_arrivals(2)
        >>> w.jobs.submit.to_list(), w.load
        ([0, 40], 0.5)
        """
        checks.check("scale_arrivals", "factor", factor, checks.number("a positive number", above=0))
        factor = float(factor)
        submit = self._jobs.submit.to_numpy()  # in order, so that the first is the least
        scaled = submit[:1] + np.rint((submit - submit[:1]) * factor)
        if not np.abs(scaled[:: max(len(scaled) - 1, 1)]).max(initial=0) < 2.0**62:
            raise ValueError(f"scale_arrivals: found factor={factor:g}, expected a smaller one: times overflow 64 bits")
        return self._derived(self._jobs.assign(submit=scaled.astype(np.int64)), f"interarrival times x {factor:g}")

    def scale_load(self, to: float) -> Self:
        """Scale interarrival times so that the offered load becomes `to`, such as 0.8 (MF 3.1).

        Examples
        --------
        >>> import simlib
        >>> round(simlib.load("sample").scale_load(to=0.8).load, 3)
        0.8
        """
        checks.check("scale_load", "to", to, checks.number("a positive number such as 0.8", above=0))
        if not self.load > 0:
            raise ValueError(f"{self.name}: scale_load: found a load of {self.load}, expected jobs that come and run")
        return self.scale_arrivals(self.load / to)

    # Variations

    def with_procs(self, procs: int, gpus: int | None = None) -> Self:
        """Put the jobs on a machine of another size, as a new Workload.

        Jobs that are larger than the machine are dropped, and reported in `dropped`. Jobs that were dropped before stay
        dropped, even if they would fit now: to include them, read the log with `procs=`.

        Parameters
        ----------
        procs : int
            Processors of the machine.
        gpus : int, optional
            GPUs of the machine; by default their present number.

        Raises
        ------
        ValueError
            For a machine without processors.

        Examples
        --------
        >>> import simlib
        >>> simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2)).with_procs(2)
        <Workload two jobs: 1 jobs on 2 processors; 1 dropped (larger than the machine); on 2 processors instead of 4>
        """
        size, has_gpus = _machine(self.name, procs, self.gpus if gpus is None else gpus)
        jobs, others = jobs_table.taking_part(self._jobs, self.name, size, has_gpus)
        step = f"on {size:,} processors instead of {self.procs:,}"
        if has_gpus != self.gpus:
            step += f", {has_gpus:,} GPUs instead of {self.gpus:,}"
        new = self._with(jobs, step)
        new.procs, new.gpus = size, has_gpus
        new._others = pd.concat([self._others, others]) if len(others) else self._others
        return new

    def without_gpus(self) -> Self:
        """Leave out the machine's GPUs and the jobs' need for them, as a new Workload that says so.

        Use it for policies that schedule only processors.

        Examples
        --------
        >>> import pandas as pd, simlib
        >>> table = pd.DataFrame({"submit": [0, 5], "run": [60, 60], "procs": [3, 4], "gpus": [0, 2]})
        >>> simlib.Workload(table, 4, "from a table", gpus=2).without_gpus()
        <Workload from a table: 2 jobs on 4 processors; 2 GPUs left out, which 1 of 2 jobs need>
        """
        need = int((self._jobs.gpus > 0).sum()) if self.gpus else 0
        new = self._with(self._jobs[COLUMNS], f"{self.gpus:,} GPUs left out, which {need:,} of {len(self):,} jobs need")
        new.gpus = 0
        return new

    def with_estimates(self, model: str | _estimates.Model, seed: int = 0) -> Self:
        """Give the same jobs other run-time estimates, as a new Workload.

        Parameters
        ----------
        model : str, model or callable
            A name in `simlib.estimates.NAMES` ("user", "exact"); a model from `simlib.estimates`; or your own function
            of the jobs table, a copy, and a `numpy.random.Generator`. It returns an estimate in seconds for each job: a
            Series by the index of the jobs, or an array in their order. `simlib.replicate` takes the same.
        seed : int
            Of the generator, and of a model that draws and has no own seed.

        Raises
        ------
        ValueError
            For an object that is no model, for a Series that lacks a job, and for an estimate that is not a whole
            number of seconds from 0 to 2^61.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2))
        >>> w.with_estimates("exact").jobs.estimate.to_list()
        [10, 5]
        >>> w.with_estimates(simlib.estimates.Scaled(3)).jobs.estimate.to_list()
        [30, 24]

        Users round up to minutes, and add up to five minutes:

        >>> def in_minutes(jobs, rng):
        ...     return 60 * (-(-jobs.run // 60) + rng.integers(0, 5, size=len(jobs), endpoint=True))
        >>> w.with_estimates(in_minutes, seed=1).jobs.estimate.to_list()
        [180, 240]
        """
        checks.whole(f"{self.name}: with_estimates", "seed", seed, 0)
        model_itself = _estimates.named(model)
        made, called = _estimates.made_by(model_itself, self.jobs, seed)
        where = f"{self.name}: estimates: {called}"
        estimate = _estimates.in_seconds(
            pd.Series(checks.by_job(where, made, self._jobs.index), self._jobs.index), where
        )
        new = self._derived(self._jobs.assign(estimate=estimate), f"estimates: {called}")
        if not isinstance(model_itself, _estimates.User):
            new._unrequested = self._unrequested[:0]
        return new

    def shake(self, seconds: int = 60, seed: int = 0) -> Self:
        """Move submit times at random within +-`seconds`, to learn how much a result depends on coincidence.

        Tsafrir, Ouaknine & Feitelson, "Reducing performance evaluation sensitivity and variability by input shaking",
        MASCOTS 2007. Jobs of a user that come at most 2 `seconds` after each other are a burst and move together; all
        bursts move independently, and so does each job of an unknown user (-1). So the order of a user's jobs stays,
        on which predictions from the user's last jobs depend (docs/background/shaking.md has measurements).

        Raises
        ------
        ValueError
            If `seconds` is not a whole number from 0 to 10^9, or the seed is below 0.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.load("sample")
        >>> int((w.shake(seconds=60, seed=1).jobs.submit - w.jobs.submit).abs().max())
        60
        """
        seconds = check_shaking(f"{self.name}: shake", seconds, seed)
        by_user, pause = self._pauses
        burst = np.cumsum(pause > 2 * seconds) - 1
        shift = np.random.default_rng(seed).integers(
            -seconds, seconds, size=len(burst) and burst[-1] + 1, endpoint=True
        )
        columns = self._columns  # done thousands of times, in threads: pandas would hold Python's lock
        submit = columns[_SUBMIT].copy()
        submit[by_user] += shift[burst]
        order = in_order(submit)
        moved = np.empty((len(columns), len(submit)), np.int64)
        for row, column in enumerate(columns):
            (submit if row == _SUBMIT else column).take(order, out=moved[row], mode="clip")  # unlooked at, quicker
        jobs = pd.DataFrame(moved.T, self._jobs.index.take(order), self._jobs.columns, copy=False)
        return self._with(jobs, f"shaken by +-{seconds} s, seed {seed}")

    @cached_property
    def _columns(self) -> list[Ints]:
        """The numbers of the jobs table by column, in place."""
        return [self._jobs[name].to_numpy() for name in self._jobs]

    @cached_property
    def _pauses(self) -> tuple[Ints, Ints]:
        """The places of the jobs by user, and the seconds since the user's last job; without one, more than any."""
        submit, user = self._columns[_SUBMIT], self._columns[_USER]
        by_user = np.argsort(user, kind="stable")
        pause, user = np.diff(submit[by_user], prepend=0), user[by_user]
        pause[(user < 0) | (np.diff(user, prepend=-1) != 0)] = np.iinfo(np.int64).max
        return by_user, pause

    def derive(self, jobs: pd.DataFrame | Mapping[str, Any] | list[dict[str, Any]], step: str) -> Self:
        """Give the same machine and clock another jobs table, as a new Workload.

        Parameters
        ----------
        jobs : DataFrame
            Columns as in `jobs`; each of them takes part.
        step : str
            What was done, for the `history`.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2))
        >>> w.derive(w.jobs.assign(procs=1), "one processor each")
        <Workload two jobs: 2 jobs on 4 processors; one processor each>
        """
        checks.check(f"{self.name}: derive", "step", step, checks.instance(str, "a text"))
        table, clock = jobs_table.own(jobs, self.name, self.start)
        if clock is not self.start:
            self._clock()  # times need one
        return self._derived(table, step)

    def _derived(self, jobs: pd.DataFrame, step: str) -> Self:
        """Do the same with a table whose numbers nobody else has."""
        jobs = jobs_table.completed(jobs, self.name, self.gpus)
        if "gpus" in jobs and not (jobs.gpus <= self.gpus).all():
            has = f"expected at most the {self.gpus:,} of the machine"
            raise ValueError(f"{self.name}: jobs: column gpus: found {jobs.gpus.max():,}, {has}")
        return self._with(jobs_table.by_arrival(jobs), step)

    def _with(self, jobs: pd.DataFrame, step: str) -> Self:
        """Derive a workload from a table with all columns and in order."""
        new = copy.copy(self)
        new._jobs = jobs
        for of_the_table in ("_columns", "_pauses"):
            vars(new).pop(of_the_table, None)
        if not jobs.index.equals(self._jobs.index):
            new._followed = []
        new.history = (*self.history, step)
        return new


def _machine(name: str, procs: int, gpus: int) -> tuple[int, int]:
    """Give the processors and GPUs of a machine as int; ValueError for other numbers."""
    checks.check(f"{name}: machine size", "procs", procs, _PROCS)
    return int(procs), checks.whole(f"{name}: machine", "gpus", gpus, 0, MOST_PROCS)


def names_of(word: str, header: Sequence[str]) -> dict[Any, str]:
    """Read the names that lines of a header such as `Partition: 3 batch` give to numbers."""
    lines = (re.match(rf"\s*{word}:\s*(\d{{1,9}})\s+(\S.*?)\s*(?:[(\[].*)?$", line) for line in header)
    return {int(line[1]): line[2] for line in lines if line}


def check_shaking(where: str, seconds: object, seed: object) -> int:
    """Check the seconds and the seed of shaking; give the seconds as an int."""
    checks.whole(where, "seed", seed, 0)
    most = 10**9  # thirty years: who moves them by more does not shake a log
    return checks.whole(where, "seconds", seconds, 0, most)


_PROCS = checks.Kind(checks.whole_number(1, MOST_PROCS).fits, "a positive whole number")

_NUMBER = checks.whole_number(-(2**63))

_ROW = checks.Kind(lambda row: np.shape(row) == (4,), "four numbers: submit, run, estimate, procs")

_LINES = checks.Kind(
    lambda lines: isinstance(lines, list | tuple) and all(isinstance(line, str) for line in lines), "a list of texts"
)
