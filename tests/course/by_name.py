"""The right answers of every marked exercise that varies, worked out as a student does, for the seed that is used."""

import re

import numpy as np
import pandas as pd

from simlib import EASY, FCFS, Conservative, replicate, simulate
from simlib.core.estimates import Scaled
from simlib_course.lessons import lesson1, lesson2, lesson3, lesson4, lesson5, lesson6, lesson7, slurm_output


def answers():
    """By exercise an answer that is right."""
    made = lesson_1() | lesson_2() | lesson_3() | lesson_4() | lesson_7()
    its, jobs = lesson5.example(), simulate(lesson5.january(), EASY()).jobs
    response, few = its["wait"] + its["run"], jobs.run < lesson5.short()
    made["5.1"] = {"slowdown": response / its["run"], "bounded": response / 10}
    shares = {name: jobs[name][few].sum() / jobs[name].sum() for name in ("bounded_slowdown", "response")}
    made["5.2"] = {"bounded": shares["bounded_slowdown"], "response": shares["response"]}
    runs = {"shakes": 10, "seed": lesson5.first_shake(), "as_it_is": False}
    both = [replicate(lesson5.january(), policy, **runs).mean_bounded_slowdown for policy in (Conservative(), EASY())]
    made["5.5"] = (both[0] - both[1]).tolist()
    wait = simulate(lesson6.queue(), EASY(order="sjf")).jobs.wait
    return made | {"6.2": {"job": wait.idxmax(), "wait": int(wait.max())}}


def lesson_1():
    jobs, full = simulate(lesson1.queue(), FCFS()).jobs, lesson1.packed()
    used = (jobs.run * jobs.procs).sum() / (10 * jobs.end.max())
    bag = lesson1.bag().jobs
    by_run = bag.sort_values(["run", "procs"])
    pairs = [list(of.index) for _, of in by_run[by_run.procs < 10].groupby("run")]
    order = [*pairs[0], *pairs[1], bag.index[bag.procs == 10][0]]
    return {
        "1.1": {"start": int(jobs.start["C"]), "free": int(10 - jobs.procs["A"])},
        "1.2": round(float(used), 2),
        "1.3": order,
        "1.4": {"a_run": int(full.jobs.run["C"]), "a_procs": 1, "b_procs": full.procs},
    }


def lesson_2():
    at = simulate(lesson2.queue().select("submit <= 2"), EASY())
    easy = simulate(lesson2.queue(), EASY()).jobs
    shadow, head, size = int(at.shadow["H"]), at.jobs.start["H"], at.jobs.procs
    extra = 10 - int(size[(at.jobs.start <= head) & (at.jobs.end > head)].sum())
    ways = {}
    for job in "CDEF":
        its = easy.loc[job]
        ways[job] = "no" if its.start > its.submit else "shadow" if its.end <= shadow else "extra"
    late = {"submit": 3, "run": lesson2.far() - 3, "procs": 1}
    return {"2.1": {"shadow": shadow, "extra": extra}, "2.2": ways | {"H": int(easy.start["H"])}, "2.3": late}


def lesson_3():
    plan, early = simulate(lesson3.plan(), Conservative()), simulate(lesson3.early(), Conservative())
    reserved = simulate(lesson2.passing(), Conservative()).jobs.guarantee["second"]
    return {
        "3.1": plan.jobs.guarantee[["second", "third"]].to_dict(),
        "3.2": {"run": int(reserved) - 3},
        "3.3": early.jobs.start[["first", "second"]].to_dict(),
    }


def lesson_4():
    heel, month = simulate(lesson4.heel_and_toe(2), EASY()).jobs, lesson4.january().jobs
    last = int(heel.start["s1"] + heel.estimate["s1"])  # s1 holds the other half
    jobs = lesson4.cautious().jobs
    return {
        "4.1": round(float((month.run / month.estimate < lesson4.part()).mean()), 2),
        "4.2": {"shadow": last, "s2_until": int(heel.start["s2"] + heel.estimate["s2"])},
        "4.4": lesson4.january().with_estimates(Scaled(lesson4.factor())).jobs.estimate.tolist(),
        "4.5": {"estimate": int(np.mean([jobs.run["mine"], jobs.run["B"] - jobs.run["A"]]))},
    }


def rows(text):
    """The rows of an output below its head, as words."""
    return [line.split() for line in text.splitlines()[1:]]


def minutes(text):
    """A length of time as Slurm writes it."""
    days, _, rest = text.rpartition("-")
    parts = [int(part) for part in rest.split(":")]
    seconds = sum(part * 60**place for place, part in enumerate(reversed(parts)))
    return (int(days or 0) * 86400 + seconds) // 60


def time_of(name, text):
    return pd.Timestamp(re.search(rf"\b{name}=(\S+)", text)[1])


def lesson_7():
    """From the outputs of Slurm's commands alone."""
    waiting, shown = rows(slurm_output.squeue_start()), slurm_output.scontrol_show_job()
    planned = [row for row in waiting if row[5] != "N/A"]
    now, (mine,) = time_of("SubmitTime", shown), [row for row in planned if row[3] == "ada"]
    (head,) = [row for row in planned if "(Resources)" in row]
    until = (pd.Timestamp(head[5]) - now).total_seconds() // 60
    still = sum(int(row[5]) for row in rows(slurm_output.squeue()) if minutes(row[4]) > until)
    asked = minutes(re.search(r"TimeLimit=(\S+)", shown)[1])

    def takes_it(row):
        idle = int(row[3].split("/")[1])
        return row[1] == "up" and minutes(row[2]) >= asked and idle >= int(mine[6])

    (partition,) = [row[0] for row in rows(slurm_output.sinfo()) if takes_it(row)]
    sums = {user: int(age) + int(share) for _, user, age, share in rows(slurm_output.sprio())}
    *running, limited = rows(slurm_output.squeue_of_the_account())
    left = 640 - sum(int(row[4]) for row in running)
    for row in sorted(running, key=lambda row: minutes(row[3])):
        left += int(row[4])
        if left >= int(limited[4]):
            break
    tasks, at_once = map(int, re.search(r"\[1-(\d+)%(\d+)\]", slurm_output.squeue_of_the_array()).groups())
    maintenance = slurm_output.scontrol_show_reservation()
    begin, end = ((time_of(name, maintenance) - now).total_seconds() // 60 for name in ("StartTime", "EndTime"))
    before = at_once * int(begin // lesson7.array().minutes)
    rounds = -(-(tasks - before) // at_once)
    return {
        "7.1": {"minutes": (pd.Timestamp(mine[5]) - now).total_seconds() // 60, "behind": head[0]},
        "7.2": until - 1,  # it ends before
        "7.3": {"nodes": 128 - int(head[6]) - still, "partition": partition},
        "7.4": sorted(sums, key=sums.get, reverse=True),
        "7.5": minutes(row[3]),
        "7.6": {"tasks": before, "merge": end + rounds * lesson7.array().minutes},
    }
