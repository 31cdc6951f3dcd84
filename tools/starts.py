"""Compare the schedules of this state with those of another commit, job by job: `python tools/starts.py [COMMIT]`.

Each state simulates all cases in a process of its own, and writes digests of all that schedules tell of jobs. The first
cases that differ are simulated again, to name the first job. A case is a log (of SIMLIB_TRACES) or a small random
workload, an option, and a policy with its settings. What only the present state can simulate is counted, and right.
"""

import argparse
import hashlib
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = ["start", "submit", "backfilled", "guarantee", "adjusted"]  # and the shadow time, where there is one
OPTIONS = {"": {}, "kill": {"overrun": "kill"}, "feedback": {"feedback": True}, "GPUs": {}}
SHOWN = 20  # cases that differ

# Cases


ORDERS = "'sjf'; 'smallest area'; 'wfp'; 'unicef'; 'expansion factor'; 'f1'; 'f2'; 'f3'; 'f4'; mine; Multifactor(); "
ORDERS += "Multifactor(procs=1, half_life_days=0.01, account='group'); Thresholded('smallest area', 900)"
BACKFILL = "'sjf'; 'best-fit'; 'largest'; 'smallest area'; 'expansion factor'; filling"
PREDICTORS = "'last two'; 'last two', past=PAST; 'same estimate'; 'same estimate', past=PAST; 'exact'; 'estimate'"
SCHEMES = "'user', '1 month', 85, 0.5; 'user', '1 hour', 50, least=1; 'user+project+estimate', None, 70, least=2"
FAMILIES = (
    ("", "FCFS(); EASY(); EASY(True); EASY(order='wfp'); EASY.plus_plus(); EASY(backfill='lookahead')"),
    ("", "Conservative(); Conservative('start'); EASY(reservations=4); Selective(2); SlurmBackfill()"),
    ("", "Conservative('none'); Conservative('rebackfill'); EASY(order='sjf', backfill='lookahead')"),
    (ORDERS, "FCFS(order={}); EASY(order={}); EASY(True, order={}); EASY(backfill='arrival', order={})"),
    ("'sjf'; 'wfp'; Multifactor(half_life_days=0.01)", "Conservative(order={}); Selective(1.5, order={})"),
    ("'sjf'; 'wfp'; mine", "EASY(reservations=3, order={}); SlurmBackfill({}, 3, 30, 5, 6)"),
    (BACKFILL, "EASY(backfill={}); EASY(True, backfill={}); EASY(order='sjf', backfill={})"),
    ("'best-fit'; filling", "EASY(order='wfp', backfill={})"),
    ("2; 16; inf", "EASY(reservations={})"),
    ("1; 5; inf; 'adaptive'", "Selective({})"),
    ("depth=2, window=20; depth=inf, resolution=1, interval=1", "SlurmBackfill({})"),
    (PREDICTORS, "EASY(adjust=Predictions({})); EASY(adjust=Predictions({}), backfill='sjf')"),
    (PREDICTORS, "EASY(adjust=Predictions({}, correct=False)); EASY(adjust=Predictions({}), backfill='lookahead')"),
    (PREDICTORS, "EASY(order='sjf', adjust=Predictions({}, running=False))"),
    (SCHEMES, "EASY(adjust=Adjustment(Scheme({}))); EASY(order='wfp', adjust=Adjustment(Scheme({})))"),
    (SCHEMES, "EASY(adjust=Adjustment(Scheme({}), running=False)); EASY(adjust=Adjustment(Scheme({}), overdue=3))"),
    (SCHEMES, "EASY(order='sjf', adjust=Adjustment(Scheme({}), past=PAST), backfill='sjf')"),
)
"""Settings, and the policies that have them in the place of the braces."""

WITH_EVERY_OPTION = 11
"""So many of the first policies are simulated on each log with every option."""


def policies():
    """List the policies with their settings, as they are written in Python."""
    families = [(settings.split("; "), policy) for settings, policies in FAMILIES for policy in policies.split("; ")]
    return list(dict.fromkeys(policy.format(setting) for settings, policy in families for setting in settings))


def mine(wait, procs, free, user, submit):
    """Order a queue by facts that change, and others."""
    return wait * procs - free + user


def filling(extra, window, procs, estimate):
    """Order candidates by what is known only when jobs are backfilled."""
    return min(extra, procs) * 100 + window - estimate


past = {"submit": [-50, -40, -30, -20, -10], "run": [3, 9, 20, 8, 4], "estimate": [10, 10, 30, 8, 10]}
PAST = pd.DataFrame(past | {"user": [0, 1, 0, 2, 1], "group": [0, 1, 0, 0, 1], "end": [-40, -5, 3, 10, -2]})


def cases(jobs, random, words):
    """List the cases: the name, a function that makes the workload and what it takes, the option, the policy.

    Leave out those whose name lacks one of the words.
    """
    folder = Path(os.environ.get("SIMLIB_TRACES", ROOT / "data" / "traces"))
    sources = [(path.name.partition(".swf")[0], log, (path, jobs)) for path in sorted(folder.glob("*.swf*"))]
    sources += [(f"random {seed}", crowd, (seed,)) for seed in range(random)]
    for source, make, taken in sources:
        for option in OPTIONS if make is log else [list(OPTIONS)[taken[0] % len(OPTIONS)]]:
            for policy in policies()[: WITH_EVERY_OPTION if make is log and option else None]:
                name = f"{source} {option} {policy}"
                if all(word in name for word in words):
                    yield name, (make, *taken, option), option, policy


