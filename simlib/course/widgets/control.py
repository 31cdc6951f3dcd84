"""The base of all controls: widgets where somebody can use them, and a picture with text everywhere else."""

import base64
import io
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

import matplotlib
from matplotlib.figure import Figure, FigureBase

from ...plots.style import STYLE

# Write the names of policies, and what they achieve, in words.


try:
    import ipywidgets
except ImportError:
    ipywidgets = None

LARGE: dict[Any, Any] = STYLE | {
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
.simlib-verdict .widget-html-content, .simlib-guess .widget-html-content { font-weight: bold; }
.simlib.jupyter-widgets-disconnected::before {
  content: "The kernel was restarted. To use this again: Run > Run All Above Selected Cell, then run this cell.";
  display: block; width: 100%; box-sizing: border-box; padding: 6px 10px; margin-bottom: 6px;
  font: 18px var(--jp-ui-font-family, sans-serif); background: #F5C9A8; color: black;
}
.simlib .jupyter-widgets-disconnected::before { content: none; }
.simlib.jupyter-widgets-disconnected > * { opacity: 0.6; }
.simlib :focus-visible { outline: 3px solid #0072B2 !important; outline-offset: 2px; }
</style>"""


class Control:
    """The base of what the functions of `simlib.course.widgets` return."""

    size = (11, 4.5)  # of the picture, inches

    def __init__(self) -> None:
        self.widget: Any = None
        self.shown = False
        if ipywidgets is not None:
            self.picture = ipywidgets.Image(
                format="png", layout={"width": "100%", "max_width": "1320px", "height": "auto"}
            )
            self.picture.add_class("simlib-picture")
            style = ipywidgets.HTML(CSS, layout={"display": "none"})
            self.widget = ipywidgets.VBox([style, *self.build()], layout={"padding": "4px"})
            self.widget.add_class("simlib").add_class(f"simlib-{type(self).__name__.lower()}")
            self.show()

    def build(self) -> list[Any]:
        """Make the widgets and return those that stand below one another."""
        raise NotImplementedError

    def show(self) -> None:
        """Bring the widgets up to date."""
        raise NotImplementedError

    def draw(self, figure: FigureBase) -> None:
        """Draw into an empty figure what is to be seen without widgets."""
        raise NotImplementedError

    def lines(self) -> list[str]:
        """Write the lines of text that go with it."""
        raise NotImplementedError

    def page(self) -> str | None:
        """Make HTML that works without a kernel, for notebooks that programs execute; None where there is none."""
        return None

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Give notebooks the picture and the text; and the widgets, if somebody can use them."""
        picture = base64.b64encode(png(self.draw, self.size, self.lines())).decode()
        bundle = {"text/plain": repr(self), "image/png": picture}
        self.shown = True
        if in_batch():
            page = self.page()
            return bundle | ({"text/html": page} if page else {})
        if self.widget is None:
            return bundle
        return bundle | {key: of for key, of in self.widget._repr_mimebundle_().items() if key not in bundle}


def in_batch() -> bool:
    """Tell whether this cell is executed by a program, such as papermill, which says that nobody can be asked.

    Such a program stores the state of the widgets. A page made of that would show buttons without effect, or nothing at
    all without a network, instead of the picture.
    """
    from IPython import get_ipython

    kernel: Any = getattr(get_ipython(), "kernel", None)
    request = kernel.get_parent("shell") if hasattr(kernel, "get_parent") else {}
    return request.get("content", {}).get("allow_stdin") is False


def live() -> bool:
    """Tell whether this cell is executed in a notebook for somebody who can press buttons."""
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None and not in_batch()


def display(control: Control) -> None:
    """Show a control in the notebook whose cell is running; do nothing elsewhere."""
    from IPython import display as shown
    from IPython import get_ipython

    if get_ipython() is not None:
        shown.display(control)


def png(draw: Callable[[FigureBase], object], size: tuple[float, float], lines: Iterable[str] = ()) -> bytes:
    """Draw a picture as PNG, with lines of text under it."""
    # the second and further lines begin below the first word of the sentence
    indents = [(line, " " * 13 if line.startswith(" ") else "") for line in lines]
    lines = [part for line, indent in indents for part in textwrap.wrap(line, COLUMNS, subsequent_indent=indent)]
    if len(lines) > LINES:
        lines = [*lines[: LINES - 1], f"... and {len(lines) - LINES + 1} more lines"]
    with matplotlib.rc_context(LARGE):
        if lines:
            below = 0.15 + 0.21 * len(lines)
            figure = Figure((size[0], size[1] + below))
            parts: Any = figure.subfigures(2, 1, height_ratios=[size[1], below])
            above, under = parts
            under.text(0.02, 1, "\n".join(lines), va="top", family="monospace", size=12, linespacing=1.25)
        else:
            above = figure = Figure(size)
        draw(above)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=DPI, pil_kwargs={"compress_level": 1})
        figure.clear()  # its parts refer to one another, so that they would stay until the next garbage collection
    return buffer.getvalue()


# Parts of controls


def button(text: str, tooltip: str, action: Callable[[], object]) -> Any:
    """Make a button that does something when it is pressed; it has no icon, which would be read as part of its name."""
    made = ipywidgets.Button(description=text, tooltip=tooltip, layout={"width": "auto"})
    made.on_click(lambda _: action())
    return made


def html(name: str) -> Any:
    """Make a place for text, with a class by which it is found on the page."""
    return ipywidgets.HTML().add_class(f"simlib-{name}")


def beside(*widgets: Any) -> Any:
    """Put widgets beside one another, and below one another where there is no room."""
    return ipywidgets.HBox(widgets, layout={"flex_flow": "row wrap", "align_items": "center", "grid_gap": "4px"})
