"""What policies are in Slurm, its settings, and what jobs waited for."""

import math
import re

import pytest
from helpers import numbered
from test_log_report import FIRST, QUEUE, SHORT_FIRST, STREAM, asked, decision, weeks

from simlib import FCFS, Multifactor, SlurmBackfill, Workload, simulate
from simlib.logs import swf
from simlib_report import Page, in_slurm
from simlib_report.policies import POLICIES
from simlib_report.slurm_settings import settings


def test_every_candidate_of_the_page_has_a_line_and_what_is_nearest_is_a_setting():
    assert {*POLICIES, *in_slurm.SETTINGS} <= {*in_slurm.WAYS}
    for name, way in in_slurm.WAYS.items():
        said = in_slurm.how(name)
        assert way.by in ("setting", "cannot", *in_slurm.NEEDS) and way.source.split()[0] in in_slurm._SOURCES
        assert (way.nearest == "") == (way.by == "setting") or way.nearest in in_slurm.SETTINGS, name
        assert said.startswith(f"{way.by}:")
        assert way.nearest in said and ("script of some" in said) == (way.by == "script")
    assert {*in_slurm.MEANING} == {*in_slurm.SETTINGS}
    assert all(in_slurm.WAYS[name].by == "setting" for name in in_slurm.SETTINGS)


CLASS = "Slurm, short limits first"

NO_ESTIMATES = [*SHORT_FIRST]

CLASSES = [(1, 0, 100, 100, 4), (1, 5, 500, 500, 4), (2, 10, 30, 30, 4), (2, 15, 10, 10, 4)]
"""Jobs whose order by class of limit is nearly that by length."""

ONE_CLASS = [(1, 0, 100, 100, 4), (1, 5, 300, 300, 4), (2, 10, 70, 70, 4), (2, 15, 70, 70, 4)]
"""Jobs of one class of limits, whose order by length is another."""

PASSING = [(1, 0, 100, 100, 3), (1, 1, 30, 30, 1), (1, 5, 100, 100, 4), (2, 10, 60, 60, 1)]
PASSING += [(2, 12 + k, 20, 20, 1) for k in range(3)]
"""Narrow jobs that may pass a wide one, of which short ones go first under EASY-SJBF."""


STARVED = [(1, 2000, 100, 100, 4), (1, 2005, 60, 60, 4), *((2, 2010 + 15 * k, 20, 20, 4) for k in range(40))]
"""Jobs of one class of limits, of which one waits for all others if shorter ones go first: 895 minutes, not 95."""


@pytest.mark.parametrize(
    ("jobs", "names", "said"),
    [
        (CLASSES, [FIRST, CLASS], f"Yes: set {CLASS}: .* A 20-line script gains more: 1.3 hours [(]{FIRST}[)]."),
        (CLASSES, [CLASS], f"Yes: set {CLASS}: the mean wait falls from 5.4 to 1.4 hours.$"),
        ([*CLASSES, *STARVED], [FIRST, CLASS], f"Yes: set {CLASS}: (?!.* gains more)"),
        (ONE_CLASS, [FIRST, CLASS], f"Yes, but no setting does it: with {FIRST} .* It needs a 20-line script"),
        (PASSING, ["EASY-SJBF"], "No: with EASY-SJBF the mean wait falls .*, but .* Slurm cannot do that."),
        (STREAM, [FIRST, CLASS], f"No: with {FIRST} .*, but the longest wait grows"),
        (QUEUE, ["Slurm, no backfilling"], "No: no policy that was tried is better"),
        (NO_ESTIMATES, [FIRST, CLASS], "Cannot tell: 100 % of the jobs have no estimate"),
    ],
)
def test_a_setting_comes_before_a_script_and_what_slurm_cannot_do_is_not_recommended(jobs, names, said):
    made = weeks(jobs, requested_time=-1) if jobs is NO_ESTIMATES else weeks(jobs)
    header = [" Conversion: simlib, from the output of sacct"]
    w = Workload(swf.jobs_of(made.log), 4, "made up", log=made.log, start=made.start, header=header)
    assert re.match(said, decision(asked(w, "Slurm's backfill", *names)))


def test_the_nearest_settings_of_what_is_asked_for_are_compared_too():
    assert list(in_slurm.nearest(["EASY", "EASY-SJBF", "EASY, WFP"])) == [CLASS, "Slurm, large jobs first"]
    assert CLASS in Page(weeks(QUEUE), ["Slurm's backfill", "EASY-SJBF"], base="Slurm's backfill", shakes=4).cases


