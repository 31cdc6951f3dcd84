"""Every attack of tests/torture can say no: a fault that is planted is found. And a page comes of what they tried.

The attacks themselves are tried for very few cases here; `make torture` takes minutes.
"""

import gzip
import warnings

import numpy as np
import pytest

import simlib
from simlib.analysis import stats
from simlib.logs import sacct, swf, swf_lines
from torture import __main__ as torture
from torture import attack, caches, headers, intervals, kills, logs, places, plugged, server, slurm, workloads
from torture.attack import Plan, Tried

pytestmark = pytest.mark.slow

FEW = Plan(seed=1, share=0.001)
EASY_CASE = 12  # random cases where a fault is in nearly every one


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what logs say of themselves
        yield


# Logs


def test_a_parser_that_swallows_a_bad_line_is_found_out(monkeypatch):
    def swallowing(lines, fields):
        return whole(b"\n".join(line for line in lines.split(b"\n") if len(line.split()) in (0, 18)), fields)

    whole = swf_lines._parse_fast
    monkeypatch.setattr(swf_lines, "_parse_fast", swallowing)
    failures = logs.damaged_lines(FEW).failures
    assert any("is bad, but the file is read" in failure for failure in failures)


def test_a_parser_that_reads_a_number_wrong_is_found_out_with_the_smallest_log(monkeypatch):
    whole = swf_lines._parse_fast
    monkeypatch.setattr(
        swf_lines,
        "_parse_fast",
        lambda lines, fields: whole(lines, fields).assign(wait=lambda log: log.wait + (log.wait == 3)),
    )
    failures = logs.damaged_lines(Plan(seed=1, share=0.005)).failures
    assert "field 3: found 4.0, expected 3.0" in failures[0] and "--case" in failures[0]
    assert failures[0].count("\\n") <= 1, "one job line is enough"


def test_an_error_of_another_kind_is_found_out(monkeypatch):
    def raises(data, path, fields):
        raise KeyError("job")

    monkeypatch.setattr(swf_lines, "_parse_slowly", raises)
    assert any("KeyError comes out" in failure for failure in logs.damaged_lines(FEW).failures)


def test_a_damaged_file_that_is_read_is_found_out(monkeypatch, tmp_path):
    path = tmp_path / "log.swf"
    data = gzip.compress(b"1 0 -1 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n")[:-4]
    assert logs.difference(data, path) is None

    def reading(path, *_, **__):
        path.write_bytes(b"1 0 -1 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n")
        return whole(path)

    whole = swf.read_log
    assert "the file is read" in logs.difference(data, path, read_log=reading)[0]


def test_a_workload_that_reads_back_as_another_is_found_out(monkeypatch):
    whole = logs.write_swf
    monkeypatch.setattr(logs, "write_swf", lambda w, path: whole(w.derive(w.jobs.assign(user=7), "renamed"), path))
    assert any("another workload" in failure for failure in logs.written_logs(Plan(share=0.005)).failures)


def test_a_file_that_is_no_log_and_is_taken_is_found_out(monkeypatch):
    monkeypatch.setattr(logs, "bomb", lambda kind, size: b"")
    saying = attack.subprocess.CompletedProcess([], 0, '["taken", "a workload", 200]', "")
    monkeypatch.setattr(logs, "python", lambda *_, **__: saying)
    failures = logs.odd_files(FEW).failures
    assert "a FIFO that nobody writes to: taken: a workload" in failures and len(failures) > 10


# Headers


def test_a_size_that_is_read_wrong_and_a_mark_that_comes_off_are_found_out(monkeypatch):
    monkeypatch.setattr(headers, "read_swf", lambda path, whole=headers.read_swf: whole(path, procs=1))
    assert len(headers.machine_sizes(FEW).failures) > 20
    assert headers.random_sizes(FEW).failures
    assert headers.clocks(FEW).times > 20

    def unmarked(path, whole=simlib.read_swf):
        workload = whole(path)
        workload.synthetic = False
        return workload

    monkeypatch.setattr(headers, "read_swf", unmarked)
    monkeypatch.setattr(headers, "_twins", list)
    assert any("the mark has come off" in failure for failure in headers.marks(Plan(share=0.02)).failures)
    monkeypatch.setattr(headers.simlib, "load", lambda name: headers.sample_workload())
    assert any("the mark has come off" in failure for failure in headers.made_up_logs(FEW).failures)


def test_a_start_time_that_is_guessed_in_silence_is_found_out(monkeypatch):
    def guessing(path, whole=headers.read_swf):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return whole(path)

    monkeypatch.setattr(headers, "read_swf", guessing)
    assert any("without a word" in failure for failure in headers.clocks(FEW).failures)


