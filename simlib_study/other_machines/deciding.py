"""On how many machines does a finding hold, what does its size depend on? The criteria: `data/claims/findings.csv`.

Those of OWN-11 to OWN-22 stand in the history since the commit that has their results; those from OWN-23 on are older
than what they judge. A function gives what `simlib_study.finding` takes: whether it holds, "cannot be decided"
where the logs leave that open, None where they are too few; the evidence; and numbers. Tables are by log, and those of
several measures by (measure, log); a partition has no say.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .. import claims
from ..claims import FEW, MOST
from ..resampling import clear_by_chance
from . import machines
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

CALLED = TRAITS | {"before": "the accuracy of users' estimates"}

HALF = 0.5
"""What share of a change is the better part of it."""


Held = bool | str | None
"""Whether a finding holds: "cannot be decided" where logs leave it open, None where they are too few."""

Decision = tuple[Held, str, dict[str, Any]]
"""Whether a finding holds, the evidence, and numbers."""


# On which side of zero, and on how many logs


def sides(rows: pd.DataFrame, sign: int, low: str = "low", high: str = "high") -> pd.Series:
    """Tell on which side of zero each interval lies: the claim's (`WITH`), the other (`AGAINST`) or neither."""
    ends = rows[[low, high]].mul(sign)
    side = np.select([(ends > 0).all(axis=1), (ends < 0).all(axis=1)], [WITH, AGAINST], OPEN)
    return pd.Series(side, rows.index)


def counted(rows: pd.DataFrame, sign: int) -> dict[str, int]:
    """Count the logs with and against a claim, by coincidence and another year; an effect below `LEAST` is neither."""
    large = rows[rows.effect.abs() >= LEAST]
    by_chance, by_year = sides(large, sign), sides(large, sign, "year_low", "year_high")
    counts = {"logs": len(rows), "with": (by_chance == WITH).sum(), "against": (by_chance == AGAINST).sum()}
    counts |= {"year_with": (by_year == WITH).sum(), "year_against": (by_year == AGAINST).sum()}
    return {name: int(count) for name, count in counts.items()}


def on_most(rows: pd.DataFrame, sign: int) -> Held:
    """Tell whether a claim holds on most machines; it does not if it would not with all open logs; None on too few."""
    counts = counted(rows, sign)
    logs = counts["logs"]
    if logs < FEWEST:
        return None
    if counts["with"] >= MOST * logs and counts["year_with"] >= SURE * logs and counts["against"] <= FEW * logs:
        return True
    return claims.OPEN if logs - counts["against"] >= MOST * logs else False


def together(each: Mapping[str, Decision]) -> Decision:
    """Put together what was decided of several measures: all have to hold, and the numbers are those of the worst."""
    if not each:
        return None, TOO_FEW, {}
    held, texts, numbers = zip(*each.values(), strict=True)
    holds = None if None in held else min(held, key=[False, claims.OPEN, True].index)
    text = ".\n".join(f"{measure}: {text}" for measure, text in zip(each, texts, strict=True))
    worst = {name: max if name.endswith("against") else min for name in numbers[0]}
    return holds, text, {name: of(one[name] for one in numbers) for name, of in worst.items()}


def starred(rows: pd.DataFrame) -> list[str]:
    """Write the effect on each log, with `*` where coincidence is clear of zero, `**` where another year is, too."""
    chance, year = sides(rows, 1), sides(rows, 1, "year_low", "year_high")
    marks = np.where(chance == OPEN, "", np.where(year == chance, "**", "*"))
    return [f"{100 * effect:+.1f} %{mark}" for effect, mark in zip(rows.effect, marks, strict=True)]


def stars(effects: pd.DataFrame, runs: int) -> str:
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


def correlation(effect: pd.Series, trait: pd.Series) -> dict[str, float]:
    """Correlate the ranks of an effect and a trait over logs; `chance` is that of 20,000 random orders of the logs."""
    both = pd.concat([effect.astype(float), trait.astype(float)], axis=1, join="inner").dropna()
    if len(both) < FEWEST:
        return {"rho": np.nan, "chance": np.nan, "logs": len(both)}
    one, other = (ranks - ranks.mean() for ranks in both.rank().to_numpy().T)
    size = np.sqrt((one @ one) * (other @ other))
    orders = np.random.default_rng(0).permuted(np.tile(other, (20_000, 1)), axis=1)
    rho, random = one @ other / size, orders @ one / size
    return {"rho": rho, "chance": float((np.abs(random) >= abs(rho) - 1e-9).mean()), "logs": len(both)}


