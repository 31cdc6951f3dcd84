"""Beyond one machine, and what others use: rows and texts of two sections of benchmarks/RESULTS.md.

Costs are processor time, which a busy machine changes less than the time on the clock.
"""

import collections
import collections.abc
import gzip
import heapq
import json
import multiprocessing
import os
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import distributed
import numpy as np
import pandas as pd
from simulating import LEFT_OUT, recorded_logs

import simlib
from simlib import EASY, Conservative, simulate
from simlib.core.estimates import Scaled, Uniform
from simlib.logs import archive

# What a sweep of all logs costs

SCHEDULERS = EASY(), EASY(reuse_extra=True), EASY(order="sjf"), EASY(order="wfp"), Conservative()
ESTIMATES = "user", "exact", Uniform(3), Scaled(2)
SHAKES = 1000
CORES = 1, 100, 1000

SWEEP_HEADER = ["log", "jobs", "one run [ms]", "a job of it [us]", *(f"all, {cores:,} cores" for cores in CORES)]
SWEEP_TEXT = f"""A run is: shake the log, simulate it, sum up; its cost is processor time, the mean of \
{len(SCHEDULERS) * len(ESTIMATES)} policies, five schedulers with four estimates each. All are \
{len(SCHEDULERS) * len(ESTIMATES):,} policies x {SHAKES:,} shakes. The last row has every log of `data/archive.toml` \
but {LEFT_OUT}, best files, at the mean cost of a job of the rows above it, also those that are not here."""


def sweep_cost_rows():
    """What 20 policies x 1,000 shakes cost: a row for each log that is here, then all logs of the catalogue."""
    seconds_a_run(simlib.load("sample"))  # compiled by now
    logs = list(recorded_logs())
    here = [simlib.load(name) for name in logs if archive.find(name)]
    costs = [seconds_a_run(workload) for workload in here]
    for workload, seconds in zip(here, costs, strict=True):
        yield sweep_row(workload.name, len(workload), seconds)
    jobs = sum(archive.files(name)[0].lines for name in logs)
    yield sweep_row(f"all {len(logs)} logs", jobs, jobs * sum(costs) / sum(map(len, here)))


def sweep_row(name, jobs, seconds):
    """One row: what one run costs, and all runs on so many cores, of which none ever waits."""
    runs = len(SCHEDULERS) * len(ESTIMATES) * SHAKES
    spans = [span(runs * seconds / cores) for cores in CORES]
    return [name, f"{jobs:,}", f"{seconds * 1e3:.1f}", f"{seconds * 1e6 / jobs:.2f}", *spans]


def seconds_a_run(workload, runs=2, tries=2):
    """The processor time of one shaken run, the mean of all policies; of each the least of some tries."""
    costs = []
    with ThreadPoolExecutor(1) as one:
        for estimates in ESTIMATES:
            estimated = workload.with_estimates(estimates)
            for scheduler in SCHEDULERS:
                began = [time.process_time()]
                for _ in range(tries):
                    options = {"as_it_is": False, "keep": False, "executor": one}
                    simlib.replicate(estimated, scheduler, shakes=runs, **options)
                    began.append(time.process_time())
                costs.append(np.diff(began).min() / runs)
    return np.mean(costs)


def span(seconds):
    """A time in the unit that suits it."""
    for unit, size in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"


def task_note(tasks=2000):
    """What Dask's client and scheduler, both in this process, spend on each task, in a sentence."""
    options = {"n_workers": 2, "threads_per_worker": 1, "silence_logs": "CRITICAL"}
    any_port = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(**options, **any_port) as cluster, distributed.Client(cluster) as client:
        simlib.sweep(abs, [(1,)], client)
        began = time.process_time()
        simlib.sweep(abs, [(k,) for k in range(tasks)], client)
        seconds = (time.process_time() - began) / tasks
    return (
        f"Dask spends {seconds * 1e3:.1f} ms on each task in its client and scheduler, and so hands out at most "
        f"{1 / seconds:,.0f} a second: on hundreds of cores a task should be many runs."
    )


# AccaSim

ACCASIM_HEADER = ["EASY on KTH", "processor time [s]", "/ simlib", "mean wait [s]", "longest [h]", "starts as AccaSim"]
ACCASIM_TEXT = """Each as its users run it: from the log's file to every job's start. AccaSim reserves processors for \
the head of the queue, but does not hold the jobs behind it to that: its scheduler passes an empty list of reserved \
nodes, and whatever fits starts. Nor does it try the head before its reserved time. The last row is simlib with these \
two rules, and with the requested processors, which AccaSim takes, in place of the allocated: nearly every job starts \
when it does in AccaSim. So its mean wait is shorter, as whatever fits passes at will, and its longest is far longer, \
which a reservation is there to prevent."""


