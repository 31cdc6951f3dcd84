"""Pictures of a table by named levels: panels for two of them, colours and lines for others."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from .panels import refuse_unknown
from .style import COLOURS

_Table = TypeVar("_Table", bound=pd.DataFrame | pd.Series)

_KNOWN = {"EASY": 0, "easy": 0, "conservative": 1}
"""Policies whose colour is the same in every picture: places in the palette."""

WIDEST = 7.2
"""No figure is wider, in inches: both columns of a paper, or of a page."""

_LINES, _MARKERS = ("-", ":", "--", "-."), (".", "x", "^", "s", "D", "v")


def facets(
    table: pd.DataFrame | pd.Series,
    row: str | None = None,
    column: str | None = None,
    *,
    size: tuple[float, float] = (3.2, 3.0),
    labels: Mapping[Any, str] | None = None,
    widths: Sequence[float] | None = None,
    **options: Any,
) -> Iterator[tuple[Axes, Any]]:
    """Make a figure with a panel for each value of one or two levels of a table, and go through the panels.

    The columns have titles and the rows y labels. A panel whose part of the table is empty is left blank.

    Parameters
    ----------
    table : DataFrame or Series
    row, column : str, optional
        Levels of its index; by default there is one row, or one column.
    size : (float, float)
        Width and height of a panel, in inches. The figure is at most 7.2 inches wide, both columns of a paper.
    labels : dict
        Texts that replace values in titles and labels.
    widths : sequence of float
        Ratios of the columns' widths.
    **options
        Options of `matplotlib.pyplot.subplots`, such as `sharey`.

    Yields
    ------
    ax : Axes
    part : DataFrame or Series
        The panel's rows, without these levels. `ax.figure` is the figure. If it is drawn by `curves` or the like, pass
        them the table as `whole`, so that colours, lines and entries of the legend are the same in all panels.

    Examples
    --------
    >>> index = pd.MultiIndex.from_product([["KTH", "CTC"], ["EASY", "FCFS"]], names=["log", "policy"])
    >>> for ax, part in facets(pd.Series([1, 2, 3, 4], index), column="log"):
    ...     bars = ax.bar(part.index, part)
    >>> [ax.get_title() for ax in ax.figure.axes]
    ['KTH', 'CTC']
    >>> plt.close(ax.figure)
    """
    refuse_unknown(table, row, column)
    if row is not None and row == column:
        raise ValueError(f"facets: found {row!r} as row and as column, expected two levels")
    rows = [None] if row is None else list(table.index.unique(row))
    columns = [None] if column is None else list(table.index.unique(column))
    figsize = (min(max(0.9 + size[0] * len(columns), 3.5), WIDEST), 0.9 + size[1] * len(rows))
    settings: dict[str, Any] = {"figsize": figsize, "squeeze": False, "width_ratios": widths} | options
    _, axes = plt.subplots(len(rows), len(columns), **settings)
    said = {} if labels is None else labels
    for axes_of_row, of_row in zip(axes, rows, strict=True):
        for ax, of_column in zip(axes_of_row, columns, strict=True):
            part = _of(table, {row: of_row, column: of_column})
            for level in (level for level in (row, column) if level is not None and part.index.nlevels > 1):
                part = part.droplevel(level)
            if of_row == rows[0] and column is not None:
                ax.set_title(said.get(of_column, str(of_column)))
            if of_column == columns[0] and row is not None:
                ax.set_ylabel(said.get(of_row, str(of_row)))
            if len(part):
                yield ax, part
            else:
                ax.set_axis_off()


def colours(names: Iterable[Any]) -> dict[Any, str]:
    """Choose a colour for each name: EASY and conservative backfilling always have the same, others the remaining ones.

    Examples
    --------
    >>> colours(["SJF", "EASY"])
    {'SJF': '#009E73', 'EASY': '#0072B2'}
    """
    names = list(dict.fromkeys(names))
    left = [colour for place, colour in enumerate(COLOURS) if place not in _KNOWN.values()]
    others = iter(left * (1 + len(names) // len(left)))
    return {name: COLOURS[_KNOWN[name]] if name in _KNOWN else next(others) for name in names}


def curves(
    ax: Axes,
    table: pd.DataFrame,
    x: str,
    colour: str,
    line: str | None = None,
    *,
    whole: pd.DataFrame | None = None,
    value: str = "ours",
    bars: str | tuple[str, str] | None = None,
    shift: float = 0.0,
    line_shift: float = 0.0,
    joined: bool = True,
) -> dict[str, dict[str, Any]]:
    """Draw a column of a table against a level of its index, with a colour for each value of a second level.

    Parameters
    ----------
    ax : Axes
    table : DataFrame
    x, colour : str
        Levels of its index. Values of x that are no numbers are categories, in the order of the table.
    line : str, optional
        A third level, whose values have different lines and marks. Its first value has bars; all have if they lie
        apart.
    whole : DataFrame, optional
        The table whose part this is, in one of several panels: its names have colours, lines, places on the x axis and
        entries in the legend, so that these are the same in all panels. Of a level that it lacks, the part's own have:
        drop x from it where each panel has its own names there.
    value : str
        The column that is drawn.
    bars : str or (str, str), optional
        A column with a deviation, or two columns with the ends of an interval.
    shift, line_shift : float
        The distances between points of neighbouring colours, and of neighbouring lines.
    joined : bool
        Whether points are joined by lines.

    Returns
    -------
    dict
        Entries for `legend`: the colours, and if there are several the lines.

    Examples
    --------
    >>> index = pd.MultiIndex.from_product([["EASY", "FCFS"], [1, 2]], names=["policy", "f"])
    >>> ax = plt.figure().add_subplot()
    >>> list(curves(ax, pd.DataFrame({"ours": [3, 2, 5, 5]}, index), "f", "policy"))
    ['EASY', 'FCFS']
    >>> plt.close(ax.figure)
    """
    refuse_unknown(table, x, colour, line)
    places, numbers = _places(table, x, whole)
    names, lines = colours(_names(table, colour, whole)), _lines(table, line, whole)
    for part, shade, number, aside in _parts(table, (colour, names, shift), (line, lines, line_shift)):
        values = part.index.get_level_values(x)
        at = np.array(values if numbers else [places.index(value) for value in values], float) + aside
        style: dict[str, Any] = {"color": shade, "marker": _MARKERS[number % len(_MARKERS)]}
        style["linestyle"] = _LINES[number % len(_LINES)] if joined else ""
        barred = number == 0 or line_shift
        if barred and isinstance(bars, str):
            ax.errorbar(at, part[value], part[bars], capsize=2, **style)
            continue
        if barred and bars is not None:
            ax.vlines(at, part[bars[0]], part[bars[1]], color=shade, linewidth=3, alpha=0.4)
        ax.plot(at, part[value], markersize=5, linewidth=1.2, **style)
    if not numbers:
        ax.set_xticks(range(len(places)), [str(place) for place in places])
    return _entries(names, lines, joined)


def intervals(
    ax: Axes,
    table: pd.DataFrame,
    rows: Sequence[str],
    colour: str,
    line: str | None = None,
    *,
    whole: pd.DataFrame | None = None,
    value: str = "mean",
    ends: tuple[str, str] = ("low", "high"),
    printed: str = "published",
    shift: float = 0.0,
) -> dict[str, dict[str, Any]]:
    """Draw a number with its interval in one row for each combination of some levels.

    Parameters
    ----------
    ax : Axes
    table : DataFrame
    rows : sequence of str
        Levels of its index that define a row.
    colour : str
        The level that chooses the colour.
    line : str, optional
        A level whose values have different marks, slightly apart.
    whole : DataFrame, optional
        The table whose part this is, see `curves`.
    value, ends, printed : str
        The columns of the number, of the ends of its interval, and of the printed number, which is a hollow circle;
        this column may be absent.
    shift : float
        The distance of neighbouring colours, if several are in one row.

    Returns
    -------
    dict
        Entries for `legend`.

    Examples
    --------
    >>> index = pd.MultiIndex.from_product([["KTH", "CTC"], ["EASY", "FCFS"]], names=["log", "policy"])
    >>> ax = plt.figure().add_subplot()
    >>> table = pd.DataFrame({"mean": [3, 2, 5, 5], "low": 1, "high": 6}, index)
    >>> list(intervals(ax, table, ["log", "policy"], "policy"))
    ['EASY', 'FCFS']
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['KTH EASY', 'KTH FCFS', 'CTC EASY', 'CTC FCFS']
    >>> plt.close(ax.figure)
    """
    refuse_unknown(table, *rows, colour, line)
    others = [level for level in table.index.names if level not in rows]
    places = list((table.droplevel(others) if others else table).index.unique())
    names, lines = colours(_names(table, colour, whole)), _lines(table, line, whole)
    for part, shade, number, aside in _parts(table, (colour, names, shift), (line, lines, 0.2)):
        rows_of = [places.index(place) for place in (part.droplevel(others) if others else part).index]
        at = np.array(rows_of, float) + aside
        ax.hlines(at, part[ends[0]], part[ends[1]], color=shade, linewidth=1.5)
        ax.plot(part[value], at, color=shade, marker=_MARKERS[number % len(_MARKERS)], linestyle="", markersize=6)
        if printed in part and part[printed].notna().any():
            look: dict[str, Any] = {"color": "black" if shift else shade, "fillstyle": "none", "markersize": 8}
            ax.plot(part[printed], rows_of, "o", **look)
    words = [place if isinstance(place, tuple) else (place,) for place in places]
    ax.set_yticks(range(len(places)), [" ".join("EASY" if w == "easy" else str(w) for w in place) for place in words])
    ax.set_ylim(len(places) - 0.5, -0.5)
    return _entries(names, lines, joined=False) | ({printed: _PRINTED} if _is_known(printed, table, whole) else {})


def stacked(
    ax: Axes,
    table: pd.DataFrame,
    x: str,
    colours: Mapping[str, str],
    line: str | None = None,
    *,
    whole: pd.DataFrame | None = None,
) -> dict[str, dict[str, Any]]:
    """Draw columns of a table as stacked bars, the first column at the bottom, for each value of a level.

    Parameters
    ----------
    ax : Axes
    table : DataFrame
    x : str
        The level of its index on the x axis, in the order of the table.
    colours : dict
        By column.
    line : str, optional
        A level whose values have bars side by side; all but the first are light.
    whole : DataFrame, optional
        The table whose part this is, see `curves`.

    Returns
    -------
    dict
        Entries for `legend`.

    Examples
    --------
    >>> table = pd.DataFrame({"late": [1, 2], "early": [3, 2]}, pd.Index(["KTH", "CTC"], name="log"))
    >>> ax = plt.figure().add_subplot()
    >>> list(stacked(ax, table, "log", {"late": "red", "early": "green"}))
    ['late', 'early']
    >>> plt.close(ax.figure)
    """
    refuse_unknown(table, x, line)
    places, lines = _names(table, x, whole), _lines(table, line, whole)
    width = 0.8 / len(lines)
    for number, of_line in enumerate(lines):
        part, alpha = _of(table, {line: of_line}), 0.5 if number else 1.0
        at = number * width + np.array([places.index(place) for place in part.index.get_level_values(x)], float)
        bottom = np.zeros(len(part))
        for column, colour in colours.items():
            ax.bar(at, part[column], 0.95 * width, bottom, color=colour, alpha=alpha)
            bottom = bottom + part[column].to_numpy(float)
    ax.set_xticks(range(len(places)), [str(place) for place in places])
    entries: dict[str, dict[str, Any]] = {column: {"facecolor": colour} for column, colour in colours.items()}
    return entries | {f"light: {name}": {"facecolor": "grey", "alpha": 0.5} for name in lines[1:]}


_PRINTED: dict[str, Any] = {"color": "grey", "marker": "o", "linestyle": "", "fillstyle": "none"}
"""In legends, what is printed."""


def _names(table: pd.DataFrame, level: str, whole: pd.DataFrame | None) -> list[Any]:
    """The names of a level, in all panels where the whole table has it."""
    named = table if whole is None or level not in whole.index.names else whole
    return list(named.index.unique(level))


def _lines(table: pd.DataFrame, level: str | None, whole: pd.DataFrame | None) -> list[Any]:
    """The names of the level of lines; one None if there is none."""
    return [None] if level is None else _names(table, level, whole)


def _is_known(column: str, table: pd.DataFrame, whole: pd.DataFrame | None) -> bool:
    """Whether a column has a number, in any panel."""
    table = table if whole is None else whole
    return column in table and bool(table[column].notna().any())


def _of(table: _Table, names: Mapping[str | None, Any]) -> _Table:
    """The rows of these names by level."""
    keep = np.ones(len(table), bool)
    for level, name in names.items():
        keep &= True if level is None else table.index.get_level_values(level) == name
    return table[keep]  # type: ignore[return-value]


def _parts(
    table: pd.DataFrame, colour: tuple[str, Mapping[Any, str], float], line: tuple[str | None, Sequence[Any], float]
) -> Iterator[tuple[pd.DataFrame, str, int, float]]:
    """Iterate over the rows of each colour and line, with the colour, the line's number, and the sideways shift."""
    (level, names, shift), (of_lines, lines, line_shift) = colour, line
    for order, (name, shade) in enumerate(names.items()):
        for number, of_line in enumerate(lines):
            aside = shift * (order - (len(names) - 1) / 2) + line_shift * (number - (len(lines) - 1) / 2)
            yield _of(table, {level: name, of_lines: of_line}), shade, number, aside


