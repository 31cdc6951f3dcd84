"""An environment's steps make the schedules of the policies that they follow, and tell what happened between them."""

import numpy as np
import pytest

import simlib
from simlib import EASY, FCFS
from simlib.policies.steps import Environment


@pytest.fixture(scope="module")
def log():
    w = simlib.load("sample")
    return w.select(w.jobs.index < 200)


def waiting(env):
    return len(env.queue)


def slowdown(env):
    return -sum(max(1, (job.end - job.submit) / max(job.run, 10)) for job in env.ended)


def episode(env, choose, **seed):
    """Run an episode, and give its rewards."""
    env.reset(**seed)
    rewards, ended = [], False
    while not ended:
        _, reward, ended, truncated, _ = env.step(choose(env))
        rewards.append(reward)
        assert not truncated
    return rewards


@pytest.mark.parametrize("order", ["fcfs", "sjf", "wfp", "f1", "f2", "f3", "f4"])
def test_the_steps_of_a_known_policy_make_its_schedule(log, order):
    with_and_without = {Environment(log, waiting, slowdown): EASY(order=order, backfill="arrival")}
    with_and_without[Environment(log, waiting, slowdown, backfill=None)] = FCFS(order=order)
    for env, policy in with_and_without.items():
        rewards = episode(env, lambda env: env.place(order))
        right = simlib.simulate(log, policy)
        assert (env.schedule.jobs.start == right.jobs.start).all()
        assert -sum(rewards) / len(log) == pytest.approx(right.summary().mean_bounded_slowdown)  # each job counts once


def test_the_time_between_steps_adds_up(log):
    env = Environment(log, waiting, lambda env: env.seconds * len(env.queue))
    env.reset()
    first, total, ended = env.machine.now, 0, False
    while not ended:
        ended = env.step(0)[2]
        total += env.seconds
    assert total == (env.schedule.jobs.start + log.jobs.run).max() - first > 0


def test_a_seed_draws_the_workload_and_episodes_go_on_from_there(log):
    def piece(rng):
        begin = rng.integers(len(log) - 20)
        return log.select(log.jobs.index.isin(log.jobs.index[begin : begin + 20]))

    env = Environment(piece, waiting, slowdown)
    random = np.random.default_rng(0)
    first, second, again = (episode(env, lambda env: random.integers(len(env.queue)), **seed) and env.schedule.jobs
                            for seed in ({"seed": 4}, {}, {"seed": 4}))  # fmt: skip
    assert first.submit.equals(again.submit) and not first.submit.equals(second.submit) and len(second) == 20


def test_what_cannot_be_is_refused(log):
    env = Environment(log, waiting, slowdown)
    with pytest.raises(ValueError, match="reset"):
        env.step(0)
    waits, _ = env.reset()
    for action in (waits, -1):
        with pytest.raises(ValueError, match=f"action {action}, .* 0 to {waits - 1}"):
            env.step(action)
    assert env.step(0)[0] >= 0  # it goes on
    episode(env, lambda env: 0)
    with pytest.raises(ValueError, match="ended"):
        env.step(0)
    for wrong in (log.select(log.jobs.index < 0), simlib.Workload(log.jobs.assign(gpus=1), log.procs, gpus=log.procs)):
        with pytest.raises(ValueError, match="GPUs"):
            Environment(wrong, waiting, slowdown).reset()