def test_short_limits_go_first_until_others_have_waited_for_days():
    hour, day = 3600, 86400
    rows = [(0, day, day, 4), (1, hour, 30 * hour, 4), (2, hour, 2 * hour, 4), (3, hour, hour, 4)]
    made = simulate(numbered(rows, 4), in_slurm.SETTINGS["Slurm, short limits first"]).jobs
    assert made.start.argsort().tolist() == [0, 3, 2, 1]
    rows = [(0, 4 * day, 4 * day, 4), (1, hour, 30 * hour, 4), (4 * day - 2, hour, hour, 4)]
    made = simulate(numbered(rows, 4), in_slurm.SETTINGS["Slurm, short limits first"]).jobs
    assert made.start.argsort().tolist() == [0, 1, 2]


@pytest.fixture
def read(tmp_path):
    """A function that reads settings from a text."""

    def read(text):
        (tmp_path / "slurm.conf").write_text(text)
        return settings(tmp_path / "slurm.conf")

    return read


PRINTED = """Configuration data as of 2026-09-01T12:00:00
OverTimeLimit           = 0 min
PreemptType             = preempt/qos
PriorityDecayHalfLife   = 14-00:00:00
PriorityFavorSmall      = Yes
PriorityFlags           = SMALL_RELATIVE_TO_TIME,NO_FAIR_TREE
PriorityMaxAge          = 3-12:00:00
PriorityType            = priority/multifactor
PriorityWeightAge       = 10000
PriorityWeightFairShare = 100000
PriorityWeightJobSize   = 5000
PriorityWeightQOS       = 50000
PriorityWeightTRES      = (null)
SchedulerParameters     = bf_window=2880,bf_window=1,BF_Resolution=300,bf_max_job_test=99,bf_max_job_user=20,bf_licenses
SchedulerType           = sched/backfill
"""


def test_what_scontrol_prints_is_read(read):
    found = read(PRINTED)
    order = Multifactor(10000, -5000, 100000, 3.5, 14, per_minute=True, whole=True)
    assert found.policy == SlurmBackfill(order, depth=99, window=2 * 86400, resolution=300, per_user=20)
    said = " ".join(found.not_simulated)
    assert all(word in said for word in ("QOS", "bf_licenses", "Preemption")) and "Fair Tree" not in said


def test_the_policy_of_slurm_conf_is_the_base_of_a_page(tmp_path):
    (tmp_path / "slurm.conf").write_text(PRINTED)
    made = Page(weeks(QUEUE), ["EASY"], slurm_conf=tmp_path / "slurm.conf", shakes=4)
    assert made.cases[made.base] == settings(tmp_path / "slurm.conf").policy and made.found.others[0] == "EASY"
    assert f"{made.base}: Preemption is not simulated." in made.left()
    with pytest.raises(ValueError, match="found base='EASY' with .*slurm.conf, expected one of them"):
        Page(weeks(QUEUE), base="EASY", slurm_conf=tmp_path / "slurm.conf")


LEFT_OUT = {
    "PriorityFlags=ACCRUE_ALWAYS": "accrue_always",
    "PriorityUsageResetPeriod=DAILY": "DAILY",
    "AccountingStorageEnforce=safe": "Limits of associations",
    "JobSubmitPlugins=lua": "lua may change priorities",
    "OverTimeLimit=5": "OverTimeLimit",
    "PreemptType=preempt/qos": "Preemption",
}


def test_what_is_set_and_not_simulated_is_said(read):
    said = " ".join(read("\n".join(["PriorityWeightAge=1 PriorityWeightFairshare=1", *LEFT_OUT])).not_simulated)
    assert [key for key, word in LEFT_OUT.items() if word not in said] == []


def by_weights(*weights):
    """Slurm's backfill by priorities."""
    return SlurmBackfill(Multifactor(*weights, whole=True))


