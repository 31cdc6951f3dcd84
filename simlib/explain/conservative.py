"""Conservative backfilling, in plain Python (MF section 2.1).

The profile is a list of steps [time, processors free from then until the next step]; the last one lasts for ever.
"""

from . import rules


def conservative(system, compress="arrival"):
    """An instant under conservative backfilling; `compress` as in `simlib.Conservative`."""
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
        yield from move_forward(system, compress)

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


def anchor_point(profile, job):
    """The earliest time at which a job fits (MF 2.1, step 1), and the gaps (begin, end) before it too short for it."""
    anchor, too_short = None, []
    for step, (time, free) in enumerate(profile):
        if free >= job.procs:
            if anchor is None:
                anchor = time  # a. enough processors from here on
            if step + 1 == len(profile) or profile[step + 1][0] >= anchor + job.estimate:
                return anchor, too_short  # b. and until the job's expected end
        elif anchor is not None:
            too_short.append((anchor, time))  # c. not so long: go on to the next possible anchor point
            anchor = None


def move_forward(system, compress):
    """Compress: put each queued job in turn to the earliest time at which it fits, never later than it was."""
    jobs = list(system.queue)
    if compress == "start":
        jobs.sort(key=lambda job: (job.reserved, job.arrival))
    for job in jobs:
        before = job.reserved
        give(system.profile, before, before + job.estimate, job.procs)
        job.reserved = min(anchor_point(system.profile, job)[0], before)
        take(system.profile, job)
        if job.reserved < before:
            yield rules.moves_forward, job, before, system.now
        else:
            yield rules.keeps, job


def reserve_anew(system):
    """Forget all reservations and make them anew in order of arrival: what the paper warns of (figure 2)."""
    before = {job: job.reserved for job in system.queue}
    for job in system.queue:
        give(system.profile, job.reserved, job.reserved + job.estimate, job.procs)
        job.reserved = None
    for job in system.queue:
        job.reserved, _ = anchor_point(system.profile, job)
        take(system.profile, job)
        yield rules.reserves_anew, job, before[job], system.now


# The profile


def take(profile, job):
    """Take a job's processors from its reserved start until its expected end."""
    give(profile, job.reserved, job.reserved + job.estimate, -job.procs)


def give(profile, begin, end, procs):
    """Add `procs` free processors from `begin` until `end`; a negative number takes them."""
    first, last = split(profile, begin), split(profile, end)
    for step in range(first, last):
        profile[step][1] += procs


def split(profile, time):
    """The place of the step that begins at `time`; it splits the one that lasts then, if there is none yet."""
    place = len(profile)
    while profile[place - 1][0] > time:
        place -= 1
    if profile[place - 1][0] == time:
        return place - 1
    profile.insert(place, [time, profile[place - 1][1]])
    return place


def forget_the_past(profile, now):
    """Let the first step begin now, and join steps with as many processors free."""
    while len(profile) > 1 and profile[1][0] <= now:
        del profile[0]
    profile[0][0] = now
    profile[:] = joined(profile)


def joined(profile):
    """The profile without steps that change nothing."""
    return [list(step) for k, step in enumerate(profile) if k == 0 or step[1] != profile[k - 1][1]]
