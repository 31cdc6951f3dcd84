"""Logs drawn from the users of a log: whole users, at their hours, and what follows what."""

import numpy as np
import pandas as pd
import pytest
from helpers import numbered

import simlib
from simlib import EASY, FCFS, Workload, simulate
from simlib.models.users import SESSION, WEEK, _followed, resample_users


@pytest.fixture(scope="module")
def sample():
    return simlib.load("sample")


def over_weeks(users, weeks=10, jobs=30, seed=0):
    """A log of users who each submit a job of their own length at random times."""
    rng = np.random.default_rng(seed)
    submit = np.sort(rng.integers(0, weeks * WEEK, users * jobs))
    user = rng.permutation(np.repeat(np.arange(users), jobs)) + 1
    rows = np.column_stack([submit, 100 * user, 100 * user, 1 + user % 4, user, user])
    return numbered(rows, 4)


def test_the_same_seed_draws_the_same_log_and_another_another(sample):
    one, again, other = (resample_users(sample, seed) for seed in (3, 3, 4))
    assert one.equals(again) and one.log.equals(again.log) and not one.jobs.equals(other.jobs)
    assert one.history == (*sample.history, "users drawn anew, seed 3") and one.name == "sample, other users"
    assert one.stand_in  # what is made of a made-up log is made up


def test_users_are_drawn_whole_at_their_hours_and_days(sample):
    made = resample_users(sample, 1)
    weeks = round((np.ptp(sample.jobs.submit) + 1) / WEEK)
    first = sample.jobs.submit.iloc[0]
    assert made.jobs.submit.between(first, first + weeks * WEEK - 1).all()

    def of(jobs):  # what does not change when a user comes in other weeks
        since = (jobs.submit - first) % WEEK
        rows = jobs.assign(since=since)[["since", "run", "estimate", "procs", "app", "status"]]
        return {user: tuple(sorted(map(tuple, part.to_numpy()))) for user, part in rows.groupby(jobs.user)}

    known = of(sample.jobs[sample.jobs.submit < first + weeks * WEEK])
    drawn = list(of(made.jobs).values())
    assert set(drawn) <= set(known.values())
    assert len(set(drawn)) < len(drawn)  # some come twice
    assert made.jobs.user.nunique() == len(drawn) and made.jobs.index.is_unique
    pd.testing.assert_series_equal(made.log.submit, made.jobs.submit, check_dtype=False)


def test_a_user_keeps_the_weeks_between_his_jobs():
    w = over_weeks(2, jobs=12)
    for seed in range(5):
        made = resample_users(w, seed).jobs
        for _, of_user in made.groupby("user"):
            own = w.jobs[w.jobs.run == of_user.run.iloc[0]].submit.to_numpy() - w.jobs.submit.iloc[0]
            later = {tuple(np.sort((own + week * WEEK) % (10 * WEEK)) + w.jobs.submit.iloc[0]) for week in range(10)}
            assert tuple(of_user.submit) in later


def test_the_load_is_that_of_the_log_on_the_mean():
    w = over_weeks(20)
    loads = np.array([resample_users(w, seed).load for seed in range(200)]) / w.load
    assert loads.std() > 0.05 and abs(loads.mean() - 1) < 3 * loads.std() / np.sqrt(200) + 0.01


@pytest.mark.parametrize(
    "change, options, message",
    [
        (lambda w: w.derive(w.jobs.assign(user=-1), "nobody"), {}, "found 1 user"),
        (lambda w: w.between(0, 4 * WEEK), {}, "resample_users: found a log of 4 weeks"),
        (lambda w: w.select("procs > 999"), {}, "found a log of 0 weeks"),
        (lambda w: Workload(w.jobs, 128, "no log"), {"feedback": True}, "no log: has no log"),
    ],
)
def test_what_cannot_be_drawn_from_is_refused_with_what_could(sample, change, options, message):
    with pytest.raises(ValueError, match=message):
        resample_users(change(sample), **options)


def test_without_a_log_users_can_be_drawn_too(sample):
    w = Workload(sample.jobs, 128, "no log", start=sample.start)
    made = resample_users(w, 2)
    assert made.log is None and made.jobs.equals(resample_users(sample, 2).jobs)


