"""The pictures of Mu'alem & Feitelson's exhibits; each function draws a table, and computes nothing."""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, PercentFormatter

from ...plots import COLOURS, legend, plain_log_axis, scheduler_styles

KIND_COLOURS = [COLOURS[0], COLOURS[5], COLOURS[1], "#B0B0B0"]  # kinds of job in a stack

# in legends
DOT = {"marker": "o", "linestyle": ""}
DOTTED = {"color": "grey", "linestyle": ":"}
PRINTED = DOT | {"color": "grey", "fillstyle": "none"}
INTERVAL = {"color": "grey", "linewidth": 3, "alpha": 0.4}


# Pictures of a comparison


def published_against_ours(table, metrics, schedulers=("easy", "conservative")):
    """All months at a glance: a row of panels a metric, a column a trace; circles published, bars our shaken bands.

    Parameters
    ----------
    table : DataFrame
        By (trace, month), with the columns `<scheduler>_<metric>` and `<scheduler>_<metric>_published`, `_low`,
        `_high`, and `note`, which is not empty where a month cannot match.
    metrics : dict
        Axis label by metric.
    schedulers : sequence of str

    Returns
    -------
    Figure
    """
    traces = list(dict.fromkeys(table.index.get_level_values("trace")))
    widths = [max(len(table.loc[trace]), 5) for trace in traces]
    size = (max(7, 2.5 + 0.14 * sum(widths)), 0.8 + 3.2 * len(metrics))
    figure, axes = plt.subplots(
        len(metrics), len(traces), figsize=size, width_ratios=widths, squeeze=False, sharex="col"
    )
    for column, trace in enumerate(traces):
        months = table.loc[trace]
        x = np.arange(len(months))
        for row, (metric, label) in enumerate(metrics.items()):
            ax = axes[row, column]
            for scheduler, colour, shift in zip(schedulers, COLOURS[:2], (-0.17, 0.17), strict=True):
                key = f"{scheduler}_{metric}"
                ends = months[f"{key}_low"], months[f"{key}_high"]
                ax.vlines(x + shift, *ends, color=colour, linewidth=3.5, alpha=0.45)
                ax.plot(x + shift, months[key], "_", color=colour, markersize=5)
                ax.plot(x + shift, months[f"{key}_published"], "o", color=colour, fillstyle="none", markersize=5)
            plain_log_axis(ax)
            ax.set_xlim(-0.7, len(months) - 0.3)
            for x_noted in x[months.note != ""]:
                ax.axvspan(x_noted - 0.5, x_noted + 0.5, color="#EEEEEE", zorder=0)
            if row == 0:
                ax.set_title(trace)
            if column == 0:
                ax.set_ylabel(label)
        step = 2 if len(months) > 12 else 1
        axes[-1, column].set_xticks(x[::step], [str(month) for month in months.index[::step]], rotation=90)
    bars = scheduler_styles(schedulers, linewidth=3.5, alpha=0.45)
    entries = {f"{name}, 95 % of shaken runs": style for name, style in bars.items()}
    entries |= {"published": PRINTED, "ours, not shaken": PRINTED | {"marker": "_"}}
    if (table.note != "").any():
        entries["jobs missing from the file"] = {"facecolor": "#EEEEEE"}
    legend(figure, entries)
    return figure


