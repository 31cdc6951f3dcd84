"""On how many machines does a finding hold, and what does its size depend on? The criteria of `data/findings.csv`.

Those of OWN-11 to OWN-22 stand in the history since the commit that has their results; those from OWN-23 on are older
than what they judge. A function gives what `simlib.study.finding` takes: whether it holds, "cannot be decided"
where the logs leave that open, None where they are too few; the evidence; and the numbers that the study's texts state.
"""

import numpy as np
import pandas as pd

from ...analysis.stats import clear_by_chance
from .. import claims
from ..claims import FEW, MOST
from .effects import HOUR_LONGER

FEWEST = 6
"""On fewer logs nothing is said about most machines."""

TOO_FEW = f"fewer than {FEWEST} logs are available"

SURE = 1 / 3
"""A claim holds on most where coincidence is clear of zero on the claim's side on `MOST` of the logs, another year on
this share of them, and coincidence on the other side on a `FEW` at most."""

WITH, AGAINST, OPEN = "with", "against", "open"

LEAST = 0.01
"""A smaller change speaks for nobody, however sure it is."""

LEAST_WAIT = 60
"""Seconds: where jobs wait for less in the mean there is hardly a queue, and changes of it say little."""

TRAITS = {
    "load": "the load",
    "used": "the median share of estimates that is used",
    "serial": "the share of serial jobs",
}
"""What may say on which logs a finding holds: columns of `about`, and what they are called."""

ORDERS = 20_000
"""Random orders of the logs, for the significance of a rank correlation."""

HALF = 0.5
"""What share of a change is the better part of it."""


# On which side of zero, and on how many logs


def sides(rows, sign, low="low", high="high"):
    """Tell on which side of zero each interval lies: the claim's (`WITH`), the other (`AGAINST`) or neither."""
    ends = rows[[low, high]].mul(sign)
    found = np.select([(ends > 0).all(axis=1), (ends < 0).all(axis=1)], [WITH, AGAINST], OPEN)
    return pd.Series(found, rows.index)


def counted(rows, sign):
    """Count the logs with and against a claim, by coincidence and another year; an effect below `LEAST` is neither."""
    large = rows[rows.effect.abs() >= LEAST]
    by_chance, by_year = sides(large, sign), sides(large, sign, "year_low", "year_high")
    counts = {"logs": len(rows), "with": (by_chance == WITH).sum(), "against": (by_chance == AGAINST).sum()}
    counts |= {"year_with": (by_year == WITH).sum(), "year_against": (by_year == AGAINST).sum()}
    return {name: int(count) for name, count in counts.items()}


def on_most(rows, sign):
    """Tell whether a claim holds on most machines; it does not if it would not with all open logs; None on too few."""
    found = counted(rows, sign)
    logs = found["logs"]
    if logs < FEWEST:
        return None
    if found["with"] >= MOST * logs and found["year_with"] >= SURE * logs and found["against"] <= FEW * logs:
        return True
    return claims.OPEN if logs - found["against"] >= MOST * logs else False


def all_of(each):
    """Put together whether several things hold: None where one is not known, false where one is."""
    if None in each:
        return None
    return False if False in each else claims.OPEN if claims.OPEN in each else True


def scope(rows, sign):
    """Say in words on which machines a claim holds."""
    found = counted(rows, sign)
    if found["with"] == found["logs"]:
        return "holds everywhere"
    if on_most(rows, sign) is True:
        return "holds on most"
    if min(found["with"], found["against"]) > FEW * found["logs"]:
        return "goes either way, and depends on the machine"
    return "is the other way on most" if on_most(rows, -sign) is True else "cannot be decided on most"


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