def test_a_twin_that_is_taken_for_a_log_is_found_out(monkeypatch):
    monkeypatch.setattr(headers, "_twins", lambda: ["KTH-SP2"])
    monkeypatch.setattr(headers.simlib, "load", lambda name, variant: "a workload")
    assert any("taken for the original log" in failure for failure in headers.impostors(FEW).failures)


# Schedules


def later_by_one(w, policy, *rules):
    """A wrong kernel: the last job that waits starts a second late."""
    schedule = simlib.simulate(w, policy, *rules)
    waits = np.flatnonzero(schedule._start > schedule._submit)
    schedule._start = schedule._start.copy()
    schedule._start[waits[-1:]] += 1
    return schedule


def all_at_once(w, policy, *rules):
    """A wrong kernel: every job starts when it is submitted."""
    schedule = simlib.simulate(w, policy, *rules)
    schedule._start = schedule._known["start"] = schedule._submit.copy()
    return schedule


def test_a_wrong_kernel_is_found_out_with_the_fewest_jobs():
    plan = Plan(share=EASY_CASE / 40_000)
    assert workloads.against_the_reference(plan).failures == []
    failures = workloads.against_the_reference(plan, later_by_one).failures
    assert failures and all("the reference has" in failure for failure in failures[:-1])
    assert failures[0].count("((") <= 2, "two jobs are enough"


def test_a_schedule_that_breaks_a_rule_is_found_out():
    plan = Plan(share=0.002)
    assert workloads.what_must_hold(plan).failures == []
    assert any("processors in use of" in failure for failure in workloads.what_must_hold(plan, all_at_once).failures)


def test_a_schedule_that_hangs_on_the_clock_is_found_out():
    def by_clock(w, policy, *rules):
        return simlib.simulate(w, simlib.FCFS() if w.jobs.submit.iloc[0] > 10**5 else policy, *rules)

    plan = Plan(share=0.012)
    assert workloads.against_themselves(plan).failures == []
    assert any("the clock moved" in failure for failure in workloads.against_themselves(plan, by_clock).failures)


# What users plug in


def test_impossible_schedules_that_are_taken_are_found_out():
    def unchecked(w, policy):
        columns = w.jobs[["submit", "run", "estimate", "procs"]].to_numpy().T.copy()
        found = policy.schedule(*columns, w.procs)
        return simlib.Schedule(w, policy, "extend", columns[1], np.asarray(found["start"]))

    failures = plugged.impossible_schedules(FEW, unchecked).failures
    assert any(failure.startswith("all start when submitted: taken") for failure in failures)
    assert any(failure.startswith("run in place: changes the schedule") for failure in failures)
    assert any("taken, although" in failure for failure in plugged.wrong_starts(FEW, unchecked).failures)


def test_order_functions_that_are_taken_whatever_they_do_are_found_out():
    def easily(w, policy):
        return simlib.simulate(w, simlib.EASY())

    assert len(plugged.bad_orders(FEW, easily).failures) > 5
    assert len(plugged.changed_orders(FEW, easily).failures) > 5
    assert len(plugged.policies_misspelt(FEW, easily).failures) > 2


def test_schedules_that_share_their_arrays_are_found_out():
    def sharing(w, policy):
        start = policy.schedule(*w.jobs[["submit", "run", "estimate", "procs"]].to_numpy().T.copy(), w.procs)
        schedule = simlib.Schedule(w, policy, "extend", w.jobs.run.to_numpy(), **start)
        return schedule

    assert plugged.reused_arrays(FEW, sharing).failures


def test_a_process_that_two_interrupts_do_not_end_is_found_out(monkeypatch):
    deaf = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint(flush=True)\ntime.sleep(60)"
    monkeypatch.setattr(plugged, "ENDLESS", deaf)
    monkeypatch.setattr(plugged, "MOMENTS", (0.1, 0.1, 0.5))
    assert all("runs on after two interrupts" in failure for failure in plugged.endless_orders(FEW).failures)


# Kills


def test_figures_that_differ_after_a_kill_and_what_is_left_over_are_found_out(monkeypatch):
    def finish(root):
        made = root / "figures"
        made.mkdir()
        made.joinpath("a.csv").write_text("1\n" if fresh.pop() else "2\n")
        made.joinpath(".a.csv.left").mkdir()
        return 0

    sleeper = ["sleep", "30"]
    monkeypatch.setattr(kills, "copy_of_the_tree", lambda folder, parts: folder)
    monkeypatch.setattr(kills, "finish", finish)
    monkeypatch.setattr(kills, "start", lambda root: kills.subprocess.Popen(sleeper, start_new_session=True))
    monkeypatch.setattr(kills, "SHORTEST", 0.0)
    fresh = [False, True, True]
    assert "other bytes in a.csv" in kills.killed(Plan(share=1e-9)).failures[0]
    fresh = [True, True, True]
    assert "left over: figures/.a.csv.left" in kills.killed(Plan(share=1e-9)).failures[0]


