"""The rules of what is made of EASY: orders of those that may pass, sets of them, predictions, more reservations."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .phrases import named, no_earlier, with_values
from .rules import rule
from .words import ahead, length, number, processors, sentence, series, share, verb

if TYPE_CHECKING:
    from .system import Job

# Who passes the head


@rule("try", "those that may pass have an order")
def tries(_: "Job", head: "Job", fitting: "Sequence[Job]", by: str, values: "Sequence[str] | None") -> str:
    who = with_values(fitting, values)
    return sentence(f"those that would not delay {named(head)} are tried by {by}: {who}")


@rule("choose", "the set that takes the most processors")
def chooses(_: "Job", head: "Job", chosen: "Sequence[Job]", free: int, own: "Sequence[Job]") -> str:
    takes = f"{named(*chosen)} {verb(chosen, 'takes', 'take')} {share(_total(chosen), free, 'free')}"
    best = f"{takes}, and no set that does not delay {named(head)} takes more"
    if list(own) == list(chosen):
        return sentence(best)
    return sentence(f"{best}; in the order of the queue, {named(*own)} would take {number(_total(own))}")


@rule("refuse", "a better set without it", together=True)
def not_in_the_set(refused: "Sequence[Job]", total: int) -> str:
    text = f"{named(*refused)} {verb(refused, 'is', 'are')} refused: no set with {verb(refused, 'it', 'them')}"
    return sentence(f"{text} is better than the one that takes {processors(total)}")


@rule("refuse", "too far behind the head", together=True)
def not_looked_at(refused: "Sequence[Job]", depth: int) -> str:
    are_not = verb(refused, "it is not", "they are not")
    text = f"{named(*refused)} {verb(refused, 'is', 'are')} not looked at"
    return sentence(f"{text}: {are_not} among the first {depth} behind the head")


def _total(several: "Sequence[Job]") -> int:
    return sum(job.procs for job in several)


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


# Predictions


@rule("predict", "the mean of the user's last two jobs")
def predicts(job: "Job", runs: Sequence[int]) -> str:
    each = f"{length(runs[0])} each" if len(set(runs)) < len(runs) else " and ".join(map(length, runs))
    which = "only earlier job" if len(runs) == 1 else "last two jobs"
    of = f"the {which} of user {job.user} that {'has' if len(runs) == 1 else 'have'} ended ran for {each}"
    if sum(runs) // len(runs) > job.predicted:
        return sentence(f"{named(job)} is predicted to run for its estimate, {length(job.predicted)}, not longer: {of}")
    estimate = f"the estimate is {length(job.requested)}"
    return sentence(f"{named(job)} is predicted to run for {length(job.predicted)}: {of}; {estimate}")


@rule("predict", "the user's estimate")
def does_not_predict(job: "Job") -> str:
    why = f"no job of user {job.user} has ended before" if job.user != -1 else "its user is not known"
    return sentence(f"{named(job)} is expected to run for its estimate, {length(job.predicted)}: {why}")


@rule("correct", "it has run for longer than expected")
def corrects(job: "Job", before: int) -> str:
    now = f"it is now expected to end by {number(job.expected_end)}"
    if job.while_running == job.requested:
        now += ", as its user asked"
    return sentence(f"{named(job)} should have ended by {number(before)} and still runs: {now}")