# Feedback


def in_session(rows):
    """What each job of one user follows, and after how long; rows of (submit, run)."""
    jobs = pd.DataFrame(rows, columns=["submit", "run"]).assign(estimate=1, procs=1, user=1)
    w = numbered(jobs.assign(estimate=jobs.run)[["submit", "run", "estimate", "procs", "user"]].to_numpy(), 9)
    place, think = _followed(w)
    return list(zip(place.tolist(), think.tolist(), strict=True))


def test_a_batch_follows_what_ended_last_before_it_in_its_session():
    """The second job overlaps the first; the third comes when both have ended; the fourth goes with the third."""
    assert in_session([(0, 900), (60, 100), (1000, 10), (1005, 50)]) == [(-1, 0), (-1, 0), (0, 100), (0, 105)]
    # while a long one runs, others that end and come are its batch (JSSPP 2012, figure 1)
    assert in_session([(0, 5000), (60, 10), (500, 10)]) == [(-1, 0)] * 3


def test_an_hour_without_a_submission_ends_a_session():
    assert in_session([(0, 10), (SESSION, 10)]) == [(-1, 0), (0, SESSION - 10)]
    assert in_session([(0, 10), (SESSION + 1, 10)]) == [(-1, 0), (-1, 0)]


def test_kth_has_the_sessions_and_batches_that_are_printed(log):
    """Zakay & Feitelson, JSSPP 2012, table 1."""
    w = log("KTH-SP2")
    follows = _followed(w)[0]
    order = np.lexsort([w.jobs.submit, w.jobs.user])
    user, submit = w.jobs.user.to_numpy()[order], w.jobs.submit.to_numpy()[order]
    session = np.r_[True, (np.diff(user) != 0) | (np.diff(submit) > SESSION)]
    batch = np.r_[False, np.diff(follows[order]) != 0] & (follows[order] >= 0) | session
    assert (len(w), session.sum(), batch.sum()) == (28489, 10303, 16488)


def test_followers_are_the_same_users_and_come_later(sample):
    made = resample_users(sample, 5, feedback=True)
    place, think = made.followed()
    jobs = made.jobs
    follows = place >= 0
    assert follows.mean() > 0.02 and (think[follows] > 0).all()
    assert (jobs.user.to_numpy()[follows] == jobs.user.to_numpy()[place[follows]]).all()
    assert (np.diff(jobs.submit.to_numpy()) >= 0).all() and (place < np.arange(len(place))).all()
    known = set(_followed(sample)[1].tolist())
    assert set(think.tolist()) <= known
    slow, fast = (simulate(made, policy, feedback=True) for policy in (FCFS(), EASY()))
    for schedule in (slow, fast):
        waited = schedule.jobs.submit.to_numpy()[follows] - schedule.jobs.end.to_numpy()[place[follows]]
        assert (waited == think[follows]).all()
    assert (slow.jobs.submit.to_numpy()[follows] > fast.jobs.submit.to_numpy()[follows]).mean() > 0.5
    assert (slow.jobs.submit.to_numpy()[~follows] == jobs.submit.to_numpy()[~follows]).all()


def test_what_the_log_says_of_followers_comes_before_what_its_sessions_say():
    w = over_weeks(5)
    mine = w.jobs[w.jobs.user == 1].index
    follows = {int(later): (int(job), 7) for job, later in zip(mine, mine[1:], strict=False)}
    said = numbered(w.jobs[["submit", "run", "estimate", "procs", "user", "group"]].to_numpy(), 4, follows)
    seed = next(seed for seed in range(9) if (resample_users(said, seed).jobs.run == 100).any())
    made = resample_users(said, seed, feedback=True)
    place, think = made.followed()
    assert set(think[place >= 0].tolist()) == {7} and set(made.jobs.run[place >= 0]) == {100}
    copies = (made.jobs.run == 100).sum() // len(mine)
    assert copies * (len(mine) - 2) <= (place >= 0).sum() <= copies * (len(mine) - 1)  # one link may cross the end


def test_without_feedback_no_job_follows_another(sample):
    with pytest.raises(ValueError, match="no job with a preceding one"):
        simulate(resample_users(sample, 1), EASY(), feedback=True)
