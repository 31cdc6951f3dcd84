"""The two papers: what they print, how ours compares, and what becomes of each claim."""

import textwrap
from functools import cache

import pandas as pd
from scipy import stats

from .. import paths

REPRODUCED, PARTLY, NOT, UNTESTED = "reproduced", "partly reproduced", "not reproduced", "cannot be tested"


@cache
def _published(name):
    return pd.read_csv(paths.DATA / "published" / f"{name}.csv")


def published(name):
    """A table of published numbers, `data/published/<name>.csv`, such as "mualem2001_table1"."""
    return _published(name).copy()


def deviation(ours, published):
    """Relative deviation of ours from the published number: 0.01 is 1 % more."""
    return ours / published - 1


def share_of_wins(wins, of):
    """A share and its 95 % confidence interval (Clopper-Pearson), as of months in which one scheduler is better.

    Returns
    -------
    dict
        `wins`, `of`, `share`, `low`, `high`.
    """
    interval = stats.binomtest(int(wins), int(of)).proportion_ci(0.95)
    return {"wins": int(wins), "of": int(of), "share": wins / of, "low": interval.low, "high": interval.high}


def claim(id, verdict, evidence):
    """The verdict on a claim of `data/published/claims.csv`: its text, one of the four verdicts, what decided it."""
    claims = published("claims").set_index("id")
    return {"id": id, "claim": claims.claim[id], "verdict": verdict, "evidence": evidence}


# How notebooks show what they used and found


def logs_table(workloads):
    """Which file or model each workload came from, and which of its jobs take part, as a table."""
    rows = []
    for workload in workloads:
        dropped = [f"{count:,} {reason}" for reason, count in workload.dropped.value_counts(sort=False).items()]
        rows.append(
            {
                "log": workload.name,
                "file": ("SYNTHETIC " if workload.stand_in else "") + _origin(workload.source),
                "processors": workload.procs,
                "jobs": len(workload),
                "dropped": "; ".join(dropped),
                "then": "; ".join(workload.history),
            }
        )
    return pd.DataFrame(rows).set_index("log")


def _origin(source):
    return f"model: {source['model']}" if "model" in source else source.get("file", "none")


def print_claims(claims):
    """Print verdicts on claims, one after another, wrapped."""
    for found in claims:
        for text, indent in ((f"{found['verdict'].upper()}: {found['claim']}", ""), (found["evidence"], "  ")):
            lines = textwrap.wrap(text, 110, initial_indent=indent, subsequent_indent="  ")
            print(f"{found['id']}  " if not indent else "       ", "\n       ".join(lines), sep="")
