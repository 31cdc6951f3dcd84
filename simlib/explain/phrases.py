"""Parts of the sentences that tell of decisions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .words import are, jobs, length, number, processors, verb

if TYPE_CHECKING:
    from .system import Job


def named(*several: "Job") -> str:
    """Name a job, or several.

    Examples
    --------
    >>> from simlib.explain.system import Job
    >>> named(Job("A", 0, 0, 10, 10, 3))
    'job A'
    """
    return jobs(job.name for job in several)


def with_values(several: "Sequence[Job]", values: "Sequence[str] | None") -> str:
    """Name jobs with the values by which they are sorted; None where these go without saying.

    Examples
    --------
    >>> from simlib.explain.system import Job
    >>> with_values([Job("A", 0, 0, 10, 10, 3)], ["10 s"])
    'job A (10 s)'
    """
    if values is None:
        return named(*several)
    return jobs(f"{job.name} ({value})" for job, value in zip(several, values, strict=True))


def request(job: "Job") -> str:
    """Say what a job asks for.

    Examples
    --------
    >>> from simlib.explain.system import Job
    >>> request(Job("A", 0, 0, 10, 10, 3))
    '3 processors, estimate 10 s'
    """
    return f"{processors(job.procs)}, estimate {length(job.estimate)}"


def are_free(count: int) -> str:
    """Say how many processors are free.

    Examples
    --------
    >>> are_free(0), are_free(2)
    ('no processor is free', '2 processors are free')
    """
    return f"{processors(count)} {'are' if count > 1 else 'is'} free"


def too_few(job: "Job", free: int) -> str:
    """Say that a job needs more than is free.

    Examples
    --------
    >>> from simlib.explain.system import Job
    >>> too_few(Job("A", 0, 0, 10, 10, 3), 1)
    'it needs 3 processors, 1 is free'
    """
    return f"it needs {processors(job.procs)}, {f'{number(free)} {are(free)}' if free else 'none is'} free"


def no_earlier(job: "Job", too_short: Sequence[tuple[int, int]], now: int) -> str:
    """Say why a reservation is no earlier; `too_short` are the gaps before it, with begin and end.

    Examples
    --------
    >>> from simlib.explain.system import Job
    >>> no_earlier(Job("A", 0, 0, 10, 10, 3), [(5, 9)], now=5)
    'now it would fit, but only until 9'
    """
    if not too_short:
        return f"the first time at which {processors(job.procs)} {are(job.procs)} free"
    begin, end = too_short[0]
    return f"{'now' if begin == now else f'at {number(begin)}'} it would fit, but only until {number(end)}"


def passes_the(head: "Job", job: "Job") -> str:
    """Say that a job passes the head of the queue.

    Examples
    --------
    >>> from simlib.explain.system import Job
    >>> passes_the(Job("A", 0, 0, 10, 10, 3), Job("B", 1, 0, 10, 10, 1))
    'job B starts now, ahead of job A at the head'
    """
    return f"{named(job)} starts now, ahead of {named(head)} at the head"


def may(job: "Job") -> str:
    """Choose how sure it is until when a candidate runs at the most: predictions may prove too short.

    Examples
    --------
    >>> from simlib.explain.system import Job
    >>> may(Job("A", 0, 0, 10, 10, 3)), may(Job("A", 0, 0, 10, 10, 3, to_backfill=5))
    ('may', 'should')
    """
    return "should" if job.to_backfill < job.estimate else "may"


def end_of(ended: "Sequence[Job]", now: int) -> str:
    """Say which jobs end, and which of them earlier than expected.

    Examples
    --------
    >>> from simlib.explain.system import Job
    >>> end_of([Job("A", 0, 0, 10, 30, 3, start=0)], 10)
    'job A ends 20 s earlier than expected'
    """
    text = f"{named(*ended)} {verb(ended, 'ends', 'end')}"
    early = [job for job in ended if job.expected_end > now]
    if not early:
        return text
    if len(ended) == 1:
        return f"{text} {length(early[0].expected_end - now)} earlier than expected"
    who = named(*early) if len(early) < len(ended) else "both" if len(ended) == 2 else "all"
    return f"{text}, {who} early"
