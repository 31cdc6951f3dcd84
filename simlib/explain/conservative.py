"""Conservative backfilling, in plain Python (MF section 2.1).

The profile is a list of steps [time, processors free from then until the next step]; the last one lasts for ever.
"""

from collections.abc import Sequence

from . import rules
from .system import Decisions, Job, Profile, System


def conservative(system: System, compress: str = "arrival") -> Decisions:
    """Decide at an instant under conservative backfilling; `compress` as in `simlib.Conservative`.

    Examples
    --------
    >>> from simlib.explain.system import decisions
    >>> system = System(4, [Job("A", 0, 0, 10, 10, 3), Job("B", 1, 0, 10, 10, 4)], profile=[[0, 4]])
    >>> [(job.name, job.reserved) for rule, job, *_ in decisions(system, conservative) if rule.kind == "reserve"]
    [('A', 0), ('B', 10)]
    """
    profile, now = system.profile, system.now
    forget_the_past(profile, now)

    # jobs leave; those that were expected to run longer leave a gap
    ended = system.leave()
    early = [job for job in ended if job.expected_end > now]
    for job in early:
        give(profile, now, job.expected_end, job.procs)
    if ended:
        yield rules.jobs_end, None, ended, now, system.free, system.queue, compress
    if early and compress == "rebackfill":
        yield from reserve_anew(system)
    elif early and compress != "none":
        jobs = list(system.queue)
        if compress == "start":
            jobs.sort(key=lambda job: (job.reserved, job.arrival))
        yield from move_forward(system, jobs)

    # jobs arrive; each one gets a reservation, which nobody who comes later may delay
    for job in system.arrive():
        job.reserved, too_short = anchor_point(profile, job)
        job.guarantee = job.reserved
        take(profile, job)
        system.queue.append(job)
        yield rules.reserves, job, too_short, now

    # jobs start whose reserved time has come
    for job in [job for job in system.queue if job.reserved == now]:
        passed = [other for other in system.queue if other.arrival < job.arrival and other.reserved > now]
        system.start(job, backfilled=bool(passed))
        if passed:
            yield rules.passes, job, passed
        else:
            yield rules.reservation_is_due, job


def anchor_point(profile: Profile, job: Job) -> tuple[int, list[tuple[int, int]]]:
    """Find the earliest time at which a job fits (MF 2.1, step 1).

    Returns
    -------
    anchor : int
    too_short : list of (int, int)
        Begin and end of the gaps before it that have enough processors, but not for long enough.

    Examples
    --------
    Two processors are free from second 0 to 5, and from second 20 on:

    >>> job = Job("A", arrival=0, submit=0, run=10, estimate=10, procs=2)
    >>> anchor_point([[0, 2], [5, 1], [20, 4]], job)
    (20, [(0, 5)])
    """
    anchor: int | None = None
    too_short: list[tuple[int, int]] = []
    for step, (time, free) in enumerate(profile):
        if free >= job.procs:
            if anchor is None:
                anchor = time  # a. enough processors from here on
            if step + 1 == len(profile) or profile[step + 1][0] >= anchor + job.estimate:
                return anchor, too_short  # b. and until the job's expected end
        elif anchor is not None:
            too_short.append((anchor, time))  # c. not so long: go on to the next possible anchor point
            anchor = None
    raise ValueError(f"anchor_point: found no step with {job.procs} processors, expected the last one to have as many")


def move_forward(system: System, jobs: Sequence[Job]) -> Decisions:
    """Compress: put each of these jobs in turn to the earliest time at which it fits, never later than it was.

    Examples
    --------
    The machine is free since second 5, and job A still has its reservation at second 20:

    >>> job = Job("A", 0, 0, 10, 10, 4, reserved=20)
    >>> system = System(4, [], now=5, queue=[job], profile=[[5, 4], [20, 0], [30, 4]])
    >>> [rule.kind for rule, *_ in move_forward(system, [job])], job.reserved
    (['move'], 5)
    """
    for job in jobs:
        before = job.reserved
        give(system.profile, before, before + job.estimate, job.procs)
        job.reserved = min(anchor_point(system.profile, job)[0], before)
        take(system.profile, job)
        if job.reserved < before:
            yield rules.moves_forward, job, before, system.now
        else:
            yield rules.keeps, job


def reserve_anew(system: System) -> Decisions:
    """Forget all reservations and make new ones in order of arrival: what the paper warns of (figure 2).

    Examples
    --------
    >>> job = Job("A", 0, 0, 10, 10, 4, reserved=20)
    >>> system = System(4, [], now=5, queue=[job], profile=[[5, 4], [20, 0], [30, 4]])
    >>> [job.reserved for _, job, *_ in reserve_anew(system)]
    [5]
    """
    before = {job: job.reserved for job in system.queue}
    for job in system.queue:
        give(system.profile, job.reserved, job.reserved + job.estimate, job.procs)
        job.reserved = None
    for job in system.queue:
        job.reserved, _ = anchor_point(system.profile, job)
        take(system.profile, job)
        yield rules.reserves_anew, job, before[job], system.now


# The profile


def take(profile: Profile, job: Job) -> None:
    """Take a job's processors from its reserved start until its expected end.

    Examples
    --------
    >>> profile = [[0, 4]]
    >>> take(profile, Job("A", 0, 0, 10, 10, 3, reserved=5))
    >>> profile
    [[0, 4], [5, 1], [15, 4]]
    """
    give(profile, job.reserved, job.reserved + job.estimate, -job.procs)


def give(profile: Profile, begin: int, end: int, procs: int) -> None:
    """Add `procs` free processors from `begin` until `end`; a negative number takes them.

    Examples
    --------
    >>> profile = [[0, 4]]
    >>> give(profile, 5, 10, -3)
    >>> profile
    [[0, 4], [5, 1], [10, 4]]
    """
    first, last = split(profile, begin), split(profile, end)
    for step in range(first, last):
        profile[step][1] += procs


def split(profile: Profile, time: int) -> int:
    """Split the step that lasts at `time`, unless one begins then; return the place of the step that begins then.

    Examples
    --------
    >>> profile = [[0, 4]]
    >>> split(profile, 5), profile
    (1, [[0, 4], [5, 4]])
    """
    place = len(profile)
    while profile[place - 1][0] > time:
        place -= 1
    if profile[place - 1][0] == time:
        return place - 1
    profile.insert(place, [time, profile[place - 1][1]])
    return place


def forget_the_past(profile: Profile, now: int) -> None:
    """Let the first step begin now, and join neighbouring steps that have the same number of processors free.

    Examples
    --------
    >>> profile = [[0, 1], [5, 2], [10, 2]]
    >>> forget_the_past(profile, 7)
    >>> profile
    [[7, 2]]
    """
    while len(profile) > 1 and profile[1][0] <= now:
        del profile[0]
    profile[0][0] = now
    profile[:] = joined(profile)


def joined(profile: Profile) -> Profile:
    """Copy the profile without steps that change nothing.

    Examples
    --------
    >>> joined([[0, 1], [5, 1], [10, 2]])
    [[0, 1], [10, 2]]
    """
    return [list(step) for k, step in enumerate(profile) if k == 0 or step[1] != profile[k - 1][1]]
