"""A made-up dump of sacct: a year of a small cluster with three partitions, of which two share nodes and one has GPUs.

The queues are those of EASY, so the recorded times fit the cluster.
"""

import numpy as np
import pandas as pd

from simlib import EASY, Workload, simulate

CPUS = {"batch+debug": 512, "gpu": 128}
"""The pools of nodes: what one partition takes of the first, the other cannot have."""

GPUS = 16
"""Of the pool "gpu", one with every eight CPUs."""

BEGIN = 1704063600
"""Midnight in Berlin, where the year 2024 begins."""

YEAR = 364 * 86400
LOAD = {"batch+debug": 0.72, "gpu": 0.65}
COLUMNS = (
    "JobID Submit Eligible Start End ElapsedRaw TimelimitRaw State AllocCPUS ReqCPUS NNodes ReqNodes AllocTRES "
    "User Account QOS Partition JobName"
).split()
NEVER_RAN = 0.03
"""Is the share of jobs that are cancelled before they start."""

STATES = {"COMPLETED": 0.85, "FAILED": 0.08, "CANCELLED by 1003": 0.04, "OUT_OF_MEMORY": 0.02, "NODE_FAIL": 0.01}


def dump(jobs=20_000, seed=0):
    """What sacct prints of so many jobs, and of the second runs of some that were requeued."""
    rng = np.random.default_rng(seed)
    table = _ran(_submitted(jobs, rng))
    table["State"] = rng.choice(list(STATES), len(table), p=list(STATES.values()))
    table.loc[table.run >= table.limit, "State"] = "TIMEOUT"
    half = table.run // 2
    again = table[table.State == "NODE_FAIL"].assign(submit=table.start + half, State="COMPLETED")
    again = again.assign(eligible=again.submit, start=again.submit, run=again.run - half)  # on other nodes, at once
    table.loc[again.index, "run"] = half
    table.loc[again.index, "end"] = again.start
    table = pd.concat([table, again]).sort_values("submit", kind="stable")
    return "\n".join(["|".join(COLUMNS), *("|".join(row) for row in _written(table, rng))]) + "\n"


def _submitted(jobs, rng):
    """Jobs of 60 users, who come by day, with their sizes, limits and run times."""
    hour = np.array([0.3] * 8 + [1.0] * 10 + [0.6] * 6)
    weight = np.outer(np.linspace(0.8, 1.2, 364) * np.where(np.arange(364) % 7 < 5, 1.0, 0.4), hour).ravel()
    when = rng.choice(len(weight), jobs, p=weight / weight.sum()) * 3600 + rng.integers(0, 3600, jobs)
    user = np.minimum(rng.zipf(1.5, jobs), 60)
    partition = np.where(user % 3 == 0, "gpu", np.where(rng.random(jobs) < 0.15, "debug", "batch"))
    gpus = np.where(partition == "gpu", rng.choice([0, 1, 1, 2, 4, 8], jobs), 0)
    cpus = 2 ** np.minimum(rng.geometric(0.3, jobs) + rng.integers(0, 3, jobs) - 1, 8)
    cpus = np.where(partition == "gpu", np.maximum(gpus, 1) * rng.choice([4, 8], jobs), cpus)
    cpus = np.where(partition == "debug", np.minimum(cpus, 32), cpus)
    limit = rng.choice([1800, 3600, 14400, 43200, 86400], jobs, p=[0.2, 0.25, 0.25, 0.2, 0.1])
    limit = np.where(partition == "debug", 1800, limit)
    run = np.minimum(limit * np.where(rng.random(jobs) < 0.12, 1.0, rng.beta(0.6, 1.8, jobs)) + 5, limit).astype(int)
    columns = {"submit": np.sort(when), "partition": partition, "user": user, "cpus": cpus, "gpus": gpus}
    return pd.DataFrame(columns | {"limit": limit, "run": run})


def _ran(table):
    """The jobs with their start and end: each pool of nodes runs EASY, and run times are such that it has its load."""
    table["eligible"] = table.submit + np.where(table.index % 12 == 0, 1800, 0)  # held, or dependent on another
    pools = []
    for pool, cpus in CPUS.items():
        part = table[table.partition.isin(pool.split("+"))]
        units = np.maximum(-(-part.cpus // 8), part.gpus)  # of eight CPUs and a GPU, if there are some
        factor = LOAD[pool] * (cpus // 8) * YEAR / (part.run * units).sum()
        run = np.maximum(part.run * factor, 1).astype(int)
        limit = np.ceil(part.limit * factor / 600).astype(int) * 600
        run = np.where(part.run >= part.limit, limit, run)
        jobs = pd.DataFrame({"submit": part.eligible, "run": run, "estimate": limit, "procs": units})
        start = simulate(Workload(jobs, cpus // 8), EASY()).jobs.start.reindex(part.index)
        pools.append(part.assign(run=run, limit=limit, start=start, end=start + run))
    return pd.concat(pools).sort_index()


def _written(table, rng):
    """The fields of each record."""
    never = rng.random(len(table)) < NEVER_RAN
    for number, (job, unstarted) in enumerate(zip(table.itertuples(), never, strict=True)):
        nodes = -(-job.cpus // 32)
        tres = f"billing={job.cpus},cpu={job.cpus},mem={4 * job.cpus}G,node={nodes}"
        if job.gpus:
            tres += f",gres/gpu:a100={job.gpus},gres/gpu={job.gpus}"
        times = [job.submit, job.eligible, job.start, job.end]
        submit, eligible, start, end = (str(BEGIN + int(second)) for second in times)
        name = f"{job.Index + 1001}" if job.Index % 9 else f"{job.Index + 1001}_{number % 5}"
        state, elapsed, allocated = job.State, str(int(job.run)), str(job.cpus)
        if unstarted:
            start, state, elapsed, allocated, tres = "None", "CANCELLED by 1007", "0", "0", ""
        whose = [f"user{job.user:02}", f"group{job.user % 7}", "high" if job.user % 11 == 0 else "normal"]
        yield [
            *(name, submit, eligible, start, end, elapsed, str(int(job.limit) // 60), state, allocated, str(job.cpus)),
            *(str(nodes), str(nodes), tres, *whose, job.partition, f"run{job.user % 5}"),
        ]
