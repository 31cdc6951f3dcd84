"""`python -m tests.torture` attacks the package, prints what was tried, how often and what failed, and writes it to
docs/robustness.md; `python -m tests.torture NAME...` runs only some attacks. The exit status is 1 where one failed."""

import argparse
import dataclasses
import json
import platform
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module, metadata

from .attack import ROOT, Plan, Tried, last_line

ATTACKS = {
    "Logs": ["logs.damaged_lines", "logs.damaged_compression", "logs.written_logs", "logs.odd_files"],
    "Headers": [
        "headers.machine_sizes",
        "headers.random_sizes",
        "headers.clocks",
        "headers.marks",
        "headers.made_up_logs",
        "headers.impostors",
    ],
    "Schedules": ["workloads.against_the_reference", "workloads.what_must_hold", "workloads.against_themselves"],
    "What users plug in": [
        "plugged.impossible_schedules",
        "plugged.wrong_starts",
        "plugged.bad_orders",
        "plugged.changed_orders",
        "plugged.policies_misspelt",
        "plugged.reused_arrays",
        "plugged.endless_orders",
    ],
    "Kills": ["kills.killed"],
    "Servers": ["server.bad_answers", "server.bombs", "server.passwords", "server.changed_logs"],
    "Places": [
        "places.small_files",
        "places.full_disk",
        "places.read_only",
        "places.same_files",
        "places.odd_settings",
    ],
    "Caches": ["caches.kept_blocks", "caches.kernels"],
    "Intervals": ["intervals.intervals", "users.other_users"],
    "Slurm's records": ["slurm.damaged_records", "slurm.damaged_bytes", "slurm.broken_names"],
}
"""By kind, each as module and function."""

LONGEST = [
    "intervals.intervals",
    "users.other_users",
    "server.bad_answers",
    "kills.killed",
    "logs.damaged_lines",
    "workloads.against_the_reference",
    "places.odd_settings",
    "caches.kernels",
]
"""Begun first, so that none is left to run alone at the end."""

MINUTES = 12
"""What all of them take on two cores."""

MEMORY = 6 * 2**30
"""Bytes of address space that an attack may take: what would fill the machine is an error instead."""

INTRODUCTION = """# What was tried to make it fail

simlib promises **a clear error or the right result, never a silent wrong number.** It refuses a log, a header, a Slurm
record, a policy or a queue order that cannot be right, with a line that names the wrong value and the expected one. A
schedule follows the papers' rules, job by job. Results from made-up jobs are marked. No half-written file stays behind
when a process is killed, a disk is full or a folder is read-only. A figure's bytes do not depend on the machine's
settings.

`make torture` attacks these promises with random input, the same for the same seed, and with lists of common mistakes
of people and machines. It wrote this page; `python -m tests.torture --help` says how to run more cases, or one attack.
"""


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    names = [name for part in ATTACKS.values() for name in part]
    parser.add_argument("names", nargs="*", metavar="NAME", help="attacks such as logs.damaged_lines; by default all")
    parser.add_argument("--minutes", type=float, default=MINUTES, help=f"scale the random parts; default {MINUTES}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="only this random case of the attacks named")
    parser.add_argument("--cores", type=int, default=2, help="attacks at once; default 2")
    parser.add_argument("--list", action="store_true", help="print the names of the attacks")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if unknown := set(given.names) - set(names):
        parser.error(f"no attack {', '.join(sorted(unknown))}; known are {', '.join(names)}")
    if given.list:
        print(*names, sep="\n")
        return 0
    plan = Plan(given.seed, given.minutes / MINUTES, given.case)
    if given.worker:
        print(json.dumps(dataclasses.asdict(carried_out(given.names[0], plan))))
        return 0
    results = run(given.names or names, plan, given.cores)
    if not given.names:
        (ROOT / "docs" / "robustness.md").write_text(page(results, given.seed), encoding="utf-8")
    failed = sum(bool(done.failures) for done in results.values())
    print(f"\n{len(results) - failed} attacks held, {failed} failed")
    return int(failed > 0)


def carried_out(name, plan):
    """What an attack tried, in this process."""
    module, function = name.split(".")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which is ignored by what a shell runs in the background
    return getattr(import_module(f".{module}", __package__), function)(plan)


def run(names, plan, cores):
    """Carry out attacks, each in a process of its own, some at once; by name what each tried."""
    order = sorted(names, key=lambda name: LONGEST.index(name) if name in LONGEST else len(LONGEST))
    with ThreadPoolExecutor(cores) as threads:
        futures = {name: threads.submit(one, name, plan) for name in order}
        return {name: futures[name].result() for name in names}


def one(name, plan):
    """Carry out an attack in a process of its own, and print what became of it."""
    command = [sys.executable, "-m", "tests.torture", "--worker", name]
    command += ["--seed", str(plan.seed), "--minutes", str(plan.share * MINUTES)]
    command += [] if plan.case is None else ["--case", str(plan.case)]
    began = time.monotonic()
    patience = 60 * (MINUTES + 3) * max(plan.share, 1)
    try:
        process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=patience)
        done = Tried(**json.loads(process.stdout.splitlines()[-1]))
    except subprocess.TimeoutExpired:
        done = Tried(name, 0, [f"no end within {patience / 60:.0f} minutes"])
    except (ValueError, IndexError, TypeError):
        done = Tried(name, 0, [f"the attack itself broke off: {last_line(process)}"])
    print("\n".join(told(name, done, plan)), f"  {time.monotonic() - began:.0f} s", sep="\n", flush=True)
    return done


def told(name, done, plan):
    """What became of an attack, in lines."""
    if done.skipped:
        return [f"{name}: LEFT OUT, {done.skipped}"]
    lines = [f"{name}: {done.what}: {done.times:,} times, {len(done.failures) or 'nothing'} failed"]
    lines += [f"  - {failure}" for failure in done.failures]
    return lines + [f"  again: python -m tests.torture {name} --seed {plan.seed}" for _ in done.failures[:1]]


def page(results, seed):
    """docs/robustness.md: what was tried, how often, what failed."""
    lines = [INTRODUCTION]
    for kind, names in ATTACKS.items():
        lines += [f"## {kind}", "", "| what was tried | how often | what failed |", "| --- | ---: | --- |"]
        lines += [row(results[name]) for name in names if name in results]
        lines += [""]
    packages = " ".join(
        f"{name} {metadata.version(name)}" for name in ("simlib", "numpy", "numba", "pandas", "matplotlib")
    )
    return "\n".join([*lines, f"Seed {seed}; Python {platform.python_version()}, {packages.replace(' ', ' ')}.", ""])


def row(done):
    """A row of the table."""
    what = done.what[:1].upper() + done.what[1:] + "."
    if done.skipped:
        return f"| {what} | - | left out: {done.skipped} |"
    failed = "<br>".join(failure.replace("|", "\\|").replace("\n", " ") for failure in done.failures)
    return f"| {what} | {done.times:,} | {failed or 'nothing'} |"


if __name__ == "__main__":
    sys.exit(main())
