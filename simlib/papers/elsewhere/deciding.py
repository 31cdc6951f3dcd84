"""On how many machines does a finding hold, and what does its size hang on? The criteria of `data/findings.csv`.

Those of OWN-11 to OWN-22 stand in the history since the commit that has their results; those from OWN-23 on are older
than what they judge.
"""

import numpy as np
import pandas as pd

FEWEST = 6
"""On fewer logs nothing is said about most machines."""

MOST, SURE, FEW = 2 / 3, 1 / 3, 1 / 6
"""A claim holds on most where coincidence is clear of zero on the claim's side on that share of the logs, another year
on the second, and coincidence on the other side on no more than the third."""

WITH, AGAINST, OPEN = "with", "against", "open"

LEAST_WAIT = 60
"""Seconds: where jobs wait for less in the mean there is hardly a queue, and changes of it say little."""

TRAITS = "load", "used", "serial"
"""What may say on which logs a finding holds, of `about`: for the evidence of those from OWN-23 on."""

ORDERS = 20_000
"""Random orders of the logs, for the significance of a rank correlation."""


def sides(rows, sign, low="low", high="high"):
    """Tell for each row whether its interval lies on the claim's side of zero (`WITH`), beyond (`AGAINST`) or neither.

    Parameters
    ----------
    rows : DataFrame
        From `effects`, by log.
    sign : int
        1 where the claim is that something grows, -1 where it falls.
    low, high : str
        The columns of the interval.
    """
    ends = rows[[low, high]].mul(sign)
    found = np.select([(ends > 0).all(axis=1), (ends < 0).all(axis=1)], [WITH, AGAINST], OPEN)
    return pd.Series(found, rows.index)


def counted(rows, sign):
    """Count the logs: `logs`, those `with` and `against` by coincidence, and the same in `year`, another year."""
    by_chance, by_year = sides(rows, sign), sides(rows, sign, "year_low", "year_high")
    counts = {"logs": len(rows), "with": (by_chance == WITH).sum(), "against": (by_chance == AGAINST).sum()}
    counts |= {"year_with": (by_year == WITH).sum(), "year_against": (by_year == AGAINST).sum()}
    return {name: int(count) for name, count in counts.items()}


def on_most(rows, sign):
    """Tell whether a claim holds on most machines; None on too few logs."""
    found = counted(rows, sign)
    logs = found["logs"]
    if logs < FEWEST:
        return None
    return found["with"] >= MOST * logs and found["year_with"] >= SURE * logs and found["against"] <= FEW * logs


def scope(rows, sign):
    """Say in words on which machines a claim holds."""
    found = counted(rows, sign)
    if found["with"] == found["logs"]:
        return "holds everywhere"
    if on_most(rows, sign):
        return "holds on most"
    if min(found["with"], found["against"]) > FEW * found["logs"]:
        return "goes either way, and hangs on the machine"
    return "is the other way on most" if on_most(rows, -sign) else "cannot be told on most"


def said(rows, sign):
    """Write the counts, and the effect on each log, with `*` where coincidence is clear of zero, `**` another year."""
    found = counted(rows, sign)
    head = (
        f"{scope(rows, sign)}: with it {found['with']} of {found['logs']} logs (another year {found['year_with']}), "
        f"against it {found['against']} ({found['year_against']})"
    )
    chance, year = sides(rows, sign), sides(rows, sign, "year_low", "year_high")
    marks = np.where(chance == OPEN, "", np.where(year == chance, "**", "*"))
    each = zip(rows.index, rows.effect, marks, strict=True)
    return f"{head}; {', '.join(f'{name} {100 * effect:+.1f} %{mark}' for name, effect, mark in each)}"


# What it hangs on


def correlation(effect, trait, seed=0):
    """Correlate the ranks of an effect and a trait over logs.

    Parameters
    ----------
    effect, trait : Series
        By log; those of which either is nan are left out.

    Returns
    -------
    dict
        `rho`, Spearman's; `chance`, the share of random orders in which it is as far from zero or farther; `logs`.
    """
    both = pd.concat([effect.astype(float), trait.astype(float)], axis=1, join="inner").dropna()
    if len(both) < FEWEST:
        return {"rho": np.nan, "chance": np.nan, "logs": len(both)}
    one, other = (ranks - ranks.mean() for ranks in both.rank().to_numpy().T)
    size = np.sqrt((one @ one) * (other @ other))
    orders = np.random.default_rng(seed).permuted(np.tile(other, (ORDERS, 1)), axis=1)
    rho, random = one @ other / size, orders @ one / size
    return {"rho": rho, "chance": float((np.abs(random) >= abs(rho) - 1e-9).mean()), "logs": len(both)}


def correlations(effects, traits, waits=None, seed=0):
    """Correlate each effect with each trait, over the logs where jobs wait: a row a pair.

    Parameters
    ----------
    effects : dict of Series
        By name.
    traits : DataFrame
        By log.
    waits : Series, optional
        Mean waits in seconds, by log; where nothing is simulated all logs count.
    """
    queued = traits.index if waits is None else waits.index[waits >= LEAST_WAIT]
    pairs = {(name, trait): (of, traits[trait]) for name, of in effects.items() for trait in traits}
    rows = {pair: correlation(of[of.index.isin(queued)], trait, seed) for pair, (of, trait) in pairs.items()}
    index = pd.MultiIndex.from_tuples(list(rows), names=["effect", "trait"])
    return pd.DataFrame(list(rows.values()), index, ["rho", "chance", "logs"])


def hangs(table, chance=0.05):
    """Tell whether an effect hangs on a trait, 5 % for all pairs together; None where that cannot be tested."""
    known = table.chance.dropna()
    return bool((known <= chance / len(table)).any()) if len(known) else None


def goes_with(table):
    """Write what an effect goes with most, from `correlations`, and how sure that is; nothing on too few logs."""
    if table.chance.isna().all():
        return ""
    (effect, trait), most = table.chance.idxmin(), table.loc[table.chance.idxmin()]
    sure = "which is beyond chance" if hangs(table) else f"which may be chance, for {len(table)} were looked at"
    return (
        f"Of {effect} the strongest relation is with {NAMED.get(trait, trait)}: rank correlation {most.rho:+.2f} on "
        f"{most.logs:.0f} logs, as far from zero in {most.chance:.1%} of random orders, {sure}"
    )


NAMED = {"load": "the load", "used": "the median share of estimates that is used", "serial": "the share of serial jobs"}


def said_of(table):
    """Write rank correlations."""
    pairs = [
        f"{effect} with {trait} {row.rho:+.2f} (chance {row.chance:.3f}, {row.logs:.0f} logs)"
        for (effect, trait), row in table.iterrows()
    ]
    return "rank correlation of " + ", of ".join(pairs)