def against_estimates(table, metrics, schedulers=("easy", "conservative")):
    """A metric against the quality of estimates: a row of panels a metric, a column a trace.

    Parameters
    ----------
    table : DataFrame
        By (scheduler, metric, trace, estimates), columns `published`, `ours`, `sd`, `variant`.
    metrics : dict
        Axis label by metric.
    schedulers : sequence of str

    Returns
    -------
    Figure
    """
    traces = list(dict.fromkeys(table.index.get_level_values("trace")))
    size = (2.5 + 3.2 * len(traces), 0.8 + 3 * len(metrics))
    figure, axes = plt.subplots(len(metrics), len(traces), figsize=size, squeeze=False, sharex=True)
    for (row, metric), (column, trace) in product(enumerate(metrics), enumerate(traces)):
        ax = axes[row, column]
        for scheduler, colour in zip(schedulers, COLOURS[:2], strict=True):
            part = table.loc[scheduler, metric, trace]
            x = np.arange(len(part))
            # the original estimates, first, stand apart from the series over f
            ax.errorbar(x[:1], part.ours[:1], part.sd[:1], color=colour, marker=".", capsize=2)
            ax.errorbar(x[1:], part.ours[1:], part.sd[1:], color=colour, marker=".", capsize=2)
            ax.plot(x[1:], part.variant[1:], color=colour, linestyle=":", linewidth=1.2)
            ax.plot(x[:1], part.variant[:1], color=colour, marker="x", linestyle="", markersize=5)
            ax.plot(x, part.published, "o", color=colour, fillstyle="none", markersize=7)
        ax.set_title(trace if row == 0 else "")
        ax.set_ylabel(metrics[metric] if column == 0 else "")
        ax.set_xticks(x, [name.replace("original", "orig.").removeprefix("f") for name in part.index])
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 10 else f"{value:g}"))
    for ax in axes[-1]:
        ax.set_xlabel("estimates: original, or uniform in [r, f r] by f")
    entries = scheduler_styles(schedulers, marker=".")
    legend(figure, entries | {"variant": DOTTED | {"marker": "x"}, "published": PRINTED})
    return figure


