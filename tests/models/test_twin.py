"""Twins: what they have of their logs, whether they are there or not, and how the tables are made."""

import functools
import tomllib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simlib
from simlib._util import paths
from simlib.logs import archive
from simlib.models import twin
from simlib_study import judging, model_comparison
from tools import fit_twins, twin_fitting

pytestmark = pytest.mark.slow

NAMES = [name for name in archive.catalogue()["logs"] if archive.has_twin(name)]
FITTED = [name for name in NAMES if name not in fit_twins.FROM_NEAREST]


def often(names):
    """Parameters, of which two logs' are tried often: the tables of all change when they are fitted anew."""
    usual = "KTH-SP2", "SDSC-Par-95"
    return [pytest.param(name, marks=[] if name in usual else pytest.mark.thorough) for name in names]


@functools.cache
def first(name):
    """The first twin of a log, made once."""
    return twin.workload(name, seed=1)


@pytest.fixture(scope="module", params=often(NAMES))
def made(request):
    """The twin of each log, and its table."""
    return first(request.param), twin.parameters(request.param)


@pytest.fixture(scope="module")
def kth():
    return first("KTH-SP2")


# What every twin has


def test_a_twin_has_its_logs_machine_name_and_clock_and_says_that_it_is_made_up(made):
    w, _ = made
    about = archive.entry(w.name)
    assert w.procs == about["procs"]
    assert str(w.start.tz) == about["timezone"]
    assert "start" not in about or w.start.timestamp() == about["start"]
    assert w.synthetic and w.stand_in and "SYNTHETIC" in repr(w)
    assert w.source == {"file": f"twin of {w.name}", "variant": "twin"}
    assert w.history == ()


def test_a_twin_has_its_logs_jobs_and_work_in_every_month(made):
    w, table = made
    months = model_comparison.by_month(model_comparison.described(w))
    assert months.index.tolist() == table["months"]["name"]
    assert months.jobs.tolist() == table["months"]["jobs"]
    np.testing.assert_allclose(months.work, table["months"]["work"], rtol=0.02)


def test_a_twin_begins_and_ends_with_its_log(made):
    w, table = made
    submit = w.jobs.submit
    assert table["first"] <= submit.min() and submit.max() <= table["last"]
    assert submit.max() - submit.min() > 0.97 * (table["last"] - table["first"])


def test_sizes_and_popular_requested_times_are_dealt_exactly(made):
    w, table = made
    jobs = model_comparison.described(w)
    if w.name not in FITTED:
        return  # the numbers of jobs are not those of the log that the shapes come from
    assert jobs.procs.value_counts().sort_index().tolist() == table["sizes"]["jobs"]
    low = 0
    for part in table["size_class"]:
        counts = jobs.requested[(jobs.procs > low) & (jobs.procs <= part["upto"])].value_counts()
        assert all(counts[seconds] >= count for seconds, count in part["popular"])
        low = part["upto"]


def test_users_have_as_many_jobs_as_in_the_log(made):
    w, table = made
    assert sorted(w.jobs.user.value_counts()) == sorted(table["users"]["jobs"])
    groups = w.jobs.groupby("user").group.nunique()
    assert (groups <= 2).all() and (
        (w.jobs.group > 0).all() if table["users"]["groups"] else (w.jobs.group == -1).all()
    )


def test_jobs_that_never_ran_are_there_as_lines_and_take_no_part(made):
    w, table = made
    assert len(w.dropped) == table["removed"] == (w.log.run < 0).sum()
    assert len(w.log) == len(w) + table["removed"]
    assert (w.log.status[w.log.run < 0] == 5).all()


def test_no_run_is_longer_than_the_longest_and_every_status_is_one_of_the_logs(made):
    w, table = made
    assert 0 <= w.jobs.run.min() and w.jobs.run.max() <= table["longest"]
    assert set(w.jobs.status) <= {code for part in table["status"] for code in part["status"]}


def test_submissions_follow_the_logs_week(made):
    w, table = made
    week = np.array(table["week"]) / np.sum(table["week"])
    hours = np.bincount(model_comparison.described(w).hour, minlength=168) / len(w)
    assert np.abs(np.cumsum(hours) - np.cumsum(week.ravel())).max() < 0.05