@pytest.mark.parametrize(
    "text, policy",
    [
        ("schedulerTYPE=sched/backfill # yes", SlurmBackfill()),
        ("SchedulerType=sched/builtin\nPriorityType=priority/basic\nPriorityWeightAge=5", FCFS()),
        ("SchedulerParameters=bf_interval=-1", FCFS()),
        ("SchedulerParameters=bf_interval=90", SlurmBackfill(interval=90)),
        ("SchedulerParameters=bf_job_part_count_reserve=0,bf_max_job_user=0", SlurmBackfill(reservations=math.inf)),
        ("SchedulerParameters=defer,\\\nbf_job_part_count_reserve=1", SlurmBackfill(reservations=1)),
        ("PriorityWeightAge=1\npriorityweightage=2\nPriorityMaxAge=1-0", by_weights(2, 0, 0, 1)),
        ("PriorityWeightTRES=CPU=-30,Mem=5", by_weights(0, -30, 0)),
        ("PriorityWeightFairshare=9 PriorityDecayHalfLife=90", by_weights(0, 0, 9, 7, 1 / 16)),
        ("PriorityWeightFairshare=9\nPriorityDecayHalfLife=48:00:00", by_weights(0, 0, 9, 7, 2)),
        ("PriorityWeightFairshare=9\nPriorityDecayHalfLife=0", by_weights(0, 0, 9, 7, 365_000)),
        ("PriorityWeightAge=1\nPriorityWeightTRES=CPU=5\nPriorityFlags=SMALL_RELATIVE_TO_TIME",
         SlurmBackfill(Multifactor(1, 0, 0, per_minute=True, whole=True))),
        ("PriorityWeightQOS=5\nNodeName=n1 PriorityWeightAge=7", SlurmBackfill()),
    ],
)  # fmt: skip
def test_keys_have_any_case_and_what_is_not_set_has_slurm_s_default(read, text, policy):
    assert read(text).policy == policy


LINES = [*("Slurm, no backfilling", "Slurm, window of a month", "Slurm, five jobs of a user")]
LINES += ["Slurm, small jobs first", "Slurm, large jobs first"]


@pytest.mark.parametrize("name", LINES)
def test_the_lines_that_a_page_gives_set_the_policy_that_it_compared(read, name):
    assert read(in_slurm.WAYS[name].text.replace(", ", "\n")).policy == in_slurm.SETTINGS[name]


def test_the_classes_of_limits_that_a_page_gives_rank_jobs_as_those_that_it_compared():
    said = re.search(r"MaxWall=(.*) and none, Priority=(.*?);", in_slurm.WAYS[CLASS].text)
    limits = [3600 * int(hours) for hours in re.findall(r"(\d+):00:00", said[1])]
    ranks = [in_slurm.short_limits_first(0, limit) for limit in (*limits, math.inf)]
    assert ranks == [int(rank) for rank in re.findall(r"\d+", said[2])] and len(limits) == 3


@pytest.mark.parametrize(
    "text, said",
    [
        ("# nothing\nClusterName=x", "found no key such as SchedulerParameters"),
        ("\nSchedulerParameters=bf_window=0", "line 2: SchedulerParameters: found 'bf_window=0', .* 1 to 43200"),
        ("PriorityWeightAge=many", "line 1: PriorityWeightAge: found 'many', expected a whole number"),
        ("PriorityWeightAge=1\nPriorityMaxAge=1d", "line 2: PriorityMaxAge: found '1d', expected minutes"),
        ("PriorityType=priority/x", "line 1: PriorityType: found 'priority/x', expected priority/multifactor"),
        ("SchedulerType=sched/wiki", "line 1: SchedulerType: found 'sched/wiki', expected sched/backfill"),
        ("PriorityFavorSmall=maybe", "line 1: PriorityFavorSmall: found 'maybe', expected YES or NO"),
    ],
)  # fmt: skip
def test_what_slurm_would_not_take_is_refused_with_file_line_and_key(read, text, said):
    with pytest.raises(ValueError, match=rf"slurm\.conf: {said}"):
        read(text)


def test_jobs_that_waited_for_limits_are_told_with_their_waits():
    w = numbered([(0, 10, 20, 3, 1), (1, 5, 5, 2, 1), (2, 5, 5, 2, 2), (3, 5, 5, 2, 2)], 4)
    log = w.log.assign(wait=[0, 60, 30, 10], reason=[-1, 2, 1, 2], started_by=[1, 2, 2, -1])
    header = [" Reason: 1 Dependency", " Reason: 2 QOSMaxJobsPerUserLimit"]
    told = Workload(w.jobs, 4, log=log, header=header)
    table = in_slurm.waited_for(told)
    assert table.loc["limits"].tolist() == [2, 0.5, 0.7, "QOSMaxJobsPerUserLimit"]
    assert table.of_jobs.sum() == 1 and table.of_waits.sum() == 1
    assert "50 % of the jobs, with 70 % of the recorded waits, for limits" in in_slurm.waited_for_said(told)
    assert in_slurm.started_by(told) == {"main": 0.25, "backfill": 0.5, "submit": 0}
    turns = in_slurm.waited_for_said(Workload(w.jobs, 4, log=log.assign(reason=-1), header=header))
    assert turns == "By sacct's Reason no job waited for a limit: all waited for their turn and processors."
    assert in_slurm.waited_for_said(w) == "" and in_slurm.started_by(w) is None
