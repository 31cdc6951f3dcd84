"""The words for decisions: each rule of a policy once, with its kind, its name, and the sentence that tells it."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .._util.words import ahead, are, jobs, length, number, processors, sentence, series, share, verb
from ..plain.decisions import RULES as FACTS
from ..plain.decisions import Decision, Note, Promise, Start, Wait
from ..plain.machine import Job, Machine, Needs, Queue
from ..policies.conservative import Conservative
from ..policies.orders import Multifactor, Thresholded


@dataclass
class Scene:
    """What a sentence may tell beside a decision, right after the decision took effect."""

    machine: Machine
    queue: Queue
    policy: Any  # as it was simulated
    backfilled: Mapping[Any, bool]  # by number of a job, whether it passes another one
    order: list[Job] = field(default_factory=list)  # the queue, before jobs started at this instant
    left: Needs = 0  # what was free before the decision
    before: dict[Job, int] = field(default_factory=dict)  # by job, the last promise that was told

    @property
    def now(self) -> int:
        """The present second."""
        return self.machine.now

    @property
    def compress(self) -> str | None:
        """How conservative backfilling compresses its schedule; None under other policies."""
        is_conservative = isinstance(self.policy, Conservative) and self.policy.order == "fcfs"
        return self.policy.compress if is_conservative else None

    def passed(self, job: Job) -> list[Job]:
        """Find the jobs that a job passes that starts now."""
        if not self.backfilled.get(job.number):
            return []
        before = self.order[: self.order.index(job)]
        return [other for other in before if other.start is None] or self.queue[:1]


_Say = Callable[..., str]
"""Writes the sentence, from the job or the jobs of a decision, the scene, and the facts of the rule by their names."""


class Rule(NamedTuple):
    """How a rule of a policy is told."""

    kind: str
    name: str
    say: _Say
    together: bool = False  # whether decisions in a row by this rule and the same facts are told in one sentence


RULES: dict[str, list[Rule]] = {}
"""By rule of a policy: see `simlib.plain.decisions`. Some tell a start in another way where the job passes others."""


def _rule(kind: str, name: str, *of: str, together: bool = False) -> Callable[[_Say], Rule]:
    """Declare how rules of policies are told, with the function that writes the sentence."""

    def declared(say: _Say) -> Rule:
        rule = Rule(kind, name, say, together)
        for one in of:
            RULES.setdefault(one, []).append(rule)
        return rule

    return declared


def rule_of(decision: Decision, scene: Scene) -> Rule | None:
    """Find how a decision is told, in its own words if the rule is none of the package; None if it is not told."""
    kind, machine = _kind(decision, scene), scene.machine
    if decision.facts.keys() != set(FACTS.get(decision.rule, ["none of the package"])):
        return Rule(kind, decision.rule, lambda _, scene, **facts: _in_its_own_words(decision, scene))
    if decision.rule == "jobs end or arrive" and machine.reserves:
        if scene.compress is not None:
            return jobs_end if machine.ended else None  # an arrival is told with its reservation
        return jobs_end_or_arrive if machine.ended or machine.arrived else None  # or a reservation is due, no more
    if (
        isinstance(decision, Promise) and decision.rule == "is entitled to a promise" and decision.at == machine.now
    ):  # its start is told
        return None
    rules = RULES.get(decision.rule, [None])
    rule = next((rule for rule in rules if rule and rule.kind == kind), rules[0])
    return rule._replace(kind=kind) if rule and isinstance(decision, Start) else rule


def _kind(decision: Decision, scene: Scene) -> str:
    """Choose the kind of a decision by what it does."""
    if isinstance(decision, Start):
        return "backfill" if scene.backfilled.get(decision.job.number) else "start"
    if isinstance(decision, Promise):
        return "give up" if decision.at is None else "reserve" if decision.was is None else "move"
    if isinstance(decision, Wait):
        return "refuse" if decision.until is None else "wait"
    return "note"


def _in_its_own_words(decision: Decision, scene: Scene) -> str:
    """Tell a rule that is none of the package: what it says of the job, and its facts."""
    facts = ", ".join(f"{name} {value}" for name, value in decision.facts.items())
    why = decision.rule + (f" ({facts})" if facts else "")
    if isinstance(decision, Note):
        return sentence(f"{_named(*decision.jobs)} {why}" if decision.jobs else why)
    if isinstance(decision, Start):
        passed = scene.passed(decision.job)
        does = "starts" + (f" now, ahead of {_named(*passed)}" if passed else "")
        if decision.rule == Start._field_defaults["rule"]:  # the job was yielded without a rule
            return sentence(f"{_named(decision.job)} {does}: it needs {_share(decision.job, scene.left, 'free')}")
    elif isinstance(decision, Promise):
        does = "gives its reservation up" if decision.at is None else f"is reserved for {number(decision.at)}"
    else:
        does = "waits"
    return sentence(f"{_named(decision.job)} {does}: it {why}")


# Parts of the sentences that tell of decisions.


def _named(*several: Job) -> str:
    """Name a job, or several."""
    return jobs(job.number for job in several)


def _amount(needs: Needs, which: str = "") -> str:
    """Say how many processors, and how many GPUs where jobs need some."""
    if isinstance(needs, int):
        return processors(needs, which)
    return f"{processors(needs.procs, which)} and {processors(needs.gpus, which, 'GPU')}"


def _needs(job: Job) -> str:
    """Say what a job needs."""
    return _amount(job.needs) if job.gpus else processors(job.procs)


def _some(needs: Needs) -> bool:
    """Tell whether this is more than nothing."""
    return needs not in (0, (0, 0))


def _are(needs: Needs) -> str:
    """Choose "is" or "are"."""
    return "are" if (needs if isinstance(needs, int) else sum(needs)) > 1 else "is"


def _share(job: Job, of: Needs, which: str) -> str:
    """Say how much a job needs of what there is."""
    if isinstance(of, int):
        return share(job.procs, of, which)
    return share(job.procs, of.procs, which) + (f" and {share(job.gpus, of.gpus, which, 'GPU')}" if job.gpus else "")


def _request(job: Job) -> str:
    """Say what a job requests."""
    return f"{_needs(job)}, estimate {length(job.given)}"


def _free(left: Needs) -> Needs:
    """Count what is free: none, where jobs still run on what is away."""
    return max(left, 0) if isinstance(left, int) else left._replace(procs=max(left.procs, 0))


def _are_free(left: Needs) -> str:
    """Say how much is free."""
    left = _free(left)
    return f"{_amount(left)} {_are(left)} free"


def _too_few(job: Job, left: Needs) -> str:
    """Say that a job needs more than what is free."""
    left = _free(left)
    few = (f"{number(left)} {are(left)} free" if left else "none is free") if isinstance(left, int) else _are_free(left)
    return f"it needs {_needs(job)}, {few}"


def _no_earlier(job: Job, scene: Scene) -> str:
    """Say why a reservation is no earlier: a gap before it is too short."""
    begin = None
    for time, free in zip(scene.machine.profile.times, scene.machine.profile.free, strict=True):
        if time >= job.promised:
            break
        if job.needs <= free:
            begin = time if begin is None else begin
        elif begin is not None:
            return (
                f"{'now' if begin == scene.now else f'at {number(begin)}'} it would fit, but only until {number(time)}"
            )
    return f"the first time at which {_needs(job)} {are(job.procs + (job.gpus or 0))} free"


def _until(job: Job, begin: int, shadow: int) -> str:
    """Say that a job outlasts the shadow time; a prediction may be too short."""
    may = "should" if job.estimate < job.given else "may"
    return f"it {may} run until {number(begin + job.estimate)}, past the shadow time {number(shadow)}"


def _passes_the_head(job: Job, scene: Scene) -> str:
    """Say that a job passes the head of the queue."""
    return f"{_named(job)} starts now, ahead of {_named(scene.queue[0])} at the head"


def _ahead_of(job: Job, scene: Scene) -> str:
    """Name the jobs that a job passes, if there are some."""
    passed = scene.passed(job)
    return f", ahead of {_named(*passed)}" if passed else ""


def _end_of(machine: Machine) -> str:
    """Say which jobs end, and which of them end earlier than expected."""
    ended, early = machine.ended, machine.ended_early
    text = f"{_named(*ended)} {verb(ended, 'ends', 'end')}"
    if not early:
        return text
    if len(ended) == 1:
        return f"{text} {length(early[0].expected_end - machine.now)} earlier than expected"
    who = _named(*early) if len(early) < len(ended) else "both" if len(ended) == 2 else "all"
    return f"{text}, {who} early"


def _than_promised(job: Job, what: str) -> str:
    """Compare a start with the one that was promised first."""
    late = job.start - job.first_promise
    return f", {length(abs(late))} {'after' if late > 0 else 'before'} {what}" if late else ""


# FCFS and EASY


@_rule("event", "jobs end or arrive", "jobs end or arrive")
def jobs_end_or_arrive(_: Sequence[Job], scene: Scene) -> str:
    machine, arrived = scene.machine, scene.machine.arrived
    parts = [_end_of(machine)] if machine.ended else []
    if machine.news:
        parts.append(f"an outage {' and '.join(sorted(machine.news))}")
    if not machine.ended and not arrived and not machine.news:
        overdue = machine.corrects and any(job.expected_end <= machine.now for job in machine.running)
        parts = [
            "no job ends or arrives, but "
            + ("one runs for longer than expected" if overdue else "the scheduler acts as planned")
        ]
    if arrived:
        who = jobs(f"{job.number} ({_request(job)})" for job in arrived) if len(arrived) < 3 else _named(*arrived)
        parts.append(f"{who} {verb(arrived, 'arrives', 'arrive')}")
    return sentence(f"{', '.join(parts)}: {_are_free(machine.left)}") + ("" if scene.queue else " Nobody waits.")


@_rule("start", "the head fits", "is the head, and fits", "touches no promise")
def head_starts(job: Job, scene: Scene) -> str:
    return sentence(f"{_named(job)} starts from the head of the queue: it needs {_share(job, scene.left, 'free')}")


@_rule("wait", "nobody may pass the head", "is the head, and nobody may pass it")
def head_blocks(head: Job, scene: Scene) -> str:
    others = scene.queue[1:]
    text = sentence(f"{_named(head)} waits at the head: {_too_few(head, scene.left)}")
    fitting = [job for job in others if scene.machine.fits(job)]
    also = f", not even {_named(*fitting)}, which would fit" if fitting else ""
    return f"{text} Nobody may pass it{also}." if others else text


@_rule("wait", "the head does not fit", "is the head, and does not fit")
def head_waits(head: Job, scene: Scene, shadow: int, extra: Needs) -> str:
    before, spare = scene.before.get(head), f"with {_amount(extra, 'extra')}"
    if shadow == before:
        known = f"the shadow time remains {number(shadow)}, {spare}"
        return sentence(f"{_named(head)} still waits at the head: {_are_free(scene.left)}, {known}")
    still, moves = ("", "is") if before is None else (" still", f"moves from {number(before)} to")
    text = sentence(f"{_named(head)}{still} waits at the head: {_too_few(head, scene.left)}")
    leaving = [job for job in scene.machine.running if job.expected_end <= shadow]
    due = f"{ahead(shadow, scene.now)}, when {_named(*leaving)} should have ended"
    return f"{text} Its shadow time {moves} {due}, {spare}."


@_rule("refuse", "more processors than are free", "does not fit", together=True)
def too_large(refused: Sequence[Job], scene: Scene, free: Needs) -> str:
    text, free = f"{_named(*refused)} {verb(refused, 'is', 'are')} refused: ", _free(free)
    if free == 0:
        return sentence(text + "no processor is free")
    if len(refused) == 1:
        return sentence(text + _too_few(refused[0], free))
    if not isinstance(free, int):
        return sentence(text + _are_free(free))
    wanted = [job.procs for job in refused]
    if min(wanted) == max(wanted):
        return sentence(text + f"each needs {processors(wanted[0])}, {number(free)} {are(free)} free")
    if len(wanted) <= 4:
        return sentence(text + f"they need {series(wanted)} processors, {number(free)} {are(free)} free")
    return sentence(text + f"each needs more than the {processors(free, 'free')}")


@_rule("backfill", "ends by the shadow time", "ends by the shadow time")
def ends_by_the_shadow_time(job: Job, scene: Scene, shadow: int, extra: Needs, left: Needs) -> str:
    by, end = f"the shadow time {number(shadow)}", job.start + job.estimate
    if end < shadow:
        by = f"{number(end)}, before {by}"
    will = "should" if job.estimate < job.given else "will"
    return sentence(f"{_passes_the_head(job, scene)}: it needs {_needs(job)} and {will} end by {by}")


@_rule("backfill", "fits the extra processors", "fits the extra nodes")
def fits_the_extra_processors(job: Job, scene: Scene, shadow: int, extra: Needs, left: Needs) -> str:
    rest = f", which leaves {number(left) if isinstance(left, int) else _amount(left)}" if _some(left) else ""
    rest = f", which {are(job.procs)} not used up" if left == extra else rest
    until, some = _until(job, job.start, shadow), _share(job, extra, "extra")
    return sentence(f"{_passes_the_head(job, scene)}: {until}, but on {some}{rest}")


@_rule("refuse", "would delay the head", "would delay the head")
def would_delay_the_head(job: Job, scene: Scene, shadow: int, extra: Needs) -> str:
    few = f"{number(extra) if isinstance(extra, int) else _amount(extra)} {_are(extra)} extra"
    few = f"only {few}" if _some(extra) else "none is extra"
    return sentence(f"{_named(job)} is refused: {_until(job, scene.now, shadow)}, and needs {_needs(job)} where {few}")


# Conservative


@_rule("event", "jobs end")
def jobs_end(_: Sequence[Job], scene: Scene) -> str:
    text = sentence(f"{_end_of(scene.machine)}: {_are_free(scene.machine.left)}")
    if all(job in scene.machine.arrived for job in scene.queue):
        return f"{text} Nobody waits."
    return f"{text} {_WHEN_EARLY[scene.compress or '']}" if scene.machine.ended_early else text


_WHEN_EARLY = {
    "arrival": "The schedule is compressed, in order of arrival.",
    "start": "The schedule is compressed, in order of reserved start.",
    "none": "All reservations stay as they are.",
    "rebackfill": "All reservations are forgotten and made anew, in order of arrival.",
}


@_rule("reserve", "the earliest anchor point", "can start then at the earliest")
def reserves(job: Job, scene: Scene) -> str:
    text = f"{_named(job)} " + (f"arrives ({_request(job)}) and " if scene.compress is not None else "")
    if job.promised == scene.now:
        return sentence(f"{text}can start at once")
    at = ahead(job.promised, scene.now)
    return sentence(f"{text}gets a reservation at {at}, its guarantee: {_no_earlier(job, scene)}")


@_rule("move", "compression", "can start earlier")
def moves_forward(job: Job, scene: Scene) -> str:
    at, now = job.promised, scene.now
    to = f"{number(now)}: it can start at once" if at == now else ahead(at, now)
    return sentence(f"compression moves the reservation of {_named(job)} from {number(scene.before[job])} to {to}")


@_rule("keep", "fits no earlier", "can start no earlier", together=True)
def keeps(several: Sequence[Job], scene: Scene) -> str:
    at = f" at {series(number(job.promised) for job in several)}" if len(several) <= 4 else ""
    reservation = verb(several, "its reservation", "their reservations")
    fits = verb(several, "it fits", "they fit")
    return sentence(f"{_named(*several)} {verb(several, 'keeps', 'keep')} {reservation}{at}: {fits} no earlier")


@_rule("move", "all reservations anew", "gets another promise")
def reserves_anew(job: Job, scene: Scene) -> str:
    before, at, guarantee = scene.before[job], job.promised, job.first_promise
    text = f"the new reservation of {_named(job)} is {ahead(at, scene.now)}"
    text += ", as before" if at == before else f" instead of {number(before)}"
    if at <= guarantee:
        return sentence(text)
    broken = "its guarantee is broken" if before == guarantee else f"its guarantee was {number(guarantee)}"
    return sentence(f"{text}: {broken}")


@_rule("start", "the reservation is due", "has been promised to start now")
def reservation_is_due(job: Job, scene: Scene) -> str:
    if job.start == job.submit:
        return sentence(f"{_named(job)} starts at once")
    if job.start == job.first_promise:
        return sentence(f"{_named(job)} starts, just as it was guaranteed")
    than = _than_promised(job, f"its guarantee {number(job.first_promise)}")
    return sentence(f"{_named(job)} starts at its reserved time{than}")


@_rule("backfill", "disturbs no reservation", "has been promised to start now")
def passes(job: Job, scene: Scene) -> str:
    passed = scene.passed(job)
    whose = verb(passed, "its reservation is", "their reservations are")
    return sentence(f"{_named(job)} starts ahead of {_named(*passed)}, which came earlier: {whose} not touched")


# Who passes the head


@_rule("sort", "the queue is sorted by priority", "sorts by an order")
def sorts(queue: Sequence[Job], scene: Scene, order: Any) -> str:
    who = _with_values(queue, [job.rank for job in queue], order.setting, scene)
    return sentence(f"the queue is sorted by {_by(order.setting)}: {who}")


@_rule("try", "those that may pass have an order", "tries by an order")
def tries(fitting: Sequence[Job], scene: Scene, order: Any, ranks: Mapping[Job, float]) -> str:
    who = _with_values(fitting, [ranks[job] for job in fitting], order.setting, scene)
    return sentence(f"those that would not delay {_named(scene.queue[0])} are tried by {_by(order.setting)}: {who}")


@_rule("choose", "the set that takes the most processors", "this set fills best")
def chooses(chosen: Sequence[Job], scene: Scene, free: int, own: Sequence[Job]) -> str:
    takes, theirs = (sum(job.procs for job in several) for several in (chosen, own))
    best = f"{_named(*chosen)} {verb(chosen, 'takes', 'take')} {share(takes, free, 'free')}"
    best += f", and no set that does not delay {_named(scene.queue[0])} takes more"
    if list(own) == list(chosen):
        return sentence(best)
    return sentence(f"{best}; in the order of the queue, {_named(*own)} would take {number(theirs)}")


@_rule("refuse", "a better set without it", "is not in the set", together=True)
def not_in_the_set(refused: Sequence[Job], scene: Scene, taken: int) -> str:
    text = f"{_named(*refused)} {verb(refused, 'is', 'are')} refused: no set with {verb(refused, 'it', 'them')}"
    return sentence(f"{text} is better than the one that takes {processors(taken)}")


@_rule("refuse", "too far behind the head", "is too far behind the head", together=True)
def not_looked_at(refused: Sequence[Job], scene: Scene, depth: int) -> str:
    are_not = verb(refused, "it is not", "they are not")
    text = f"{_named(*refused)} {verb(refused, 'is', 'are')} not looked at"
    return sentence(f"{text}: {are_not} among the first {depth} behind the head")


# Reservations for some of the jobs


@_rule("reserve", "entitled to a reservation", "is entitled to a promise")
def reserves_if_entitled(job: Job, scene: Scene, most: float, needed: float, slowdown: float) -> str:
    who = _named(job)
    if most < math.inf:
        who += ", which is the first in the queue," if most == 1 else f", among the first {most:g} that wait,"
    elif getattr(scene.policy, "threshold", None) == "adaptive":
        who += f", whose expected slowdown of {slowdown:.2f} has come to the mean so far, {needed:.2f},"
    elif needed > 0:
        who += f", whose expected slowdown has come to {slowdown:.2f},"
    return sentence(f"{who} gets a reservation at {ahead(job.promised, scene.now)}: {_no_earlier(job, scene)}")


@_rule("give up", "not among the first any more", "is not among the first any more")
def gives_up(job: Job, scene: Scene, most: float) -> str:
    first = "the first" if most == 1 else f"among the first {most:g}"
    return sentence(
        f"{_named(job)} gives up its reservation at {number(scene.before[job])}: it is not {first} any more"
    )


@_rule("start", "the reserved time has come", "has a promise for now")
def reserved_time(job: Job, scene: Scene) -> str:
    than = _than_promised(job, "the one reserved first")
    return sentence(f"{_named(job)} starts at its reserved time{than}{_ahead_of(job, scene)}")


@_rule("backfill", "touches no reservation", "touches no promise")
def touches_no_reservation(job: Job, scene: Scene) -> str:
    until = f"touches no reservation until {number(job.expected_end)}, its expected end"
    needs = f"it needs {_share(job, scene.left, 'free')}"
    return sentence(f"{_named(job)} starts now{_ahead_of(job, scene)}: {needs} and {until}")


@_rule("refuse", "would touch a reservation", "would touch a promise")
def would_touch(job: Job, scene: Scene) -> str:
    profile = scene.machine.profile
    when = next(time for time, free in zip(profile.times, profile.free, strict=True) if not job.needs <= free)
    reserved = [other for other in scene.queue if other.promised is not None]
    touched = [other for other in reserved if other.promised <= when < other.promised + other.while_running]
    at = series(number(other.promised) for other in touched)
    whose = f"{verb(touched, 'the reservation', 'the reservations')} of {_named(*touched)} at {at}"
    until = number(scene.now + job.estimate)
    return sentence(f"{_named(job)} is refused: it may run until {until}, and would touch {whose}")


@_rule("refuse", "would run into an outage", "would run into an outage")
def runs_into_outage(job: Job, scene: Scene, at: int) -> str:
    until = f"it may run until {number(scene.now + job.estimate)}"
    return sentence(f"{_named(job)} is refused: {until}, and would run into an outage at {number(at)}")


# Slurm's backfill


@_rule("backfill", "delays no planned job", "delays no planned job")
def delays_no_planned_job(job: Job, scene: Scene) -> str:
    until = f"by its expected end {number(job.expected_end)} it delays no job that is planned"
    return sentence(
        f"{_named(job)} starts now{_ahead_of(job, scene)}: it needs {_share(job, scene.left, 'free')}, and {until}"
    )


@_rule("refuse", "is planned for later", "is planned")
def is_planned(job: Job, scene: Scene, at: int) -> str:
    return sentence(f"{_named(job)} is planned for {ahead(at, scene.now)}: then {_needs(job)} should stay free for it")


@_rule("refuse", "cannot start within the window", "cannot start within the window")
def beyond_the_window(job: Job, scene: Scene, at: int) -> str:
    return sentence(f"{_named(job)} is not planned: it could start at {ahead(at, scene.now)}, beyond the window")


@_rule("wait", "waits for the next cycle", "waits for the next cycle")
def next_cycle(job: Job, scene: Scene, at: int) -> str:
    text = sentence(f"{_named(job)} waits at the head: {_too_few(job, scene.left)}")
    return f"{text} The next cycle, in which others may pass it, is at {number(at)}."


@_rule("refuse", "is over a limit of its user", "is over a limit of its user")
def is_over_a_limit(job: Job, scene: Scene) -> str:
    return sentence(f"{_named(job)} waits: user {job.user} has as much as a limit allows; jobs behind it may start")


@_rule("start", "those before it are held back", "fits, and those before it are held back")
def passes_those_held_back(job: Job, scene: Scene) -> str:
    why = f"it needs {_share(job, scene.left, 'free')}, and all before it are held back by limits or outages"
    return sentence(f"{_named(job)} starts: {why}")


@_rule("refuse", "others of its user are looked at", "is not looked at, for others of its user are")
def enough_of_its_user(job: Job, scene: Scene, most: float) -> str:
    return sentence(
        f"{_named(job)} is not looked at: this cycle looks at {number(int(most))} of user {job.user}, no more"
    )


@_rule("refuse", "others are planned", "is not planned, for others are")
def enough_planned(job: Job, scene: Scene, most: float) -> str:
    return sentence(
        f"{_named(job)} is not planned: it cannot start now, and this cycle plans {number(int(most))}, no more"
    )


# Predicted and adjusted run times


@_rule("predict", "the mean of the user's last two jobs", "predicts")
def predicts(several: Sequence[Job], scene: Scene, runs: Sequence[int], known: int) -> str:
    (job,) = several
    each = f"{length(runs[0])} each" if len(set(runs)) < len(runs) else " and ".join(map(length, runs))
    which = "only earlier job" if len(runs) == 1 else "last two jobs"
    of = f"the {which} of user {job.user} that {'has' if len(runs) == 1 else 'have'} ended ran for {each}"
    predicted = length(job.adjusted)
    if sum(runs) // len(runs) > job.adjusted:
        return sentence(f"{_named(job)} is predicted to run for its estimate, {predicted}, not longer: {of}")
    return sentence(f"{_named(job)} is predicted to run for {predicted}: {of}; the estimate is {length(job.requested)}")


@_rule("predict", "the user's estimate", "does not predict")
def does_not_predict(several: Sequence[Job], scene: Scene, runs: Sequence[int], known: int) -> str:
    (job,) = several
    why = f"no job of user {job.user} has ended before" if job.user != -1 else "its user is not known"
    if known:
        why = f"there are no two last jobs of user {job.user} that have ended and both asked for as much"
    return sentence(f"{_named(job)} is expected to run for its estimate, {length(job.adjusted)}: {why}")


@_rule("correct", "it has run for longer than expected", "corrects")
def corrects(several: Sequence[Job], scene: Scene, was: int) -> str:
    (job,) = several
    now = f"it is now expected to end by {number(job.expected_end)}"
    if job.expected_end - job.start == job.requested:
        now += ", as its user asked"
    return sentence(f"{_named(job)} should have ended by {number(was)} and still runs: {now}")


@_rule("predict", "the share that similar jobs used", "adjusts")
def adjusts(several: Sequence[Job], scene: Scene, a: float, jobs: int) -> str:
    (job,) = several
    share = f"{length(job.adjusted)}, {100 * a:.0f} % of its estimate {length(job.given)}"
    return sentence(f"{_named(job)} is expected to run for {share}: {jobs} similar jobs that have ended tell so")


# The order of the queue, and in which words it is told.

_FEW = 3
"""Of so many jobs it is told what their priorities are made of."""

_BY = {
    "fcfs": "arrival",
    "arrival": "arrival",
    "sjf": "estimate, the shortest first",
    "wfp": "WFP, (wait / estimate)^3 x procs",
    "largest": "processors, the most first",
    "smallest area": "processors x estimate, the smallest first",
    "expansion factor": "expansion factor, (wait + estimate) / estimate",
    "unicef": "UNICEF, wait / (log2(procs) x estimate)",
    "f1": "F1, log10(estimate) x procs + 870 log10(submit), the smallest first",
    "f2": "F2, sqrt(estimate) x procs + 25600 log10(submit), the smallest first",
    "f3": "F3, estimate x procs + 6860000 log10(submit), the smallest first",
    "f4": "F4, estimate x sqrt(procs) + 530000 log10(submit), the smallest first",
    "best-fit": "what they fill of the window until the shadow time, the most processor-seconds first",
}
"""The names of orders in words."""

_SHOWN: dict[str, Callable[[float], str]] = {
    "sjf": lambda rank: length(int(-rank)),
    "largest": lambda rank: number(int(rank)),
    "smallest area": lambda rank: number(int(-rank)),
    "best-fit": lambda rank: number(int(rank)),
} | dict.fromkeys(["f1", "f2", "f3", "f4"], lambda rank: f"{-rank:.7g}")
"""How the rank of a job is shown, if not as a decimal number."""


def _by(order: Any) -> str:
    """Say what jobs are sorted by."""
    if isinstance(order, Multifactor):
        weights = [("age", order.age), ("procs", order.procs), ("fair share", order.fair_share)]
        return ", ".join(["priority", *filter(None, [" + ".join(name for name, weight in weights if weight)])])
    if isinstance(order, Thresholded):
        return f"{_by(order.order)}, behind all that have waited for more than {length(int(order.seconds))}"
    if isinstance(order, str):
        return _BY.get(order, order)
    return getattr(order, "__name__", "<lambda>").replace("<lambda>", "the given function")


def _with_values(several: Sequence[Job], ranks: Sequence[float], order: Any, scene: Scene) -> str:
    """Name jobs with the values by which they are sorted, where the order needs any."""
    values = _values(several, ranks, order, scene)
    if values is None:
        return _named(*several)
    return jobs(f"{job.number} ({value})" for job, value in zip(several, values, strict=True))


def _values(several: Sequence[Job], ranks: Sequence[float], order: Any, scene: Scene) -> list[str] | None:
    """Write the ranks of jobs in words; None if the order needs none."""
    if order in ("arrival", "fcfs"):
        return None
    if isinstance(order, Multifactor):
        values = [f"{rank:.3f}" for rank in ranks]
        if len(several) > _FEW:
            return values
        return [f"{value}: {_factors(job, order, scene)}" for job, value in zip(several, values, strict=True)]
    if isinstance(order, Thresholded):
        of_all = [rank if rank < math.inf else 0.0 for rank in ranks]
        values = _values(several, of_all, order.order, scene) or [""] * len(several)
        return ["starved" if rank == math.inf else value for rank, value in zip(ranks, values, strict=True)]
    shown = _SHOWN.get(order) if isinstance(order, str) else None
    return [shown(rank) if shown else f"{rank:.3g}" for rank in ranks]


def _factors(job: Job, order: Multifactor, scene: Scene) -> str:
    """Say what a priority is made of."""
    machine = scene.machine
    factors = {
        "age": order.age and order.age * min((scene.now - job.submit) / (order.max_age_days * 86400), 1.0),
        "procs": order.procs and order.procs * job.procs / machine.procs,
        "fair share": order.fair_share and order.fair_share * 0.5 ** machine.usage.share(job, machine),
    }
    return ", ".join(f"{name} {value:.3f}" for name, value in factors.items() if getattr(order, name.replace(" ", "_")))