@pytest.mark.parametrize("name", ["KTH-SP2", "SDSC-Par-95"])  # with jobs that never ran, and without
def test_a_twin_has_all_18_fields_and_reads_back_from_swf(name, tmp_path):
    w = first(name)
    assert list(w.log.columns) == list(simlib.logs.swf.FIELDS) and (w.log.dtypes == np.int64).all()
    simlib.write_swf(w, tmp_path / "twin.swf.gz")
    again = simlib.read_swf(tmp_path / "twin.swf.gz")
    assert again.equals(w)
    assert again.synthetic and again.stand_in
    if not len(w.dropped):
        pd.testing.assert_frame_equal(again.log, w.log)


@pytest.mark.parametrize("name", often([name for name in NAMES if "Par" not in name]))
def test_used_parts_of_the_requested_time_have_peaks_at_0_and_100_per_cent(name):
    used = model_comparison.described(first(name)).used.dropna()
    bins = np.histogram(100 * used, range(103))[0]
    between = np.median(bins[1:99])
    assert bins[0] > 2 * between and bins[99:].sum() > 2 * between


def test_paragon_jobs_request_no_time():
    w = first("SDSC-Par-95")
    assert (w.log.requested_time == -1).all()
    assert w.jobs.estimate.equals(w.jobs.run.rename("estimate"))


@pytest.mark.parametrize("name", often(["KTH-SP2", "SDSC-SP2", "SDSC-DS", "ANL-Intrepid"]))
def test_jobs_of_a_user_use_like_parts_of_their_time_and_those_that_request_the_same_more_so(name):
    numbers = model_comparison.users(model_comparison.described(first(name)))
    assert numbers["... within user"] < 0.95 * numbers["standard deviation of R"]
    if name != "ANL-Intrepid":  # no groups
        assert numbers["... within user, group and requested time"] < 0.95 * numbers["... within user"]


# Seeds


def test_the_same_seed_gives_the_same_bytes_and_another_one_other_jobs(kth, tmp_path):
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        simlib.write_swf(twin.workload("KTH-SP2", seed), tmp_path / name)
    one, same, other = ((tmp_path / name).read_bytes() for name in ("one", "same", "other"))
    assert one == same
    assert twin.workload("KTH-SP2", 2).jobs.submit.tolist() != kth.jobs.submit.tolist()
    assert other != one


# Its parts


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-9, 9)), min_size=1, max_size=30))
def test_places_are_even_within_a_group_and_in_order_of_the_scores(jobs):
    group, scores = (np.array(column) for column in zip(*jobs, strict=True))
    places = twin.places(scores, group)
    for one in np.unique(group):
        size = (group == one).sum()
        np.testing.assert_allclose(np.sort(places[group == one]), (np.arange(size) + 0.5) / size)
        order = np.argsort(places[group == one])
        assert (np.diff(scores[group == one][order]) >= 0).all()


def test_groups_contribute_their_shares_to_scores():
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(400), 50)
    request = np.repeat(np.arange(4000), 5)
    scores = pd.Series(twin.score(rng.standard_normal((3, len(user))), (user, 0.5), (request, 0.3)))
    assert twin_fitting.explained(scores, user, request) == pytest.approx([0.5, 0.3], abs=0.05)
    assert scores.var() == pytest.approx(1, abs=0.1)


def test_a_workload_without_a_log_is_refused_where_requested_times_are_compared():
    few = simlib.Workload.of("few", 4, A=(0, 10, 10, 3))
    with pytest.raises(ValueError, match="few: described: found no log"):
        model_comparison.described(few)