def differences(table, metrics, bands=("difference_low", "difference_high")):
    """Relative differences with their shaken bands: a panel a metric, a group a trace and scheduler.

    Parameters
    ----------
    table : DataFrame
        By (metric, trace, scheduler, rule), columns `difference_mean`, `difference_published` and the two of `bands`.
    metrics : dict
        Panel title by metric.

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(1, len(metrics), figsize=(5.2 * len(metrics), 4), sharex=True, sharey=True)
    for ax, (metric, title) in zip(axes, metrics.items(), strict=True):
        groups = list(dict.fromkeys((trace, scheduler) for trace, scheduler, _ in table.loc[metric].index))
        ax.axvline(0, color="black", linewidth=0.8)
        for y, (trace, scheduler) in enumerate(groups):
            colour = COLOURS[scheduler != "easy"]
            for rule, shift, marker in (("rule", -0.14, "."), ("variant", 0.14, "x")):
                row = table.loc[metric, trace, scheduler, rule]
                error = [[row.difference_mean - row[bands[0]]], [row[bands[1]] - row.difference_mean]]
                ax.errorbar(row.difference_mean, y + shift, xerr=error, color=colour, marker=marker, capsize=2)
            ax.plot(row.difference_published, y, "o", color=colour, fillstyle="none", markersize=9)
        ax.set_yticks(
            range(len(groups)), [f"{trace} {scheduler}".replace("easy", "EASY") for trace, scheduler in groups]
        )
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        ax.set(title=title, xlabel="change when estimates are doubled")
    axes[0].invert_yaxis()
    rules = {name: {"color": "grey", "marker": marker} for name, marker in (("rule followed", "."), ("variant", "x"))}
    legend(figure, rules | {"published": PRINTED})
    return figure


def backfilled_amounts(table, schedulers=("easy", "conservative")):
    """Shares of jobs backfilled by workload, and the difference between the schedulers; bars: 95 % of shaken runs.

    Parameters
    ----------
    table : DataFrame
        By workload and rule ("followed", drawn full, and "variant", hollow), with the columns `<scheduler>` and
        `relative` (the schedulers' relative difference), each with `_low` and `_high`.
    schedulers : sequence of str

    Returns
    -------
    Figure
    """
    names = list(table.index.unique("workload"))
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 1.8 + 0.6 * len(names)), sharey=True)
    y = np.arange(len(names))
    marks = [(left, schedulers[0], COLOURS[0], -0.25), (left, schedulers[1], COLOURS[1], 0.1)]
    for (rule, fill), (ax, key, colour, shift) in product(
        (("followed", "full"), ("variant", "none")), [*marks, (right, "relative", "#444444", -0.1)]
    ):
        row = table.xs(rule, level="rule").loc[names]
        place = y + shift + (0 if fill == "full" else 0.14)
        ax.hlines(place, row[f"{key}_low"], row[f"{key}_high"], color=colour, linewidth=3, alpha=0.4)
        ax.plot(row[key], place, "o", color=colour, markersize=5, fillstyle=fill)
    left.set(yticks=y, yticklabels=names, ylim=(len(names) - 0.4, -0.6))
    left.set(xlabel="share of jobs backfilled", xlim=(0, None))
    left.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    right.axvline(0, color="black", linewidth=1)
    right.set_xlabel("conservative's share against EASY's")
    _in_whole_per_cents(right.xaxis)
    for ax in (left, right):
        ax.grid(axis="y", visible=False)
    entries = scheduler_styles(schedulers, **DOT) | {"variants": {"color": "grey", "fillstyle": "none"} | DOT}
    legend(figure, entries | {"95 % of shaken runs": INTERVAL})
    return figure


def backfilled_by_size(table, schedulers=("easy", "conservative")):
    """Shares of jobs backfilled by size class: a column a workload, the schedulers above, their difference below.

    Parameters
    ----------
    table : DataFrame
        By workload, rule ("followed", drawn solid with a band that holds 95 % of shaken runs, and "variant", dotted)
        and size class, with the columns `jobs`, and `<scheduler>` and `difference`, each with `_low` and `_high`.
    schedulers : sequence of str

    Returns
    -------
    Figure
    """
    names = list(table.index.unique("workload"))
    widths = [2 + len(table.loc[name].index.unique("size_class")) for name in names]
    size = (max(6, 1.2 + 0.24 * sum(widths)), 5.6)
    figure, axes = plt.subplots(
        2, len(names), figsize=size, sharex="col", sharey="row", squeeze=False, width_ratios=widths
    )
    curves = [(0, schedulers[0], COLOURS[0]), (0, schedulers[1], COLOURS[1]), (1, "difference", "#444444")]
    for column, name in enumerate(names):
        for rule, (row, key, colour) in product(("followed", "variant"), curves):
            values, ax = table.xs(name, level="workload").xs(rule, level="rule"), axes[row, column]
            x = np.arange(len(values))
            if rule == "followed":
                ax.fill_between(x, values[f"{key}_low"], values[f"{key}_high"], color=colour, alpha=0.25, linewidth=0)
            ax.plot(x, values[key], "o-" if rule == "followed" else ":", color=colour, markersize=3)
            axes[1, column].set_xticks(x, values.index, rotation=90)
        axes[0, column].set_title(name)
        axes[1, column].axhline(0, color="black", linewidth=1)
    axes[0, 0].set(ylabel="share of jobs backfilled", ylim=(0, 1))
    axes[1, 0].set_ylabel("conservative \N{MINUS SIGN} EASY\n[percentage points]")
    axes[0, 0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes[1, 0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+.0f}" if value else "0"))
    figure.supxlabel("job size [processors]", size=10)
    entries = scheduler_styles(schedulers, marker="o", markersize=3) | {"variants": DOTTED}
    legend(figure, entries | {"95 % of shaken runs": {"facecolor": "grey", "alpha": 0.25}})
    return figure


def backfilled_by_load(tables, labels, schedulers=("easy", "conservative")):
    """What the schedulers backfill of models by load: a row a quantity, a column a model; bands: intervals.

    Parameters
    ----------
    tables : dict of DataFrame
        By quantity; each by model and load, with the columns `<scheduler>`, `<scheduler>_low` and `<scheduler>_high`.
    labels : dict
        Axis label by quantity.
    schedulers : sequence of str

    Returns
    -------
    Figure
    """
    models = list(next(iter(tables.values())).index.unique("model"))
    size = (1.2 + 3.4 * len(models), 0.8 + 2.6 * len(tables))
    figure, axes = plt.subplots(len(tables), len(models), figsize=size, sharex=True, sharey="row", squeeze=False)
    for (row, (quantity, table)), (column, model) in product(enumerate(tables.items()), enumerate(models)):
        ax, values = axes[row, column], table.loc[model]
        for scheduler, colour in zip(schedulers, COLOURS, strict=False):
            low, high = values[f"{scheduler}_low"], values[f"{scheduler}_high"]
            ax.fill_between(values.index, low, high, color=colour, alpha=0.25, linewidth=0)
            ax.plot(values.index, values[scheduler], "o-", color=colour, markersize=3)
        ax.set_title(model if row == 0 else "")
        ax.set_ylabel(labels[quantity] if column == 0 else "")
    for ax in axes[-1]:
        ax.set_xlabel("offered load")
    axes[0, 0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    legend(figure, scheduler_styles(schedulers, marker="o", markersize=3))
    return figure


def _subs(ratio):
    """Which multiples of ten to the n to write on a logarithmic axis, by the ratio of its ends."""
    return (1, 3) if ratio > 60 else (1, 2, 5) if ratio > 8 else (1, 1.5, 2, 3, 4, 6, 8)


def means_and_medians(table, quantities, highlighted=()):
    """Mean and median of some quantities by workload, with their intervals; a panel a quantity, logarithmic axes.

    Parameters
    ----------
    table : DataFrame
        By workload, with the columns `<quantity>_mean` and `<quantity>_median`, each with `_low` and `_high`.
    quantities : dict
        Axis label by quantity.
    highlighted : sequence of str
        Workloads whose names are set bold.

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(
        1, len(quantities), figsize=(1 + 3.4 * len(quantities), 1.8 + 0.45 * len(table)), sharey=True, squeeze=False
    )
    y = np.arange(len(table))
    for ax, (quantity, label) in zip(axes[0], quantities.items(), strict=True):
        for statistic, colour, shift in (("mean", COLOURS[0], -0.12), ("median", COLOURS[1], 0.12)):
            key = f"{quantity}_{statistic}"
            ax.hlines(y + shift, table[f"{key}_low"], table[f"{key}_high"], color=colour, linewidth=3, alpha=0.4)
            ax.plot(table[key], y + shift, "o", color=colour, markersize=5)
        ax.set(xscale="log", xlabel=label)
        low, high = ax.get_xlim()
        ax.xaxis.set_major_locator(LogLocator(subs=_subs(high / low)))
        ax.xaxis.set_minor_formatter(NullFormatter())
        number = FuncFormatter(lambda value, _: f"{value:,.0f}")
        share = table[f"{quantity}_mean"].max() <= 1
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=1) if share else number)
        ax.grid(axis="y", visible=False)
    axes[0, 0].set_yticks(y, table.index)
    axes[0, 0].set_ylim(len(table) - 0.5, -0.5)
    for text in axes[0, 0].get_yticklabels():
        text.set_weight("bold" if text.get_text() in highlighted else "normal")
    dots = {name: {"color": colour} | DOT for name, colour in zip(("mean", "median"), COLOURS, strict=False)}
    legend(figure, dots | {"95 % interval": INTERVAL})
    return figure