def stars(effects, runs):
    """Say how many of these effects, from so many runs, are clear of zero, and how many chance alone would make so."""
    rows = effects[effects.low.notna() & ~effects.index.isin([HOUR_LONGER], "measure")]
    clear = sides(rows, 1) != OPEN
    year = clear & (sides(rows, 1, "year_low", "year_high") == sides(rows, 1))
    one, two = (share * len(rows) for share in clear_by_chance(runs))
    return (
        f"Of {len(rows):,} effects {clear.sum():,} are clear of zero by coincidence, where chance alone would make "
        f"{one:.0f}, and {year.sum():,} in another year, too, where it would make {two:.0f} at most"
    )


# What it depends on


def correlation(effect, trait):
    """Correlate the ranks of an effect and a trait over logs."""
    both = pd.concat([effect.astype(float), trait.astype(float)], axis=1, join="inner").dropna()
    if len(both) < FEWEST:
        return {"rho": np.nan, "chance": np.nan, "logs": len(both)}
    one, other = (ranks - ranks.mean() for ranks in both.rank().to_numpy().T)
    size = np.sqrt((one @ one) * (other @ other))
    orders = np.random.default_rng(0).permuted(np.tile(other, (ORDERS, 1)), axis=1)
    rho, random = one @ other / size, orders @ one / size
    return {"rho": rho, "chance": float((np.abs(random) >= abs(rho) - 1e-9).mean()), "logs": len(both)}


def correlations(effects, traits, waits=None):
    """Correlate each effect, tables by name, with each trait, a column each, over the logs where jobs wait."""
    queued = traits.index if waits is None else waits.index[waits >= LEAST_WAIT]
    rows = {
        (name, trait): correlation(of.effect[of.index.isin(queued)], traits[trait])
        for name, of in effects.items()
        for trait in traits
    }
    index = pd.MultiIndex.from_tuples(list(rows), names=["effect", "trait"])
    return pd.DataFrame(list(rows.values()), index, ["rho", "chance", "logs"])


def depends(table):
    """Tell whether an effect depends on a trait, at 5 % for all pairs together; None where that cannot be tested."""
    known = table.chance.dropna()
    return bool((known <= 0.05 / len(table)).any()) if len(known) else None


def goes_with(table):
    """Write what an effect goes with most, from `correlations`, and how sure that is; nothing on too few logs."""
    if table.chance.isna().all():
        return ""
    (effect, trait), most = table.chance.idxmin(), table.loc[table.chance.idxmin()]
    sure = "which is beyond chance" if depends(table) else f"which may be chance, for {len(table)} were looked at"
    return (
        f"Of {effect} the strongest relation is with {TRAITS.get(trait, trait)}: rank correlation {most.rho:+.2f} on "
        f"{most.logs:.0f} logs, as far from zero in {most.chance:.1%} of random orders, {sure}"
    )


def depends_on_a_trait(table):
    """Decide whether an effect depends on one of the traits that were looked at, from `correlations`."""
    holds = depends(table)
    if holds is None:
        return None, f"{TOO_FEW} on which jobs wait", {}
    first = table.chance.idxmin()
    numbers = {"rho": table.rho[first], "chance": table.chance[first], "logs": float(np.nanmax(table.logs))}
    pairs = [
        f"{effect} with {trait} {row.rho:+.2f} (chance {row.chance:.3f}, {row.logs:.0f} logs)"
        for (effect, trait), row in table.iterrows()
    ]
    return holds, f"rank correlation of {', of '.join(pairs)}", numbers


# Findings about effects


def most(effects, sign, waits=None, about=None, likely=None, own=()):
    """Decide whether effects, tables by log of one or several measures, all have this sign on most machines.

    The others add to the evidence, and decide nothing: without logs that have hardly a queue, by `waits`; with what
    traits `about` the logs it goes; by the `likely` programs; on the paper's `own` logs and on the others.
    """
    each = [on_most(of, sign) for of in effects.values()]
    if None in each:
        return None, TOO_FEW, {}
    rests = {measure: f"{_queued(of, sign, waits)}{_apart(of, sign, own)}" for measure, of in effects.items()}
    text = [f"{measure} {said(of, sign)}{rests[measure]}" for measure, of in effects.items()]
    text += [f"by the authors' likely programs {name} {said(of, sign)}" for name, of in (likely or {}).items()]
    text += filter(None, [goes_with(correlations(effects, about[list(TRAITS)], waits)) if about is not None else ""])
    counts = [counted(of, sign) for of in effects.values()]
    numbers = {name: min(of[name] for of in counts) for name in ("logs", "with", "year_with")}
    return all_of(each), ".\n".join(text), numbers | {"against": max(of["against"] for of in counts)}