def _places(table: pd.DataFrame, x: str, whole: pd.DataFrame | None) -> tuple[list[Any], bool]:
    """The values on an x axis, and whether they are numbers."""
    places = _names(table, x, whole)
    return places, all(isinstance(place, int | float | np.number) for place in places)


def _entries(names: Mapping[Any, str], lines: Sequence[Any], joined: bool) -> dict[str, dict[str, Any]]:
    """Entries of a legend: the colours, and if there are several the lines."""
    style = {"marker": "."} | ({} if joined else {"linestyle": ""})
    entries = {"EASY" if name == "easy" else str(name): {"color": shade} | style for name, shade in names.items()}
    for number, line in enumerate(lines if len(lines) > 1 else []):
        style = {
            "linestyle": _LINES[number % len(_LINES)] if joined else "",
            "marker": _MARKERS[number % len(_MARKERS)],
        }
        entries[str(line)] = {"color": "grey"} | style
    return entries


def circles(
    ax: Axes,
    table: pd.DataFrame,
    x: str,
    colour: str,
    *,
    whole: pd.DataFrame | None = None,
    value: str = "published",
    shift: float = 0.0,
    size: float = 7,
) -> dict[str, dict[str, Any]]:
    """Draw printed numbers as hollow circles at the places of `curves`; gives an entry for `legend`, if there are any.

    A panel without printed numbers gives the entry, too, if there are some in the `whole` table, see `curves`.

    Examples
    --------
    >>> index = pd.MultiIndex.from_product([["EASY", "FCFS"], [1, 2]], names=["policy", "f"])
    >>> ax = plt.figure().add_subplot()
    >>> list(circles(ax, pd.DataFrame({"published": [3, 2, 5, 5]}, index), "f", "policy"))
    ['published']
    >>> plt.close(ax.figure)
    """
    refuse_unknown(table, x, colour)
    if not _is_known(value, table, whole):
        return {}
    places, numbers = _places(table, x, whole)
    names = colours(_names(table, colour, whole))
    for order, (name, shade) in enumerate(names.items()):
        part = _of(table, {colour: name})[value].dropna()
        values = part.index.get_level_values(x)
        at = np.array(values if numbers else [places.index(place) for place in values], float)
        ax.plot(at + shift * (order - (len(names) - 1) / 2), part, "o", color=shade, fillstyle="none", markersize=size)
    return {value: _PRINTED}
