"""Fit the published workload models to real logs: `python -m tools.fit` writes `data/models/*.toml`.

It is run by hand when the fit changes; nothing else in the package reads a log to make a model.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize, special

from simlib._util import paths
from simlib._util.arrays import Floats, Ints
from simlib.core.workload import Workload
from simlib.logs.archive import load
from simlib.models import feitelson96

from . import hyper_erlang

RANGES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 322]
"""Where the size ranges of the Jann model end."""

MACHINE = 128
ORDER = 1.5
"""The order of the harmonic distribution of sizes, as published."""

GENERAL = {"CTC-SP2": 1 / 6, "SDSC-Par-96": 5 / 6}
"""Of the six logs behind the Feitelson model these two are at hand: CTC counts as the one that it was of the six, and
the Paragon, the only one that is no SP2, for the five others."""

MINUTE, DAY = 60, 86400


# Jann '97


def jann97(log: Workload) -> list[dict[str, Any]]:
    """Fit the Jann model to the CTC log: a dict a size range; of jobs that ended before 12 September 1996, log time."""
    start = log.time(0)
    until = (pd.Timestamp("1996-09-12", tz=start.tz) - start).total_seconds()
    jobs = log.jobs[(log.ends <= until) & (log.jobs.procs <= RANGES[-1])]
    rows = []
    for least, most in zip([1, *[end + 1 for end in RANGES]], RANGES, strict=False):
        part = jobs[(jobs.procs >= least) & (jobs.procs <= most)]
        row = {"sizes": [least, most], "jobs": len(part), "at_the_end": (part.procs == most).mean()}
        for name, values in (("interarrival", np.diff(part.submit)), ("run", part.run)):
            moments = hyper_erlang.moments(values)
            fitted = hyper_erlang.match(*moments)
            row[name] = {"order": fitted.order, "chance": fitted.chance, "means": list(fitted.means)}
            row |= {f"{name}_moments": list(moments), f"{name}_refitted": list(hyper_erlang.moments_of(fitted))}
        rows.append(row)
    return rows


# Feitelson '96


def powers_of_two(shares: Floats, order: float) -> Floats:
    """Find the factors that give 1, 2, 4, ... their shares, while all other sizes keep their share together."""
    n = np.arange(1, len(shares) + 1)
    powers = 2 ** np.arange(int(np.log2(len(shares))) + 1)
    others = ~np.isin(n, powers)
    scale = (n[others] ** -float(order)).sum() / shares[others].sum()
    return shares[powers - 1] * scale * powers ** float(order)


def run_times(run: Ints, size: Ints, weight: Floats, sizes: Sequence[int], branches: int) -> dict[str, Any]:
    """Fit hyper-exponential run times by maximum likelihood; `weight` says how much each job counts.

    The chances of the branches are free for these `sizes`, and linear in between (`feitelson96.branch_chances`).
    """
    pairs, which = np.unique(np.stack([run, size]), axis=1, return_inverse=True)
    weight = np.bincount(which, weight).astype(float)
    weight /= weight.sum()
    run, size = pairs

    def unpack(x: Floats) -> tuple[Floats, Floats]:
        log_means, scores = x[:branches], x[branches:].reshape(len(sizes), branches - 1)
        chances = special.softmax(np.pad(scores, ((0, 0), (0, 1))), axis=1)
        return np.exp(log_means), chances

    def badness(x: Floats) -> float:
        means, chances = unpack(x)
        chance = feitelson96.branch_chances({"sizes": sizes, "chances": chances}, size)
        # a job of r whole seconds ran for more than r - 1 and up to r
        density = np.exp(-np.maximum(run - 1, 0)[:, None] / means) * -np.expm1(-1 / means)
        return -weight @ np.log((chance * density).sum(axis=1))

    start = np.concatenate([np.log(np.geomspace(100, 30000, branches)), np.zeros(len(sizes) * (branches - 1))])
    found = optimize.minimize(badness, start, method="L-BFGS-B", options={"maxiter": 2000, "maxfun": 10**6})
    if not found.success:
        raise RuntimeError(f"fit.run_times: no fit: {found.message}")
    means, chances = unpack(found.x)
    rising = np.argsort(means)
    return {"means": list(means[rising]), "sizes": list(sizes), "chances": chances[:, rising].tolist()}


def repetition(log: Workload) -> dict[str, float]:
    """Measure how soon a user submits a job of the same application and size again.

    `at_once`: the share that comes within a minute of the end of the last one; `think`: the mean time to think of the
    others, up to a day [s].
    """
    jobs = log.jobs
    last = jobs[["procs", "app"]].groupby(jobs.user).shift()
    same = (last.procs == jobs.procs) & (last.app == jobs.app)
    think = (jobs.submit - log.ends.groupby(jobs.user).shift())[same]
    think = think[think <= DAY]
    return {"at_once": float((think <= MINUTE).mean()), "think": float(think[think > MINUTE].mean())}


def feitelson(logs: Mapping[str, Workload]) -> dict[str, dict[str, Any]]:
    """Fit the Feitelson model to the logs of `GENERAL`, given by name: a dict of `size`, `run`, `repetition`."""
    jobs = {name: log.jobs[log.jobs.procs <= MACHINE] for name, log in logs.items()}
    shares = {name: np.bincount(part.procs, minlength=MACHINE + 1)[1:] / len(part) for name, part in jobs.items()}
    general = np.sum([weight * shares[name] for name, weight in GENERAL.items()], axis=0)
    both = pd.concat(jobs)
    weight = np.concatenate([np.full(len(jobs[name]), GENERAL[name] / len(jobs[name])) for name in jobs])
    ctc = jobs["CTC-SP2"]
    powers = [2**k for k in range(int(np.log2(MACHINE)) + 1)]
    again = pd.DataFrame({name: repetition(log) for name, log in logs.items()})
    return {
        "size": {
            which: {"order": ORDER, "powers_of_two": powers_of_two(share, ORDER)}
            for which, share in (("general", general), ("ctc", shares["CTC-SP2"]))
        },
        "run": {
            "general": run_times(both.run.to_numpy(), both.procs.to_numpy(), weight, [1, MACHINE], 2),
            "ctc": run_times(ctc.run.to_numpy(), ctc.procs.to_numpy(), np.ones(len(ctc)), powers, 3),
        },
        "repetition": {str(name): mean for name, mean in (again * pd.Series(GENERAL)).sum(axis=1).items()},
    }


# Writing


JANN = """\
# The Jann '97 model (simlib/models/jann97.py), fitted by `python -m tools.fit` to {file}:
# the {jobs:,} jobs of up to 322 processors that ended before 12 September 1996. The authors fitted 17,440 jobs of
# 25 June - 12 September 1996; their numbers are not at hand.
#
# sizes           the range of processors
# jobs            how many jobs it was fitted to
# at_the_end      share of them with the largest size; the others of the range count as equally likely (ours)
# interarrival    hyper-Erlang distribution: order, chance of the first branch, means of both in seconds
# run             likewise of the run times
# *_moments       first three raw moments of the log [s, s^2, s^3]; *_refitted: those of the fitted distribution
"""

FEITELSON = """\
# The Feitelson '96 model (simlib/models/feitelson96.py). `python -m tools.fit` made what is marked "fitted".
# The paper that describes the model is not at hand; its constants beyond those cited by Mu'alem & Feitelson (MF) and
# the archive were tailored by hand to six logs, of which CTC and the SDSC Paragon can be had:
#   general   fitted to {files}, weighted 1/6 and 5/6: the Paragon, the
#             only one that is no SP2, stands for the five others. It lets jobs run longer, and their run time hang more
#             on their size, than the original model is said to do.
#   ctc       fitted to CTC alone: what MF do for Figure 7. Jobs of more than {machine} processors are left out.
#
# machine                processors; ours; the text does not say
# load                   offered load before scaling: the one of MF's example (section 3.1)
# size.order             of the harmonic distribution: published
# size.*.powers_of_two   factors for 1, 2, 4, ...: fitted, so that each has its share
# run.*.means            of the branches of the hyper-exponential run time [s]: fitted by maximum likelihood
# run.*.sizes, chances   the chance of each branch for these sizes, linear in between: fitted
# repetition.order       chance of n executions falls as n to this power: published
# repetition.at_once     share that comes within a minute of the end of the last one: fitted
# repetition.think       mean time to think of the others, below a day [s]: fitted
"""


def write(name: str, header: str, lines: Iterable[str]) -> None:
    """Write a table and its comment to `data/models/<name>.toml`."""
    with paths.replacing(paths.DATA / "models" / f"{name}.toml") as path:
        path.write_text("\n".join([header, *lines, ""]), encoding="utf-8")


def entry(key: str, value: Any) -> str:
    """Write a line of TOML; numbers have six digits."""
    return f"{key} = {_toml(value)}"


def _toml(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, dict):
        return "{ " + ", ".join(entry(key, item) for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return str(value) if isinstance(value, (int, np.integer)) else f"{float(f'{value:.6g}')!r}"


def main() -> None:
    """Fit both models to the logs on this machine, and write their tables."""
    logs = {name: load(name) for name in GENERAL}
    rows = jann97(logs["CTC-SP2"])
    header = JANN.format(file=logs["CTC-SP2"].source["file"], jobs=sum(row["jobs"] for row in rows))
    write("jann97", header, ["\n".join(["[[range]]", *map(entry, row, row.values()), ""]) for row in rows])

    fitted = feitelson(logs)
    lines = [entry("machine", MACHINE), entry("load", 0.688), ""]
    for part in ("size", "run"):
        for which, about in fitted[part].items():
            lines += [f"[{part}.{which}]", *map(entry, about, about.values()), ""]
    lines += ["[repetition]", entry("order", 2.5), *map(entry, fitted["repetition"], fitted["repetition"].values())]
    files = " and ".join(log.source["file"] for log in logs.values())
    write("feitelson96", FEITELSON.format(files=files, machine=MACHINE), lines)


if __name__ == "__main__":
    main()
