"""A workload: which jobs are submitted when to what machine."""

import copy
import re
from contextlib import suppress
from functools import lru_cache
from html import escape

import numpy as np
import pandas as pd

from . import estimates as _estimates

COLUMNS = ["submit", "run", "procs", "estimate", "user", "group", "app", "queue", "status"]
"""The columns of `Workload.jobs`, all int64: seconds since the log's start, seconds, processors, seconds, and numbers
that stand for names; -1 where not known. `status` is SWF's: 1 completed, 0 failed, 5 cancelled."""

SUBMIT = COLUMNS.index("submit")

NO_RUN = "run time unknown"
NO_PROCS = "no processors recorded"
TOO_LARGE = "larger than the machine"


class Workload:
    """Jobs submitted to a machine; immutable: what changes it returns a new one.

    Parameters
    ----------
    jobs : DataFrame
        At least the columns `submit`, `run` (seconds) and `procs`; `estimate` defaults to `run`, the other `COLUMNS`
        to -1. The index identifies jobs.
    procs : int
        Processors of the machine.
    name : str
    start : Timestamp, optional
        The time of second 0, in the zone whose calendar divides the log into months.
    header : sequence of str
        Comment lines of the log it came from.
    log : DataFrame, optional
        The 18 SWF fields by the same index (see `simlib.swf.FIELDS`); for selections and for writing.
    source : dict
        Where it came from: `file`, and `variant` and `sha256` where known; or the `model`, its `jobs` and `seed`.
    synthetic : bool
        Whether it is made up rather than recorded. A published model's names that model in `source`, any other stands
        in for a log: see `stand_in`.

    Attributes
    ----------
    jobs : DataFrame
        The jobs that take part (run >= 0 and 0 < procs <= machine) by (submit, line in the log), columns `COLUMNS`.
    dropped : Series of str
        Why each other job does not take part.
    unestimated : int
        How many jobs have no requested time in the log, so that their run time serves as a perfect estimate.
    history : tuple of str
        What was done to the log, step by step.

    Raises
    ------
    ValueError
        For a machine without processors, missing columns or numbers that are not whole.
    """

    def __init__(self, jobs, procs, name="workload", *, start=None, header=(), log=None, source=None, synthetic=False):
        if not (isinstance(procs, (int, np.integer)) and procs > 0):
            raise ValueError(f"{name}: machine size: found procs={procs!r}, expected a positive whole number")
        jobs = _complete(jobs, name)
        reason = np.select(
            [jobs.run < 0, jobs.procs <= 0, jobs.procs > procs], [NO_RUN, NO_PROCS, TOO_LARGE], default=""
        )
        out = reason != ""
        self.dropped = pd.Series(reason[out], index=jobs.index[out], name="dropped", dtype=object)
        self._jobs = _by_arrival(jobs[~out] if out.any() else jobs)
        self.procs = int(procs)
        self.name = name
        self.start = _aware(start)
        self.header = tuple(header)
        self.log = log
        self.source = source or {}
        self.synthetic = synthetic
        self.history = ()
        self._unrequested = _unrequested(self._jobs, log)  # also those that take no part
        self._followed = []  # once it is known; all workloads that have the same jobs of the same log share it

    @classmethod
    def of(cls, name, procs, **jobs):
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
        table = pd.DataFrame.from_dict(jobs, orient="index", columns=["submit", "run", "estimate", "procs"])
        return cls(table, procs, name)

    @property
    def jobs(self):
        return self._jobs.copy(deep=False)  # copy on write: nobody changes ours

    def __len__(self):
        return len(self._jobs)

    def __repr__(self):
        text = f"<Workload {self.name}: {len(self):,} jobs on {self.procs:,} processors"
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

    def _repr_html_(self):
        """The same for notebooks, which break lines of plain text within words."""
        return f"<p>{escape(repr(self).strip('<>'))}</p>"

    @property
    def stand_in(self):
        """Whether it is made up to stand in for a log; every exhibit made from it says so."""
        return self.synthetic and "model" not in self.source

    @property
    def unestimated(self):
        """How many jobs have no requested time in the log, so that their run time serves as a perfect estimate.

        None where no log says so: a table of jobs, and a model of estimates other than the users', say what they mean.
        """
        if not len(self._unrequested):
            return 0
        jobs = self._jobs
        return int((jobs.index.isin(self._unrequested) & (jobs.estimate == jobs.run).to_numpy()).sum())

    @property
    def ends(self):
        """The second at which each job ended in the log's own times; where the wait is not known, as if there was none.

        Raises
        ------
        ValueError
            Where there is no log.
        """
        if self.log is None:
            raise ValueError(f"{self.name}: has no log, so it is not known when jobs ended; expected one read from SWF")
        log = self.log.loc[self._jobs.index]
        return log.submit + log.wait.clip(lower=0) + log.run

    def followed(self):
        """Which job each job follows by the log's fields 17 and 18, for simulations with feedback.

        Returns
        -------
        place : int64 array
            Of the job that it follows, among `jobs`; -1 for none.
        think : int64 array
            Seconds between the end of that job and its own submission; 0 where it follows none.

        Raises
        ------
        ValueError
            Where no job follows another, or several jobs have the same number.
        """
        if not self._followed:
            self._followed.append(self._find_followed())
        return self._followed[0]

    def _find_followed(self):
        jobs, log = self._jobs, self.log
        if log is None or not (log.preceding.loc[jobs.index] > 0).any():
            raise ValueError(
                f"{self.name}: found no job with a preceding one, so there is no feedback; expected a log with fields "
                "17 (number of the preceding job) and 18 (think time in seconds)"
            )
        line = log.index.get_indexer(jobs.index)
        log = log.iloc[line]
        if not log.job.is_unique:
            raise ValueError(f"{self.name}: feedback: found jobs of the same number, expected a number for every job")
        place = pd.Index(log.job).get_indexer(log.preceding)
        submit, think = log.submit.to_numpy(), log.think.round().to_numpy(np.int64)
        before = (submit[place] < submit) | ((submit[place] == submit) & (line[place] < line))
        follows = (log.preceding > 0).to_numpy() & (think >= 0) & (place >= 0) & before
        return np.where(follows, place, -1), np.where(follows, think, 0)

    def equals(self, other):
        """Whether both have the same jobs, machine and clock."""
        return (self.procs, self.start) == (other.procs, other.start) and self._jobs.equals(other._jobs)

    # The clock

    def time(self, seconds):
        """The calendar time of a second of the log, as a Timestamp in the log's zone."""
        return self._clock() + pd.Timedelta(int(seconds), "s")

    def month_starts(self, first, last):
        """The calendar months that `first` to `last` (seconds) touch.

        Returns
        -------
        months : list of str
            `YYYY-MM`, in the log's own zone.
        edges : int64 array
            The second each of them begins at, and the one the last of them ends at.
        """
        begin, end = (self.time(seconds) for seconds in (first, last))
        months, edges = _calendar(self._clock(), self.start.tz, begin.year, begin.month, end.year, end.month)
        return list(months), edges.copy()

    def calendar_month(self, seconds):
        """The month, `YYYY-MM` in the log's own zone, of each of an array of seconds."""
        seconds = np.asarray(seconds)
        if seconds.size == 0:
            return np.array([], dtype=object)
        months, edges = self.month_starts(seconds.min(), seconds.max())
        return np.array(months, dtype=object)[np.searchsorted(edges, seconds, side="right") - 1]

    def _clock(self):
        if self.start is None:
            raise ValueError(
                f"{self.name}: has no calendar: expected '; UnixStartTime:' and '; TimeZoneString:' in the log's "
                "header, or Workload(..., start=pd.Timestamp(...))"
            )
        return self.start

    # Selection

    def select(self, which):
        """The jobs for which `which` holds.

        Parameters
        ----------
        which : str or boolean array
            An expression over the columns of `jobs` and the fields of the log, as for `DataFrame.query`, such as
            "status == 1" or "requested_time > 0"; or one truth value a job.
        """
        if not isinstance(which, str):
            return self.derive(self._jobs[np.asarray(which, dtype=bool)], "selected jobs")
        table = self._jobs
        if self.log is not None:
            table = table.join(self.log.loc[table.index, self.log.columns.difference(table.columns)])
        try:
            chosen = table.eval(which)
            if not (isinstance(chosen, pd.Series) and chosen.dtype == bool):
                raise TypeError("it is not true or false of each job")
        except Exception as error:
            raise ValueError(
                f"{self.name}: cannot select {which!r} ({error}); expected a condition on {', '.join(table.columns)}"
            ) from None
        return self.derive(self._jobs[chosen], f"jobs with {which}")

    def months(self, first, last=None):
        """The jobs submitted from the calendar month `first` to the end of month `last` (`YYYY-MM`, the log's zone)."""
        last = last or first
        for month in (first, last):
            if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", str(month)):
                raise ValueError(f"{self.name}: found month {month!r}, expected one such as '1996-10'")
        month = self.calendar_month(self._jobs.submit)
        chosen = (month >= first) & (month <= last)
        if not chosen.any():
            span = f"{month.min()} to {month.max()}" if len(month) else "no job"
            raise ValueError(f"{self.name}: no job was submitted from {first} to {last}; the log has {span}")
        return self.derive(self._jobs[chosen], f"submitted {first}" + (f" to {last}" if last != first else ""))

    # Load

    @property
    def load(self):
        """Offered load: processor-seconds of all jobs / (machine x time from first to last submit)."""
        submit, run, procs = (self._jobs[column].to_numpy() for column in ("submit", "run", "procs"))
        span = int(submit[-1]) - int(submit[0]) if len(submit) else 0
        work = int(run.astype(float) @ procs.astype(float))
        if work < 2**62:  # of absurd logs the last digits do not matter, but it must not overflow
            work = int((run * procs).sum())
        return work / (self.procs * span) if span else float("nan")

    def scale_arrivals(self, factor):
        """Multiply all interarrival times by `factor`; run times stay, so the load becomes load / factor (MF 3.1)."""
        if not (np.isfinite(factor) and factor > 0):
            raise ValueError(f"scale_arrivals: found factor={factor!r}, expected a positive number")
        submit = self._jobs.submit
        scaled = submit.min() + np.rint((submit - submit.min()) * factor)
        return self.derive(self._jobs.assign(submit=scaled), f"interarrival times x {factor:g}")

    def scale_load(self, to):
        """Scale interarrival times so that the offered load becomes `to`, such as 0.8 (MF 3.1)."""
        if not (np.isfinite(to) and to > 0):
            raise ValueError(f"scale_load: found to={to!r}, expected a positive number such as 0.8")
        return self.scale_arrivals(self.load / to)

    # Variations

    def with_estimates(self, model):
        """The same jobs with other run-time estimates.

        Parameters
        ----------
        model : str or callable
            A name in `simlib.estimates.NAMES` ("user", "exact") or a model from `simlib.estimates`: a function of the
            jobs table that returns one estimate in seconds a job.
        """
        model = _estimates.named(model)
        estimate = model(self.jobs)  # a Series is matched by the jobs' index, anything else by their order
        new = self.derive(self._jobs.assign(estimate=estimate), f"estimates: {getattr(model, '__name__', model)}")
        if not isinstance(model, _estimates.User):
            new._unrequested = self._unrequested[:0]
        return new

    def shake(self, seconds=60, seed=0):
        """Move every submit time at random within +-`seconds`, to see how much a result hangs on coincidences.

        Tsafrir, Ouaknine & Feitelson, "Reducing performance evaluation sensitivity and variability by input shaking",
        MASCOTS 2007.
        """
        shift = np.random.default_rng(seed).integers(-seconds, seconds, size=len(self), endpoint=True)
        columns = self._jobs.to_numpy().T  # done thousands of times, in threads: pandas would hold Python's lock
        submit = columns[SUBMIT] + shift
        order = np.argsort(submit, kind="stable")
        columns = columns.take(order, axis=1)
        columns[SUBMIT] = submit[order]
        jobs = pd.DataFrame(columns.T, self._jobs.index.take(order), self._jobs.columns, copy=False)
        return self._with(jobs, f"shaken by +-{seconds} s, seed {seed}")

    def derive(self, jobs, step):
        """The same machine and clock with another jobs table (columns as in `jobs`); `step` joins the history."""
        return self._with(_by_arrival(_complete(jobs, self.name)), step)

    def _with(self, jobs, step):
        """As `derive`, of a table with all columns and in order."""
        new = copy.copy(self)
        new._jobs = jobs
        if not jobs.index.equals(self._jobs.index):
            new._followed = []
        new.history = (*self.history, step)
        return new


