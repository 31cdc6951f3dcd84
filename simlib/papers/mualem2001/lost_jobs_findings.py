"""What the lost jobs explain, held against the criteria of `data/findings.csv`: OWN-07 to OWN-09."""

from ..ledger import finding
from . import METRICS, SCHEDULERS
from .suspects import LEAST

IDS = ("OWN-07", "OWN-08", "OWN-09")


def findings(exhibit):
    """Decide the study's own findings about lost jobs from what `lost_jobs.LostJobs` works out."""
    lost = {name: trace.lost.known_gaps.jobs.sum() for name, trace in exhibit.by_name.items() if trace.lost}
    return [_counted(exhibit.counts, lost), _cured(exhibit.cures), _months(exhibit.orders)]


def _counted(counts, lost=None):
    if counts.empty:
        return finding("OWN-07", None, "the cleaned logs are not at hand", {})
    off, before = (counts[column].sub(counts.published).abs() for column in ("median", "ours"))
    lacking = counts.missing > 0
    parts = [(off / counts.published)[lacking].median() <= 0.02]
    text = (
        f"of {lacking.sum()} months the median one is {before[lacking].median():.0f} jobs off as filed, and "
        f"{off[lacking].median():.0f} with the lost jobs back"
    )
    numbers = {"before": before[lacking].median(), "after": off[lacking].median()}
    return finding(
        "OWN-07", all(parts), text, numbers | {name.lower(): int(jobs) for name, jobs in (lost or {}).items()}
    )


def _cured(cures):
    """The cure is likelier than the file and than jobs at any time; jobs put into a whole log make it less likely."""
    if not {"CTC", "Par", "KTH"} <= set(cures.index.unique("trace")):
        return finding("OWN-08", None, "the cleaned logs are not at hand", {})
    likelihood = cures.log_likelihood.unstack("cure")
    lost, whole = likelihood.loc[["CTC", "Par"]], likelihood.loc["KTH"]
    parts = [
        (lost["put back"] - lost["as filed"] > LEAST).all(),
        (lost["put back"] - lost["put back at any time"] > LEAST).all(),
        (whole["as filed"] - whole["put into a log that lost none"] > LEAST).all(),
    ]
    off = cures.loc["Par"][list(METRICS)].groupby("cure").mean()
    numbers = {"before": off.response_s["as filed"], "after": off.response_s["put back"]}
    numbers["any_time"] = off.response_s["put back at any time"]
    gains = ", ".join(
        f"{trace} {scheduler} {lost['put back'][trace, scheduler] - lost['as filed'][trace, scheduler]:+.0f}"
        for trace, scheduler in lost.index
    )
    worse = ", ".join(
        f"{scheduler} {whole['put into a log that lost none'][scheduler] - whole['as filed'][scheduler]:+.0f}"
        for scheduler in SCHEDULERS
    )
    text = (
        f"log likelihood {gains}; Par's response times are off by {numbers['before']:.1%} as filed, "
        f"{numbers['after']:.1%} with the jobs back, {numbers['any_time']:.1%} if they come at any time; KTH with jobs "
        f"that it did not lose: {worse}"
    )
    return finding("OWN-08", all(parts), text, numbers)


def _months(orders):
    if orders is None:
        return finding("OWN-09", None, "the log of CM-5 is not at hand", {})
    best, calendar = orders.iloc[0], orders[orders.calendar].iloc[0]
    more = {name: best[f"log_likelihood_{name}"] - calendar[f"log_likelihood_{name}"] for name in SCHEDULERS}
    parts = [best.name == "28 31 30 31 31", *(gain > LEAST for gain in more.values())]
    second = orders.iloc[1]
    text = (
        f"in days {best.name}: {best.jobs_off_easy:.0f} jobs off in all, the next best order {second.name} "
        f"{second.jobs_off_easy:.0f}, the calendar {calendar.jobs_off_easy:.0f}; loads off by {best.load_off_easy:.3f} "
        f"in place of {calendar.load_off_easy:.3f}; the means, which had no say, likelier by "
        f"{', '.join(f'{gain:.0f} ({name})' for name, gain in more.items())}"
    )
    numbers = {"jobs": best.jobs_off_easy, "calendar": calendar.jobs_off_easy, "more": min(more.values())}
    return finding("OWN-09", all(parts), text, numbers)