def test_the_clock_goes_with_the_submissions():
    week = np.ones((7, 24), int)
    week[:, 8:16] = 7  # three times the mean, and the rest a third of it
    table = {"start": 0, "first": 100, "last": 80 * 86400, "week": week.tolist()}
    clock = twin.Clock(table, "UTC")
    assert clock.edges.tolist() == [100, 31 * 86400, 59 * 86400, 80 * 86400 + 1]
    assert clock.busy(7 * 86400) == pytest.approx(7 * 86400)
    assert clock.busy(8 * 3600) == pytest.approx(8 * 3600 / 3)
    seconds = np.array([0, 3600, 10**6 + 7])
    np.testing.assert_allclose(clock.time(clock.busy(seconds)), seconds)


@given(st.integers(0, 99), st.floats(0, 1))
def test_a_session_never_repeats_the_request_of_the_one_before(seed, returns):
    user = np.sort(np.random.default_rng(seed).integers(0, 5, 60))
    curve = [2] * 9 + [50] * (len(twin.GRID) - 9)
    request = twin.requests({"returns": returns, "lag": curve}, user, np.random.default_rng(seed))
    assert all(one != other for one, other in zip(request, request[1:], strict=False))
    assert all(user[session] == user[first] for session, first in enumerate(request))
    assert all(first <= session for session, first in enumerate(request))


# Comparison


@pytest.fixture
def few():
    """Two users of three jobs each; the second repeats the first one's request twice."""
    columns = ["submit", "run", "procs", "requested", "user", "group"]
    rows = [(0, 5, 1, 10, 1, 1), (1, 10, 1, 10, 1, 1), (2, 1, 2, 10, 1, 1), (3, 5, 1, 10, 2, 1)]
    rows += [(90000, 5, 1, 10, 2, 1), (90001, 5, 1, 10, 2, 1)]
    return pd.DataFrame(rows, columns=columns).assign(used=lambda jobs: jobs.run / jobs.requested)


def test_sessions_are_jobs_in_a_row_by_which_a_user_repeats_a_request(few):
    assert few.groupby(model_comparison.session(few)).size().tolist() == [2, 1, 3]
    assert model_comparison.repeated(few) == 0.5
    assert model_comparison.repeated(few.sample(frac=1, random_state=1)) == 0.5


def test_unevenness_is_the_mean_deviation_of_a_days_work(few):
    assert model_comparison.unevenness(few) == pytest.approx((22 - 10) / 2 / 16)


def test_likeness_of_users_is_the_mean_deviation_within_groups_of_ten(few):
    jobs = pd.concat([few] * 4, ignore_index=True)  # twelve jobs a user
    numbers = model_comparison.users(jobs)
    first = np.std([0.5, 1, 0.1] * 4, ddof=1)
    assert numbers["... within user"] == pytest.approx(first / 2)
    assert numbers["... within user, group and requested time"] == pytest.approx(first / 2)
    assert numbers["jobs of the ten busiest users"] == 1


# Against the real logs. Bounds are about one and a half times the largest distance of four twins each.

BOUNDS = {
    "size": 0.001,
    "run time": 0.10,
    "requested time": 0.015,
    "run / requested": 0.08,
    "hour of the week": 0.045,
    "between submissions": 0.125,
    "between those of a user": 0.135,
    "jobs of a user": 0.001,
    "jobs of a session": 0.11,
}


@pytest.mark.parametrize("name", often(FITTED))
def test_a_twin_is_near_its_log_in_every_distribution(log, name):
    real, made = model_comparison.described(log(name)), model_comparison.described(first(name))
    distances = model_comparison.distances(real, made).dropna()
    assert (distances <= pd.Series(BOUNDS)[distances.index]).all(), distances


@pytest.mark.parametrize("name", often(FITTED))
def test_a_twins_users_are_as_much_alike_as_its_logs(log, name):
    real, made = (model_comparison.users(model_comparison.described(w)) for w in (log(name), first(name)))
    assert made["jobs that repeat the one before"] == pytest.approx(real["jobs that repeat the one before"], abs=0.05)
    deviations = real.filter(like="within").dropna().index
    assert (made[deviations] - real[deviations]).abs().max() < 0.04 if len(deviations) else name == "SDSC-Par-96"
    assert made["unevenness of days"] == pytest.approx(real["unevenness of days"], abs=0.15)


