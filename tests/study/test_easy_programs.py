"""What programs call EASY: each setting does what that program's own procedure does, written here once more, slowly.

The procedures follow the sources that `easy_programs.PROGRAMS` names. No job has a length of zero, which most of these
programs do not know, and none outlives its estimate.
"""

from itertools import count

import numpy as np
import pytest
from helpers import random_workload, small_workloads, table
from hypothesis import given
from hypothesis import strategies as st

from simlib import EASY, simulate
from simlib_study.investigations.kernel_variants import easy
from simlib_study.other_machines import easy_programs
from simlib_study.other_machines.easy_programs import CAUSES, PROGRAMS, TEXT, policy

pytestmark = pytest.mark.slow


class Job:
    """A job: what is known of it, and which processors it has."""

    def __init__(self, submit, run, estimate, size):
        self.submit, self.run, self.estimate, self.size = submit, run, estimate, size
        self.start, self.place, self.order = None, set(), None

    @property
    def expected(self):
        return self.start + self.estimate


class Machine:
    """The machine as a program sees it: who runs, who waits, what it remembers; `rule` says who starts at an event."""

    def __init__(self, rows, procs, rule, events):
        self.jobs, self.procs, self.rule, self.events = [Job(*row) for row in rows], procs, rule, events
        self.running, self.queue, self.now, self.memory, self.started = [], [], 0, {}, count()

    @property
    def free(self):
        return self.procs - sum(job.size for job in self.running)

    @property
    def idle(self):
        return sorted(set(range(self.procs)).difference(*(job.place for job in self.running)))

    def begin(self, job, place=()):
        assert job.size <= self.free
        job.start, job.place, job.order = self.now, set(place), next(self.started)
        self.queue.remove(job)
        self.running.append(job)

    def starts(self):
        """Go through the events: all of an instant at once, or one by one."""
        to_come = list(self.jobs)
        while to_come or self.running or self.queue:
            ends = [job.start + job.run for job in self.running]
            times = [*ends, *(job.submit for job in to_come[:1])]
            self.now = min(times) if times else self.memory["reserved"]
            ended = sorted((job for job in self.running if job.start + job.run <= self.now), key=lambda job: -job.order)
            ended.sort(key=lambda job: job.start + job.run)
            arrived = [job for job in to_come if job.submit <= self.now]
            if self.events != "one pass":
                arrivals = bool(arrived) and (self.events == "arrivals first" or not ended)
                ended, arrived = ([], arrived[:1]) if arrivals else (ended[:1], [])
            self.running = [job for job in self.running if job not in ended]
            to_come = [job for job in to_come if job not in arrived]
            self.queue += arrived
            self.rule(self)
        return [job.start for job in self.jobs]


def start_the_first(machine):
    """Start jobs from the head of the queue while they fit; tell whether one is left."""
    while machine.queue and machine.queue[0].size <= machine.free:
        machine.begin(machine.queue[0])
    return bool(machine.queue)


def fits(spans, procs, size, begin, end):
    """Tell whether so many processors are free all the time, beside (begin, end, size)."""
    instants = [begin, *(at for span in spans for at in span[:2] if begin < at < end)]
    return all(sum(n for a, b, n in spans if a <= at < b) + size <= procs for at in instants)


def pyss(machine):
    """Place the head in a copy of the profile, for each candidate anew, and see whether this can start now.

    In pyss a job that ends this second, as it was estimated, is gone when arrivals are handled; here it is not yet.
    """
    if not start_the_first(machine):
        return
    head = machine.queue[0]
    for job in machine.queue[1:]:
        spans = [(each.start, each.expected, each.size) for each in machine.running]
        for at in sorted({machine.now, *(end for _, end, _ in spans)}):
            if fits(spans, machine.procs, head.size, at, at + head.estimate):
                break
        spans.append((at, at + head.estimate, head.size))
        fits_now = fits(spans, machine.procs, job.size, machine.now, machine.now + job.estimate)
        if fits_now and job.size <= machine.free:
            machine.begin(job)


def available(machine, begin, end, reserved=None):
    """The processors, by number, that nobody has at any time between."""
    spans = [(machine.now, each.expected, each.place) for each in machine.running]
    spans += [reserved] if reserved else []
    taken = (place for a, b, place in spans if a < end and b > begin)
    return sorted(set(range(machine.procs)).difference(*taken))


def batsched(machine, looked_at=None):
    """Place the head on the lowest numbers, first fit in time; candidates on the lowest that are then left."""
    reserved, tried = None, 0
    for job in list(machine.queue)[:looked_at]:
        if reserved is None:
            for at in sorted({machine.now, *(each.expected for each in machine.running)}):
                place = available(machine, at, at + job.estimate)
                if len(place) >= job.size:
                    break
            if at == machine.now:
                machine.begin(job, place[: job.size])
                tried += 1
            else:
                reserved = at, at + job.estimate, set(place[: job.size])
            continue
        place = available(machine, machine.now, machine.now + job.estimate, reserved)
        if len(place) >= job.size:
            machine.begin(job, place[: job.size])
            tried += 1
    return tried


