"""What the detective found, held against the criteria of `data/findings.csv`: OWN-01 to OWN-06 and OWN-10."""

from ..judging import INSIDE
from ..ledger import Measure, finding
from . import SCHEDULERS, SP2
from .suspects import LEAST

ABSENT = "the logs of SDSC and CM-5 are not at hand"
IDS = ("OWN-01", "OWN-02", "OWN-03", "OWN-04", "OWN-05", "OWN-06", "OWN-10")


def findings(exhibit):
    """Decide the study's own findings about Table 1 from what `detective.Detective` works out."""
    text, likeliest = (_inside(exhibit.standing, program) for program in ("text", "likeliest"))
    return [
        _text_misses(text),
        _shared_extra(exhibit.searches["easy"]),
        _by_start(exhibit.searches["conservative"], exhibit.testimony),
        _likeliest_meets(text, likeliest),
        _months(exhibit.offsets),
        _undecided(exhibit.conclusions),
        _again(exhibit.searches, exhibit.searches_again, exhibit.testimony),
    ]


def _decided(id, parts, evidence, **numbers):
    return finding(id, all(parts), evidence, numbers)


def _inside(standing, program):
    """How many cells of the SP2 logs are inside their bands under a program, in all and by scheduler."""
    cells = standing.loc[program]
    inside = cells.verdict[cells.index.get_level_values("trace").isin(SP2)] == INSIDE
    by_scheduler = {scheduler: float(inside.loc[scheduler].mean()) for scheduler in SCHEDULERS}
    return (
        vars(Measure.share(inside.sum(), len(inside))) | {"inside": int(inside.sum()), "of": len(inside)} | by_scheduler
    )


def _stated(found):
    schedulers = ", ".join(f"{name} {found[name]:.0%}" for name in SCHEDULERS)
    return (
        f"{found['inside']} of {found['of']} cells inside, {found['value']:.0%} ({found['low']:.0%} to "
        f"{found['high']:.0%}); {schedulers}"
    )


def _text_misses(text):
    return _decided("OWN-01", [text["high"] < 0.95], f"by the text's rules {_stated(text)}", share=text["value"])


def _likeliest_meets(text, likeliest):
    parts = likeliest["low"] > text["high"], likeliest["low"] > 0.5
    return _decided("OWN-04", parts, f"by the likeliest programs {_stated(likeliest)}", share=likeliest["value"])


def _of_reading(steps, detail, readings):
    """How likely some readings of a detail are in the first line-up: more on each trace, more in all, resampled."""
    table = steps[0][1]
    rows = table.loc[[(detail, reading) for reading in readings]]
    traces = [name for name in table.columns if name not in ("all", "more", "inside", "resampled")]
    gains = rows[traces].max() - table.loc[("", ""), traces]
    return gains, float(rows.more.max()), float(rows.resampled.sum()), table.index[0] in list(rows.index)


def _likelier(found):
    gains, more, resampled, first = found
    return [(gains > 0).all(), more > LEAST, resampled >= 0.95, first]


def _text_of(found):
    gains, more, resampled, _ = found
    by_trace = ", ".join(f"{name} {gain:+.0f}" for name, gain in gains.items())
    return f"log likelihood {more:+.0f} ({by_trace}), the likeliest change in {resampled:.0%} of resampled months"


def _shared_extra(steps):
    found = _of_reading(steps, "extra processors", ["never used up"])
    return _decided("OWN-02", _likelier(found), _text_of(found), more=found[1])


def _by_start(steps, testimony):
    found = _of_reading(steps, "compressed in order of", ["start, ties by arrival", "start, ties latest first"])
    elsewhere = testimony.log_likelihood.loc["conservative"].groupby("suspect").sum()
    more = float(elsewhere.drop("text").min() - elsewhere["text"])
    text = f"{_text_of(found)}; Tables 3 and 4: {more:+.0f} at least"
    return _decided("OWN-03", [*_likelier(found), more > 0], text, more=found[1])


def _months(offsets):
    if not {"SDSC", "CM5"} <= set(offsets.index):
        return finding("OWN-05", None, ABSENT, {})
    rows = offsets.loc[["SDSC", "CM5"]]
    text = "; ".join(
        f"{name}: {row['begin [h]']:+g} h, likelier by {row['likelier by']:.0f}, the median month "
        f"{row['jobs off, then']:.0f} jobs off in place of {row['jobs off, midnight']:.0f}"
        for name, row in rows.iterrows()
    )
    parts = (rows["likelier by"] > LEAST).all(), (rows["begin [h]"].abs() > 6).all()
    return _decided("OWN-05", parts, text, **{name.lower(): begin for name, begin in offsets["begin [h]"].items()})


def _undecided(conclusions):
    """EASY's lead on SDSC by bounded slowdown and on CM-5 by response time."""
    asked = {"sdsc": ("SDSC", "bounded_slowdown"), "cm5": ("CM5", "response_s")}
    if not {trace for trace, _ in asked.values()} <= set(conclusions.index.unique("trace")):
        return finding("OWN-06", None, ABSENT, {})
    parts, texts, numbers = [], [], {}
    for name, place in asked.items():
        text, paper = conclusions.loc[(*place, "text")], conclusions.loc[(*place, "as printed")]
        parts += [text.won_low <= text.months / 2 <= text.won_high, not text.won_low <= paper.won_low <= text.won_high]
        texts.append(
            f"{place[0]}: {text.won_low:.0f} to {text.won_high:.0f} of {text.months:.0f} ({paper.won_low:.0f})"
        )
        numbers |= {f"{name}_{key}": value for key, value in text[["won_low", "won_high", "months"]].items()}
        numbers[f"{name}_printed"] = paper.won_low
    return _decided("OWN-06", parts, f"months in which EASY is better, and as printed: {'; '.join(texts)}", **numbers)


def _again(before, after, testimony):
    """Whether the search ends at the same programs on restored logs, and Tables 3 and 4 of CTC speak for them too."""
    if not after:
        return finding("OWN-10", None, "no log here lost jobs that are known", {})
    chosen = {name: (steps[-1][0], after[name][-1][0]) for name, steps in before.items()}
    ctc = testimony.xs("CTC", level="trace").groupby(["scheduler", "suspect"]).log_likelihood.sum()
    more = {name: float(ctc[name, "likeliest"] - ctc[name, "text"]) for name in SCHEDULERS}
    parts = [*(one == other for one, other in chosen.values()), *(gain > LEAST for gain in more.values())]
    same = [name for name, (one, other) in chosen.items() if one == other]
    gains = ", ".join(f"{name} {gain:+.0f}" for name, gain in more.items())
    text = f"the same program of {' and '.join(same) or 'neither scheduler'}; Tables 3 and 4 of CTC, restored: {gains}"
    return _decided("OWN-10", parts, text, easy=more["easy"], conservative=more["conservative"])
