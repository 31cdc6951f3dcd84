"""Say what to do when a notebook's cell needs what no cell has made since the kernel was started.

Importing `simlib.lessons` in a notebook is enough: from then on a `NameError` is followed by a sentence. The cells of
the exercises import it themselves, so that they can say so even when nothing else has run.
"""

import sys
from types import TracebackType
from typing import Any

ADVICE = """
What is called {name!r} is not known. Is it misspelt? Or was the kernel started anew since the cell that makes it ran?
Then choose Run > Run All Above Selected Cell in the menu, and run this cell again."""


def watch() -> None:
    """Follow each `NameError` of this notebook by `ADVICE`; does nothing elsewhere.

    Examples
    --------
    >>> watch()  # in no notebook
    """
    if "IPython" not in sys.modules:
        return
    from IPython import get_ipython

    shell: Any = get_ipython()
    if shell is not None:
        shell.set_custom_exc((NameError,), _tell)


def _tell(
    shell: Any, kind: type[NameError], error: NameError, trace: TracebackType, tb_offset: int | None = None
) -> None:
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    print(ADVICE.format(name=error.name))