def used_share(histogram, pairs, limit, highest=4):
    """How much of their estimates jobs used: a row a group, its histogram and the run times against the estimates.

    Parameters
    ----------
    histogram : DataFrame
        By (group, percent), the columns kinds of job, in per cent of the group's jobs; the last bin holds all above.
    pairs : dict
        By group a DataFrame with the columns `estimate`, `run` (seconds) and `kind`.
    limit : int
        Seconds up to which estimates are shown.
    highest : float
        Per cent of the jobs at which bars are cut; what those had is written beside them.

    Returns
    -------
    Figure
    """
    groups = list(dict.fromkeys(histogram.index.get_level_values(0)))
    colours = dict(zip(histogram.columns, KIND_COLOURS, strict=False))
    unit, seconds = ("h", 3600) if limit > 4 * 3600 else ("min", 60)
    size = (10.5, 0.9 + 2.7 * len(groups))
    figure, axes = plt.subplots(len(groups), 2, figsize=size, width_ratios=(1.6, 1), squeeze=False, sharex="col")
    for (left, right), group in zip(axes, groups, strict=True):
        bins = histogram.loc[group]
        top = bins.index.max()
        bottom = np.zeros(len(bins))
        for kind, colour in colours.items():
            left.bar(bins.index, bins[kind], 1, bottom, align="edge", color=colour, label=kind)
            bottom = bottom + bins[kind].to_numpy()
        for percent in bins.index[bottom > highest]:
            x, shift, side = (percent, -3, "right") if percent > 0.9 * top else (percent + 1, 8, "left")
            place = {"xytext": (shift, -9), "textcoords": "offset points", "ha": side, "size": 8}
            left.annotate(f"{bins.loc[percent].sum():.1f} %", (x, highest), **place)
        left.set(ylim=(0, highest), xlim=(0, top + 1), ylabel="jobs [%]")
        left.set_title(group)
        shown = pairs[group][pairs[group].estimate <= limit]
        for kind, colour in list(colours.items())[::-1]:
            part = shown[shown.kind == kind]
            dots = {"s": 2, "alpha": 0.25, "linewidths": 0, "color": colour, "rasterized": True}
            right.scatter(part.estimate / seconds, part.run / seconds, **dots)
        right.set(xlim=(0, 1.02 * limit / seconds), ylim=(0, 1.15 * limit / seconds), ylabel=f"run time [{unit}]")
        right.xaxis.set_major_locator(MaxNLocator(6, steps=(1, 2, 3, 6, 10)))
        right.yaxis.set_major_locator(MaxNLocator(6, steps=(1, 2, 3, 6, 10)))
    left.set_xlabel(f"run time / estimate [%]; last bin: {top} % and above")
    right.set_xlabel(f"estimate [{unit}]")
    there = {kind: {"facecolor": colour} for kind, colour in colours.items() if histogram[kind].any()}
    legend(figure, there, "outside upper right")
    return figure


