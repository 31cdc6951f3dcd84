"""Lesson 7: why a job waits on a cluster that runs Slurm, and what its owner can change.

`slurm_output` writes what is drawn here as Slurm's commands do.
"""

import random
import re
from functools import cache
from typing import Any, NamedTuple

import pandas as pd

from simlib.core.schedule import Schedule, simulate
from simlib.core.workload import Workload
from simlib.policies.conservative import SlurmBackfill
from simlib.policies.easy import EASY
from simlib.policies.orders import Multifactor

from ..answers import MINUTES, Judge, NotYet, choice, names, number, parts
from . import by_seed, drawn, seed

MINUTE, HOUR, WEEK = 60, 3600, 7 * 86400

NODES, CPUS = 128, 64
"""The nodes of the partition `cpu`, and the CPUs of each. A processor of its workload is a node."""

AGE, FAIR_SHARE = 5000, 10_000
"""PriorityWeightAge and PriorityWeightFairshare."""

USERS = ("ada", "bob", "cleo", "dan", "eva", "fay")
"""You are the first."""

NEAR = 5
"""Exercise 7.2 takes a limit that is so many minutes shorter than the longest."""


# What is drawn by the seed


@by_seed
def cluster() -> Workload:
    """Make the jobs of the partition `cpu` by their numbers: four run, one is the head of the queue, the last is yours.

    Second 0 is the midnight before.
    """
    return drawn("lesson 7 cluster", _some_jobs, _shows_backfilling)


@by_seed
def users() -> Workload:
    """Make the jobs of six users: each has run on some nodes for a week, and has one waiting for all nodes."""
    return drawn("lesson 7 users", _some_users, _shows_fair_share)


@by_seed
def account() -> Workload:
    """Make the jobs of the account `physics` on a machine of its limit of CPUs; the last is yours, and waits."""
    return drawn("lesson 7 account", _some_of_the_account, _shows_the_limit)


@by_seed
def partitions() -> pd.DataFrame:
    """Make four other partitions: is each up, its time limit in hours, its nodes. Your job starts at once in one."""
    return drawn("lesson 7 partitions", _some_partitions)


class Array(NamedTuple):
    """Hold a job array, of which `at_once` tasks run at once, and a maintenance; times in minutes from now."""

    tasks: int
    at_once: int
    minutes: int
    until: int
    down: int


@by_seed
def array() -> Array:
    """Make an array of which some tasks end before the maintenance, and the others begin after it."""
    return drawn("lesson 7 array", _an_array)


def _workload(name: str, procs: int, rows: list[tuple[int, int, int]], index: list[str]) -> Workload:
    """Make jobs of (submit, run, processors) that run for their limits."""
    table = pd.DataFrame(rows, index, columns=["submit", "run", "procs"])
    return Workload(table.assign(estimate=table.run), procs, name)


def _some_jobs(draw: random.Random) -> Workload:
    now, first = draw.randrange(8 * 60, 11 * 60) * MINUTE, draw.randrange(40_000, 80_000)
    rows = []
    for begin in sorted(draw.randrange(60, 400) * MINUTE for _ in range(4)):
        rows.append((begin, now - begin + draw.randrange(40, 540) * MINUTE, draw.randint(12, 40)))
    rows.append((now - draw.randrange(10, 90) * MINUTE, 8 * HOUR, draw.randint(40, 96)))
    rows.append((now, draw.choice((10, 12, 14, 16)) * HOUR, draw.randint(8, 60)))
    return _workload("partition cpu", NODES, rows, [str(first + 7 * place) for place in range(6)])


def _shows_backfilling(jobs: Workload) -> bool:
    """Tell whether your job would fit now, but not for as long as it may run, beside the head that waits."""
    running, head, mine = jobs.jobs[:4], jobs.jobs.iloc[4], jobs.jobs.iloc[5]
    if not mine.procs <= NODES - running.procs.sum() < head.procs:
        return False
    of_head, of_mine = simulate(jobs, SlurmBackfill()).jobs.start.iloc[4:]
    extra = NODES - head.procs - running.procs[running.submit + running.run > of_head].sum()
    return bool(4 <= extra < mine.procs and of_mine > of_head and HOUR <= of_head - mine.submit < mine.run - HOUR)