# Servers


@pytest.fixture
def taken(monkeypatch):
    """A download that prints what the test says, in place of `simlib.logs.archive.fetch`."""

    def replace(code):
        monkeypatch.setattr(server, "FETCH", "import json, sys, pathlib, time\n" + code)

    return replace


@pytest.mark.parametrize(
    "code, fault",
    [
        ("print(json.dumps({'said': '', 'peak': 1}))", "taken"),
        ("print(json.dumps({'said': 'a\\nb', 'peak': 1}))", "more than one line"),
        ("print(json.dumps({'said': 'secret', 'peak': 1}))", "the password is shown"),
        ("print(json.dumps({'said': 'no', 'peak': 9999}))", "takes 9999 MiB"),
        (
            "pathlib.Path(sys.argv[1], 'half').touch(); print(json.dumps({'said': 'no', 'peak': 1}))",
            "left behind: half",
        ),
        ("time.sleep(1); print(json.dumps({'said': 'no', 'peak': 1}))", "ends after 1 s"),
        ("raise KeyError('location')", "KeyError"),
    ],
)
def test_a_download_that_ends_badly_is_found_out(taken, tmp_path, code, fault):
    taken(code)
    assert fault in server.fetched(server.body(b""), tmp_path, within=0.9 if "sleep" in code else 60)
    assert list(tmp_path.iterdir()) == []


def test_a_download_that_ends_well_is_not(taken, tmp_path):
    taken("print(json.dumps({'said': 'no', 'peak': 1}))")
    assert server.fetched(server.body(b""), tmp_path) is None


def test_a_changed_log_that_is_taken_is_found_out(monkeypatch):
    assert server.changed_logs(FEW).failures == []
    monkeypatch.setattr(server.archive, "verify", lambda path, file: None)
    monkeypatch.setattr(server.swf, "read_log", lambda path: (None, np.random.default_rng().random(3).view(Unequal)))
    assert "other jobs are taken" in server.changed_logs(FEW).failures[0]


class Unequal(np.ndarray):
    def equals(self, other):
        return bool((np.asarray(self) == np.asarray(other)).all())


def test_a_bomb_is_small_and_its_content_is_large():
    packed = attack.bomb("blanks", 20)
    assert len(packed) < 100_000 and len(gzip.decompress(packed)) == 20 * 2**20


# Places


def test_a_file_that_is_half_written_or_swallows_its_error_is_found_out(monkeypatch):
    writes = {
        "half": "fill(); (folder / 'old.swf').write_bytes(b'half'); raise OSError('full')",
        "silent": "fill()",
        "right": "fill(); raise OSError('full')",
    }
    monkeypatch.setattr(places, "WRITES", writes)
    monkeypatch.setattr(places, "COMMANDS", {})
    monkeypatch.setattr(
        places, "PREPARE", "import sys\nfrom pathlib import Path\nfolder = Path(sys.argv[1])\nfill = list\n"
    )
    half, silent = places.small_files(FEW).failures
    assert "left or changed: old.swf" in half and "expected an OSError" in silent


def test_other_bytes_under_another_setting_are_found_out(monkeypatch):
    monkeypatch.setattr(places, "SUMMARY", "import json, os\nprint(json.dumps({'a.png': os.environ.get('TZ')}))")
    monkeypatch.setattr(places, "SETTINGS", {"TZ": {"TZ": "Asia/Kathmandu"}, "LC_ALL": {"LC_ALL": "C"}})
    assert places.odd_settings(FEW).failures == ["TZ: other bytes: a.png"]


def test_a_package_that_needs_to_write_is_found_out(monkeypatch):
    if not places.can_mount():
        pytest.skip("needs root, to mount folders read-only in a name space of its own")
    code = "import json, simlib\nopen(simlib.__file__, 'a')\nprint(json.dumps({'sums': []}))"
    monkeypatch.setattr(places, "copy_of_the_tree", small_tree)
    monkeypatch.setattr(places, "IMPORTING", code)
    monkeypatch.setattr(
        places, "python", lambda *_, **__: attack.subprocess.CompletedProcess([], 0, '{"sums": []}', "")
    )
    monkeypatch.setattr(
        places, "subprocess_in", lambda *a, **k: attack.python(code, cwd=a[0], before=before(a[1]), **k)
    )
    before = lambda script: ("unshare", "--mount", "sh", "-c", script, "sh")  # noqa: E731
    assert all("Read-only file system" in failure for failure in places.read_only(FEW).failures)