def counts_against_published(table, names):
    """Counts relative to the printed ones: a column a trace, a line a count; bars are what the complete log can have.

    Parameters
    ----------
    table : DataFrame
        By (trace, count), columns `published`, `ours`, `low`, `high`.
    names : dict
        Label by count, in order; counts that are not named are left out.

    Returns
    -------
    Figure
    """
    traces = list(dict.fromkeys(table.index.get_level_values("trace")))
    size = (max(7, 2.5 + 2.6 * len(traces)), 1.2 + 0.32 * len(names))
    figure, axes = plt.subplots(1, len(traces), figsize=size, squeeze=False, sharex=True, sharey=True)
    y = np.arange(len(names))
    for ax, trace in zip(axes[0], traces, strict=True):
        counts = table.loc[trace].reindex(list(names))
        ours, low, high = (100 * (counts[of] / counts.published - 1) for of in ("ours", "low", "high"))
        bars = ax.hlines(y, low, high, color=COLOURS[5], linewidth=5, label="possible for the complete log")
        exact = counts.ours == counts.published
        dots = ax.plot(ours[~exact], y[~exact], "o", color=COLOURS[0], fillstyle="none", label="ours")[0]
        same = ax.plot(ours[exact], y[exact], "o", color=COLOURS[0], label="ours, exact")[0]
        ax.axvline(0, color="black", linewidth=1)
        ax.set(xlim=(-30, 30), ylim=(len(names) - 0.5, -0.5), xlabel="off the printed count [%]")
        ax.set_title(trace)
    axes[0, 0].set_yticks(y, list(names.values()))
    figure.legend(handles=[same, dots, bars], loc="outside upper right", ncols=3)
    return figure