def log(path, jobs, option):
    """Read a log's first jobs; every third one may need as many GPUs as processors, of which there are a third."""
    w = simlib.load(path)
    w = w.select(np.arange(len(w)) < jobs) if jobs else w
    if option != "GPUs":
        return w
    gpus = np.where(np.arange(len(w)) % 3 == 0, np.minimum(w.jobs.procs, w.procs // 3), 0)
    return simlib.Workload(w.jobs.assign(gpus=gpus), w.procs, gpus=max(w.procs // 3, 1), log=w.log)


def crowd(seed, option):
    """Make a crowded workload of few jobs, with ties, jobs of no length and estimates of all kinds."""
    rng = np.random.default_rng(seed)
    n, procs, top = int(rng.integers(2, 60)), int(rng.integers(2, 12)), int(rng.choice([6, 30, 300, 3000]))
    run = rng.integers(0, top, n) * (rng.random(n) < 0.93)
    estimate = np.where(rng.random(n) < 0.2, run, run + rng.integers(-top // 4, top, n)).clip(0)
    jobs = pd.DataFrame({"submit": np.sort(rng.integers(0, max(2, n * top // 8), n)), "run": run, "estimate": estimate})
    jobs["procs"] = np.minimum(rng.integers(1, procs + 1, n), rng.integers(1, procs + 1, n))
    jobs["user"], jobs["group"], jobs["queue"] = rng.integers(-1, 4, n), rng.integers(0, 2, n), rng.integers(0, 3, n)
    jobs.loc[0, "user"] = 0  # somebody is known
    if option == "GPUs":
        jobs["gpus"] = rng.integers(0, 5, n) * (rng.random(n) < 0.6)
        return simlib.Workload(jobs, procs, gpus=4)
    jobs.index = pd.RangeIndex(1, n + 1)
    preceding = np.where(rng.random(n) < 0.4, jobs.index - rng.integers(1, 6, n), -1)
    log = jobs.assign(job=jobs.index, preceding=preceding.clip(-1), think=rng.integers(0, 10, n))
    return simlib.Workload(jobs, procs, log=log)


# What one state tells, and what two do


def tell(cases, whole):
    """Print what this state tells of each case: a digest or, if `whole`, numbers by column and job; or its refusal."""
    from simlib.policies.adjusting import Adjustment, Scheme

    warnings.simplefilter("ignore")
    simlib.policies.easy.SMALL = -1  # compiled, however few the jobs
    known = {name: getattr(simlib, name) for name in simlib.__all__} | globals()
    known |= {"Adjustment": Adjustment, "Scheme": Scheme, "inf": math.inf}
    made = None, None
    for name, (make, *taken), option, policy in cases:
        if (make, taken) != made[0]:
            made = (make, taken), make(*taken)
        try:
            schedule = simlib.simulate(made[1], eval(policy, known), **OPTIONS[option])
        except ValueError as error:  # the policy knows no GPUs, or no job follows another
            print(json.dumps([name, f"refused: {error}"]))
            continue
        table = schedule.jobs.filter(COLUMNS).astype("int64")
        if schedule.shadow is not None:
            table["shadow"] = schedule.shadow
        told = table.to_dict() if whole else [*table, hashlib.sha256(table.to_numpy().tobytes()).hexdigest()]
        print(json.dumps([name, told]))


def both(libraries, names=None):
    """Let both states tell at once, of all cases or of those with these names; for each the results by name."""
    started, results = [], []
    for library in libraries:
        given, out = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
        json.dump(names, given)
        given.seek(0)
        command, environment = [sys.executable, __file__, *sys.argv[1:]], os.environ | {"PYTHONPATH": library}
        command += ["--library", library]
        started.append((subprocess.Popen(command, stdin=given, stdout=out, env=environment), out))
    for process, out in started:
        if process.wait():
            sys.exit(f"{shlex.join(process.args)}: ended with {process.returncode}")
        out.seek(0)
        results.append(dict(map(json.loads, out)))
    return results


def compare(commit):
    """Tell in what the present state differs from that of a commit; give the number of cases that differ."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", commit, "simlib", "data"], cwd=ROOT, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        states = folder, str(ROOT)
        before, now = both(states)
        refused = {name for name, told in before.items() if isinstance(told, str)}
        learned = [name for name in refused if not isinstance(now[name], str)]
        differ = [name for name in now if name not in refused and now[name] != before[name]]
        shown = both(states, differ[:SHOWN]) if differ else ({}, {})
    for name, old in shown[0].items():
        new = shown[1][name]
        for column in old if isinstance(new, dict) else ():
            was, found = old[column], new.get(column, {})
            jobs = [job for job in was if was[job] != found.get(job)]
            if jobs:
                print(
                    f"{name}: {column}: {len(jobs):,} jobs, as job {jobs[0]}: {was[jobs[0]]}, now {found.get(jobs[0])}"
                )
        if isinstance(new, str):
            print(f"{name}: {new}")
    print(f"{len(now):,} cases: {len(differ):,} differ from {commit}, which refuses {len(refused):,} others", end="")
    print(f", {len(learned):,} of which are simulated now")
    return len(differ)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commit", nargs="?", default="engine-before", help="the other state; by default %(default)s")
    parser.add_argument("--jobs", type=int, default=0, help="take only the first jobs of each log")
    parser.add_argument("--random", type=int, default=200, help="how many random workloads; by default %(default)s")
    parser.add_argument("--only", default="", help="words that the names of all cases have, such as 'KTH kill EASY('")
    parser.add_argument("--library", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.library is None:
        sys.exit(compare(given.commit) > 0)
    import simlib

    assert Path(simlib.__file__).is_relative_to(given.library), f"found {simlib.__file__}, expected {given.library}"
    names = json.load(sys.stdin)
    wanted = cases(given.jobs, given.random, given.only.split())
    tell((case for case in wanted if names is None or case[0] in names), names is not None)