@lru_cache
def _calendar(clock, zone, year, month, last_year, last_month):
    """From a month to a later one: their names, and the edges between them as seconds after `clock`.

    Shaken runs ask for the same ones again and again, and calendars are slow. Clocks of two zones can be equal.
    """
    begin, end = (pd.Period(year=y, month=m, freq="M") for y, m in ((year, month), (last_year, last_month)))
    months = pd.period_range(begin, end + 1)
    first_of_two = np.ones(len(months), bool)  # where the clock is put back at midnight
    starts = months.to_timestamp().tz_localize(zone, ambiguous=first_of_two, nonexistent="shift_forward")
    edges = ((starts - clock) // pd.Timedelta(1, "s")).to_numpy(np.int64)
    return [f"{month:%Y-%m}" for month in months[:-1]], edges


def _unrequested(jobs, log):
    """The index of the jobs whose log has no requested time, so that the run time takes its place."""
    if log is None or "requested_time" not in log:
        return jobs.index[:0]
    return log.index[log.requested_time.to_numpy() <= 0.5]  # half a second is rounded to none


def _complete(jobs, name):
    """The jobs table with all COLUMNS, as int64."""
    if list(jobs) == COLUMNS and all(dtype == np.int64 for dtype in jobs.dtypes):  # as of most that are derived
        return jobs.copy(deep=False)
    missing = {"submit", "run", "procs"} - set(jobs.columns)
    if missing:
        raise ValueError(f"{name}: jobs: missing column {', '.join(sorted(missing))}; expected submit, run and procs")
    absent = {column: -1 for column in COLUMNS if column not in jobs} | (
        {} if "estimate" in jobs else {"estimate": jobs.run}
    )
    jobs = jobs.assign(**absent)[COLUMNS]
    for column in COLUMNS:
        if jobs[column].dtype == np.int64:
            continue
        try:
            whole = jobs[column].astype("int64")
            exact = bool((whole == jobs[column]).all())
        except (ValueError, TypeError, OverflowError):  # nan, inf, words
            exact = False
        if not exact:
            raise ValueError(f"{name}: jobs: column {column}: expected whole numbers")
        jobs[column] = whole
    return jobs


def _by_arrival(jobs):
    """In order of submit time, equal ones as they were."""
    submit = jobs.submit.to_numpy()
    return jobs if (submit[1:] >= submit[:-1]).all() else jobs.iloc[np.argsort(submit, kind="stable")]


def _aware(start):
    if start is None:
        return None
    start = pd.Timestamp(start)
    return start.tz_localize("UTC") if start.tz is None else start
