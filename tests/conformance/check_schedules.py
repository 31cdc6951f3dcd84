"""Hold any simulator of parallel job schedulers against known schedules. Needs Python 3.10 and nothing else.

    python check_schedules.py --run "my-simulator --policy {policy} {swf}" --policies fcfs,easy
    python check_schedules.py RESULTS

The command prints a line "job start" for each job that starts; RESULTS is a folder of files CASE.POLICY of such lines.
What is expected lies in "schedules" beside this file. The status is 1 if any schedule is wrong or missing.
"""

import argparse
import csv
import shlex
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "schedules"


def policies():
    """The names of the policies."""
    return [name for name, *_ in csv.reader((FOLDER / "policies.csv").read_text("utf-8").splitlines()[1:])]


def read_case(path):
    """A case's name, title, rule and source, and by policy the starts of its jobs and their reason."""
    head, *blocks = path.read_text("utf-8").replace("\n#   ", " ").split("\n\n")
    *comments, columns = head.splitlines()
    case = {key[2:].lower(): text for key, text in (line.split(": ", 1) for line in comments)}
    jobs, known = [int(job) for job in columns.split(",")[1:]], {}
    for block in blocks:
        reason, *rows = block.splitlines()
        for policy, *starts in csv.reader(rows):
            of_job = {job: int(start) for job, start in zip(jobs, starts, strict=True) if start != "-"}
            known[policy] = of_job, reason[2:]
    return case | {"name": path.stem, "swf": path.with_suffix(".swf"), "known": known}


def parse(text):
    """Starts by job, of lines "job start"."""
    starts = {}
    for line in filter(str.strip, text.splitlines()):
        try:
            job, start = map(float, line.replace(",", " ").split())
        except ValueError:
            raise ValueError(f"found the line {line[:60]!r}, expected two numbers, a job and its start") from None
        if job in starts:
            raise ValueError(f"found job {job:g} twice, expected it once")
        starts[job] = start
    return starts


def difference(starts, known):
    """Say which is the first job that starts at another time than known; "" if none does."""
    differing = [job for job in {**starts, **known} if starts.get(job) != known.get(job)]
    if not differing:
        return ""
    job = min(differing, key=lambda job: (min(of[job] for of in (starts, known) if job in of), job))
    told, right = (f"at {of[job]:g}" if job in of else "never" for of in (starts, known))
    return f"job {job:g} starts {told}, expected {right}"


def run(command, case, policy):
    """What a simulator prints about a case."""
    words = [word.replace("{swf}", str(case["swf"])).replace("{policy}", policy) for word in shlex.split(command)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise ValueError(f"the command ended with {done.returncode}: {done.stderr.strip()[-200:]}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("results", nargs="?", type=Path, help="a folder of files CASE.POLICY")
    given.add_argument("--run", metavar="COMMAND", help="a command with {swf} and {policy}")
    parser.add_argument("--policies", default=",".join(policies()), help="with commas between them; all by default")
    parser.add_argument("--cases", default="*", help="a pattern of names, such as 'no-length-*'")
    options = parser.parse_args()
    asked = options.policies.split(",")
    if unknown := set(asked).difference(policies()):
        parser.error(f"--policies: found {', '.join(sorted(unknown))}, expected some of {', '.join(policies())}")
    faults = []
    for case in map(read_case, sorted(FOLDER.glob(f"{options.cases}.starts"))):
        for policy in filter(case["known"].get, asked):
            (known, reason), name = case["known"][policy], f"{case['name']}.{policy}"
            try:
                text = run(options.run, case, policy) if options.run else (options.results / name).read_text("utf-8")
                faults.append(difference(parse(text), known))
            except (OSError, ValueError, subprocess.TimeoutExpired) as error:
                faults.append(str(error))
            print(f"{name}: {faults[-1] or 'right'}")
            if faults[-1]:
                print(f"    {reason}\n    {case['rule']} ({case['source']})")
    print(f"{faults.count('')} of {len(faults)} schedules are right")
    return 0 if faults and not any(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