def _apart(rows, sign, own):
    """Count the logs that the paper rests on apart from the others."""
    here = rows.index.isin(list(own))
    if not here.any() or here.all():
        return ""
    of_own, of_others = (counted(rows[of], sign) for of in (here, ~here))
    counts = (f"{of['with']} of {of['logs']} with it, {of['against']} against" for of in (of_own, of_others))
    return ". On the paper's own machines {}; on the others {}".format(*counts)


def _queued(rows, sign, waits):
    """Say what becomes of it without the logs that have hardly a queue, where that is something else."""
    idle = [] if waits is None else [log for log in rows.index if waits[log] < LEAST_WAIT]
    said = scope(rows.drop(idle), sign)
    return f". Without {', '.join(idle)}, where jobs hardly wait, it {said}" if said != scope(rows, sign) else ""


def _most_of(so, text, open=0, **numbers):
    """Decide whether something is so on most machines, from whether it is by log, and how many logs leave it open."""
    if len(so) < FEWEST:
        return None, TOO_FEW, {}
    holds = so.sum() >= MOST * len(so) or (claims.OPEN if so.sum() + open >= MOST * len(so) else False)
    return holds, text, {"logs": len(so), "with": int(so.sum())} | numbers


def within(rows, bound, called, form, head=""):
    """Decide whether the interval of an effect lies within a bound on most machines; `form` writes the row of a log."""
    so, beyond = (rows.low > -bound) & (rows.high < bound), (rows.low > bound) | (rows.high < -bound)
    said = np.select([so, beyond], ["", " (more)"], " (may differ by more)")
    each = [f"{log} {form.format(**row)}{words}" for (log, row), words in zip(rows.iterrows(), said, strict=True)]
    text = f"{called} on {so.sum()} of {len(so)} logs, beyond it on {beyond.sum()}; {head}{', '.join(each)}"
    return _most_of(so, text, int((~so & ~beyond).sum()))


def same_side(effects):
    """Decide whether what is clear of zero lies on one side on most machines: effects by log, tables by rule."""
    found = pd.DataFrame({name: sides(of, 1) for name, of in effects.items()})
    both = (found == WITH).any(axis=1) & (found == AGAINST).any(axis=1)
    each = []
    for log, row in found.iterrows():
        counts = [
            f"{(row == side).sum()} {word}" for side, word in ((WITH, "above"), (AGAINST, "below"), (OPEN, "open"))
        ]
        ends = [100 * bound(of.effect[log] for of in effects.values()) for bound in (min, max)]
        each.append(f"{log} {', '.join(counts)}, {ends[0]:+.1f} to {ends[1]:+.1f} %{' (not so)' if both[log] else ''}")
    return _most_of(~both, f"so on {(~both).sum()} of {len(both)} logs; {'; '.join(each)}", either=int(both.sum()))


def not_shorter(rows):
    """Decide whether waits do not get shorter on most machines."""
    so = sides(rows, -1) != WITH
    return _most_of(so, f"not shorter on {so.sum()} of {len(so)} logs; that they are longer {said(rows, 1)}")


def longer(rows):
    """Decide whether something that has no other year, such as the longest wait, grows on most machines."""
    so, shorter = sides(rows, 1) == WITH, int((sides(rows, -1) == WITH).sum())
    each = [f"{log} {row.effect:+.0%}{'' if so[log] else ' (not so)'}" for log, row in rows.iterrows()]
    text = f"longer on {so.sum()} of {len(so)} logs, shorter on {shorter}; {', '.join(each)}"
    return _most_of(so, text, len(so) - int(so.sum()) - shorter, against=shorter)


