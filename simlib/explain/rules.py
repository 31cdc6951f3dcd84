"""The rules by which schedulers decide, and the sentence that tells of each decision."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .phrases import are_free, end_of, may, named, no_earlier, passes_the, request, too_few, with_values
from .words import ahead, are, jobs, length, number, processors, sentence, series, share, verb

if TYPE_CHECKING:
    from .system import Job

Say = Callable[..., str]
"""A function that tells a decision in a sentence, from the job that is decided on and the facts."""


class Rule(NamedTuple):
    """A rule by which a scheduler decides.

    Attributes
    ----------
    kind : str
        What happens: see `simlib.explain.Decision`.
    name : str
        The rule in a few words.
    say : function
    together : bool
        Whether several jobs in a row, for which the same rule and facts hold, are told of in one sentence.
    """

    kind: str
    name: str
    say: Say
    together: bool = False


def rule(kind: str, name: str, together: bool = False) -> Callable[[Say], Rule]:
    """Make a rule of the function that says its sentence.

    Examples
    --------
    >>> @rule("wait", "nothing is free")
    ... def nothing_is_free(job):
    ...     return f"{job} waits."
    >>> nothing_is_free.name, nothing_is_free.say("Job A")
    ('nothing is free', 'Job A waits.')
    """
    return lambda say: Rule(kind, name, say, together)


# FCFS and EASY


@rule("event", "jobs end or arrive")
def jobs_end_or_arrive(
    _: None, ended: "Sequence[Job]", arrived: "Sequence[Job]", now: int, free: int, queue: "Sequence[Job]"
) -> str:
    parts = [end_of(ended, now)] if ended else []
    if not ended and not arrived:
        parts = ["no job ends or arrives, but one runs for longer than expected"]
    if arrived:
        who = jobs(f"{job.name} ({request(job)})" for job in arrived) if len(arrived) < 3 else named(*arrived)
        parts.append(f"{who} {verb(arrived, 'arrives', 'arrive')}")
    return sentence(f"{', '.join(parts)}: {are_free(free)}") + ("" if queue else " Nobody waits.")


@rule("sort", "the queue is sorted by priority")
def sorts(_: "Job", queue: "Sequence[Job]", by: str, values: "Sequence[str] | None") -> str:
    return sentence(f"the queue is sorted by {by}: {with_values(queue, values)}")


@rule("start", "the head fits")
def head_starts(job: "Job", free: int) -> str:
    return sentence(f"{named(job)} starts from the head of the queue: it needs {share(job.procs, free, 'free')}")


@rule("wait", "nobody may pass the head")
def head_blocks(head: "Job", others: "Sequence[Job]", free: int) -> str:
    text = sentence(f"{named(head)} waits at the head: {too_few(head, free)}")
    fitting = [job for job in others if job.procs <= free]
    also = f", not even {named(*fitting)}, which would fit" if fitting else ""
    return f"{text} Nobody may pass it{also}." if others else text


@rule("wait", "the head does not fit")
def head_waits(head: "Job", free: int, leaving: "Sequence[Job]", before: int | None, extra: int, now: int) -> str:
    spare = f"with {processors(extra, 'extra')}"
    if before is not None and head.shadow == before:
        known = f"the shadow time remains {number(before)}, {spare}"
        return sentence(f"{named(head)} still waits at the head: {are_free(free)}, {known}")
    still, moves = ("", "is") if before is None else (" still", f"moves from {number(before)} to")
    text = sentence(f"{named(head)}{still} waits at the head: {too_few(head, free)}")
    due = f"{ahead(head.shadow, now)}, when {named(*leaving)} should have ended"
    return f"{text} Its shadow time {moves} {due}, {spare}."


@rule("refuse", "more processors than are free", together=True)
def too_large(refused: "Sequence[Job]", free: int) -> str:
    text = f"{named(*refused)} {verb(refused, 'is', 'are')} refused: "
    if free == 0:
        return sentence(text + "no processor is free")
    if len(refused) == 1:
        return sentence(text + too_few(refused[0], free))
    wanted = [job.procs for job in refused]
    if min(wanted) == max(wanted):
        return sentence(text + f"each needs {processors(wanted[0])}, {number(free)} {are(free)} free")
    if len(wanted) <= 4:
        return sentence(text + f"they need {series(wanted)} processors, {number(free)} {are(free)} free")
    return sentence(text + f"each needs more than the {processors(free, 'free')}")


@rule("backfill", "ends by the shadow time")
def ends_by_the_shadow_time(job: "Job", head: "Job", shadow: int) -> str:
    by, end = f"the shadow time {number(shadow)}", job.start + job.to_backfill
    if end < shadow:
        by = f"{number(end)}, before {by}"
    will = "should" if may(job) == "should" else "will"
    return sentence(f"{passes_the(head, job)}: it needs {processors(job.procs)} and {will} end by {by}")


@rule("backfill", "fits the extra processors")
def fits_the_extra_processors(job: "Job", head: "Job", shadow: int, extra: int, left: int) -> str:
    until = f"it {may(job)} run until {number(job.start + job.to_backfill)}, past the shadow time {number(shadow)}"
    rest = (
        f", which {are(job.procs)} not used up" if left == extra else f", which leaves {number(left)}" if left else ""
    )
    return sentence(f"{passes_the(head, job)}: {until}, but on {share(job.procs, extra, 'extra')}{rest}")


@rule("refuse", "would delay the head")
def would_delay_the_head(job: "Job", end: int, shadow: int, extra: int) -> str:
    until = f"it {may(job)} run until {number(end)}, past the shadow time {number(shadow)}"
    few = f"only {number(extra)} {are(extra)} extra" if extra else "none is extra"
    return sentence(f"{named(job)} is refused: {until}, and needs {processors(job.procs)} where {few}")


# Conservative


@rule("event", "jobs end")
def jobs_end(_: None, ended: "Sequence[Job]", now: int, free: int, queue: "Sequence[Job]", compress: str) -> str:
    text = sentence(f"{end_of(ended, now)}: {are_free(free)}")
    if not queue:
        return f"{text} Nobody waits."
    return f"{text} {WHEN_EARLY[compress]}" if any(job.expected_end > now for job in ended) else text


WHEN_EARLY = {
    "arrival": "The schedule is compressed, in order of arrival.",
    "start": "The schedule is compressed, in order of reserved start.",
    "none": "All reservations stay as they are.",
    "rebackfill": "All reservations are forgotten and made anew, in order of arrival.",
}


@rule("reserve", "the earliest anchor point")
def reserves(job: "Job", too_short: Sequence[tuple[int, int]], now: int) -> str:
    text = f"{named(job)} arrives ({request(job)}) and "
    if job.reserved == now:
        return sentence(f"{text}can start at once")
    return sentence(
        f"{text}gets a reservation at {ahead(job.reserved, now)}, its guarantee: {no_earlier(job, too_short, now)}"
    )


@rule("move", "compression")
def moves_forward(job: "Job", before: int, now: int) -> str:
    to = f"{number(now)}: it can start at once" if job.reserved == now else ahead(job.reserved, now)
    return sentence(f"compression moves the reservation of {named(job)} from {number(before)} to {to}")


@rule("keep", "fits no earlier", together=True)
def keeps(several: "Sequence[Job]") -> str:
    at = f" at {series(number(job.reserved) for job in several)}" if len(several) <= 4 else ""
    reservation = verb(several, "its reservation", "their reservations")
    fits = verb(several, "it fits", "they fit")
    return sentence(f"{named(*several)} {verb(several, 'keeps', 'keep')} {reservation}{at}: {fits} no earlier")


@rule("move", "all reservations anew")
def reserves_anew(job: "Job", before: int, now: int) -> str:
    text = f"the new reservation of {named(job)} is {ahead(job.reserved, now)}"
    text += ", as before" if job.reserved == before else f" instead of {number(before)}"
    if job.reserved <= job.guarantee:
        return sentence(text)
    broken = "its guarantee is broken" if before == job.guarantee else f"its guarantee was {number(job.guarantee)}"
    return sentence(f"{text}: {broken}")


@rule("start", "the reservation is due")
def reservation_is_due(job: "Job") -> str:
    if job.start == job.submit:
        return sentence(f"{named(job)} starts at once")
    if job.start == job.guarantee:
        return sentence(f"{named(job)} starts, just as it was guaranteed")
    late = job.start - job.guarantee
    than = f"{length(abs(late))} {'after' if late > 0 else 'before'} its guarantee {number(job.guarantee)}"
    return sentence(f"{named(job)} starts at its reserved time, {than}")


@rule("backfill", "disturbs no reservation")
def passes(job: "Job", passed: "Sequence[Job]") -> str:
    whose = verb(passed, "its reservation is", "their reservations are")
    return sentence(f"{named(job)} starts ahead of {named(*passed)}, which came earlier: {whose} not touched")
