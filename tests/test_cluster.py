"""Sweeps on a real cluster of Dask's, of two worker processes on this machine, give what they give on threads.

And the profile with which Snakemake sends the notebooks to Slurm is one that it understands.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from types import SimpleNamespace

import dask_jobqueue
import distributed
import pytest
from dask_jobqueue.slurm import SLURMJob
from helpers import PACKAGES

import simlib
from simlib import EASY, Conservative, sweep
from simlib._util import paths
from simlib.models.sample import sample

pytestmark = pytest.mark.slow


class Traveller:
    """Counts, in each process, how often one arrived there."""

    arrivals = 0

    def __setstate__(self, state):
        Traveller.arrivals += 1

    def __getstate__(self):
        return "nothing"


def arrivals():
    return Traveller.arrivals


def traveller():
    w = sample()
    return simlib.Workload(w.jobs, w.procs, source={"traveller": Traveller()})


def waits(workload, policy, seed):
    """The bytes of all waits of a shaken run, and the process that made it."""
    return simlib.simulate(workload.shake(60, seed), policy).jobs.wait.to_numpy().tobytes(), os.getpid()


def deadly_waits(workload, policy, seed, deadly, marks):
    """The same, slowly; a deadly run kills the process that makes it, the first time."""
    time.sleep(0.02)
    mark = marks / f"{seed}"
    if seed in deadly and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return waits(workload, policy, seed)[0]


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "silence_logs": "CRITICAL"}
    any_port = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}  # as other tests run clusters beside this one
    with distributed.LocalCluster(**options, **any_port) as cluster:
        with distributed.Client(cluster) as client:
            yield client


@pytest.mark.parametrize("way", ["client", "executor"])
def test_the_log_travels_once_a_worker_and_the_results_are_those_of_threads(client, way):
    log = traveller()
    tasks = [(log, policy, seed) for seed in range(20) for policy in (EASY(), Conservative())]
    before = client.run(arrivals)
    results = sweep(waits, tasks, client if way == "client" else client.get_executor())
    came = {worker: count - before[worker] for worker, count in client.run(arrivals).items()}
    assert list(came.values()) == [1, 1]
    assert len({process for _, process in results}) == 2
    assert [result for result, _ in results] == [result for result, _ in sweep(waits, tasks)]


def test_workers_killed_in_the_middle_lose_nothing(client, tmp_path):
    log, deadly = sample(), {10, 11}
    before = client.run(os.getpid)
    results = sweep(deadly_waits, [(log, EASY(), seed, deadly, tmp_path) for seed in range(30)], client)
    assert {path.name for path in tmp_path.iterdir()} == {str(seed) for seed in deadly}
    assert len(set(before.values()) - set(client.run(os.getpid).values())) >= 1
    assert results == [waits(log, EASY(), seed)[0] for seed in range(30)]


def test_shaking_takes_a_client(client):
    shaken = partial(simlib.replicate, sample(), EASY(), shakes=6, keep=False)
    frames = [shaken(executor=executor) for executor in (client, None)]
    assert frames[0].to_numpy().tobytes() == frames[1].to_numpy().tobytes()
    assert frames[0].columns.equals(frames[1].columns)


def test_what_fails_on_a_worker_is_raised_here(client):
    with pytest.raises(ZeroDivisionError):
        sweep(divmod, [(1, 1), (1, 0), (2, 1)], client)


def test_the_sweep_that_the_docs_send_to_slurm(client, monkeypatch):
    asked = {}
    monkeypatch.setattr(simlib, "load", lambda name: sample())
    cluster = SimpleNamespace(scale=lambda jobs: None)
    monkeypatch.setattr(dask_jobqueue, "SLURMCluster", lambda **options: asked.update(options) or cluster)
    monkeypatch.setattr("dask.distributed.Client", lambda cluster: contextlib.nullcontext(client))
    [block] = re.findall(r"```python\n(.*?)```", (paths.ROOT / "docs/how-to/cluster.md").read_text("utf-8"), flags=re.S)
    names = {"__name__": "docs"}
    exec(block.replace("shakes=100", "shakes=2").replace("1000, 100", "4, 2"), names)
    assert [len(result) for result in names["results"]] == [2] * 4
    whole = simlib.replicate(sample(), Conservative(), shakes=4, as_it_is=False).to_numpy()
    assert (whole[2:] == names["results"][-1].to_numpy()).all()
    script = SLURMJob(scheduler="tcp://127.0.0.1:8786", name="worker", **asked).job_script()
    assert "#SBATCH -p short" in script and "#SBATCH -A project" in script and "--cpus-per-task=8" in script


@pytest.fixture
def dry_run(tmp_path):
    """A function that says what snakemake would do from nothing."""
    for name in ("workflow", "notebooks", "data", *PACKAGES):
        (tmp_path / name).symlink_to(paths.ROOT / name)

    def run(*options):
        command = [sys.executable, "-m", "snakemake", "--dry-run", *options]
        return subprocess.run(
            command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
        ).stdout

    return run


@pytest.mark.thorough
def test_the_profile_for_slurm_makes_a_job_of_every_notebook_and_leaves_the_default_one_in_force(dry_run):
    said = dry_run("--profile", "workflow/profiles/slurm")
    assert "Using profiles workflow/profiles/slurm and workflow specific profile workflow/profiles/default" in said
    notebooks = [path for path in (paths.ROOT / "notebooks").rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts]
    assert len(re.findall("rule (?:first_|early_)?notebook:", said)) == len(notebooks) == said.count("threads: 4")
    assert said.count("mem_mb=8000") >= len(notebooks) and "runtime=60" in said