def _some_users(draw: random.Random) -> Workload:
    cuts = [0, *sorted(draw.sample(range(6, NODES - 5, 3), len(USERS) - 1)), NODES]
    rows = [(0, WEEK, high - low) for low, high in zip(cuts[:-1], cuts[1:], strict=True)]
    rows += [(WEEK - draw.randrange(2, 140) * HOUR, HOUR, NODES) for _ in USERS]
    jobs = _workload("six users", NODES, rows, [*(f"{user}, a week" for user in USERS), *USERS])
    return jobs.derive(jobs.jobs.assign(user=2 * list(range(len(USERS)))), jobs.name)


def _shows_fair_share(jobs: Workload) -> bool:
    """Tell whether each column of factors gives another order, by far enough, and the simulation that of the sums."""
    table = factors(jobs)
    orders = [by_size(table[column]) for column in table]
    far = min(table[column].sort_values().diff().min() for column in table) >= 60
    return (
        far
        and orders[0] not in orders[1:]
        and orders[0] == list(fairly(jobs).jobs.start[len(USERS) :].sort_values().index)
    )


def _some_of_the_account(draw: random.Random) -> Workload:
    rows = [(0, draw.randrange(20, 600) * MINUTE, draw.randrange(64, 320, 64)) for _ in range(5)]
    return _workload("the limit of physics", 640, rows, [str(51_000 + 3 * place) for place in range(5)])


def _shows_the_limit(jobs: Workload) -> bool:
    """Tell whether all but your job run, and yours waits until the second or third of them ends."""
    start, ends = simulate(jobs, EASY()).jobs.start, sorted(jobs.jobs.run[:-1])
    return bool(start.iloc[:-1].max() == 0 and start.iloc[-1] in ends[1:3])