@pytest.mark.parametrize("name", often(FITTED))
def test_a_twin_is_scheduled_much_like_its_log(log, name):
    real, made = (simlib.simulate(w, simlib.EASY()).summary() for w in (log(name), first(name)))
    assert made.utilization == pytest.approx(real.utilization, abs=0.02)
    assert 0.8 < made.mean_response / real.mean_response < 1.8  # a machine like this one, not this machine


# How the tables are made


@pytest.mark.thorough
def test_the_committed_table_of_kth_is_what_the_script_makes_of_the_log(log):
    log("KTH-SP2", "original")
    table, origin = fit_twins.made("KTH-SP2")
    written = (paths.DATA / "models" / "twins" / "KTH-SP2.toml").read_text(encoding="utf-8")
    assert origin in written.replace("\n# ", " ")
    assert _near(tomllib.loads(fit_twins.toml(table)), tomllib.loads(written))


def _near(one, other):
    """Equal, but for the last digits of numbers."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_near(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_near, one, other))
    return one == other if isinstance(one, str) else one == pytest.approx(other, rel=0.02, abs=0.01)


@pytest.mark.parametrize("name", NAMES)
def test_tables_are_small_and_say_where_they_come_from(name):
    text = (paths.DATA / "models" / "twins" / f"{name}.toml").read_text(encoding="utf-8")
    assert len(text) < 20_000 and max(map(len, text.splitlines())) <= 120
    comment = text.partition("\n\n")[0].replace("\n# ", " ")
    assert comment.startswith(f"# The twin of {name}: ") and "by python -m tools.fit_twins" in comment
    assert ("made from what is public" in comment) == (name in fit_twins.FROM_NEAREST)


def test_a_table_is_read_as_it_was_written():
    for name in NAMES:
        assert tomllib.loads(fit_twins.toml(twin.parameters(name))) == twin.parameters(name)


def test_a_log_that_is_not_here_keeps_its_table(monkeypatch, capsys):
    monkeypatch.setattr(archive, "find", lambda name, variant=None: None)
    written = (paths.DATA / "models" / "twins" / "KTH-SP2.toml").read_bytes()
    fit_twins.main(["KTH-SP2", "SDSC-Par-95"])
    assert capsys.readouterr().out.splitlines() == [
        "KTH-SP2: the log is not on this machine; its table stays",
        "SDSC-Par-95: the log is not on this machine; its table stays",
    ]
    assert (paths.DATA / "models" / "twins" / "KTH-SP2.toml").read_bytes() == written


def test_intrepids_twin_has_the_printed_means_and_sizes():
    w = first("ANL-Intrepid")
    assert w.jobs.run.mean() == pytest.approx(5199, rel=0.05)
    assert w.jobs.estimate.mean() == pytest.approx(9096, rel=0.05)
    assert set(w.jobs.procs) <= {2048 * 2**power for power in range(7)} | {163840}
    assert len(w) == 68936 and w.load < 1


def test_the_paragons_twin_of_1995_has_the_printed_jobs_and_loads():
    printed = judging.printed("mualem2001_table1")["Par"].unstack("metric").xs("EASY", level="policy")[:"1995-12"]
    w = first("SDSC-Par-95")
    months = model_comparison.by_month(model_comparison.described(w))
    assert months.jobs.tolist() == printed.jobs.tolist()
    hours = np.diff(w.month_starts(0, w.jobs.submit.max())[1]) / 3600
    np.testing.assert_allclose(months.work / (416 * hours), printed.load, rtol=0.001)


def test_classes_of_sizes_have_enough_jobs_or_work():
    jobs = pd.DataFrame({"procs": [1] * 900 + [2] * 50 + [4] * 300 + [9] * 250, "run": 1})
    assert twin_fitting.size_edges(jobs) == [1, 4, 16]


def test_scaled_numbers_add_up_and_keep_their_proportions():
    assert fit_twins.scaled_to([10, 20, 30], 600) == pytest.approx([100, 200, 300], abs=2)
    assert sum(fit_twins.scaled_to([900, 1, 1, 1], 77)) == 77 and min(fit_twins.scaled_to([900, 1, 1, 1], 77)) >= 1