def half_there(changes):
    """Decide whether a policy makes at least half of another's clear change on most machines, pairs by measure."""
    text, numbers, each = [], {}, []
    for measure, (part, whole) in changes.items():
        clear = whole[sides(whole, 1) != OPEN]
        shares = part.effect.reindex(clear.index) / clear.effect
        there = int((shares >= HALF).sum())
        each.append(None if len(shares) < FEWEST else there >= MOST * len(shares))
        of = ", ".join(f"{log} {share:.0%} of {100 * clear.effect[log]:+.1f} %" for log, share in shares.items())
        text.append(f"{measure} at least half there on {there} of {len(shares)} logs where it clearly differs; {of}")
        numbers |= {f"{measure}, logs": len(shares), f"{measure}, with": there}
    if None in each:
        return None, ".\n".join([f"{TOO_FEW} on which both differ", *text]), numbers
    return all_of(each), ".\n".join(text), numbers


# Findings about estimates


def as_figure8(flat):
    """Decide whether used shares are as in Figure 8 on most machines, from `flatness`, and whether `as_claimed`."""
    so = flat.as_claimed.astype(bool)
    each = [
        f"{log} {row.ks:.2f}, {row.zero:.0f} and {row.hundred:.0f}{'' if so[log] else ' (not so)'}"
        for log, row in flat.iterrows()
    ]
    head = "farthest from an even spread, and the peaks at 0 and 100 in median bins"
    return _most_of(so, f"so on {so.sum()} of {len(so)} logs; {head}, {'; '.join(each)}")


def as_on_intrepid(used):
    """Decide whether users use as much of their estimates as on Intrepid: by part and log, whether ours are `near`."""
    so = used.near.groupby("log", sort=False).all()
    wide = used.ours.unstack("part")[used.index.unique("part")].loc[so.index]
    each = [f"{log} {_percents(row)}{' (so)' if so[log] else ''}" for log, row in wide.iterrows()]
    printed = _percents(used.published.groupby("part", sort=False).first())
    return _most_of(so, f"so on {so.sum()} of {len(so)} logs; {', '.join(wide)} (printed {printed}): {'; '.join(each)}")


def _percents(shares):
    """Write shares one after another."""
    return ", ".join(f"{share:.0%}" for share in shares)


def every_step(steps):
    """Decide whether used shares scatter less with each key on most machines: effects by (key, log)."""
    by_key = dict(iter(steps.groupby(level="key", sort=False)))
    least = pd.concat(by_key.values()).groupby(level="log", sort=False).max()
    holds, text, numbers = most({"the key that lowers it least": least}, -1)
    if holds is None:
        return holds, text, numbers
    counts = {key: counted(of, -1) for key, of in by_key.items()}
    each = [f"{key} on {of['with']} of {of['logs']}" for key, of in counts.items()]
    return holds, f"{text}.\nKey by key it is clearly lower by {', '.join(each)}", numbers


def of_sp2(about, names):
    """Decide whether SP2 machines ran longer and smaller jobs than most others, from their median run and mean size."""
    here, others = about[about.index.isin(names)], about[~about.index.isin(names)]
    if len(here) < len(names) or len(others) < FEWEST:
        return None, TOO_FEW, {}
    run, size = (np.exp(np.log(here[column]).mean()) for column in ("run", "size"))
    longer, smaller = others.run < run, others["size"] > size
    each = [f"{log} {row.run:,.0f} s on {row['size']:,.1f}" for log, row in others.iterrows()]
    text = (
        f"longer than on {longer.sum()} and smaller than on {smaller.sum()} of {len(others)} others: {run:,.0f} s on "
        f"{size:,.1f} processors, {', '.join(each)}"
    )
    numbers = {"logs": len(others), "longer": int(longer.sum()), "smaller": int(smaller.sum())}
    return bool(min(longer.mean(), smaller.mean()) >= MOST), text, numbers
