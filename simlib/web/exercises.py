"""Pieces of HTML in which an exercise of lessons 1 to 3 is answered and checked, without a kernel."""

import base64
import json
import zlib
from html import escape

from ..lessons import verdict
from .asked import Asked, Field, asked
from .page import _asset
from .worked_out import Sentences

OWN = {
    "outside": "this page has not worked out what the check says of that answer. The lesson in JupyterLab checks it.",
    "unreadable": "the page cannot read this. It reads one expression in Python's spelling, of names, whole numbers, "
    "+ - * < <= > >= == != & | ~ and or not, and brackets.",
}
"""What a page says of its own: about answers that Python could read or judge, and the page cannot."""

SAID = (
    '<p role="status" aria-live="polite"></p>'
    "<noscript><p>Answers are checked by a script, which your browser does not run.</p></noscript>"
)
"""Where the verdict will stand."""


def exercise_html(number: str, solution: str = "", assets: bool = True) -> str:
    """Make a piece of HTML in which an exercise is answered: its fields, a button, and what the check says.

    What the check says was worked out beforehand, and stands packed in the piece, so that nobody reads an answer by
    chance.

    Parameters
    ----------
    number : str
        One of `simlib.web.asked.asked()`.
    solution : str, optional
        The address of a page with solutions.
    assets : bool
        Whether it brings style and script: a page needs them once.

    Returns
    -------
    str
        It needs no file and no network.
    """
    its = asked()[number]
    fields = "".join(_field(field) for field in its.fields)
    note = f"<p>{escape(its.note)}</p>" if its.note else ""
    more = f'<p class="se-more"><a href="{escape(solution)}">Solution</a></p>' if solution else ""
    head = (
        f'<simlib-exercise class="simlib-exercise" data-number="{number}" role="group" aria-label="Exercise {number}">'
    )
    form = f'<form autocomplete="off">{fields}<button disabled>Check</button></form>'
    data = f'<script type="text/plain">{packed(worked_out(number, its))}</script>'
    piece = f"{head}{note}{form}{SAID}{more}{data}</simlib-exercise>\n"
    if not assets:
        return piece
    return f"<style>{_asset('exercise.css')}</style>\n{piece}<script>{_asset('exercise.js')}</script>\n"


def worked_out(number: str, its: Asked) -> dict[str, object]:
    """Work out all that a page needs to check an exercise."""
    sentences = Sentences(number)
    data = its.data(sentences)
    return {**data, "said": sentences.said, "waiting": verdict(number, ...).sentence, "own": OWN}


def packed(data: object) -> str:
    """Pack data into letters that nobody reads by chance."""
    return base64.b64encode(zlib.compress(json.dumps(data, separators=(",", ":")).encode(), 9)).decode()


def _field(field: Field) -> str:
    """Write a field with its label."""
    looks = "se-wide" * field.wide + " se-code" * field.label.startswith("def ")
    name, small = escape(field.name), f"<small>{escape(field.unit)}</small>" if field.unit else ""
    if field.choices:
        options = "".join(f"<option>{escape(choice)}</option>" for choice in ("", *field.choices))
        control = f'<select name="{name}">{options}</select>'
    else:
        keys = ' spellcheck="false" autocapitalize="off"' if field.wide else ' inputmode="decimal"'
        control = f'<input name="{name}" value="{escape(field.given)}"{keys}>'
    return f'<label class="{looks.strip()}"><span>{escape(field.label)} {small}</span>{control}</label>'