def flux(depth):
    """As batsched, of the first of the queue only, as often as one of them starts while there are more."""

    def rule(machine):
        more = True
        while more:
            more = len(machine.queue) > depth
            more = batsched(machine, depth) > 0 and more

    return rule


def first_enough(machine, needed):
    """By the expected ends, when so many processors are free."""
    free = machine.free
    for job in sorted(machine.running, key=lambda job: job.expected):
        free += job.size
        if free >= needed:
            return job.expected, free - needed
    raise AssertionError("the head is larger than the machine")


def once_found(in_time):
    """Find the reservation when a job becomes the head, and keep it until that starts."""

    def rule(machine):
        if not start_the_first(machine):
            return
        head = machine.queue[0]
        if machine.memory.get("head") is not head:
            machine.memory = {"head": head, "reserved": first_enough(machine, head.size)[0]}
        for job in machine.queue[1:]:
            if job.size <= machine.free and in_time(machine.now + job.estimate, machine.memory["reserved"]):
                machine.begin(job)

    return rule


def raps(machine):
    """Look for one job to backfill, from the front, as often as there is one."""
    if not start_the_first(machine):
        return
    another = True
    while another:
        free, shadow = machine.free, 0
        for job in sorted(machine.running, key=lambda job: (job.estimate, job.order)):
            if free >= machine.queue[0].size:
                break
            free, shadow = free + job.size, job.expected
        fitting = [j for j in machine.queue if j.estimate <= shadow - machine.now and j.size <= machine.free]
        another = bool(fitting)
        if another:
            machine.begin(fitting[0])


def cqsim(machine):
    """Reserve for run times in a plan in which running jobs end by their requests."""
    if not start_the_first(machine):
        return
    plan = [(each.start, each.expected, each.size) for each in machine.running]
    head = machine.queue[0]
    for at in sorted({machine.now, *(end for _, end, _ in plan)}):
        if fits(plan, machine.procs, head.size, at, at + head.run):
            break
    plan.append((at, at + head.run, head.size))
    for job in machine.queue[1:]:
        fits_now = job.size <= machine.free  # those that end this second hold theirs until they are handled
        if fits_now and fits(plan, machine.procs, job.size, machine.now, machine.now + job.run):
            plan.append((machine.now, machine.now + job.run, job.size))
            machine.begin(job)


def accasim(machine):
    """Try the blocked job from its reserved time on only; let all others fill what is free."""
    memory, rest = machine.memory, list(machine.queue)
    if memory.get("reserved", np.inf) <= machine.now:
        blocked, rest = rest[0], rest[1:]
        if blocked.size <= machine.free:
            machine.begin(blocked)
            memory.clear()
    elif memory:
        rest = rest[1:]
    while not memory and rest:
        job = rest.pop(0)
        if job.size > machine.free:
            memory["reserved"] = first_enough(machine, job.size)[0]
        else:
            machine.begin(job)
    for job in rest:
        if job.size <= machine.free:
            machine.begin(job)


def qsim(machine):
    """Drain the one partition that there is, busy for five minutes at least; start one at a time until none can."""
    started = True
    while started:
        started = start_the_first(machine) and _one_within_the_drain(machine)


def _one_within_the_drain(machine):
    """Backfill the first job that ends before the head's processors are free, if there is one."""
    ends = sorted((max(job.expected, machine.now + 300), job.size) for job in machine.running)
    free, drained = machine.free, machine.now
    while free < machine.queue[0].size:
        drained, size = ends.pop(0)
        free += size
    fitting = [j for j in machine.queue[1:] if j.size <= machine.free and j.estimate <= drained - machine.now]
    for job in fitting[:1]:
        machine.begin(job)
    return bool(fitting)


def ocst(machine):
    """Go through projected ends until the head has enough: what is more then is there for long jobs."""
    if not start_the_first(machine):
        return
    ends = sorted(machine.running, key=lambda job: (job.expected, -job.order))
    free, shadow = machine.free, None
    for job in ends:
        free, shadow = free + job.size, job.expected
        if free >= machine.queue[0].size:
            break
    extra = free - machine.queue[0].size
    for job in machine.queue[1:]:
        short = job.estimate <= shadow - machine.now
        if job.size <= machine.free and (short or job.size <= extra):
            extra -= 0 if short else job.size
            machine.begin(job)


