"""What every control is: widgets where somebody can use them, and a picture with text everywhere else."""

import base64
import io
import textwrap
from html import escape

import matplotlib
from matplotlib.figure import Figure

from ..plots import STYLE

try:
    import ipywidgets
except ImportError:
    ipywidgets = None

LARGE = STYLE | {
    "figure.constrained_layout.use": False,  # takes longer than to draw the picture
    "font.size": 15,
    "axes.titlesize": 16,
    "axes.linewidth": 1.2,
    "lines.linewidth": 2.5,
    "hatch.linewidth": 1.5,
}
"""How pictures look that have to be read from the back of a lecture hall."""

DPI = 120
LINES, COLUMNS = 16, 100  # of text under a picture


CSS = """<style>
.simlib { --jp-widgets-font-size: 16px; --jp-widgets-inline-height: 34px; }
.simlib .widget-html, .simlib .widget-html-content { height: auto; line-height: 1.35; }
.simlib .widget-box, .simlib.widget-box { overflow: visible; }
.simlib-sentence .widget-html-content { font-size: 20px; min-height: 4.1em; }
.simlib-state .widget-html-content { display: flex; flex-flow: row wrap; align-items: flex-start; gap: 0 32px; }
.simlib-state p { flex: 1 0 100%; margin: 0 0 8px; }
.simlib-state p > span { display: inline-block; margin-right: 20px; }
.simlib table { border-collapse: collapse; margin-bottom: 10px; }
.simlib caption { text-align: left; font-weight: bold; white-space: nowrap; }
.simlib th, .simlib td { padding: 1px 14px 1px 0; text-align: right; vertical-align: bottom; white-space: nowrap; }
.simlib-metrics { overflow-x: auto; }
.simlib-metrics th, .simlib-metrics td:first-child { white-space: normal; }
.simlib-metrics td:first-child { min-width: 9em; }
.simlib th:first-child, .simlib td:first-child { text-align: left; }
.simlib thead th { border-bottom: 1px solid currentColor; }
.simlib .widget-slider .noUi-handle { background: #0072B2; }
.simlib .simlib-decided { font-weight: bold; text-decoration: underline; }
.simlib .simlib-pale { opacity: 0.7; }
.simlib :focus-visible { outline: 3px solid #0072B2 !important; outline-offset: 2px; }
</style>"""


class Control:
    """What the functions of `simlib.widgets` return.

    Attributes
    ----------
    widget : ipywidgets.Widget or None
        What a live notebook shows; None where ipywidgets is not installed.
    """

    size = (11, 4.5)  # of the picture, inches

    def __init__(self):
        self.widget = None
        if ipywidgets is not None:
            self.picture = ipywidgets.Image(
                format="png", layout={"width": "100%", "max_width": "1320px", "height": "auto"}
            )
            self.picture.add_class("simlib-picture")
            style = ipywidgets.HTML(CSS, layout={"display": "none"})
            self.widget = ipywidgets.VBox([style, *self.build()], layout={"padding": "4px"})
            self.widget.add_class("simlib").add_class(f"simlib-{type(self).__name__.lower()}")
            self.show()

    def build(self):
        """Make the widgets and return those that stand below one another."""
        raise NotImplementedError

    def show(self):
        """Bring the widgets up to date."""
        raise NotImplementedError

    def draw(self, figure):
        """Draw into an empty figure what is to be seen without widgets."""
        raise NotImplementedError

    def lines(self):
        """Lines of text that go with it."""
        raise NotImplementedError

    def __repr__(self):
        return "\n".join(self.lines())

    def _repr_mimebundle_(self, **_):
        """The picture and the text; and the widgets, if somebody can use them."""
        picture = base64.b64encode(png(self.draw, self.size, self.lines())).decode()
        bundle = {"text/plain": repr(self), "image/png": picture}
        if self.widget is None or in_batch():
            return bundle
        return bundle | {key: of for key, of in self.widget._repr_mimebundle_().items() if key not in bundle}


def in_batch():
    """Whether this cell is executed by a program, such as papermill, which tells the kernel that nobody can be asked.

    It stores the state of the widgets, and a page made of that would show buttons without effect, or nothing at all
    without a network, instead of the picture.
    """
    from IPython import get_ipython

    kernel = getattr(get_ipython(), "kernel", None)
    request = kernel.get_parent("shell") if hasattr(kernel, "get_parent") else {}
    return request.get("content", {}).get("allow_stdin") is False


def png(draw, size, lines=()):
    """A picture as bytes, with lines of text under it.

    Parameters
    ----------
    draw : function of a figure
    size : (float, float)
        Of the picture without the text, inches.
    lines : sequence of str
        Those beyond `LINES` are only counted.
    """
    lines = [part for line in lines for part in _wrapped(line)]
    if len(lines) > LINES:
        lines = [*lines[: LINES - 1], f"... and {len(lines) - LINES + 1} more lines"]
    with matplotlib.rc_context(LARGE):
        if lines:
            below = 0.15 + 0.21 * len(lines)
            figure = Figure((size[0], size[1] + below))
            above, under = figure.subfigures(2, 1, height_ratios=[size[1], below])
            under.text(0.02, 1, "\n".join(lines), va="top", family="monospace", size=12, linespacing=1.25)
        else:
            figure = above = Figure(size)
        draw(above)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=DPI, pil_kwargs={"compress_level": 1})
        figure.clear()  # whose parts know one another, so that they would stay until the next search for such
    return buffer.getvalue()


def _wrapped(line):
    """A line in lines that are short enough, the further ones below the first word of the sentence."""
    indent = " " * 13 if line.startswith(" ") else ""
    return textwrap.wrap(line, COLUMNS, subsequent_indent=indent)


# Parts of controls


def button(text, tooltip, action):
    """A button that does something when it is pressed; without an icon, which would be read as part of its name."""
    made = ipywidgets.Button(description=text, tooltip=tooltip, layout={"width": "auto"})
    made.on_click(lambda _: action())
    return made


def legend(schedules):
    """What the looks of jobs mean in the charts of these schedules."""
    hatched = "   hatched: backfilled" if any(schedule.jobs.backfilled.any() for schedule in schedules) else ""
    return f"full colour: past   pale: expected   dashed: reserved{hatched}"


def html(name):
    """A place for text, with a class by which it is found on the page."""
    return ipywidgets.HTML().add_class(f"simlib-{name}")


def beside(*widgets):
    """Beside one another, and below one another where there is no room."""
    return ipywidgets.HBox(widgets, layout={"flex_flow": "row wrap", "align_items": "center", "grid_gap": "4px"})


def html_table(caption, columns, rows, decided=()):
    """A table as HTML; the rows whose first cell is in `decided` stand out."""
    head = "".join(f"<th>{escape(str(column))}</th>" for column in columns)
    marks = [' class="simlib-decided"' if cells[0] in decided else "" for cells in rows]
    body = "".join(
        f"<tr{mark}>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"
        for mark, cells in zip(marks, rows, strict=True)
    )
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