def quartiles_by_value(table):
    """Which share of popular estimates was used: median and middle half, a panel a trace, beside an even spread.

    Parameters
    ----------
    table : DataFrame
        By (trace, minutes), columns `q25`, `q50`, `q75` in per cent.

    Returns
    -------
    Figure
    """
    traces = list(dict.fromkeys(table.index.get_level_values("trace")))
    size = (max(7, 1.5 + 3.2 * len(traces)), 3.2)
    figure, axes = plt.subplots(1, len(traces), figsize=size, squeeze=False, sharey=True)
    for ax, trace in zip(axes[0], traces, strict=True):
        values = table.loc[trace]
        x = np.arange(len(values))
        even = ax.axhspan(25, 75, color="#EEEEEE", zorder=0, label="middle half, if spread evenly")
        middle = ax.vlines(x, values.q25, values.q75, color=COLOURS[0], linewidth=4, alpha=0.5, label="middle half")
        median = ax.plot(x, values.q50, "o", color=COLOURS[0], markersize=5, label="median")[0]
        ax.set_xticks(x, [f"{minutes:g}" for minutes in values.index])
        ax.set(xlabel="estimate [min]", ylim=(0, 100))
        ax.set_title(trace)
        ax.grid(False, axis="x")
    axes[0, 0].set_ylabel("run time / estimate [%]")
    figure.legend(handles=[median, middle, even], loc="outside upper right", ncols=3)
    return figure


def modelled_histograms(table, log, model, others=(), highest=4):
    """A model's histogram on that of the logs, and below it both as cumulative distributions; a column a trace.

    Parameters
    ----------
    table : DataFrame
        By (trace, percent), columns in per cent of the jobs; the last bin holds all above.
    log, model : str
        Columns.
    others : dict
        Label by column of further models, for the cumulative distributions.
    highest : float
        Per cent of the jobs at which the histograms are cut; what the bins cut had together is written beside them.

    Returns
    -------
    Figure
    """
    traces = list(dict.fromkeys(table.index.get_level_values("trace")))
    size = (max(9, 1.5 + 3.6 * len(traces)), 5.8)
    figure, axes = plt.subplots(2, len(traces), figsize=size, squeeze=False, sharex=True, sharey="row")
    styles = dict(zip(others, (":", "--", "-.", (0, (5, 1))), strict=False))
    for (upper, lower), trace in zip(axes.T, traces, strict=True):
        bins = table.loc[trace]
        edges = np.append(bins.index, bins.index.max() + 1)
        upper.stairs(bins[log], edges, fill=True, color="#B0B0B0")
        upper.stairs(bins[model], edges, color=COLOURS[0], linewidth=1.2)
        for column, colour, y in ((log, "#606060", -9), (model, COLOURS[0], -20)):
            cut = bins[column][bins[column] > highest]
            for part, x, side in ((cut[cut.index < 50], 4, "left"), (cut[cut.index >= 50], 98, "right")):
                style = {"textcoords": "offset points", "ha": side, "color": colour, "size": 8}
                upper.annotate(f"{part.sum():.1f} %" if len(part) else "", (x, highest), (0, y), **style)
        for column, style in styles.items():
            lower.plot(edges[1:], bins[column].cumsum(), color=COLOURS[4], linestyle=style, linewidth=1)
        lower.plot(edges[1:], bins[log].cumsum(), color="#808080", linewidth=2.5)
        lower.plot(edges[1:], bins[model].cumsum(), color=COLOURS[0], linewidth=1.2)
        upper.set(ylim=(0, highest), xlim=(0, edges[-1]))
        upper.set_title(trace)
        lower.set(xlabel="run time / estimate [%]", ylim=(0, 100))
    axes[0, 0].set_ylabel("jobs [%]")
    axes[1, 0].set_ylabel("jobs up to here [%]")
    entries = {log: {"color": "#808080", "linewidth": 2.5}, model: {"color": COLOURS[0]}}
    entries |= {others[column]: {"color": COLOURS[4], "linestyle": style} for column, style in styles.items()}
    legend(figure, entries, "outside upper right")
    return figure


