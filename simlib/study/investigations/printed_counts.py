"""Which counts of job lines does Table 2 print, where those of the logs are not the same?"""

import pandas as pd

from ..used_shares import SHORT, in_peak, lines_of


def other_counts(logs, printed):
    """Count what bears on the counts of Table 2 that differ, by (trace, count), beside what is printed.

    `quantity` is the row of the table. Those by the clock where all logs have one.
    """
    jobs = lines_of(logs)
    known = jobs.estimate.notna()
    counted = {("lines with an estimate", "total_jobs"): known}
    if all(workload.start is not None for workload in logs.values()):
        clock = pd.concat({name: run_by_local_clock(workload) for name, workload in logs.items()})
        local = in_peak(jobs.assign(used=100 * clock / jobs.estimate))
        counted["100 % peak with run times by the local clock", "peak_100pct"] = local
        counted["killed jobs of this peak", "peak_100pct_killed"] = local & jobs.killed
    short = (jobs.run < SHORT) & ~jobs.killed & known
    counted["under 90 s, not known to be killed, with an estimate", "shorter_than_90s"] = short
    table = pd.DataFrame(counted).rename_axis(columns=["count", "quantity"]).groupby("trace", sort=False).sum()
    table = table.stack(["count", "quantity"], future_stack=True).to_frame("ours")
    places = table.index.droplevel("count").reorder_levels(printed.index.names)
    return table.assign(published=printed.reindex(places).to_numpy()).reset_index("quantity")


def possible(counts, jobs, logs):
    """Work out between which numbers the counts of the complete logs lie, by (trace, quantity): `low` and `high`.

    `counts` gives of jobs a row a trace. Not known are the lines that cleaning removed, any of which may count; the
    status of restored jobs, any of which may have been killed; and their run time where it was cut at the estimate:
    each may lie beyond the peak.
    """
    removed = pd.Series({name: trace.lines_missing for name, trace in logs.traces.items()})
    low, high = counts(jobs), counts(jobs).add(removed, axis=0)
    maybe_killed = counts(jobs.assign(killed=jobs.unknown))
    for row in high.columns.intersection(["killed_jobs", "peak_100pct_killed"]):
        high[row] += maybe_killed[row]
    cut = jobs.used.where(jobs.unknown & (jobs.run == jobs.estimate))
    low["peak_100pct"] -= counts(jobs.assign(used=cut))["peak_100pct"]
    return pd.DataFrame({"low": low.stack(), "high": high.stack()})


def run_by_local_clock(workload):
    """Work out run times by local clock readings, which is an hour out for jobs that ran across its change."""
    log = workload.log[workload.log.run >= 0]
    start = workload.start + pd.to_timedelta(log.submit + log.wait, unit="s")
    end = start + pd.to_timedelta(log.run, unit="s")
    return (end.dt.tz_localize(None) - start.dt.tz_localize(None)) // pd.Timedelta(1, "s")


def why_not_met(table, others):
    """Say of each count of Table 2 what may explain that it differs, or why it cannot be counted.

    `table` has by (trace, quantity) what is `published`, `ours`, and from `low` to `high` what the complete log can
    have, `others` the counts of `other_counts`.
    """
    notes = pd.Series("", table.index, dtype=object)
    for (trace, row), counts in table[table.ours.notna() & (table.ours != table.published)].iterrows():
        of = others.loc[[trace]]
        met = of[(of.quantity == row) & (of.ours == of.published)].index.get_level_values("count")
        said = [f"met by: {count}" for count in met]
        if counts.low < counts.high:
            within = "within" if counts.low <= counts.published <= counts.high else "beyond"
            said.append(f"{within} what the complete log can have, {counts.low:,.0f} to {counts.high:,.0f} jobs")
        if row == "zero_length_jobs":
            said.append("not judged: the public log lacks the times of single nodes, see MF-27")
        notes[trace, row] = "; ".join(said)
    return notes


def of_printed_peak(jobs, printed):
    """Hold the killed jobs of the peak at zero against all that are printed: those that a file lacks may be alive."""
    killed = (jobs.killed & (jobs.used < 1)).groupby("trace", sort=False).sum()
    shares = (killed / printed).reindex(["CTC", "SDSC"]).dropna()
    said = ", ".join(f"{trace} {share:.0%}" for trace, share in shares.items())
    return f"those known to be killed, of as many jobs as are printed: {said}" if said else ""
