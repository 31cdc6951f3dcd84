"""The rules by which schedulers decide, and the sentence for each decision."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .._util.words import ahead, are, jobs, length, number, processors, sentence, series, share, verb
from .system import Job

# Parts of the sentences that tell of decisions.


def _named(*several: Job) -> str:
    """Name a job, or several."""
    return jobs(job.name for job in several)


def _with_values(several: Sequence[Job], values: Sequence[str] | None) -> str:
    """Name jobs with the values by which they are sorted; without values if these are None."""
    if values is None:
        return _named(*several)
    return jobs(f"{job.name} ({value})" for job, value in zip(several, values, strict=True))


def _request(job: Job) -> str:
    """Say what a job requests."""
    return f"{processors(job.procs)}, estimate {length(job.estimate)}"


def _are_free(count: int) -> str:
    """Say how many processors are free."""
    return f"{processors(count)} {'are' if count > 1 else 'is'} free"


def _too_few(job: Job, free: int) -> str:
    """Say that a job needs more than the free processors."""
    return f"it needs {processors(job.procs)}, {f'{number(free)} {are(free)}' if free else 'none is'} free"


def _no_earlier(job: Job, too_short: Sequence[tuple[int, int]], now: int) -> str:
    """Say why a reservation is no earlier; `too_short` are the gaps before it, with begin and end."""
    if not too_short:
        return f"the first time at which {processors(job.procs)} {are(job.procs)} free"
    begin, end = too_short[0]
    return f"{'now' if begin == now else f'at {number(begin)}'} it would fit, but only until {number(end)}"


def _passes_the(head: Job, job: Job) -> str:
    """Say that a job passes the head of the queue."""
    return f"{_named(job)} starts now, ahead of {_named(head)} at the head"


def _may(job: Job) -> str:
    """Choose the verb for the latest end of a candidate: predictions may be too short."""
    return "should" if job.to_backfill < job.estimate else "may"


def _end_of(ended: Sequence[Job], now: int) -> str:
    """Say which jobs end, and which of them end earlier than expected."""
    text = f"{_named(*ended)} {verb(ended, 'ends', 'end')}"
    early = [job for job in ended if job.expected_end > now]
    if not early:
        return text
    if len(ended) == 1:
        return f"{text} {length(early[0].expected_end - now)} earlier than expected"
    who = _named(*early) if len(early) < len(ended) else "both" if len(ended) == 2 else "all"
    return f"{text}, {who} early"


_Say = Callable[..., str]
"""A function that tells a decision in a sentence, from the job that is decided on and the facts."""


class Rule(NamedTuple):
    """A rule by which a scheduler decides."""

    kind: str
    name: str
    say: _Say
    together: bool = False


def _rule(kind: str, name: str, together: bool = False) -> Callable[[_Say], Rule]:
    """Make a rule of the function that writes its sentence."""
    return lambda say: Rule(kind, name, say, together)


# FCFS and EASY


@_rule("event", "jobs end or arrive")
def jobs_end_or_arrive(
    _: None, ended: Sequence[Job], arrived: Sequence[Job], now: int, free: int, queue: Sequence[Job]
) -> str:
    parts = [_end_of(ended, now)] if ended else []
    if not ended and not arrived:
        parts = ["no job ends or arrives, but one runs for longer than expected"]
    if arrived:
        who = jobs(f"{job.name} ({_request(job)})" for job in arrived) if len(arrived) < 3 else _named(*arrived)
        parts.append(f"{who} {verb(arrived, 'arrives', 'arrive')}")
    return sentence(f"{', '.join(parts)}: {_are_free(free)}") + ("" if queue else " Nobody waits.")


@_rule("sort", "the queue is sorted by priority")
def sorts(_: Job, queue: Sequence[Job], by: str, values: Sequence[str] | None) -> str:
    return sentence(f"the queue is sorted by {by}: {_with_values(queue, values)}")


@_rule("start", "the head fits")
def head_starts(job: Job, free: int) -> str:
    return sentence(f"{_named(job)} starts from the head of the queue: it needs {share(job.procs, free, 'free')}")


@_rule("wait", "nobody may pass the head")
def head_blocks(head: Job, others: Sequence[Job], free: int) -> str:
    text = sentence(f"{_named(head)} waits at the head: {_too_few(head, free)}")
    fitting = [job for job in others if job.procs <= free]
    also = f", not even {_named(*fitting)}, which would fit" if fitting else ""
    return f"{text} Nobody may pass it{also}." if others else text


@_rule("wait", "the head does not fit")
def head_waits(head: Job, free: int, leaving: Sequence[Job], before: int | None, extra: int, now: int) -> str:
    spare = f"with {processors(extra, 'extra')}"
    if before is not None and head.shadow == before:
        known = f"the shadow time remains {number(before)}, {spare}"
        return sentence(f"{_named(head)} still waits at the head: {_are_free(free)}, {known}")
    still, moves = ("", "is") if before is None else (" still", f"moves from {number(before)} to")
    text = sentence(f"{_named(head)}{still} waits at the head: {_too_few(head, free)}")
    due = f"{ahead(head.shadow, now)}, when {_named(*leaving)} should have ended"
    return f"{text} Its shadow time {moves} {due}, {spare}."


@_rule("refuse", "more processors than are free", together=True)
def too_large(refused: Sequence[Job], free: int) -> str:
    text = f"{_named(*refused)} {verb(refused, 'is', 'are')} refused: "
    if free == 0:
        return sentence(text + "no processor is free")
    if len(refused) == 1:
        return sentence(text + _too_few(refused[0], free))
    wanted = [job.procs for job in refused]
    if min(wanted) == max(wanted):
        return sentence(text + f"each needs {processors(wanted[0])}, {number(free)} {are(free)} free")
    if len(wanted) <= 4:
        return sentence(text + f"they need {series(wanted)} processors, {number(free)} {are(free)} free")
    return sentence(text + f"each needs more than the {processors(free, 'free')}")


@_rule("backfill", "ends by the shadow time")
def ends_by_the_shadow_time(job: Job, head: Job, shadow: int) -> str:
    by, end = f"the shadow time {number(shadow)}", job.start + job.to_backfill
    if end < shadow:
        by = f"{number(end)}, before {by}"
    will = "should" if _may(job) == "should" else "will"
    return sentence(f"{_passes_the(head, job)}: it needs {processors(job.procs)} and {will} end by {by}")


@_rule("backfill", "fits the extra processors")
def fits_the_extra_processors(job: Job, head: Job, shadow: int, extra: int, left: int) -> str:
    until = f"it {_may(job)} run until {number(job.start + job.to_backfill)}, past the shadow time {number(shadow)}"
    rest = (
        f", which {are(job.procs)} not used up" if left == extra else f", which leaves {number(left)}" if left else ""
    )
    return sentence(f"{_passes_the(head, job)}: {until}, but on {share(job.procs, extra, 'extra')}{rest}")


@_rule("refuse", "would delay the head")
def would_delay_the_head(job: Job, end: int, shadow: int, extra: int) -> str:
    until = f"it {_may(job)} run until {number(end)}, past the shadow time {number(shadow)}"
    few = f"only {number(extra)} {are(extra)} extra" if extra else "none is extra"
    return sentence(f"{_named(job)} is refused: {until}, and needs {processors(job.procs)} where {few}")


# Conservative


@_rule("event", "jobs end")
def jobs_end(_: None, ended: Sequence[Job], now: int, free: int, queue: Sequence[Job], compress: str) -> str:
    text = sentence(f"{_end_of(ended, now)}: {_are_free(free)}")
    if not queue:
        return f"{text} Nobody waits."
    return f"{text} {_WHEN_EARLY[compress]}" if any(job.expected_end > now for job in ended) else text


_WHEN_EARLY = {
    "arrival": "The schedule is compressed, in order of arrival.",
    "start": "The schedule is compressed, in order of reserved start.",
    "none": "All reservations stay as they are.",
    "rebackfill": "All reservations are forgotten and made anew, in order of arrival.",
}


@_rule("reserve", "the earliest anchor point")
def reserves(job: Job, too_short: Sequence[tuple[int, int]], now: int) -> str:
    text = f"{_named(job)} arrives ({_request(job)}) and "
    if job.reserved == now:
        return sentence(f"{text}can start at once")
    return sentence(
        f"{text}gets a reservation at {ahead(job.reserved, now)}, its guarantee: {_no_earlier(job, too_short, now)}"
    )


@_rule("move", "compression")
def moves_forward(job: Job, before: int, now: int) -> str:
    to = f"{number(now)}: it can start at once" if job.reserved == now else ahead(job.reserved, now)
    return sentence(f"compression moves the reservation of {_named(job)} from {number(before)} to {to}")


@_rule("keep", "fits no earlier", together=True)
def keeps(several: Sequence[Job]) -> str:
    at = f" at {series(number(job.reserved) for job in several)}" if len(several) <= 4 else ""
    reservation = verb(several, "its reservation", "their reservations")
    fits = verb(several, "it fits", "they fit")
    return sentence(f"{_named(*several)} {verb(several, 'keeps', 'keep')} {reservation}{at}: {fits} no earlier")


@_rule("move", "all reservations anew")
def reserves_anew(job: Job, before: int, now: int) -> str:
    text = f"the new reservation of {_named(job)} is {ahead(job.reserved, now)}"
    text += ", as before" if job.reserved == before else f" instead of {number(before)}"
    if job.reserved <= job.guarantee:
        return sentence(text)
    broken = "its guarantee is broken" if before == job.guarantee else f"its guarantee was {number(job.guarantee)}"
    return sentence(f"{text}: {broken}")


@_rule("start", "the reservation is due")
def reservation_is_due(job: Job) -> str:
    if job.start == job.submit:
        return sentence(f"{_named(job)} starts at once")
    if job.start == job.guarantee:
        return sentence(f"{_named(job)} starts, just as it was guaranteed")
    late = job.start - job.guarantee
    than = f"{length(abs(late))} {'after' if late > 0 else 'before'} its guarantee {number(job.guarantee)}"
    return sentence(f"{_named(job)} starts at its reserved time, {than}")


@_rule("backfill", "disturbs no reservation")
def passes(job: Job, passed: Sequence[Job]) -> str:
    whose = verb(passed, "its reservation is", "their reservations are")
    return sentence(f"{_named(job)} starts ahead of {_named(*passed)}, which came earlier: {whose} not touched")


# The rules of what is made of EASY: orders of those that may pass, sets of them, predictions, more reservations.


# Who passes the head


@_rule("try", "those that may pass have an order")
def tries(_: Job, head: Job, fitting: Sequence[Job], by: str, values: Sequence[str] | None) -> str:
    who = _with_values(fitting, values)
    return sentence(f"those that would not delay {_named(head)} are tried by {by}: {who}")


@_rule("choose", "the set that takes the most processors")
def chooses(_: Job, head: Job, chosen: Sequence[Job], free: int, own: Sequence[Job]) -> str:
    takes = f"{_named(*chosen)} {verb(chosen, 'takes', 'take')} {share(_total(chosen), free, 'free')}"
    best = f"{takes}, and no set that does not delay {_named(head)} takes more"
    if list(own) == list(chosen):
        return sentence(best)
    return sentence(f"{best}; in the order of the queue, {_named(*own)} would take {number(_total(own))}")


@_rule("refuse", "a better set without it", together=True)
def not_in_the_set(refused: Sequence[Job], total: int) -> str:
    text = f"{_named(*refused)} {verb(refused, 'is', 'are')} refused: no set with {verb(refused, 'it', 'them')}"
    return sentence(f"{text} is better than the one that takes {processors(total)}")


@_rule("refuse", "too far behind the head", together=True)
def not_looked_at(refused: Sequence[Job], depth: int) -> str:
    are_not = verb(refused, "it is not", "they are not")
    text = f"{_named(*refused)} {verb(refused, 'is', 'are')} not looked at"
    return sentence(f"{text}: {are_not} among the first {depth} behind the head")


def _total(several: Sequence[Job]) -> int:
    return sum(job.procs for job in several)


# Reservations for some of the jobs


@_rule("reserve", "entitled to a reservation")
def reserves_if_entitled(job: Job, why: str, too_short: Sequence[tuple[int, int]], now: int) -> str:
    who = f"{_named(job)}, {why}," if why else _named(job)
    return sentence(f"{who} gets a reservation at {ahead(job.reserved, now)}: {_no_earlier(job, too_short, now)}")


@_rule("give up", "not among the first any more")
def gives_up(job: Job, before: int, most: float) -> str:
    first = "the first" if most == 1 else f"among the first {most:g}"
    return sentence(f"{_named(job)} gives up its reservation at {number(before)}: it is not {first} any more")


@_rule("start", "the reserved time has come")
def reserved_time(job: Job, _: Sequence[Job]) -> str:
    return sentence(f"{_named(job)} starts at its reserved time{_than_first(job)}")


@_rule("backfill", "the reserved time has come")
def reserved_time_ahead(job: Job, waiting: Sequence[Job]) -> str:
    return sentence(f"{_named(job)} starts at its reserved time{_than_first(job)}, ahead of {_named(*waiting)}")


@_rule("backfill", "touches no reservation")
def touches_no_reservation(job: Job, waiting: Sequence[Job], free: int) -> str:
    needs = f"it needs {share(job.procs, free, 'free')}"
    until = f"touches no reservation until {number(job.expected_end)}, its expected end"
    return sentence(f"{_named(job)} starts now, ahead of {_named(*waiting)}: {needs} and {until}")


@_rule("refuse", "would touch a reservation")
def would_touch(job: Job, touched: Sequence[Job], now: int) -> str:
    whose = f"{verb(touched, 'the reservation', 'the reservations')} of {_named(*touched)}"
    at = series(number(other.reserved) for other in touched)
    return sentence(
        f"{_named(job)} is refused: it may run until {number(now + job.estimate)}, and would touch {whose} at {at}"
    )


def _than_first(job: Job) -> str:
    late = job.start - job.guarantee
    if not late:
        return ""
    return f", {length(abs(late))} {'after' if late > 0 else 'before'} the one reserved first"


# Predictions


@_rule("predict", "the mean of the user's last two jobs")
def predicts(job: Job, runs: Sequence[int]) -> str:
    each = f"{length(runs[0])} each" if len(set(runs)) < len(runs) else " and ".join(map(length, runs))
    which = "only earlier job" if len(runs) == 1 else "last two jobs"
    of = f"the {which} of user {job.user} that {'has' if len(runs) == 1 else 'have'} ended ran for {each}"
    if sum(runs) // len(runs) > job.predicted:
        return sentence(
            f"{_named(job)} is predicted to run for its estimate, {length(job.predicted)}, not longer: {of}"
        )
    estimate = f"the estimate is {length(job.requested)}"
    return sentence(f"{_named(job)} is predicted to run for {length(job.predicted)}: {of}; {estimate}")


@_rule("predict", "the user's estimate")
def does_not_predict(job: Job, known: int) -> str:
    """`known` is how many of the user's last two jobs have ended."""
    why = f"no job of user {job.user} has ended before" if job.user != -1 else "its user is not known"
    if known:
        why = f"there are no two last jobs of user {job.user} that have ended and both asked for as much"
    return sentence(f"{_named(job)} is expected to run for its estimate, {length(job.predicted)}: {why}")


@_rule("correct", "it has run for longer than expected")
def corrects(job: Job, before: int) -> str:
    now = f"it is now expected to end by {number(job.expected_end)}"
    if job.while_running == job.requested:
        now += ", as its user asked"
    return sentence(f"{_named(job)} should have ended by {number(before)} and still runs: {now}")