def by_estimates(table, metrics, names, schedulers=("easy", "conservative")):
    """Results under different kinds of estimates: a row of panels a metric, a column a trace or other case.

    Parameters
    ----------
    table : DataFrame
        By (scheduler, metric, trace or other case, estimates), columns `ours`, `sd`, `variant`, `variant_sd`.
    metrics, names : dict
        Axis label by metric; label by estimates.
    schedulers : sequence of str

    Returns
    -------
    Figure
    """
    cases = list(dict.fromkeys(table.index.get_level_values(2)))
    size = (2.5 + 3.2 * len(cases), 0.8 + 3 * len(metrics))
    figure, axes = plt.subplots(len(metrics), len(cases), figsize=size, squeeze=False, sharex=True)
    for (row, metric), (column, case) in product(enumerate(metrics), enumerate(cases)):
        ax = axes[row, column]
        for scheduler, colour, shift in zip(schedulers, COLOURS[:2], (-0.2, 0.1), strict=True):
            part = table.xs((scheduler, metric, case), level=(0, 1, 2)).reindex(list(names))
            x = np.arange(len(part)) + shift
            style = {"color": colour, "linestyle": "", "capsize": 2}
            ax.errorbar(x, part.ours, part.sd, marker="o", markersize=4, **style)
            ax.errorbar(x + 0.1, part.variant, part.variant_sd, marker="o", markersize=5, fillstyle="none", **style)
        ax.set_title(case if row == 0 else "")
        ax.set_ylabel(metrics[metric] if column == 0 else "")
        ax.set_xticks(range(len(names)), list(names.values()))
        ax.set_xlim(-0.5, len(names) - 0.5)
        ax.grid(False, axis="x")
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 10 else f"{value:g}"))
    entries = scheduler_styles(schedulers, **DOT) | {"variant": {"color": "grey", "fillstyle": "none"} | DOT}
    legend(figure, entries, "outside upper right")
    return figure


# Results against load

LOAD_MARKERS = [{"marker": marker, "linestyle": line} for marker, line in (("o", "-"), ("s", "--"), ("^", ":"))]
DIFFERENCE_COLOURS = [*COLOURS[2:6], "#808080", "#8C510A", COLOURS[6]]
HOLLOW = {"color": "grey", "marker": "o", "linestyle": "", "markerfacecolor": "white"}


def against_load(points, metrics, groups=None, value="mean", schedulers=("easy", "conservative")):
    """Means against load with their confidence intervals: metrics side by side, or of several groups one a column.

    Parameters
    ----------
    points : DataFrame
        By (workload, load, scheduler, metric), columns `low`, `high` and that of the value; and `ceiling`, where the
        dot is hollow and the axis does not reach up for it.
    metrics : dict
        Axis label by metric.
    groups : list of list of str
        Which workloads share a column; by default there is one group of all.
    value : str
        The column that is drawn.
    schedulers : sequence of str

    Returns
    -------
    Figure
    """
    groups = groups or [list(points.index.unique("workload"))]
    several = len(groups) > 1
    shape, size = ((len(metrics), len(groups)), (0.8 + 2.5 * len(groups), 0.9 + 2.9 * len(metrics)))
    shape, size = (shape, size) if several else (shape[::-1], (5.2 * len(metrics), 4.0))
    figure, axes = plt.subplots(*shape, figsize=size, squeeze=False, sharex=True, sharey="row" if several else False)
    axes = axes if several else axes.T
    colours = dict(zip(schedulers, COLOURS, strict=False))
    markers = {name: style for group in groups for name, style in zip(group, LOAD_MARKERS, strict=False)}
    for (row, (metric, label)), (column, group) in product(enumerate(metrics.items()), enumerate(groups)):
        _panel(axes[row, column], points.xs(metric, level="metric").loc[group], value, colours, markers)
        axes[row, column].set_title(", ".join(group) if several and row == 0 else "")
        axes[row, column].set_ylabel(label if column == 0 else "")
    shown = points[~points.ceiling].high.groupby("metric").max()
    for row, metric in enumerate(metrics):
        axes[row, 0].set_ylim(0, 1.5 * shown[metric] if metric in shown else None)
    for ax in axes[-1] if several else axes[:, 0]:
        ax.set_xlabel("load")
    entries = scheduler_styles(schedulers)
    if not several:
        entries |= {name: {"color": "grey"} | style for name, style in markers.items()}
    legend(figure, entries | ({"stopped: too high": HOLLOW} if points.ceiling.any() else {}))
    return figure