def correlations(effects: pd.DataFrame, traits: pd.DataFrame, waits: pd.Series | None = None) -> pd.DataFrame:
    """Correlate the effect of each measure with each trait, a column each, over the logs where jobs wait."""
    queued = traits.index if waits is None else waits.index[waits >= LEAST_WAIT]
    rows = [
        {"effect": measure, "trait": trait} | correlation(of.effect[of.index.isin(queued)], traits[trait])
        for measure, of in _measures(effects)
        for trait in traits
    ]
    return pd.DataFrame(rows, columns=["effect", "trait", "rho", "chance", "logs"]).set_index(["effect", "trait"])


def _measures(effects: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Go through the measures of a table by (measure, log): each with its rows by log."""
    for measure, of in machines(effects).groupby(level=0, sort=False):
        yield str(measure).replace("_", " "), of.droplevel(0)


def depends_on_a_trait(table: pd.DataFrame) -> Decision:
    """Decide whether an effect depends on a trait, at 5 % for all `correlations` together; say which relation leads."""
    if table.chance.isna().all():
        return None, f"{TOO_FEW} on which jobs wait", {}
    at: Any = table.chance.idxmin()
    (effect, trait), first = at, table.loc[at]
    holds = bool(first.chance <= 0.05 / len(table))
    sure = "which is beyond chance" if holds else f"which may be chance, for {len(table)} were looked at"
    text = (
        f"Of {effect} the strongest relation is with {CALLED.get(trait, trait)}: rank correlation {first.rho:+.2f} on "
        f"{first.logs:.0f} logs, as far from zero in {first.chance:.1%} of random orders, {sure}"
    )
    return holds, text, {"rho": first.rho, "chance": first.chance, "logs": float(np.nanmax(table.logs))}


# Findings about effects


def most(
    effects: pd.DataFrame,
    sign: int,
    waits: pd.Series | None = None,
    about: pd.DataFrame | None = None,
    likely: pd.DataFrame | None = None,
) -> Decision:
    """Decide whether the effects of each measure have this sign on most machines.

    The others add to the evidence, and decide nothing: without logs that have hardly a queue, by `waits`; with what
    traits `about` the logs it goes; by the `likely` programs.
    """
    holds, text, numbers = together({measure: _most(of, sign, waits) for measure, of in _measures(effects)})
    if likely is not None:
        _, said, counts = most(likely, sign)
        text += f".\nby the authors' likely programs {said}"
        numbers |= {f"likely_{name}": count for name, count in counts.items()}
    if about is not None:
        known, said, _ = depends_on_a_trait(correlations(effects, about[list(TRAITS)], waits))
        text += "" if known is None else f".\n{said}"
    return holds, text, numbers


def _most(rows: pd.DataFrame, sign: int, waits: pd.Series | None) -> Decision:
    """Decide it for one measure, and say if it is otherwise without the logs that have hardly a queue."""
    idle = [] if waits is None else [log for log in rows.index if waits[log] < LEAST_WAIT]
    holds, counts, rest = on_most(rows, sign), counted(rows, sign), on_most(rows.drop(idle), sign)
    words = {None: TOO_FEW, False: "does not hold", True: "holds", claims.OPEN: claims.OPEN}
    head = (
        f"{words[holds]}, with it {counts['with']} of {counts['logs']} logs (another year {counts['year_with']}), "
        f"against it {counts['against']} ({counts['year_against']})"
    )
    each = ", ".join(f"{log} {effect}" for log, effect in zip(rows.index, starred(rows), strict=True))
    without = f". Without {', '.join(idle)}, where jobs hardly wait: {words[rest]}" if rest not in (holds, None) else ""
    return holds, f"{head}; {each}{without}", counts


def most_of(so: pd.Series, rows: pd.DataFrame, form: str, open: int = 0, **numbers: float) -> Decision:
    """Decide whether something is so on most machines, by log; `form` writes a row, `open` logs leave it open."""
    so, rows = machines(so), machines(rows)
    count, needed = int(so.sum()), MOST * len(so)
    holds = True if count >= needed else claims.OPEN if count + open >= needed else False
    by_log: dict[Any, Any] = rows.to_dict("index")
    each = [f"{log} {form.format(**row)}{'' if so[log] else ' (not so)'}" for log, row in by_log.items()]
    text = f"so on {count} of {len(so)} logs{f', open on {open}' if open else ''}: {'; '.join(each)}"
    numbers = {"logs": len(so), "with": count} | numbers
    return (None, f"{TOO_FEW}; {text}", numbers) if len(so) < FEWEST else (holds, text, numbers)


def within(rows: pd.DataFrame, bound: float, form: str) -> Decision:
    """Decide whether the interval of an effect lies within a bound on most machines."""
    so, beyond = (rows.low > -bound) & (rows.high < bound), (rows.low > bound) | (rows.high < -bound)
    return most_of(so, rows, form, int((~so & ~beyond).sum()))


def not_shorter(rows: pd.DataFrame) -> Decision:
    """Decide whether waits do not get shorter on most machines."""
    return most_of(sides(rows, -1) != WITH, rows.assign(change=starred(rows)), "{change}")


def longer(rows: pd.DataFrame) -> Decision:
    """Decide whether something that has no other year, such as the longest wait, grows on most machines."""
    side = sides(rows, 1)
    return most_of(side == WITH, rows, "{effect:+.0%}", int((side == OPEN).sum()), against=int((side == AGAINST).sum()))


def half_there(part: pd.DataFrame, whole: pd.DataFrame) -> Decision:
    """Decide whether a policy makes at least half of another's clear change on most machines, by each measure."""
    clear = whole[sides(whole, 1) != OPEN]
    shares = part.assign(whole=whole.effect, share=part.effect / whole.effect).loc[clear.index]
    form = "{share:.0%} of {whole:+.1%}"
    return together({measure: most_of(of.share >= HALF, of, form) for measure, of in _measures(shares)})


# Findings about estimates


def as_figure8(flat: pd.DataFrame) -> Decision:
    """Decide whether used shares are as in Figure 8 on most machines, from `flatness`, and whether `as_claimed`."""
    form = "distance {ks:.2f}, peaks of {zero:.0f} and {hundred:.0f} median bins"
    return most_of(flat.as_claimed.astype(bool), flat, form)


def as_on_intrepid(used: pd.DataFrame) -> Decision:
    """Decide whether users use as much of their estimates as on Intrepid: by part and log, whether ours are `near`."""
    shares = used.ours.unstack("part", sort=False)
    return most_of(used.near.groupby("log").all(), shares, ", ".join(f"{{{part}:.0%}} {part}" for part in shares))


def every_step(steps: pd.DataFrame) -> Decision:
    """Decide whether used shares scatter less with each key on most machines: effects by (key, log)."""
    least = pd.concat({"the key that lowers it least": steps.groupby("log", sort=False).max()})
    holds, text, numbers = most(least, -1)
    counts = {key: counted(of, -1) for key, of in _measures(steps)}
    each = [f"{key} on {of['with']} of {of['logs']}" for key, of in counts.items()]
    return holds, f"{text}.\nKey by key it is clearly lower by {', '.join(each)}", numbers


def of_sp2(about: pd.DataFrame, names: Sequence[str]) -> Decision:
    """Decide whether SP2 machines ran longer and smaller jobs than most others, from their median run and mean size."""
    here, others = about[about.index.isin(names)], about[~about.index.isin(names)]
    if len(here) < len(names):
        return None, TOO_FEW, {}
    run, size = np.exp(np.log(here[["run", "size"]]).mean())
    longer = most_of(others.run < run, others, "{run:,.0f} s")
    smaller = most_of(others["size"] > size, others, "{size:,.1f}")
    return together({f"longer than elsewhere, {run:,.0f} s": longer, f"on fewer processors, {size:,.1f}": smaller})
