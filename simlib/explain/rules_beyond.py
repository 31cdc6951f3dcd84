"""The rules of what is made of EASY: orders of those that may pass, sets of them, predictions, more reservations."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .phrases import named, no_earlier, with_values
from .rules import rule
from .words import ahead, length, number, sentence, series, share, verb

if TYPE_CHECKING:
    from .system import Job

# Who passes the head


@rule("try", "those that may pass have an order")
def tries(_: "Job", head: "Job", fitting: "Sequence[Job]", by: str, values: "Sequence[str] | None") -> str:
    who = with_values(fitting, values)
    return sentence(f"those that would not delay {named(head)} are tried by {by}: {who}")


# Reservations for some of the jobs


@rule("reserve", "entitled to a reservation")
def reserves(job: "Job", why: str, too_short: Sequence[tuple[int, int]], now: int) -> str:
    who = f"{named(job)}, {why}," if why else named(job)
    return sentence(f"{who} gets a reservation at {ahead(job.reserved, now)}: {no_earlier(job, too_short, now)}")


@rule("give up", "not among the first any more")
def gives_up(job: "Job", before: int, most: float) -> str:
    first = "the first" if most == 1 else f"among the first {most:g}"
    return sentence(f"{named(job)} gives up its reservation at {number(before)}: it is not {first} any more")


@rule("start", "the reserved time has come")
def reserved_time(job: "Job", _: "Sequence[Job]") -> str:
    return sentence(f"{named(job)} starts at its reserved time{_than_first(job)}")


@rule("backfill", "the reserved time has come")
def reserved_time_ahead(job: "Job", waiting: "Sequence[Job]") -> str:
    return sentence(f"{named(job)} starts at its reserved time{_than_first(job)}, ahead of {named(*waiting)}")


@rule("backfill", "touches no reservation")
def touches_no_reservation(job: "Job", waiting: "Sequence[Job]", free: int) -> str:
    needs = f"it needs {share(job.procs, free, 'free')}"
    until = f"touches no reservation until {number(job.expected_end)}, its expected end"
    return sentence(f"{named(job)} starts now, ahead of {named(*waiting)}: {needs} and {until}")


@rule("refuse", "would touch a reservation")
def would_touch(job: "Job", touched: "Sequence[Job]", now: int) -> str:
    whose = f"{verb(touched, 'the reservation', 'the reservations')} of {named(*touched)}"
    at = series(number(other.reserved) for other in touched)
    return sentence(
        f"{named(job)} is refused: it may run until {number(now + job.estimate)}, and would touch {whose} at {at}"
    )


def _than_first(job: "Job") -> str:
    late = job.start - job.guarantee
    if not late:
        return ""
    return f", {length(abs(late))} {'after' if late > 0 else 'before'} the one reserved first"