def _panel(ax, points, value, colours, markers):
    """One metric of some workloads against load, a line each of these and each scheduler."""
    shifts = dict(zip(colours, (-0.0015, 0.0015), strict=True))  # so that equal intervals stay apart
    for workload, scheduler in product(points.index.unique("workload"), colours):
        part = points.xs((workload, scheduler), level=("workload", "scheduler"))
        style = {"color": colours[scheduler], **markers[workload]}
        _with_intervals(ax, part.index + shifts[scheduler], part, part[value], style)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def _with_intervals(ax, x, part, values, style):
    """A line with its intervals, dots hollow where the ceiling stopped the simulation."""
    error = [values - part.low, part.high - values]
    ax.errorbar(x, values, error, markersize=4, linewidth=1.3, elinewidth=0.9, capsize=2, **style)
    over = {"markersize": 4, "linestyle": "", "markerfacecolor": "white", "zorder": 3}
    ax.plot(x[part.ceiling], values[part.ceiling], **style | over)


def differences_by_load(differences, metrics, names=None):
    """How much more conservative has than EASY, by load, with intervals: a panel a metric, a line a workload.

    Parameters
    ----------
    differences : DataFrame
        By (workload, load, rule, metric), columns `relative`, `low`, `high` and `ceiling`, where dots are hollow; the
        rule "followed" is drawn solid, "variant" dotted and without intervals.
    metrics : dict
        Panel title by metric.
    names : list of str
        The workloads to draw, by default all; each has its colour in any picture of the same table.

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(1, len(metrics), figsize=(5.2 * len(metrics), 4.2))
    colours = dict(zip(differences.index.unique("workload"), DIFFERENCE_COLOURS, strict=False))
    names = names or list(colours)
    for ax, (metric, title) in zip(axes, metrics.items(), strict=True):
        ax.axhline(0, color="black", linewidth=1)
        for name in names:
            by_rule = differences.xs((name, metric), level=("workload", "metric"))
            part, other = (by_rule.xs(rule, level="rule") for rule in ("followed", "variant"))
            style = {"color": colours[name], "marker": "o"}
            _with_intervals(ax, part.index, part, part.relative, style)
            ax.plot(other.index, other.relative, ":", color=colours[name], linewidth=1.2)
        _in_whole_per_cents(ax.yaxis)
        ax.set(title=title, xlabel="load")
    axes[0].set_ylabel("conservative's mean against EASY's")
    entries = {name: {"color": colours[name], "marker": "o", "markersize": 4} for name in names} | {"variant": DOTTED}
    legend(figure, entries | ({"stopped: too high": HOLLOW} if differences.loc[names].ceiling.any() else {}))
    return figure


def _in_whole_per_cents(axis):
    """Label an axis of relative differences; nought is "equal"."""
    axis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10]))  # no steps of 2.5, which labels would round
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+.0f}%" if value else "equal"))
