"""Jobs that cleaning took out are found by their numbers, and put back as one draw of many."""

import numpy as np
import pandas as pd
import pytest
from helpers import BURST, thinned

import simlib
from simlib.logs.swf import FIELDS, jobs_of
from simlib_study import restoring
from simlib_study.mualem2001.restored import Lost

ONE = pd.DataFrame({"run": [60], "procs": [1], "requested_time": [600], "status": [1]})


@pytest.fixture
def burst():
    """Without jobs 3001 to 3100, all said to be user 7's."""
    return thinned(lambda log: ~log.job.between(3001, 3100), BURST)


def test_a_gap_in_the_numbers_tells_when_the_lost_jobs_came(burst):
    (gap,) = restoring.lost(burst).itertuples(index=False)
    submit = burst.jobs.submit
    assert gap == (3001, 3100, 7, 100, submit[3000], submit[3101])


def test_gaps_of_several_users_are_shared_out_by_what_the_header_says_they_lack():
    w = thinned(
        lambda log: ~log.job.between(3001, 3100),
        " user=7 and (job>=2990 and job<=3200) (75 jobs removed)",
        " user=8 and (job>=3001 and job<=3100) or (job>=5000 and job<=5001) (25 jobs removed)",
    )
    assert restoring.lost(w).set_index("user").jobs.to_dict() == {7: 75, 8: 25}


def test_jobs_of_an_hour_are_put_into_that_hour_of_each_day_also_when_clocks_change():
    """On the last Sunday of October 1996 two o'clock came twice in San Diego; a second is a second."""
    start = pd.Timestamp("1996-10-26 00:00", tz="America/Los_Angeles")
    submit = [0, 86400 + 3 * 3600 + 1800, 86400 + 6 * 3600]
    log = pd.DataFrame(-1, index=pd.Index([1, 9, 12], name="job"), columns=FIELDS)
    log = log.assign(job=log.index, submit=submit, run=5, procs=1)
    header = ["user=5 and (hour>=3 and hour<=3) (9 jobs removed)"]
    w = simlib.Workload(jobs_of(log), 4, start=start, header=header, log=log)
    gaps = restoring.lost(w)
    assert gaps.jobs.tolist() == [7, 2]
    clock = [[f"{w.time(second):%d %H:%M}" for second in ends] for ends in gaps[["earliest", "latest"]].to_numpy()]
    assert clock == [["26 03:00", "26 03:59"], ["27 03:00", "27 03:59"]]


def test_a_gap_that_no_filter_explains_is_named():
    w = thinned(lambda log: ~log.job.isin([10, 3050]), "user=7 and (job>=3001 and job<=3100) (1 jobs removed)")
    with pytest.raises(ValueError, match="thinned: no filter in the header explains the gap from job 10"):
        restoring.lost(w)


def test_what_lost_jobs_were_like_is_not_known_of_a_workload_without_job_lines():
    lost = Lost(simlib.Workload.of("made up", 4, A=(0, 10, 10, 1)), [{"user": 7, "lines": "user == 7"}], "", "user")
    with pytest.raises(ValueError, match="made up: found no job lines, expected a cleaned log read from SWF"):
        lost.whole(0)


def test_a_log_whose_numbers_are_not_in_order_of_time_is_refused(burst):
    log = burst.log.assign(job=burst.log.job.to_numpy()[::-1])
    with pytest.raises(ValueError, match="job numbers and submit times are not in one order"):
        restoring.lost(simlib.Workload(jobs_of(log), 128, "backwards", header=burst.header, log=log))
    with pytest.raises(ValueError, match="table: has no log, so no job numbers"):
        restoring.lost(simlib.Workload(burst.jobs, 128, "table"))


def test_put_back_jobs_have_the_lost_numbers_between_their_neighbours_in_order(burst):
    w = restoring.put_back(burst, {7: ONE}, seed=3)
    back = w.log.loc[3001:3100]
    assert (len(w.log), len(back), set(back.user), set(back.run)) == (6000, 100, {7}, {60})
    assert w.log.submit.is_monotonic_increasing and w.log.job.is_monotonic_increasing
    assert (w.jobs.estimate[back.index] == 600).all()
    assert w.jobs.drop(back.index).equals(burst.jobs)


def test_a_restored_log_is_a_draw_and_says_so(burst):
    one, same, other = (restoring.put_back(burst, {7: ONE}, seed) for seed in (1, 1, 2))
    assert one.jobs.equals(same.jobs) and not one.jobs.equals(other.jobs)
    assert one.name == "thinned, restored" and one.source["variant"] == "restored"
    assert "100 lost jobs put back, drawn with seed 1" in repr(one)


def test_jobs_may_come_one_after_the_other(burst):
    gap = restoring.lost(burst).iloc[0]
    step = (gap.latest - gap.earliest) // 200
    submit = restoring.put_back(burst, {7: ONE}, every={7: step}).log.submit.loc[3001:3100]
    assert set(np.diff(submit)) <= {step - 1, step, step + 1}
    squeezed = restoring.put_back(burst, {7: ONE}, every={7: 10**6}).log.submit.loc[3001:3100]
    assert (squeezed.iloc[0], squeezed.iloc[-1]) == (gap.earliest, gap.latest)


@pytest.mark.parametrize(
    "change",
    [
        lambda w: w.with_estimates("exact"),
        lambda w: w.select("user != 3"),
        lambda w: w.shake(60),
        lambda w: w.scale_load(0.9),
        lambda w: w.with_procs(64).with_procs(128),
        lambda w: w.derive(w.jobs.assign(user=1), "one user"),
    ],
)
def test_changes_of_a_workload_are_not_undone_in_silence(burst, change):
    changed = change(burst)
    with pytest.raises(ValueError) as error:
        restoring.put_back(changed, {7: ONE})
    assert "thinned: put_back: " in str(error.value) and changed.history[-1] in str(error.value)


def test_a_restored_log_keeps_its_gpus_and_further_fields(burst):
    log = burst.log.assign(gpus=burst.log.job % 3, energy=0.5)
    w = simlib.Workload(jobs_of(log), 128, "gpus", gpus=2, header=burst.header, log=log)
    restored = restoring.put_back(w, {7: ONE.assign(gpus=1)})
    assert (restored.gpus, len(restored)) == (2, len(w) + 100)
    assert restored.jobs.gpus.drop(restored.jobs.index.difference(w.jobs.index)).equals(w.jobs.gpus)
    assert set(restored.log.loc[3001:3100, "gpus"]) == {1} and set(restored.log.loc[3001:3100, "energy"]) == {-1}


def test_users_who_are_not_named_stay_away(burst):
    assert restoring.put_back(burst, {}).log.equals(burst.log)


def test_the_header_of_the_paragons_log_accounts_for_every_missing_number(log):
    gaps = restoring.lost(log("SDSC-Par-96", "cleaned"))
    assert gaps.groupby("user").jobs.sum().to_dict() == {5: 5301, 23: 1283}


def test_where_the_whole_log_is_at_hand_the_lost_jobs_came_when_their_neighbours_say(log):
    """SDSC's users were taken out of the cleaned log alone; the other file still has them."""
    gaps, whole = restoring.lost(log("SDSC-SP2", "cleaned")), log("SDSC-SP2", "reconstructed").log
    whole = whole.set_index("job", drop=False)
    right = 0
    for gap in gaps.itertuples():
        truth = whole.loc[gap.first : gap.last].query("user == @gap.user").submit
        assert truth.between(gap.earliest, gap.latest).all()
        right += min(len(truth), gap.jobs)
    assert right > 0.95 * gaps.jobs.sum()
