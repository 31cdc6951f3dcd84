"""The known schedules: simlib keeps them, the checker says so, and no wrong rule does.

`PYTHONPATH=.:tests python tests/conformance/test_known_schedules.py` writes the table of the page anew.
"""

import csv
import functools
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import check_schedules
import pandas as pd
import pytest
import reference
from helpers import ROOT, plainly

from simlib import EASY, FCFS, Conservative, Predictions, read_swf, simulate

PYTHON = shlex.quote(sys.executable)  # it may lie in a path with blanks
CHECKER = Path(check_schedules.__file__)
PAGE = ROOT / "docs" / "reference" / "known-schedules.md"
CASES = {path.stem: check_schedules.read_case(path) for path in sorted(check_schedules.FOLDER.glob("*.starts"))}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))

POLICIES = {
    "fcfs": (FCFS(), {}),
    "easy": (EASY(), {}),
    "easy-reuse-extra": (EASY(reuse_extra=True), {}),
    "easy-sjf": (EASY(order="sjf"), {}),
    "easy-wfp": (EASY(order="wfp"), {}),
    "easy-sjbf": (EASY(backfill="sjf"), {}),
    "easy-2-reservations": (EASY(reservations=2), {}),
    "easy-kill": (EASY(), {"overrun": "kill"}),
    "easy-expired": (EASY(adjust=Predictions("estimate", correct=False)), {}),
    "easy-pcor": (EASY(adjust=Predictions("estimate")), {}),
    "easy-plus": (EASY(adjust=Predictions()), {}),
    "easy-plus-plus": (EASY.plus_plus(), {}),
    "conservative": (Conservative(), {}),
    "conservative-start": (Conservative("start"), {}),
    "conservative-none": (Conservative("none"), {}),
    "conservative-rebackfill": (Conservative("rebackfill"), {}),
    "conservative-kill": (Conservative(), {"overrun": "kill"}),
    "fcfs-feedback": (FCFS(), {"feedback": True}),
    "easy-feedback": (EASY(), {"feedback": True}),
    "conservative-feedback": (Conservative(), {"feedback": True}),
}
"""What the policies of the known schedules are here: a policy, and the options of `simlib.simulate`."""


workload_of = functools.cache(read_swf)


def started(case, policy, simulator=simulate, **options):
    """The starts of a case by job."""
    workload = workload_of(case["swf"])
    return simulator(workload, policy, **options).jobs.start.loc[workload.jobs.index].to_dict()


def faults(name, simulator=simulate, among=CASES):
    """The cases, all or those of some names, whose known schedules under a policy are not those of a simulator."""
    policy, options = POLICIES[name]
    cases = [case for case in map(CASES.get, among) if name in case["known"]]
    return [case["name"] for case in cases if started(case, policy, simulator, **options) != case["known"][name][0]]


# The files


@every_case
def test_a_case_has_a_rule_with_its_source_two_to_eight_jobs_and_a_reason_for_every_schedule(case):
    assert {"title", "rule", "source"} <= set(case)
    assert case["source"].startswith("convention;") or case["rule"].startswith('"') or "equation" in case["source"]
    lines = [line.split() for line in case["swf"].read_text("utf-8").splitlines() if line[0] != ";"]
    assert 2 <= len(lines) <= 8 and {len(line) for line in lines} == {18}
    text = (check_schedules.FOLDER / f"{case['name']}.starts").read_text("utf-8")
    (columns,) = re.findall(r"^policy,(.*)$", text, flags=re.M)
    assert columns.split(",") == [line[0] for line in lines]
    workload = workload_of(case["swf"])
    assert workload.synthetic and case["title"] in "\n".join(workload.header)
    assert case["known"] and all(reason for _, reason in case["known"].values())
    assert {frozenset(starts) for starts, _ in case["known"].values()} == {frozenset(workload.jobs.index)}


def test_every_policy_is_known_here_and_has_some_cases():
    assert list(POLICIES) == check_schedules.policies()
    assert {name for case in CASES.values() for name in case["known"]} == set(POLICIES)
    assert len(CASES) >= 60


# What simlib does


