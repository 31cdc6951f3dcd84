"""What a workload is, what can be done to it, and that nothing changes it."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib import EASY, LogWarning, Workload, estimates, read_swf, simulate, write_swf
from simlib.core.jobs_table import TOO_LARGE
from simlib.logs.swf import FIELDS, jobs_of

DAY = 86400
STOCKHOLM = pd.Timestamp("1996-09-30 23:00", tz="Europe/Stockholm")
HEADER = "; MaxProcs: 8\n; UnixStartTime: 0\n"

TABLE = pd.DataFrame({"submit": [0, 100, 200, 400], "run": [50, 60, 70, 80], "procs": [1, 2, 3, 4]}, index=[3, 1, 4, 2])


def made(machine=4, **columns):
    """A workload of four jobs, with other columns where given."""
    return Workload(TABLE.assign(**columns), machine)


def at(*submits):
    """A workload of jobs submitted at these seconds."""
    return Workload(pd.DataFrame({"submit": submits, "run": 1, "procs": 1}), 4)


def recorded(tmp_path):
    """A workload read from a log of two jobs."""
    (tmp_path / "log.swf").write_text(
        HEADER + "7 5 2 9 4 -1 -1 8 60 -1 1 3 1 -1 2 -1 -1 -1\n9 6 0 30 2 -1 -1 2 90 -1 0 3 1 -1 1 -1 -1 -1\n"
    )
    return read_swf(tmp_path / "log.swf")


# Making one


def test_what_is_not_given_has_a_default():
    w = made()
    assert (w.procs, w.name, w.start, w.log, w.synthetic) == (4, "workload", None, None, False)
    assert (w.header, w.source, w.history, len(w)) == ((), {}, (), 4)
    assert w.jobs.estimate.equals(TABLE.run.rename("estimate"))
    assert (w.jobs[["user", "group", "app", "queue", "status"]] == -1).all(axis=None)
    assert set(w.jobs.dtypes) == {np.dtype("int64")}


def test_whole_numbers_of_any_kind_become_int64_and_other_columns_go():
    w = made(run=[1.0, 2.0, 3.0, 4.0], user=np.array([1, 2, 3, 4], "uint8"), status=True, colour="red")
    assert set(w.jobs.dtypes) == {np.dtype("int64")}
    assert w.jobs.status.tolist() == [1] * 4
    assert "colour" not in w.jobs


def test_jobs_keep_their_index_and_come_in_order_of_submit_equal_ones_as_they_were():
    w = made(submit=[7, 0, 7, 0])
    assert w.jobs.index.tolist() == [1, 2, 3, 4]
    assert made(submit=[7, 0, 0, 7]).jobs.index.tolist() == [1, 4, 3, 2]


def test_missing_columns_are_named():
    with pytest.raises(ValueError, match="KTH: jobs: missing column run, procs"):
        Workload(TABLE[["submit"]], 4, name="KTH")


@pytest.mark.parametrize("value", [0.5, float("nan"), float("inf"), 1e300, 2**64 - 1, "7", "x", None])
def test_numbers_that_are_not_whole_are_refused_with_the_column(value):
    values = pd.Series([1, 1, 1, value], index=TABLE.index, dtype=object)
    for column in ("submit", "procs", "estimate", "user"):
        with pytest.raises(ValueError, match=f"^workload: jobs: column {column}: job 2: found "):
            made(**{column: values})


def test_columns_rows_and_whole_floats_make_the_same_workload_as_a_table():
    table = TABLE.reset_index(drop=True)
    columns = {name: column.astype(float).to_list() for name, column in table.items()}
    for jobs in (columns, columns | {"run": np.array(columns["run"])}, table.to_dict("records")):
        assert Workload(jobs, 4).equals(Workload(table, 4))


BERLIN = "Europe/Berlin"


@pytest.mark.parametrize(
    "submit, start, seconds, second_0",
    [
        (["2024-05-03 14:31", "2024-05-03 14:30"], None, [0, 60], "2024-05-03 14:30:00+00:00"),
        (["2024-05-03 14:31+02:00", "2024-05-03 14:30+02:00"], None, [0, 60], "2024-05-03 14:30:00+02:00"),
        (["2024-05-03 01:00", "2024-05-03 02:00"], "2024-05-03", [3600, 7200], "2024-05-03 00:00:00+00:00"),
        # of a local time that comes twice the first counts, and one that the clock skips is when it goes on
        (["2024-10-27 02:30", "2024-10-27 03:30"], "2024-10-27", [9000, 16200], "2024-10-27 00:00:00+02:00"),
        (["2024-03-31 02:30", "2024-03-31 03:30"], "2024-03-31", [7200, 9000], "2024-03-31 00:00:00+01:00"),
        (
            ["2024-05-03 01:00+00:00", "2024-05-03 02:00+00:00"],
            "2024-05-03",
            [10800, 14400],
            "2024-05-03 00:00:00+02:00",
        ),
    ],
)
@pytest.mark.parametrize("made", [pd.Series, lambda times: list(times.to_pydatetime()), lambda times: times])
def test_submission_times_become_seconds_after_the_start_or_the_first_of_them(made, submit, start, seconds, second_0):
    if start is not None:
        start = pd.Timestamp(start, tz="UTC" if second_0.endswith("+00:00") else BERLIN)
    w = Workload({"submit": made(pd.to_datetime(submit)), "run": [60, 70], "procs": 1}, 4, start=start)
    assert (w.jobs.submit.to_list(), str(w.start)) == (seconds, second_0)


def test_lengths_of_time_become_seconds():
    lengths = pd.to_timedelta(["90s", "1 day"])
    for run in (lengths, lengths.to_pytimedelta(), lengths.to_numpy().astype("timedelta64[s]")):
        w = Workload({"submit": [0, 1], "run": run, "estimate": run, "procs": 1}, 4)
        assert w.jobs[["run", "estimate"]].to_numpy().tolist() == [[90, 90], [86400, 86400]]


def test_a_derived_table_has_times_on_the_clock_of_its_workload():
    w = Workload(TABLE, 4, start=STOCKHOLM)
    jobs = w.jobs.assign(submit=[w.time(second) for second in w.jobs.submit])
    assert w.derive(jobs, "the same").equals(w)
    with pytest.raises(ValueError, match="workload: has no calendar"):
        made().derive(jobs, "times without a clock")


NOON = pd.Timestamp("2024-01-01 12:00")


@pytest.mark.parametrize(
    "column, value, message",
    [
        ("submit", [NOON, NOON + pd.Timedelta(1500, "ms")], "job 1: found 2024.*12:00:01.5"),
        ("submit", [NOON, pd.NaT], "job 1: found NaT"),
        ("submit", [NOON, NOON.tz_localize(BERLIN)], "found times of several zones"),
        ("submit", ["2024-01-01 12:00"] * 2, "job 0: found '2024-01-01 12:00', .*pd.to_datetime"),
        ("run", [pd.Timedelta(1, "s"), pd.Timedelta(1500, "ms")], "job 1: found 0 days 00:00:01.5"),
        ("run", [NOON, NOON], "job 0: found .*2024"),
        ("estimate", ["1:00:00", "2:00:00"], "job 0: found '1:00:00', .*pd.to_timedelta"),
        ("procs", pd.to_timedelta([1, 2], "s"), "job 0: found .*timedelta"),
        ("user", ["alice", "bob"], "job 0: found 'alice', .*pd.factorize"),
    ],
)
def test_times_and_texts_that_stand_for_no_seconds_are_refused(column, value, message):
    jobs = {"submit": [0, 1], "run": 60, "procs": 1} | {column: value}
    with pytest.raises(ValueError, match=f"^workload: jobs: column {column}: {message}"):
        Workload(jobs, 4)


@pytest.mark.parametrize(
    "jobs, message",
    [
        ({"submit": [0, 1], "run": [60], "procs": [1, 2]}, "jobs: found 2 in submit, 1 in run, 2 in procs"),
        ([(0, 60, 1)], "found jobs="),
        ([], "jobs: missing column submit, run, procs"),
    ],
)
def test_what_is_no_table_of_jobs_is_refused(jobs, message):
    with pytest.raises(ValueError, match=f"^workload: {message}"):
        Workload(jobs, 4)


def test_jobs_that_cannot_run_are_dropped_with_the_reason():
    w = made(run=[-1, 60, 70, 0], procs=[1, 0, 5, 4])
    assert w.jobs.index.tolist() == [2]
    assert w.dropped.to_dict() == {3: "run time unknown", 1: "no processors recorded", 4: "larger than the machine"}


def test_repr_tells_size_dates_and_what_was_dropped():
    jobs = TABLE.assign(submit=TABLE.submit * DAY, run=[-1, 60, -1, 80], procs=[1, 2, 3, 9])
    w = Workload(jobs, 4, name="KTH", start=STOCKHOLM)
    assert repr(w) == (
        "<Workload KTH: 1 jobs on 4 processors, 1997-01-08 to 1997-01-08; "
        "2 dropped (run time unknown); 1 dropped (larger than the machine)>"
    )
    assert repr(made(1664)) == "<Workload workload: 4 jobs on 1,664 processors>"


def test_repr_tells_what_was_done_to_the_log_and_whether_it_is_made_up():
    w = Workload(TABLE, 4, synthetic=True).select("run > 50").scale_arrivals(0.5).shake(10, seed=3)
    assert repr(w.with_estimates("exact")) == (
        "<Workload workload: 3 jobs on 4 processors, SYNTHETIC; jobs with run > 50; interarrival times x 0.5; "
        "shaken by +-10 s, seed 3; estimates: Exact()>"
    )


def test_workloads_are_equal_that_have_the_same_jobs_machine_and_clock():
    assert made().equals(made())
    assert not made().equals(made(5))
    assert not made().equals(made(run=1))
    assert not made().equals(Workload(TABLE, 4, start=STOCKHOLM))


# Nothing changes it


CHANGES = {
    "select": lambda w: w.select("run > 50"),
    "months": lambda w: w.months("1996-09"),
    "between": lambda w: w.between("1996-09-30", "1996-09-30 23:59"),
    "scale_arrivals": lambda w: w.scale_arrivals(2),
    "scale_load": lambda w: w.scale_load(to=0.5),
    "with_estimates": lambda w: w.with_estimates(estimates.Uniform(5)),
    "shake": lambda w: w.shake(60),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_changes_a_workload_returns_a_new_one_and_leaves_the_old(change):
    start = pd.Timestamp("1996-09-30 23:55", tz="Europe/Stockholm")
    w = Workload(TABLE, 4, name="KTH", start=start, header=[" x"], synthetic=True)
    new = change(w)
    assert new is not w and not new.equals(w)
    assert w.equals(Workload(TABLE, 4, start=start)) and w.history == ()
    assert len(new.history) == 1
    assert (new.procs, new.name, new.start, new.header, new.synthetic) == (4, "KTH", start, (" x",), True)


@pytest.mark.parametrize("change", [lambda w: w, CHANGES["select"], CHANGES["shake"], lambda w: simulate(w, EASY())])
def test_a_table_of_jobs_can_be_changed_whose_workload_nobody_keeps(change):
    for columns in ("run", ["run", "estimate"]):
        jobs = change(made()).jobs[["submit", "run", "estimate"]]
        jobs.loc[jobs.index[0], columns] = 7
        assert jobs.run.iloc[0] == 7


def test_a_model_that_writes_into_its_table_does_not_change_the_workload():
    def careless(jobs, rng):
        jobs["run"] = 1
        return jobs.run

    w = made()
    new = w.with_estimates(careless)
    assert w.equals(made())
    assert new.jobs.run.tolist() == [50, 60, 70, 80] and new.jobs.estimate.tolist() == [1] * 4


@pytest.mark.parametrize("change", [CHANGES["with_estimates"], CHANGES["shake"], CHANGES["scale_arrivals"]])
def test_a_workload_without_jobs_stays_one(change):
    none = made().select("run > 99")
    assert len(change(none)) == 0
    assert np.isnan(none.load)


def test_labels_that_repeat_or_are_nan_are_refused():
    jobs = made().jobs
    twice = pd.concat([jobs, jobs])
    for make in (lambda: Workload(twice, 4), lambda: made().derive(twice, "twice")):
        with pytest.raises(ValueError, match="label 3 at positions 0 and 4"):
            make()
    with pytest.raises(ValueError, match="jobs: found label nan at position 2"):
        Workload(jobs.set_index(pd.Index([1, 2, np.nan, 4])), 4)
    with pytest.raises(ValueError, match="log: found label 3"):
        Workload(jobs, 4, log=twice)
    assert len(Workload(pd.concat([jobs, jobs], ignore_index=True), 4)) == 8
    assert len(Workload(pd.concat([jobs, jobs], keys=["one", "other"]), 4)) == 8


# Selection


def test_jobs_are_selected_by_an_expression_over_their_columns():
    assert made().select("run > 50 and procs != 3").jobs.index.tolist() == [1, 2]
    assert made().select("run > procs * 20").jobs.index.tolist() == [3, 1, 4]
    assert made().select("index < 3").jobs.index.tolist() == [1, 2]


@pytest.mark.parametrize(
    "which", ["wait == 2", "requested_procs > 4", "requested_time < 90", "job == 7", "status == 1"]
)
def test_jobs_are_selected_by_the_fields_of_the_log_too(tmp_path, which):
    assert recorded(tmp_path).select(which).jobs.index.tolist() == [7]


def test_the_size_in_an_expression_is_the_one_that_counts(tmp_path):
    (tmp_path / "log.swf").write_text(HEADER + "7 5 2 9 -1 -1 -1 8 60 -1 1 3 1 -1 2 -1 -1 -1\n")
    assert len(read_swf(tmp_path / "log.swf").select("procs == 8")) == 1


@pytest.mark.parametrize("which", ["colour == 1", "run >", "", "run", "1 == 1", "x = run > 5", "run > 'a'", "run\nrun"])
def test_an_expression_that_is_no_condition_is_refused_with_the_names_it_can_use(tmp_path, which):
    with pytest.raises(ValueError, match="log: cannot select .* submit, .*, think"):
        recorded(tmp_path).select(which)


# Load


def test_load_is_work_by_machine_and_time_of_arrivals():
    assert made().load == (50 + 2 * 60 + 3 * 70 + 4 * 80) / (4 * 400)


@pytest.mark.parametrize("w", [at(5), at(5, 5)])
def test_jobs_that_arrive_at_once_have_no_load(w):
    assert np.isnan(w.load)


def test_scaling_arrivals_keeps_the_first_job_and_the_run_times():
    w = made(submit=[100, 200, 300, 501]).scale_arrivals(0.5)
    assert w.jobs.submit.tolist() == [100, 150, 200, 300]
    assert w.jobs.run.tolist() == [50, 60, 70, 80]
    assert w.history == ("interarrival times x 0.5",)


busy = st.lists(st.integers(0, 10**6), min_size=2, max_size=20, unique=True)


@pytest.mark.slow
@given(submits=busy, factor=st.floats(0.01, 100))
def test_scaled_arrivals_are_within_rounding_and_in_order(submits, factor):
    w = at(*submits)
    before, after = w.jobs.submit, w.scale_arrivals(factor).jobs.submit
    assert (abs((after - before.iloc[0]) - (before - before.iloc[0]) * factor) <= 0.5001).all()
    assert after.is_monotonic_increasing
    assert after.index.equals(before.index)


@pytest.mark.slow
@given(submits=busy, to=st.floats(0.05, 2))
def test_scaling_the_load_gets_within_rounding_of_the_target(submits, to):
    w = Workload(pd.DataFrame({"submit": submits, "run": 10**5, "procs": 3}), 4)
    scaled = w.scale_load(to=to)
    span = np.ptp(scaled.jobs.submit)
    work = (scaled.jobs.run * scaled.jobs.procs).sum()
    assert work / (4 * (span + 1)) <= to <= work / (4 * max(span - 1, 1e-9))
    assert scaled.load == pytest.approx(to, rel=2 / span)


def test_what_is_used_by_absurd_jobs_does_not_overflow():
    w = Workload.of("absurd", 64, A=(0, 2**58, 2**58, 64), B=(2**59, 2**58, 2**58, 64))  # 2^64 processor-seconds each
    schedule = simulate(w, EASY())
    assert (w.load, schedule.summary().utilization) == (1, pytest.approx(2 / 3))
    assert schedule.by_period([0, 2**57, 2**60]).utilization.tolist() == pytest.approx([1, 3 / 7])


# Shaking


@pytest.mark.slow
@given(submits=st.lists(st.integers(0, 1000), max_size=20), bound=st.integers(0, 600), seed=st.integers(0, 2**32))
def test_shaking_moves_each_job_within_bounds_and_sorts_them_again(submits, bound, seed):
    w = at(*submits)
    shaken = w.shake(bound, seed=seed)
    assert shaken.jobs.submit.is_monotonic_increasing
    assert sorted(shaken.jobs.index) == sorted(w.jobs.index)
    back = shaken.jobs.loc[w.jobs.index]
    assert (abs(back.submit - w.jobs.submit) <= bound).all()
    assert back.drop(columns="submit").equals(w.jobs.drop(columns="submit"))


def test_shaking_with_the_same_seed_gives_the_same_and_with_another_something_else():
    w = at(*range(0, 1000, 10))
    assert w.shake(60, seed=1).equals(w.shake(60, seed=1))
    assert not w.shake(60, seed=1).equals(w.shake(60, seed=2))


def test_shaking_reaches_both_bounds_and_all_between_alike():
    moved = at(*[0] * 10_000).shake(2, seed=0).jobs.submit
    shares = moved.value_counts(normalize=True).sort_index()
    assert shares.index.tolist() == [-2, -1, 0, 1, 2]
    assert shares.tolist() == pytest.approx([0.2] * 5, abs=0.02)


@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(-1, 2)), min_size=1, max_size=40),
    st.integers(0, 60),
    st.integers(0, 9),
)
def test_a_users_burst_moves_together(jobs, bound, seed):
    table = pd.DataFrame(jobs, columns=["submit", "user"]).sort_values("submit", kind="stable").reset_index(drop=True)
    w = Workload(table.assign(run=10, procs=1), 4)
    shift = (w.shake(bound, seed).jobs.submit - w.jobs.submit).loc[w.jobs.index]
    for user, submits in w.jobs[w.jobs.user >= 0].groupby("user").submit:
        for first, second in itertools.pairwise(submits.index):
            together = submits[second] - submits[first] <= 2 * bound
            assert shift[first] == shift[second] or not together
            assert submits[first] + shift[first] <= submits[second] + shift[second], user


def test_bursts_and_jobs_of_unknown_users_move_independently():
    for user, apart, together in ((-1, 0, False), (7, 5, False), (7, 4, True)):
        table = pd.DataFrame({"submit": apart * np.arange(2000), "run": 1, "procs": 1, "user": user})
        w = Workload(table, 4)
        shift = (w.shake(2, seed=1).jobs.submit - w.jobs.submit).loc[w.jobs.index]
        shares = shift.value_counts(normalize=True)
        assert len(shares) == (1 if together else 5)
        assert together or abs(np.corrcoef(shift[:-1], shift[1:])[0, 1]) < 0.1


# Estimates


@pytest.mark.parametrize(
    "model, expected, step",
    [
        ("user", [100, 200, 300, 400], "estimates: User()"),
        ("exact", [50, 60, 70, 80], "estimates: Exact()"),
        (estimates.Exact(), [50, 60, 70, 80], "estimates: Exact()"),
        (estimates.Scaled(2), [200, 400, 600, 800], "estimates: Scaled(factor=2)"),
        (estimates.Uniform(f=1), [50, 60, 70, 80], "estimates: Uniform(f=1, seed=0)"),
        (lambda jobs, rng: jobs.run + 5, [55, 65, 75, 85], "estimates: <lambda>"),
        (lambda jobs, rng: [1, 2, 3, 4.0], [1, 2, 3, 4], "estimates: <lambda>"),
    ],
)
def test_estimates_by_name_by_a_model_or_a_function_of_the_jobs(model, expected, step):
    w = made(estimate=[100, 200, 300, 400]).with_estimates(model)
    assert w.jobs.estimate.tolist() == expected
    assert w.jobs.estimate.dtype == np.int64
    assert w.history == (step,)


@pytest.mark.parametrize("model", ["perfect", "Exact", "", None, 5, [1, 2, 3, 4], estimates.Exact, estimates.Uniform])
def test_estimates_of_no_known_kind_are_refused(model):
    with pytest.raises(ValueError, match=r"estimates: found "):
        made().with_estimates(model)


@pytest.mark.parametrize("given", [1.5, "9", None, 2.0**64, 2**62, float("nan"), -1])
def test_an_estimate_that_is_none_names_its_model_and_its_job(given):
    def mine(jobs, rng):
        return pd.Series([9, 9, given, 9], jobs.index)

    with pytest.raises(ValueError, match=r"estimates: mine: job 4: found "):
        made().with_estimates(mine)
    with pytest.raises(ValueError, match=r"Scaled\(.*\): job 3: found \d"):
        made(estimate=9).with_estimates(estimates.Scaled(1e18))
    with pytest.raises(ValueError, match="found 2 values"):
        made().with_estimates(lambda jobs, rng: [1, 2])


def test_jobs_without_requested_time_are_counted_until_a_model_gives_them_an_estimate(tmp_path):
    rows = [f"{job} {job} 0 {job} 1 -1 -1 1 {asked}" + " -1" * 9 for job, asked in enumerate((9, -1, 0, 0.5), start=1)]
    (tmp_path / "log.swf").write_text(HEADER + "\n".join(rows) + "\n")
    with pytest.warns(LogWarning, match="log: 3 of 4 jobs have no requested time"):
        w = read_swf(tmp_path / "log.swf")
    assert w.unestimated == 3
    assert "; 3 without requested time (the run time is their estimate)" in repr(w)
    assert w.shake(60).unestimated == w.with_estimates("user").unestimated == w.scale_arrivals(2).unestimated == 3
    assert w.select("run > 2").unestimated == 2 and w.select("requested_time >= 1").unestimated == 0
    for model in ("exact", estimates.Scaled(2), estimates.Uniform(2)):
        assert w.with_estimates(model).unestimated == w.with_estimates(model).shake(60).unestimated == 0
    assert "requested" not in repr(w.with_estimates("exact"))
    assert w.derive(w.jobs.assign(estimate=99), "others").unestimated == 0
    assert made().unestimated == 0  # without a log


def test_the_log_s_own_times_tell_when_jobs_ended(tmp_path):
    path = tmp_path / "log.swf"
    lines = [
        f"{job} {submit} {wait} {run} 1" + " -1" * 13 for job, submit, wait, run in ((1, 0, 5, 10), (2, 1, -1, 20))
    ]
    path.write_text(HEADER + "\n".join(lines) + "\n")
    with pytest.warns(LogWarning, match="2 of 2 jobs have no requested time"):
        w = read_swf(path)
    assert w.ends.tolist() == [15, 21]  # where the wait is not known, as if there was none
    with pytest.raises(ValueError, match="workload: has no log"):
        made().ends  # noqa: B018


def test_on_another_machine_jobs_that_do_not_fit_are_dropped_and_reported():
    w = made(run=[50, -1, 70, 80])
    smaller = w.with_procs(3).with_procs(np.int64(2))
    assert smaller.dropped.to_dict() == {1: "run time unknown", 2: TOO_LARGE, 4: TOO_LARGE}
    assert smaller.jobs.index.to_list() == [3] and type(smaller.procs) is int
    assert repr(smaller).endswith("on 3 processors instead of 4; on 2 processors instead of 3>")
    assert (w.procs, len(w), len(w.dropped), w.history) == (4, 3, 1, ())
    larger = w.with_procs(8)
    assert larger.jobs.equals(w.jobs) and larger.dropped.equals(w.dropped)
    assert larger.load == pytest.approx(w.load / 2)


def test_a_log_on_another_machine_is_simulated_and_written_on_it(tmp_path):
    w = recorded(tmp_path).with_procs(3)
    assert (w.unestimated, w.jobs.index.to_list(), w.ends.to_list()) == (0, [9], [36])
    write_swf(w, tmp_path / "smaller.swf")
    assert read_swf(tmp_path / "smaller.swf").equals(w)
    again = simulate(read_swf(tmp_path / "smaller.swf"), EASY())
    assert simulate(w, EASY()).summary().utilization == again.summary().utilization


def test_jobs_that_followed_a_job_that_does_not_fit_follow_none():
    log = pd.DataFrame(-1, index=[1, 2, 3], columns=FIELDS).assign(run=5, procs=[4, 2, 1], submit=[0, 9, 20])
    log = log.assign(job=log.index, preceding=[-1, 1, 2], think=[-1, 4, 6])
    w = Workload(jobs_of(log), 4, log=log)
    assert w.followed()[0].tolist() == [-1, 0, 1]
    assert w.with_procs(2).followed()[0].tolist() == [-1, 0]