def alea(machine):
    """Give the head the processors that are free first, one by one; start one job, and begin again."""
    if not start_the_first(machine):
        return
    for job in machine.queue[1:]:
        ends = [machine.now] * machine.free + [each.expected for each in machine.running for _ in range(each.size)]
        ends.sort()
        needed = machine.queue[0].size
        shadow = ends[needed - 1]
        usable = sum(end == shadow for end in ends[needed:])
        if job.size <= machine.free and (machine.now + job.estimate < shadow or job.size <= usable):
            machine.begin(job)
            alea(machine)
            return


PROCEDURES = {
    "pyss": pyss,
    "batsched, easy_bf": batsched,
    "batsched, easy_bf_fast": once_found(lambda end, reserved: end <= reserved),
    "Flux": flux(32),
    "RLScheduler": once_found(lambda end, reserved: end < reserved),
    "RAPS": raps,
    "CQSim": cqsim,
    "AccaSim": accasim,
    "Qsim": qsim,
    "ocst": ocst,
    "Alea": alea,
}


def lasting(rows):
    """The same jobs, each of a second or more and within its estimate."""
    return [(submit, max(run, 1), max(run, estimate, 1), size) for submit, run, estimate, size in rows]


def ours(rows, procs, reading):
    return simulate(table(rows, procs), policy(reading)).jobs.start.tolist()


def theirs(rows, procs, name, rule=None):
    events = easy_programs.NAMES["events"][PROGRAMS[name].reading.events]
    return Machine(rows, procs, rule or PROCEDURES[name], events).starts()


def test_every_program_has_a_procedure_to_be_held_against():
    assert list(PROCEDURES) == list(PROGRAMS)


@pytest.mark.parametrize("name", list(PROGRAMS))
@given(drawn=small_workloads())
def test_settings_do_what_the_programs_procedure_does(name, drawn):
    procs, rows = drawn
    rows = lasting(rows)
    assert ours(rows, procs, PROGRAMS[name].reading) == theirs(rows, procs, name)


@given(drawn=small_workloads())
def test_a_queue_that_is_looked_at_in_part_is_looked_at_until_nothing_starts(drawn):
    procs, rows = drawn
    rows = lasting(rows)
    for depth in (1, 2, 3):
        reading = PROGRAMS["Flux"].reading._replace(looked_at=depth)
        assert ours(rows, procs, reading) == theirs(rows, procs, "Flux", flux(depth))


def by_settings(reading):
    """What settings say, one after another, for any of them together."""

    def rule(machine):
        again = True
        while again:
            queue = list(machine.queue)
            seen = queue[: reading.looked_at or None]
            while seen and seen[0].size <= machine.free and not too_early(machine, seen[0]):
                machine.begin(seen[0], machine.idle[: seen[0].size])
                seen = seen[1:]
            if seen:
                backfill(machine, seen[0], seen[1:])
            again = len(machine.queue) < len(queue) and 0 < reading.looked_at < len(queue)

    def too_early(machine, job):
        return reading.waits and machine.memory.get(job, machine.now) > machine.now

    def backfill(machine, head, candidates):
        shadow, extra, free_numbers = window(machine, head)
        for job in candidates:
            end = machine.now + (job.run if reading.known else job.estimate)
            in_time = end < shadow or (end == shadow and not reading.strict)
            place = machine.idle if in_time else [at for at in machine.idle if at in free_numbers]
            beyond = len(place) if reading.beyond == easy.PLACED else extra
            if job.size > machine.free or not (in_time or job.size <= beyond):
                continue
            machine.begin(job, (place if len(place) >= job.size else machine.idle)[: job.size])
            extra -= 0 if in_time else job.size
            if reading.recomputed:
                return backfill(machine, head, [each for each in candidates if each is not job])

    def window(machine, head):
        end = {job: max(job.expected, machine.now + reading.least) for job in machine.running}
        order = sorted(end, key=lambda job: (job.estimate, end[job]) if reading.by_limit else end[job])
        free, shadow = machine.free, machine.now
        for job in order:
            if free >= head.size and (reading.by_limit or reading.first_only or end[job] > shadow):
                break
            free, shadow = free + job.size, end[job]
        if reading.held:
            shadow = max(machine.memory.setdefault(head, shadow), machine.now)
            machine.memory["reserved"] = machine.memory[head]
        taken = set().union(*(job.place for job in machine.running if job.expected > shadow))
        reserved = [at for at in range(machine.procs) if at not in taken][: head.size]
        extra = {easy.NOBODY: 0, easy.ANYBODY: np.inf}.get(reading.beyond, free - head.size)
        return shadow, extra, set(range(machine.procs)).difference(reserved)

    return rule