def _some_partitions(draw: random.Random) -> pd.DataFrame:
    mine = cluster().jobs.iloc[-1]
    needs, hours = int(mine.procs), int(mine.run) // HOUR
    rows = [
        ("up", hours // 2, draw.randint(2, 30), needs + draw.randint(4, 20), 0),
        ("up", 48, draw.randint(30, 50), draw.randint(1, needs - 1), draw.randint(needs, needs + 20)),
        ("down", 48, 0, needs + draw.randint(2, 20), 0),
        ("up", 24, draw.randint(8, 40), needs + draw.randint(0, 6), draw.randint(0, 3)),
    ]
    columns = ["avail", "hours", "allocated", "idle", "other"]
    return pd.DataFrame(rows, draw.sample(("amd", "long", "mpi", "old"), 4), columns).sort_index()


def _an_array(draw: random.Random) -> Array:
    minutes, at_once, rounds = draw.randrange(70, 200, 5), draw.randint(4, 12), draw.randint(3, 5)
    tasks = at_once * (rounds + draw.randint(1, 3)) - draw.randint(0, at_once - 1)
    until = minutes * rounds + draw.randrange(20, minutes - 10, 5)
    return Array(tasks, at_once, minutes, until, draw.randrange(240, 600, 30))


# What is simulated


def planned(minutes: float | None = None, nodes: int | None = None) -> Schedule:
    """Simulate `cluster` under Slurm's backfill; your job may have another time limit, or another size."""
    return _planned(seed(), minutes, nodes)


@cache
def _planned(_: str, minutes: float | None, nodes: int | None) -> Schedule:
    table = cluster().jobs
    mine = table.index[-1]
    if minutes is not None:
        table.loc[mine, ["run", "estimate"]] = int(minutes * MINUTE)
    if nodes is not None:
        table.loc[mine, "procs"] = int(nodes)
    return simulate(cluster().derive(table, "partition cpu"), SlurmBackfill())


def wait(schedule: Schedule) -> int:
    """Give the wait of the last job, yours, in minutes."""
    return int(schedule.jobs.wait.iloc[-1]) // MINUTE


def factors(jobs: Workload) -> pd.DataFrame:
    """Work out the weighted factors of the jobs that wait in `users`, and first their sum, the priority."""
    ran, waiting = jobs.jobs[: len(USERS)], jobs.jobs[len(USERS) :]
    usage = ran.procs.to_numpy() / (NODES / len(USERS))  # in equal shares
    age = AGE * (WEEK - waiting.submit) / WEEK
    table = pd.DataFrame({"age": age, "fair share": FAIR_SHARE * 2**-usage}).astype(int)
    table.insert(0, "priority", table.sum(axis=1))
    return table


def by_size(column: pd.Series) -> list[Any]:
    """List the labels of numbers, that of the largest first."""
    return list(column.sort_values(ascending=False).index)


def fairly(jobs: Workload) -> Schedule:
    """Simulate `users` under Slurm's multifactor priority, before any of the week's use has faded."""
    return simulate(jobs, SlurmBackfill(order=Multifactor(AGE, fair_share=FAIR_SHARE, half_life_days=10_000)))


@cache
def around_maintenance(its: Array) -> Schedule:
    """Simulate an array around a maintenance: 0 is now.

    The tasks that may run at once are a machine of their own. One more node is held until the maintenance, which needs
    all nodes and is the head: so nothing starts that would not have ended. After it the node is held again.
    """
    rows = [
        (0, its.until * MINUTE, 1),
        (0, its.down * MINUTE, its.at_once + 1),
        (0, 24 * HOUR, 1),
    ]
    rows += [(0, its.minutes * MINUTE, 1)] * its.tasks
    index = ["held", "maintenance", "held again", *(f"task {place}" for place in range(1, its.tasks + 1))]
    return simulate(_workload("an array", its.at_once + 1, rows, index), EASY())


# The exercises


def reading(answer: Any) -> str:
    """Judge 7.1: how long your job waits as planned, and behind which job."""
    jobs = planned().jobs
    minutes, behind = parts(answer, "minutes", "behind")
    minutes, truth = number(minutes, MINUTES), wait(planned())
    head, mine = jobs.index[-2:]
    if _in_hours(minutes, truth):
        raise NotYet("that is right in hours. Give minutes.")
    if minutes == (jobs.start[head] - jobs.submit[mine]) // MINUTE:
        raise NotYet(f"that is when job {head} starts, which is before yours.")
    if minutes != truth:
        raise NotYet(
            f"it is not {minutes:g} minutes. START_TIME of your job, {mine}, less the present time: SubmitTime of "
            "`scontrol show job`, for you have just submitted it."
        )
    known = [*jobs.index, *out_of_the_queue()]
    (behind,) = names([behind], known)
    if behind in out_of_the_queue():
        why = out_of_the_queue()[behind]
        raise NotYet(
            f"the minutes are right. But job {behind} is not in the queue: ({why}) keeps it out. Who is ahead?"
        )
    if behind != head:
        raise NotYet(f"the minutes are right. Job {behind} {'is yours' if behind == mine else 'runs'}: who waits, too?")
    return (
        f"job {head} is the head, (Resources), yours is behind it, (Priority). If jobs end early, both start earlier."
    )


def out_of_the_queue() -> dict[str, str]:
    """Name two jobs that the scheduler does not look at, with their reason."""
    mine = int(cluster().jobs.index[-1])
    return {str(mine - 4): "Dependency", str(mine - 2): "JobHeldUser"}


def _in_hours(given: float, minutes: float) -> bool:
    """Tell whether a number of minutes was given in hours."""
    return minutes > 0 and given != minutes and abs(60 * given - minutes) < 1


def _time_limit(answer: Any) -> float:
    """Read a time limit in minutes, as a number or as Slurm writes it, such as 3:35:00 or 0-03:35."""
    found = re.fullmatch(r"\s*(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?\s*", answer) if isinstance(answer, str) else None
    if found is None or not (found[1] or found[3]):
        return float(number(answer, MINUTES))
    days, first, second, third = (int(part or 0) for part in found.groups())
    if found[1]:
        return 1440 * days + 60 * first + second + third / 60
    if found[4] is None and (second or first < 24):
        raise NotYet(f"Slurm reads {answer} as {first} min {second} s. Hours need three parts: {answer}:00.")
    if found[4] is None:
        return float(first)
    return 60 * first + second + third / 60


def limit(answer: Any) -> str:
    """Judge 7.2: the longest time limit with which your job starts at once."""
    minutes, jobs = _time_limit(answer), planned().jobs
    head = jobs.iloc[-2]
    until = (head.start - jobs.submit.iloc[-1]) // MINUTE
    if _in_hours(minutes, until - 1):
        raise NotYet("that is right in hours. Slurm takes a number as minutes.")
    if minutes < 1:
        raise NotYet("a time limit is at least a minute.")
    if minutes == until:
        raise NotYet(
            f"then it would end in the second in which job {head.name} is planned to start. It has to end before."
        )
    if starts := wait(planned(minutes=minutes)):
        raise NotYet(
            f"with {minutes:g} minutes it waits for {starts} minutes. It would still run when job {head.name} is "
            "planned to start, and hold nodes that this job needs. When is that?"
        )
    if not wait(planned(minutes=(longer := minutes + NEAR + 1))):
        raise NotYet(f"with {minutes:g} minutes it starts at once, but also with {longer:g}. Until when may it run?")
    return (
        f"with {minutes:g} minutes your job is backfilled, as it has ended when job {head.name} needs its nodes. "
        f"With {jobs.estimate.iloc[-1] // HOUR} hours it waits for {wait(planned())} minutes."
    )


def elsewhere(answer: Any) -> str:
    """Judge 7.3: on how many nodes your job starts at once, and in which partition."""
    nodes, partition = parts(answer, "nodes", "partition")
    nodes, jobs = number(nodes, "nodes?"), planned().jobs
    mine, head, free = jobs.iloc[-1], jobs.iloc[-2], NODES - int(jobs.procs[:-2].sum())
    if nodes != int(nodes) or not 1 <= nodes <= NODES:
        raise NotYet(f"found {nodes:g} nodes, expected a whole number from 1 to {NODES}.")
    if starts := wait(planned(nodes=nodes)):
        more = f" {free} nodes are free now, but" if nodes == free else ""
        raise NotYet(
            f"on {nodes:g} nodes it waits for {starts} minutes.{more} job {head.name} starts before yours has ended: "
            f"how many of the {NODES} nodes are then left by it and by those that still run?"
        )
    if not wait(planned(nodes=nodes + 1)):
        raise NotYet(f"on {nodes:g} nodes it starts at once, but also on {nodes + 1:g}.")
    table = partitions()
    partition = choice(partition, table.index)
    its, hours = table.loc[partition], mine.estimate // HOUR
    if its.avail != "up":
        raise NotYet(f"the nodes are right. But {partition} is down: jobs wait there with (PartitionDown).")
    if its.hours < hours:
        raise NotYet(
            f"the nodes are right. But {partition} allows {its.hours} hours, and yours asks for {hours}: it would wait "
            "for ever, with (PartitionTimeLimit), or be refused at once."
        )
    if its.idle < mine.procs:
        raise NotYet(
            f"the nodes are right. But in {partition} {its.idle} nodes are idle, and yours needs {mine.procs}. I is "
            "the second number of A/I/O/T; O is for other: down, drained or reserved."
        )
    return f"on {nodes:g} nodes it runs beside job {head.name}; nobody waits for the idle nodes of {partition}."


def order(answer: Any) -> str:
    """Judge 7.4: the order of six jobs by age and fair share."""
    found, table = names(answer, USERS), factors(users())
    truth = by_size(table.priority)
    if sorted(found) != sorted(truth):
        raise NotYet(f"name each of {', '.join(USERS)} once.")
    if found == truth[::-1]:
        raise NotYet("the other way round: the largest number goes first.")
    for column, says in (("age", "that is FCFS"), ("fair share", "age counts, too")):
        if found == by_size(table[column]):
            raise NotYet(f"that is the order by {column} alone: {says}. Add the columns up.")
    for user, right in zip(found, truth, strict=True):
        if user != right:
            sums = f"{user} has {table.priority[user]:,}, {right} has {table.priority[right]:,}"
            raise NotYet(f"{right} comes before {user}: {sums}.")
    poor = by_size(-users().jobs.procs[: len(USERS)])[0].partition(",")[0]
    return f"simulated, the jobs start in this order. Who has used least, {poor}, has the largest fair share."


def limited(answer: Any) -> str:
    """Judge 7.5: when a job may start that a limit of its account holds back."""
    minutes, jobs = number(answer, MINUTES), account().jobs
    truth, ends = wait(simulate(account(), EASY())), sorted(jobs.run[:-1] // MINUTE)
    used, needs = jobs.procs[:-1].sum(), jobs.procs.iloc[-1]
    if _in_hours(minutes, truth):
        raise NotYet("that is right in hours. Give minutes.")
    if minutes == 0:
        raise NotYet(
            f"idle nodes do not help: physics uses {used} of its {account().procs} CPUs, and you ask for {needs}."
        )
    if minutes in ends and minutes < truth:
        left = account().procs - jobs.procs[:-1][jobs.run[:-1] > minutes * MINUTE].sum()
        raise NotYet(f"after {minutes:g} minutes the limit leaves {left} CPUs, and your job needs {needs}.")
    if minutes in ends and minutes > truth:
        raise NotYet(f"after {minutes:g} minutes, surely. But it may start earlier: add up what each end gives back.")
    if minutes != truth:
        raise NotYet(
            f"at {minutes:g} minutes no job of physics ends. It starts when enough CPUs of the limit are free."
        )
    return "the limit is a machine of its own: its CPUs are free when jobs of the account end, however many nodes idle."


def maintenance(answer: Any) -> str:
    """Judge 7.6: how many tasks of an array end before a maintenance, and when the job that depends on them starts."""
    its, jobs = array(), around_maintenance(array()).jobs
    tasks, merge = parts(answer, "tasks", "merge")
    tasks, merge = number(tasks, "tasks?"), number(merge, MINUTES)
    ends = jobs.end.filter(like="task") // MINUTE
    truth, end = (ends <= its.until).sum(), ends.max()
    if tasks == its.tasks:
        raise NotYet("not all: one that would still run when the maintenance begins does not start.")
    if tasks == truth // its.at_once:
        raise NotYet(f"so many end one after the other. But %{its.at_once} lets {its.at_once} run at once.")
    if tasks == truth + its.at_once:
        raise NotYet("the last of these would still run when the maintenance begins, so they do not start.")
    if tasks != truth:
        raise NotYet(
            f"it is not {tasks:g}. How many tasks of {its.minutes} minutes, one after the other, end within the "
            f"{its.until} minutes until the maintenance? And {its.at_once} run at once."
        )
    if _in_hours(merge, end):
        raise NotYet("the tasks are right, and the start is right in hours. Give minutes.")
    if merge == -(-its.tasks // its.at_once) * its.minutes:
        raise NotYet("the tasks are right. The job `merge` would start then if there were no maintenance.")
    if merge == its.until + its.down:
        raise NotYet(f"the tasks are right. The other {its.tasks - truth} tasks start then, and `merge` waits for all.")
    if merge != end:
        raise NotYet(
            f"the tasks are right. {its.tasks - truth} are left at the end of the maintenance, {its.until + its.down} "
            f"minutes from now; {its.at_once} of them run at once. When does the last one end?"
        )
    return (
        f"{truth} tasks end before the maintenance, {its.tasks - truth} begin after it, and `merge` waits for the last."
    )


EXERCISES: dict[str, Judge] = {
    "7.1": reading,
    "7.2": limit,
    "7.3": elsewhere,
    "7.4": order,
    "7.5": limited,
    "7.6": maintenance,
}