def in_plain_python(workload, policy, **options):
    made = plainly(workload, policy, **options)
    return SimpleNamespace(jobs=pd.DataFrame({"start": [job.start for job in made]}, index=workload.jobs.index))


SIMULATORS = {"engine": simulate, "reference": reference.simulate, "plain": in_plain_python}


@pytest.mark.parametrize("simulator", SIMULATORS.values(), ids=list(SIMULATORS))
@every_case
def test_every_job_starts_when_it_is_known_to(case, simulator):
    for name, (known, reason) in case["known"].items():
        policy, options = POLICIES[name]
        assert started(case, policy, simulator, **options) == known, f"{name}: {reason}"


# The checker


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What simlib's engine gives, as the checker reads it."""
    folder = tmp_path_factory.mktemp("results")
    for case in CASES.values():
        for name in case["known"]:
            policy, options = POLICIES[name]
            write(folder / f"{case['name']}.{name}", started(case, policy, **options))
    return folder


def write(path, starts):
    path.write_text("".join(f"{job} {start}\n" for job, start in starts.items()), "utf-8")


def check(*arguments, script=CHECKER):
    """The status and the lines of the checker, run without anything of this environment."""
    done = subprocess.run([sys.executable, "-I", script, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines() or done.stderr.splitlines()


def changed(results, tmp_path, name, starts):
    """What the checker says where one result is another."""
    for path in results.glob("exact-shadow.*"):
        (tmp_path / path.name).write_text(path.read_text("utf-8"), "utf-8")
    write(tmp_path / name, starts)
    return check(tmp_path, "--cases", "exact-shadow")


@pytest.mark.slow
def test_the_checker_finds_all_of_simlibs_schedules_right(results):
    status, lines = check(results)
    count = sum(len(case["known"]) for case in CASES.values())
    assert status == 0 and lines[-1] == f"{count} of {count} schedules are right" and len(lines) == count + 1


@pytest.mark.slow
def test_a_job_that_starts_at_another_time_is_named_with_the_reason_and_the_rule(results, tmp_path):
    status, lines = changed(results, tmp_path, "exact-shadow.easy", {1: 0, 2: 10, 3: 15})
    rule = '    "It requires no more than the currently free nodes and will terminate by the shadow time" '
    assert status == 1 and lines[-1] == "4 of 5 schedules are right"
    wrong = lines.index("exact-shadow.easy: job 3 starts at 15, expected at 2")
    assert lines[wrong + 1] == "    Shadow time 10, no extra nodes. 2 + 8 = 10 is by the shadow time."
    assert lines[wrong + 2] == rule + "(Mu'alem & Feitelson 2001, section 2.2, step 2.b.i)"


@pytest.mark.slow
@pytest.mark.parametrize(
    "starts, told",
    [
        ({1: 0, 2: 10}, "job 3 starts never, expected at 2"),
        ({1: 0, 2: 10, 3: 2, 4: 7}, "job 4 starts at 7, expected never"),
        ({1: 0, 2: 11, 3: 15}, "job 3 starts at 15, expected at 2"),
        ({1: 0, 2: "soon", 3: 2}, "found the line '2 soon', expected two numbers, a job and its start"),
        ({1: 0, 2: 10, "3 2\n3": 2}, "found job 3 twice, expected it once"),
    ],
)
def test_what_is_wrong_with_a_result_is_said(results, tmp_path, starts, told):
    status, lines = changed(results, tmp_path, "exact-shadow.easy", starts)
    assert status == 1 and f"exact-shadow.easy: {told}" in lines


@pytest.mark.slow
def test_easys_schedules_are_not_those_of_conservative_backfilling(results, tmp_path):
    for path in results.glob("*.easy"):
        (tmp_path / f"{path.stem}.conservative").write_text(path.read_text("utf-8"), "utf-8")
    status, lines = check(tmp_path, "--policies", "conservative")
    known = {name: case["known"] for name, case in CASES.items() if {"easy", "conservative"} <= set(case["known"])}
    differing = {name for name, of in known.items() if of["easy"][0] != of["conservative"][0]}
    wrong = {re.match(r"(.+)\.conservative: job", line)[1] for line in lines if ".conservative: job" in line}
    assert status == 1 and wrong == differing and "second-in-queue" in wrong


@pytest.mark.slow
def test_what_is_missing_or_not_known_is_wrong(tmp_path):
    status, lines = check(tmp_path, "--policies", "fcfs", "--cases", "in-time")
    assert status == 1 and "No such file" in lines[0] and lines[-1] == "0 of 1 schedules are right"
    assert check(tmp_path, "--cases", "no-such-case") == (1, ["0 of 0 schedules are right"])
    status, lines = check(tmp_path, "--policies", "fcfs,lifo")
    assert status == 2 and "found lifo, expected some of fcfs, easy," in lines[-1]
    assert check()[0] == check(tmp_path, "--run", "true")[0] == 2


@pytest.mark.slow
def test_a_command_that_fails_is_wrong():
    command = f"{PYTHON} -c 'raise SystemExit(\"no {{policy}} here\")'"
    status, lines = check("--run", command, "--policies", "easy", "--cases", "in-time")
    assert status == 1 and lines[0] == "in-time.easy: the command ended with 1: no easy here"


def test_the_checker_is_short_and_needs_nothing():
    lines = CHECKER.read_text("utf-8").splitlines()
    needed = {line.split()[1] for line in lines if re.match("import |from ", line)}
    assert len(lines) <= 100 and needed <= sys.stdlib_module_names


# Wrong rules: each breaks some known schedule.


def by_size(self, queue, running, machine, now):
    return sorted(queue, key=lambda job: (job.submit, job.size))


def mean_of(learned, capped=True):
    """Predict the mean run time of the last two of the jobs of the same user that are learned from."""

    def job_joins(self, job, running, queue, machine, now):
        same_user = [one for one in learned(self.gone, running) if self.users[one.number] == self.users[job.number]]
        runs, estimate = [one.run for one in same_user[-2:]], self.estimates[job.number]
        mean = sum(runs) // len(runs) if runs else estimate
        job.adjusted = min(mean, estimate) if capped else mean
        job.go_by_adjusted(*self.switches)

    return job_joins


def by_end(gone, running):
    return sorted(gone, key=lambda job: job.end())


def by_arrival(gone, running):
    return sorted(gone, key=lambda job: job.arrival)


def all_started(gone, running):
    return by_arrival([*gone, *running], [])


def no_length_first(self, running, queue, machine, now, rightly=reference.EASY.scheduling_pass):
    at_once = [job for job in queue if job.run == 0]
    return at_once or rightly(self, running, queue, machine, now)


def all_that_fit(self, running, queue, machine, now):
    free, starting = machine - sum(job.size for job in running), []
    for job in queue:
        if job.size <= free:
            free -= job.size
            starting.append(job)
    return starting


def at_every_end(self, left, running, queue, machine, now):
    for job in queue if left else []:
        others = [other for other in queue if other is not job]
        job.reserved = min(job.reserved, self.anchor(job, running, others, machine, now))


def first_point(self, job, running, reserved, machine, now, rightly=reference.Conservative.anchor):
    estimate, job.estimate = job.estimate, 0
    anchor = rightly(self, job, running, reserved, machine, now)
    job.estimate = estimate
    return anchor


def fits(job, seen):
    return job.size <= seen["free"]


def candidates(key):
    """Consider the jobs behind the head in another order."""

    def one_by_one(self, others, running, seen, rightly=reference.EASY.one_by_one):
        return rightly(self, sorted(others, key=key), running, seen)

    return one_by_one


def one_alone(self, others, running, seen, rightly=reference.EASY.one_by_one):
    return rightly(self, others, running, seen)[:1]


def all_use_extra(self, others, running, seen):
    passing = []
    for job in others:
        if self.may_pass(job, seen):
            seen["free"] -= job.size
            seen["extra"] -= job.size
            passing.append(job)
    return passing


def one_after_another(self, head, held, machine, shadow):
    free = machine - sum(size for _, size in held)
    for _, size in sorted(held):
        if free >= head.size:
            break
        free += size
    return free - head.size


def held_once(self, head, held, machine, rightly=reference.EASY.shadow):
    return rightly(self, head, held, machine) if head.guarantee is None else head.guarantee


class EachEvent(reference.EASY):
    """EASY with a pass after each end and each arrival of an instant."""

    arrivals_first, arrived = False, 0

    def jobs_left(self, left, running, queue, machine, now):
        super().jobs_left(left, running, queue, machine, now)
        self.left = left

    def scheduling_pass(self, running, queue, machine, now):
        holding, starting = list(self.left), []
        waiting = [job for job in queue if job.arrival < self.arrived]
        ends, arrivals = (
            [(holding.remove, job) for job in holding],
            [(waiting.append, job) for job in queue[len(waiting) :]],
        )
        self.arrived += len(arrivals)
        for happens, job in arrivals + ends if self.arrivals_first else ends + arrivals:
            happens(job)
            for new in super().scheduling_pass(running + holding + starting, waiting, machine, now):
                new.start = now
                waiting.remove(new)
                starting.append(new)
        return starting


class ArrivalsFirst(EachEvent):
    arrivals_first = True


class Compressing(reference.Conservative):
    """Conservative backfilling whose compression is read otherwise than by the engine: in order of `turn`."""

    repeat, each, arrivals_first = False, False, False

    def turn(self, job):
        return job.arrival

    def jobs_left(self, left, running, queue, machine, now):
        self.left = left
        if not self.arrivals_first:
            self.move_forward(running, queue, machine, now)

    def job_joins(self, job, running, queue, machine, now):
        super().job_joins(job, running + self.left, queue, machine, now)

    def scheduling_pass(self, running, queue, machine, now):
        self.move_forward(running, queue, machine, now)
        return super().scheduling_pass(running, queue, machine, now)

    def move_forward(self, running, queue, machine, now):
        """Compress after each or all of the jobs that left; those that have yet to leave hold their processors."""
        while self.left:
            gone = self.left[:1] if self.each else self.left
            self.left = self.left[len(gone) :]
            moved = any(job.expected_end() > now for job in gone)
            while moved:
                moved = False
                for job in sorted(queue, key=self.turn):
                    others = [other for other in queue if other is not job]
                    earliest = self.anchor(job, running + self.left, others, machine, now)
                    if earliest < job.reserved:
                        job.reserved, moved = earliest, self.repeat


def compressing(turn=None, **details):
    return type("Read", (Compressing,), details | ({"turn": lambda self, job: turn(job)} if turn else {}))


WRONG = {
    "whatever fits passes": ("past-shadow.easy", "EASY.may_pass", lambda self, job, seen: fits(job, seen)),
    "extra nodes are not looked at": (
        "exact-extra.easy",
        "EASY.may_pass",
        lambda self, job, seen: fits(job, seen) and job.to_backfill <= seen["window"],
    ),
    "a backfilled job ends before the shadow time": (
        "exact-shadow.easy",
        "EASY.may_pass",
        lambda self, job, seen: fits(job, seen) and (job.to_backfill < seen["window"] or job.size <= seen["extra"]),
    ),
    "extra processors are counted as soon as the head has enough": (
        "several-end-at-shadow.easy",
        "EASY.extra",
        one_after_another,
    ),
    "the shadow time is held once found": ("shadow-each-pass.easy", "EASY.shadow", held_once),
    "a pass after each event of an instant, ends first": ("two-ends-one-pass.easy", "EASY", EachEvent),
    "a pass after each event of an instant, arrivals first": ("arrival-at-an-end.easy", "EASY", ArrivalsFirst),
    "candidates' run times are known": (
        "true-run-would-fit.easy",
        "EASY.may_pass",
        lambda self, job, seen: fits(job, seen) and (job.run <= seen["window"] or job.size <= seen["extra"]),
    ),
    "the shadow time is the first end": (
        "shadow-after-two-ends.easy",
        "EASY.head_fits",
        lambda self, head, held, machine, time: any(end <= time for end, _ in held),
    ),
    "a running job's whole estimate is to come": (
        "past-shadow.easy",
        "EASY.expected_end",
        lambda self, job, now: now + job.while_running,
    ),
    "small jobs of one second first": ("ties-not-by-size.fcfs", "FCFS.in_order", by_size),
    "small jobs of one second first under EASY": ("ties-not-by-size.easy", "FCFS.in_order", by_size),
    "jobs of no length need no processors": ("no-length-waits.easy", "EASY.scheduling_pass", no_length_first),
    "all that fit start": ("in-time.fcfs", "FCFS.scheduling_pass", all_that_fit),
    "an anchor point is not scanned from": ("second-anchor.conservative", "Conservative.anchor", first_point),
    "every backfilled job uses extra nodes up": ("short-leaves-extra.easy", "EASY.one_by_one", all_use_extra),
    "one job is backfilled in a pass": ("several-in-one-pass.easy", "EASY.one_by_one", one_alone),
    "a job was expected to end in the past": (
        "two-expired.easy-expired",
        "EASY.expected_end",
        lambda self, job, now: job.start + job.while_running,
    ),
    "compressed until nothing moves": ("never-later.conservative", "Conservative", compressing(repeat=True)),
    "compressed after each end of an instant": ("two-early-ends.conservative", "Conservative", compressing(each=True)),
    "compressed after the arrivals of the instant": (
        "arrival-at-early-end.conservative",
        "Conservative",
        compressing(arrivals_first=True),
    ),
    "compressed at every end": ("never-later.conservative", "Conservative.jobs_left", at_every_end),
    "who ended last teaches": ("prediction-last-submitted.easy-plus", "Predicting.job_joins", mean_of(by_end)),
    "who runs teaches": ("prediction-of-ended.easy-plus", "Predicting.job_joins", mean_of(all_started)),
    "predictions above the estimate count": (
        "prediction-above-estimate.easy-plus",
        "Predicting.job_joins",
        mean_of(by_arrival, capped=False),
    ),
    "corrections cause no pass": ("outlived.easy-pcor", "Predicting.alarms", lambda self, running: []),
    "each correction adds a minute": ("corrections.easy-pcor", "Predicting.MORE", [60] * 50),
}
WRONG |= {
    f"the {which} is backfilled first": (f"{schedule}.easy", "EASY.one_by_one", candidates(rank))
    for which, schedule, rank in (
        ("newest", "candidates-by-arrival", lambda job: -job.arrival),
        ("shortest", "candidates-by-arrival", lambda job: job.estimate),
        ("longest", "no-length-for-a-round", lambda job: -job.estimate),
        ("narrowest", "candidates-not-by-size", lambda job: job.size),
        ("widest", "candidates-not-by-size", lambda job: -job.size),
    )
}
WRONG |= {
    f"compressed by {order}": (f"{schedule}.conservative", "Conservative", compressing(rank))
    for order, schedule, rank in (
        ("start, ties latest first", "compress-ties", lambda job: (job.reserved, -job.arrival)),
        ("expected end", "compress-in-turn", lambda job: job.reserved + job.estimate),
        ("arrival, latest first", "early-end", lambda job: -job.arrival),
        ("estimate, shortest first", "compress-by-arrival", lambda job: job.estimate),
        ("estimate, longest first", "early-end", lambda job: -job.estimate),
        ("size, narrowest first", "compress-by-arrival", lambda job: job.size),
        ("size, widest first", "compress-ties", lambda job: -job.size),
    )
}
"""By what is wrong: a known schedule that it breaks, what of the reference is changed, and to what."""


def faults_of_rule(name, what, rule, among=CASES):
    """The cases that the reference breaks by a rule in the place of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"reference.{what}", rule)
        return faults(name, reference.simulate, among)


@pytest.mark.parametrize("schedule, what, rule", WRONG.values(), ids=list(WRONG))
def test_every_wrong_rule_breaks_a_known_schedule(schedule, what, rule):
    case, name = schedule.split(".")
    assert faults_of_rule(name, what, rule, [case]) == [case]


def test_what_the_text_decides_does_not_hang_on_what_comes_first_within_a_second():
    rules = [(of.split(".")[1], *rule) for name, (of, *rule) in WRONG.items() if "instant" in name]
    broken = [faults_of_rule(*rule) for rule in rules]
    assert all(broken)
    cases = {case for of in broken for case in of}
    assert all(CASES[case]["source"].startswith("convention;") for case in cases)


def test_readings_in_which_nothing_is_changed_break_none():
    assert faults_of_rule("conservative", "Conservative", compressing()) == []


OTHERS = (
    ("easy", "easy-reuse-extra"),
    ("easy", "easy-kill"),
    ("easy", "easy-expired"),
    ("conservative", "conservative-start"),
    ("conservative", "conservative-kill"),
    ("easy-plus-plus", "easy-plus"),
    ("easy-sjbf", "easy"),
    ("easy-sjbf", "easy-sjf"),
    ("easy-wfp", "easy-sjf"),
    ("easy-plus", "easy-pcor"),
    ("easy-2-reservations", "conservative"),
    ("easy-2-reservations", "easy"),
    ("conservative-rebackfill", "conservative-start"),
    ("easy-feedback", "easy"),
)
"""Policies, each with another one that is not to be taken for it."""


@pytest.mark.parametrize("name, wrong", OTHERS)
def test_no_policy_is_taken_for_another(name, wrong):
    policy, options = POLICIES[wrong]
    assert faults(name, lambda workload, _, **ours: simulate(workload, policy, **options))


# The page


def cases_by_rule():
    """The part of the page that says of each rule which cases it decides, and which policies these tell apart."""
    known = [starts for case in CASES.values() for starts, _ in case["known"].values()]
    parts = [f"{len(CASES)} workloads, {len(known)} schedules."]
    rules = sorted(
        {(case["source"], case["rule"]) for case in CASES.values()}, key=lambda rule: ("convention" in rule[0], rule)
    )
    for source, rule in rules:
        rows = ["| case | what it decides | tells apart |", "| --- | --- | --- |"]
        for case in CASES.values():
            if case["rule"] == rule:
                files = [f"../../tests/conformance/schedules/{case['name']}.{ending}" for ending in ("starts", "swf")]
                name = f"[{case['name']}]({files[0]}) ([log]({files[1]}))"
                rows.append(f"| {name} | {case['title']} | {told_apart(case['known'])} |")
        parts += [f"> {rule} ({source})", "\n".join(rows)]
    return "\n\n".join(parts)


def told_apart(known):
    """The policies of a case, those of one schedule together."""
    groups = {}
    for name, (starts, _) in known.items():
        groups.setdefault(tuple(starts.items()), []).append(name)
    return " / ".join(", ".join(group) for group in groups.values())


def policy_table():
    """The part of the page that says what the policies are."""
    with (check_schedules.FOLDER / "policies.csv").open(encoding="utf-8", newline="") as file:
        rows = [f"| {row['policy']} | {row['rule']} | {row['source']} |" for row in csv.DictReader(file)]
    return "\n".join(["| policy | rule | source |", "| --- | --- | --- |", *rows])


WRITTEN = {"policies": policy_table, "cases": cases_by_rule}


def with_tables(page):
    """The page with its tables as the files have them."""
    for name, table in WRITTEN.items():
        between = rf"(?<=<!-- {name} -->\n\n).*?(?=\n\n<!-- end of {name} -->)"
        page, count = re.subn(between, lambda _, table=table: table(), page, flags=re.S)
        assert count == 1
    return page


def test_the_pages_tables_are_those_of_the_files():
    page = PAGE.read_text("utf-8")
    assert page == with_tables(page)
    assert f"{len(WRONG) + len(OTHERS)} other rules" in page


@pytest.mark.slow
def test_the_pages_simulator_does_what_the_page_says(tmp_path):
    page = PAGE.read_text("utf-8")
    simulator, output = (re.search(rf"```{kind}\n(.*?)```", page, flags=re.S)[1] for kind in ("python", "text"))
    wrong, right = re.findall(r"`(sorted\(.*?\))`", page)
    shown = [line for line in output.splitlines() if line != "..."]
    for text, status in ((simulator, 1), (simulator.replace(wrong, right), 0)):
        (tmp_path / "fcfs.py").write_text(text, "utf-8")
        command = f"{PYTHON} {shlex.quote(str(tmp_path / 'fcfs.py'))} {{swf}}"
        told = check("--run", command, "--policies", "fcfs")
        assert told[0] == status and (set(shown) <= set(told[1])) == (status == 1)
    assert simulator.count(wrong) == 1


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