more_readings = st.builds(
    TEXT._replace,
    strict=st.booleans(),
    first_only=st.booleans(),
    events=st.integers(0, 2),
    beyond=st.integers(0, 3),
    known=st.booleans(),
    by_limit=st.booleans(),
    recomputed=st.booleans(),
    looked_at=st.integers(0, 3),
    least=st.sampled_from([0, 0, 3, 20]),
) | st.builds(TEXT._replace, held=st.just(True), waits=st.booleans(), beyond=st.integers(0, 3), known=st.booleans())


@given(drawn=small_workloads(), reading=more_readings)
def test_settings_together_do_what_each_says(drawn, reading):
    procs, rows = drawn
    rows = [(submit, run, -(-estimate // 5) * 5, size) for submit, run, estimate, size in lasting(rows)]  # equal limits
    events = easy_programs.NAMES["events"][reading.events]
    assert ours(rows, procs, reading) == Machine(rows, procs, by_settings(reading), events).starts()


def test_of_equal_limits_the_one_that_started_first_comes_first():
    rows = [(0, 100, 100, 2), (10, 100, 100, 2), (20, 50, 50, 3), (21, 85, 85, 1), (22, 78, 78, 1)]
    assert ours(rows, 5, PROGRAMS["RAPS"].reading) == theirs(rows, 5, "RAPS") == [0, 10, 100, 110, 22]


def test_times_of_which_two_do_not_fit_into_one_number_are_refused():
    for submit, estimate in ((0, 2**31), (2**32, 10)):
        with pytest.raises(ValueError, match="found a time of 4294967.* expected below"):
            ours([(0, 10, 10, 1), (submit, 10, estimate, 1)], 2, PROGRAMS["RAPS"].reading)


def crowd(seed):
    """A busy machine, where jobs come together; every third is given twice its load, and has a long queue."""
    jobs = random_workload(seed, jobs=150, machine=16, overrun=False, shortest=1).jobs
    jobs = jobs.assign(submit=jobs.submit // (20 if seed % 3 else 40) * 20, estimate=-(-jobs.estimate // 60) * 60)
    return lasting(jobs[["submit", "run", "estimate", "procs"]].to_numpy().tolist())


@pytest.fixture(scope="module")
def crowds():
    """Start times of busy machines by each program's own procedure, and what jobs there are."""
    rows = [crowd(seed) for seed in range(12)]
    return rows, {name: [theirs(each, 16, name) for each in rows] for name in PROGRAMS}


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_on_a_busy_machine_settings_do_what_the_program_does_and_no_others_do(name, crowds):
    rows, expected = crowds

    def is_same(reading):
        return all(ours(each, 16, reading) == starts for each, starts in zip(rows, expected[name], strict=True))

    assert is_same(PROGRAMS[name].reading)
    others = {other: one.reading for other, one in PROGRAMS.items() if other != name} | {"the text": TEXT} | CAUSES
    same = {other for other, one in others.items() if one != PROGRAMS[name].reading and is_same(one)}
    assert same <= {"pyss": {"a pass for each event"}}.get(name, set())


@given(drawn=small_workloads())
def test_the_plain_setting_is_easy(drawn):
    procs, rows = drawn
    workload = table(rows, procs)
    plain = easy_programs.EasyProgram(TEXT)
    assert simulate(workload, plain).jobs.start.equals(simulate(workload, EASY()).jobs.start)
    assert policy(TEXT) == EASY() and policy(CAUSES["shared extra processors"]) == EASY(reuse_extra=True)


@given(drawn=small_workloads())
def test_placed_processors_are_those_that_a_job_holds(drawn):
    """By number or not: where nothing is reserved a job starts when there are enough."""
    procs, rows = drawn
    rows = [(submit, run, run, size) for submit, run, _, size in lasting(rows)]
    first = [row for row in rows if row[3] == procs] or rows[:1]
    assert ours(first, procs, TEXT._replace(beyond=easy.PLACED)) == ours(first, procs, TEXT)


def test_a_reservation_that_holds_nobody_back_leaves_its_job_waiting_until_it_begins():
    rows = [(0, 10, 100, 3), (1, 20, 20, 4), (2, 50, 500, 1)]
    assert ours(rows, 4, PROGRAMS["AccaSim"].reading) == [0, 100, 2]
    assert ours(rows, 4, TEXT) == [0, 10, 30]


def test_the_table_names_source_and_settings_of_each():
    told = easy_programs.table()
    assert told.loc["Flux", "settings"] == "beyond = placed, looked_at = 32"
    assert told.loc["RLScheduler", "settings"] == "strict, events = arrivals first, held, beyond = nobody"
    assert told["where"].str.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{7}: .*\w\.\w+:\d+.*").all()
    assert told.index.is_unique and (told.drop(columns="settings").map(len) > 0).all(axis=None)