def accasim_rows(name="KTH-SP2"):
    """AccaSim and simlib on the same jobs under EASY; none where the log is not here."""
    found = archive.find(name)
    if found is None:
        return
    procs = archive.entry(name)["procs"]
    simlib_seconds, jobs = timed(lambda: simulate(simlib.read_swf(found[0], procs), EASY()).jobs)
    with TemporaryDirectory() as folder, ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        plain = Path(folder) / "log.swf"
        plain.write_bytes(gzip.decompress(found[0].read_bytes()))
        accasim_seconds, theirs = process.submit(accasim, plain, procs).result()
    rules_seconds, ours = timed(lambda: simulate(requested(simlib.read_swf(found[0], procs)), AsAccaSim()).jobs)
    for label, seconds, start in (
        ("simlib", simlib_seconds, jobs.start),
        ("AccaSim 1.1.3", accasim_seconds, theirs),
        ("simlib, AccaSim's rules in Python", rules_seconds, ours.start),
    ):
        wait = start - jobs.submit  # by the job's number
        numbers = wait.mean(), wait.max() / 3600, 100 * (start == theirs.reindex(start.index)).mean()
        mean, longest, same = (f"{number:,.{digits}f}" for number, digits in zip(numbers, (0, 0, 2), strict=True))
        yield [label, f"{seconds:.2f}", f"{seconds / simlib_seconds:,.0f}", mean, longest, f"{same} %"]


def requested(workload):
    """The jobs with the processors that they asked for."""
    return workload.derive(workload.jobs.assign(procs=workload.log.requested_procs), "requested processors")


def timed(function, tries=3):
    """The least processor time of some calls, after one, and what the last one returned."""
    function()
    seconds = []
    for _ in range(tries):
        began = time.process_time()
        found = function()
        seconds.append(time.process_time() - began)
    return min(seconds), found


def accasim(path, procs):
    """In a process of its own: AccaSim's processor time, and the start of each job by its number in the log."""
    for abstract in collections.abc.__all__:  # where they were when AccaSim was written
        setattr(collections, abstract, getattr(collections.abc, abstract))
    multiprocessing.set_start_method("fork", force=True)  # its writers rely on it
    with warnings.catch_warnings(action="ignore"):
        from accasim.base.allocator_class import FirstFit
        from accasim.base.scheduler_class import EASYBackfilling
        from accasim.base.simulator_class import Simulator
    system = path.with_name("system.json")
    system.write_text(json.dumps({"groups": {"node": {"core": 1}}, "resources": {"node": procs}}))
    options = {"RESULTS_FOLDER_PATH": str(path.parent), "LOG_LEVEL": "WARNING"}
    began = os.times()
    files = Simulator(str(path), str(system), EASYBackfilling(FirstFit()), **options).start_simulation()
    seconds = sum(os.times()[:4]) - sum(began[:4])  # with its writers
    starts = {}
    for line in Path(files["sched-"]).read_text().splitlines():  # job;user;submit__nodes__start;end;...
        job, nodes_and_after = line.split(";", 1)
        starts[int(job)] = nodes_and_after.split("__")[-1].split(";")[0]
    return seconds, pd.to_datetime(pd.Series(starts)).astype("datetime64[s]").astype("int64")


class AsAccaSim:
    """EASY as AccaSim 1.1.3 does it: a policy for `simlib.simulate`."""

    def schedule(self, submit, run, estimate, procs, machine):
        start, free, coming = np.zeros_like(submit), machine, 0
        queue, running = [], []  # jobs by arrival; a heap of (end, job)
        reserved = None  # when the head may be tried again
        while coming < len(submit) or queue:
            arrives = submit[coming] if coming < len(submit) else np.inf
            now = min(arrives, running[0][0] if running else np.inf)
            now = reserved if now == np.inf else now  # nothing else happens before the head may be tried again
            while running and running[0][0] <= now:
                free += procs[heapq.heappop(running)[1]]
            while coming < len(submit) and submit[coming] <= now:
                queue.append(coming)
                coming += 1
            waiting = []
            for job in queue:
                head = not waiting
                if procs[job] <= free and not (head and reserved is not None and now < reserved):
                    start[job], free = now, free - procs[job]
                    heapq.heappush(running, (now + run[job], job))
                    reserved = None if head else reserved
                    continue
                if head and reserved is None:
                    reserved = self.enough(procs[job], free, running, start, estimate, procs)
                waiting.append(job)
            queue = waiting
        return {"start": start}

    def enough(self, wanted, free, running, start, estimate, procs):
        """When, by the estimates, so many processors are free."""
        for end, job in sorted((start[job] + estimate[job], job) for _, job in running):
            free += procs[job]
            if free >= wanted:
                return end
