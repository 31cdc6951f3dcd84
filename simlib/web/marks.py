"""Sentences with slots: what a check says of an answer, with the places where the answer itself stands.

An answer is marked and given to a check as it is; where the check writes it into its sentence, a slot stands. A slot is
the name of the answer between ⟦ and ⟧, and after a blank how it is written: "⟦start⟧", "⟦share g⟧", "⟦second +50⟧"; or
"⟦name t⟧" for a text without quotes.
"""

from typing import Any


class _Marked:
    """A number or a text that writes itself as a slot."""

    slot: str

    def __repr__(self) -> str:
        return f"⟦{self.slot}⟧"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        if spec not in ("", "g"):
            raise ValueError(f"{self.slot}: found the format {spec!r}, which simlib/web/exercise.js cannot write")
        return f"⟦{self.slot} g⟧" if spec else repr(self)

    def __add__(self, other: Any) -> Any:
        plain = self.__class__.__bases__[1]
        return mark(plain(self) + plain(other), f"{self.slot} {other:+}")


class _Integer(_Marked, int):
    pass


class _Float(_Marked, float):
    pass


class _Text(_Marked, str):
    pass


def mark(value: int | float | str, name: str) -> Any:
    """Make a value that is what it was, and writes itself as a slot.

    Examples
    --------
    >>> share = mark(0.25, "share")
    >>> f"{share:g} is {share}, and {share + 1} is more", share == 0.25
    ('⟦share g⟧ is ⟦share⟧, and ⟦share +1⟧ is more', True)
    """
    kind = _Text if isinstance(value, str) else _Integer if isinstance(value, int) else _Float
    marked = kind(value)
    marked.slot = name
    return marked
