"""How run-time estimates arise: models that give each job an estimate (MF sections 4.2 to 4.5).

A model is a function of the jobs table (`Workload.jobs`) that returns one estimate in whole seconds a job; any such
function can be passed to `Workload.with_estimates`.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class User:
    """What the users asked for: the log's own estimates."""

    def __call__(self, jobs):
        return jobs.estimate


@dataclass(frozen=True)
class Exact:
    """The run time itself: perfect estimates."""

    def __call__(self, jobs):
        return jobs.run


@dataclass(frozen=True)
class Uniform:
    """Drawn at random from [r, f r], r being the run time and f >= 1 the badness factor (MF section 4.2)."""

    f: float
    seed: int = 0

    def __post_init__(self):
        if not (np.isfinite(self.f) and self.f >= 1):
            raise ValueError(f"Uniform: found f={self.f!r}, expected a number of at least 1")

    def __call__(self, jobs):
        u = np.random.default_rng(self.seed).random(len(jobs))
        return np.rint(jobs.run * (1 + (self.f - 1) * u)).astype(np.int64)


@dataclass(frozen=True)
class Scaled:
    """The present estimates times a factor, such as 2 (MF section 4.5)."""

    factor: float

    def __post_init__(self):
        if not (np.isfinite(self.factor) and self.factor > 0):
            raise ValueError(f"Scaled: found factor={self.factor!r}, expected a positive number")

    def __call__(self, jobs):
        return np.rint(jobs.estimate * self.factor).astype(np.int64)


NAMES = {"user": User(), "exact": Exact()}


def named(model):
    """The model of that name, or the model itself."""
    if callable(model):
        return model
    if model not in NAMES:
        raise ValueError(
            f"estimates: found {model!r}, expected one of {', '.join(map(repr, NAMES))} "
            "or a model such as simlib.estimates.Uniform(f=2, seed=1)"
        )
    return NAMES[model]
