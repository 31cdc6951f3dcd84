"""The study's own findings about other machines, OWN-11 to OWN-22, held against the criteria of `data/findings.csv`."""

import numpy as np

from ..ledger import finding
from . import deciding
from .deciding import FEWEST, LEAST_WAIT, MOST

TOO_FEW = f"fewer than {FEWEST} logs are at hand"

SIMILAR = 0.1
"""Shares of backfilled jobs that differ by less are similar, as in MF-16."""


def on_most(id, rows, sign, waits, likely=None):
    """Decide a finding that claims the same of one or several measures.

    Parameters
    ----------
    id : str
    rows : dict of DataFrame
        By what was measured: from `effects`, by log.
    sign : int
        1 where it is to grow, -1 where it is to fall.
    waits : Series
        Mean waits in seconds, by log: the evidence says what becomes of it without logs that have hardly a queue. They
        count for the verdict all the same.
    likely : dict of DataFrame, optional
        The same by the authors' likely programs, for the evidence.
    """
    each = [deciding.on_most(of, sign) for of in rows.values()]
    if None in each:
        return finding(id, None, TOO_FEW, {})
    text = [f"{measure} {deciding.said(of, sign)}{_queued(of, sign, waits)}" for measure, of in rows.items()]
    text += [f"by the authors' likely programs {name} {deciding.said(of, sign)}" for name, of in (likely or {}).items()]
    counts = [deciding.counted(of, sign) for of in rows.values()]
    numbers = {name: min(of[name] for of in counts) for name in ("logs", "with", "year_with")}
    return finding(id, all(each), ".\n".join(text), numbers | {"against": max(of["against"] for of in counts)})


def _queued(rows, sign, waits):
    """Say what becomes of it without the logs that have hardly a queue, where that is something else."""
    idle = [log for log in rows.index if waits[log] < LEAST_WAIT]
    said = deciding.scope(rows.drop(idle), sign)
    return (
        f". Without {', '.join(idle)}, where jobs hardly wait, it {said}" if said != deciding.scope(rows, sign) else ""
    )


def similar(shares):
    """Decide whether both schedulers backfill similar shares on most machines."""
    if len(shares) < FEWEST:
        return finding("OWN-16", None, TOO_FEW, {})
    inside = (shares.low > -SIMILAR) & (shares.high < SIMILAR)
    each = [
        f"{log} {row.base:.1%} and {row.value:.1%}{'' if inside[log] else ' (may differ by more)'}"
        for log, row in shares.iterrows()
    ]
    text = f"within a tenth on {inside.sum()} of {len(shares)} logs; under EASY and conservative {', '.join(each)}"
    numbers = {"logs": len(shares), "with": int(inside.sum())}
    return finding("OWN-16", bool(inside.mean() >= MOST), text, numbers)


def not_shorter(id, rows):
    """Decide whether waits do not get shorter on most machines."""
    if len(rows) < FEWEST:
        return finding(id, None, TOO_FEW, {})
    shorter = deciding.counted(rows, -1)["with"]
    numbers = {"logs": len(rows), "with": len(rows) - shorter}
    text = f"not shorter on {numbers['with']} of {len(rows)} logs; that they are longer {deciding.said(rows, 1)}"
    return finding(id, bool(numbers["with"] >= MOST * len(rows)), text, numbers)


def hanging(id, table):
    """Decide whether an effect hangs on one of the traits that were looked at."""
    holds = deciding.hangs(table)
    if holds is None:
        return finding(id, None, f"{TOO_FEW} on which jobs wait", {})
    first = table.chance.idxmin()
    numbers = {"rho": table.rho[first], "chance": table.chance[first], "logs": float(np.nanmax(table.logs))}
    return finding(id, holds, deciding.said_of(table), numbers)