def small_tree(folder):
    root = folder / "tree" / "simlib"
    root.mkdir(parents=True)
    root.joinpath("__init__.py").touch()
    return root.parent


# Caches


def test_a_cache_that_gives_what_is_in_a_damaged_file_is_found_out(monkeypatch):
    def trusting(function):
        def call(*arguments):
            path = caches.cache.FOLDER / "numbers"
            if not path.exists():
                path.write_bytes(b"0" * 99)
                return function(*arguments)
            return function(*arguments) | {"mean": float(path.stat().st_size) if path.read_bytes() != b"0" * 99 else 0}

        return call

    monkeypatch.setattr(caches.cache, "once", trusting)
    assert any("wrong numbers" in failure for failure in caches.kept_blocks(FEW).failures)


@pytest.mark.parametrize(
    "code, output, fault",
    [
        (-11, "", "dies of signal 11"),
        (0, '{"sums": [1, 2]}', "wrong schedules"),
        (1, "", "exit 1: Truncated"),
        (0, '{"sums": [1, 1]}', None),
    ],
)
def test_kernels_that_crash_or_schedule_wrongly_are_found_out(code, output, fault):
    process = attack.subprocess.CompletedProcess([], code, output, "Truncated")
    found = caches._fault(process, [1, 1])
    assert found is None if fault is None else fault in found


# Intervals


@pytest.mark.thorough
def test_intervals_that_are_too_narrow_are_found_out(monkeypatch):
    few = Plan(seed=1, share=0.6)
    monkeypatch.setattr(intervals, "LOADS", (0.60,))
    monkeypatch.setattr(intervals, "WEEKS", (40,))
    assert ": of runs " not in " ".join(intervals.intervals(few).failures)  # luck may be called more of a log
    narrow = stats.prediction_reach
    monkeypatch.setattr(stats, "prediction_reach", lambda runs: 0.3 * narrow(runs))
    failures = " ".join(intervals.intervals(few).failures)
    assert ": of runs " in failures and "of what luck alone makes is called beyond coincidence" in failures


# Slurm's records


def test_records_that_are_converted_wrongly_are_found_out(monkeypatch):
    plan, whole = Plan(share=0.002), sacct._durations
    monkeypatch.setattr(sacct, "_durations", lambda text, unit, *rest: whole(text, 1, *rest))
    assert any("expected:" in failure for failure in slurm.damaged_records(plan).failures)


def test_a_traceback_and_a_record_that_goes_missing_are_found_out(monkeypatch):
    def raises(*arguments, **options):
        raise OverflowError("too large")

    monkeypatch.setattr(slurm.sacct, "convert", raises)
    assert "OverflowError comes out" in slurm.damaged_bytes(FEW).failures[0]
    assert all("OverflowError" in failure for failure in slurm.broken_names(FEW).failures)


# The command


def test_every_attack_is_listed_and_can_be_named(capsys):
    assert torture.main(["--list"]) == 0
    for name in capsys.readouterr().out.split():
        module, function = name.split(".")
        assert callable(getattr(torture.import_module(f"torture.{module}"), function))
    assert set(torture.LONGEST) <= {name for part in torture.ATTACKS.values() for name in part}
    with pytest.raises(SystemExit):
        torture.main(["no.such"])


def test_a_row_says_what_failed_and_what_was_left_out():
    done = Tried("logs", 1200, ["a | b\nc"])
    assert torture.row(done) == "| Logs. | 1,200 | a \\| b c |"
    assert torture.row(Tried("logs", 7, [])) == "| Logs. | 7 | nothing |"
    assert torture.row(Tried("disks", 0, [], "needs root")) == "| Disks. | - | left out: needs root |"
    assert torture.told("logs.x", done, Plan())[-1] == "  again: python -m tests.torture logs.x --seed 1"


def test_an_attack_that_breaks_off_fails_and_does_not_stop_the_others(capsys):
    done = torture.run(["no.such", "logs.nothing"], Plan(), 2)
    assert all("the attack itself broke off" in one.failures[0] for one in done.values())


def test_the_smallest_case_is_found():
    assert attack.smallest(range(50), lambda pieces: {7, 31} <= set(pieces)) == [7, 31]


def test_failures_of_one_sort_are_told_once_and_counted():
    done = attack.try_random("it", Plan(share=1), 50, lambda rng: ("bad", "sort") if rng.random() < 2 else None)
    assert done.failures == ["bad (--case 0)", "and 49 more"]
    assert attack.try_random("it", Plan(case=7), 50, lambda rng: "bad").failures == ["bad (--case 7)"]
