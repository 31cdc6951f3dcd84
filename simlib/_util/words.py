"""Write numbers, lengths of time, processors and names of jobs in plain English."""

from collections.abc import Iterable, Sized

# Write measures as people say them.


def per_cent(share: float) -> str:
    """Write a relative difference; the difference from zero is infinite."""
    if share == float("inf"):
        return "+∞ %"
    return f"{100 * share + 0:+,.1f} %" if abs(share) < 9.995 else f"{100 * share:+,.0f} %"


def of_any_unit(number: float, sign: str = "") -> str:
    """Write a value of any unit with three digits at least; with `sign="+"` a difference."""
    return f"{number:{sign},.0f}" if abs(number) >= 999.5 else f"{number:{sign}.3g}"


def duration(seconds: float) -> str:
    """Write a length of time in words."""
    for unit, length in (("days", 86400), ("h", 3600), ("min", 60)):
        if abs(seconds) >= length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds:,.0f} s"


def time(seconds: float, short: bool = False) -> str:
    """Write a length of time in the unit that people use for it: 40 minutes, or in short 40 min."""
    for unit, letters, length in (
        ("day", "days", 86400),
        ("hour", "h", 3600),
        ("minute", "min", 60),
        ("second", "s", 1),
    ):
        value = seconds / length
        if abs(value) >= 0.9995 or length == 1:
            whole = length == 1 or (length == 60 and abs(value) >= 9.95)
            text = f"{value:,.0f}" if whole else f"{value:,.1f}".removesuffix(".0")
            text = "0" if text == "-0" else text
            plural = unit if text in ("1", "-1") else f"{unit}s"
            return f"{text} {plural if not short or length == 86400 else letters}"
    raise AssertionError(seconds)


def difference(seconds: float, short: bool = False) -> str:
    """Write a difference of times: 40 minutes shorter, or in short -40 min."""
    if abs(seconds) < 0.5:
        return "equal"
    if short:
        return f"{'+' if seconds > 0 else ''}{time(seconds, short)}"
    return f"{time(abs(seconds))} {'shorter' if seconds < 0 else 'longer'}"


def number(value: int) -> str:
    """Write a whole number, such as a point in time in seconds; from five digits on they are grouped."""
    return f"{value:,}" if abs(value) >= 10_000 else str(value)


def length(seconds: int) -> str:
    """Write a length of time in seconds; from an hour on as hours:minutes, with :seconds where there are some."""
    if seconds < 3600:
        return f"{seconds} s"
    rest = f":{seconds % 60:02d}" if seconds % 60 else ""
    return f"{seconds // 3600}:{seconds % 3600 // 60:02d}{rest} h"


def ahead(second: int, now: int) -> str:
    """Write a future point in time; if it is an hour away or more, add how far."""
    return number(second) + (f" (in {length(second - now)})" if second - now >= 3600 else "")


def are(count: int) -> str:
    """Choose "is" or "are"."""
    return "is" if count == 1 else "are"


def processors(count: int, which: str = "", what: str = "processor") -> str:
    """Write how many processors, or GPUs."""
    return f"{number(count) if count else 'no'} {which}{' ' if which else ''}{what}{'s' if count > 1 else ''}"


def share(count: int, of: int, which: str, what: str = "processor") -> str:
    """Write how many of the `of` processors, or GPUs."""
    if count < of:
        return f"{number(count)} of the {processors(of, which, what)}"
    return f"the one {which} {what}" if of == 1 else f"all {processors(of, which, what)}"


def series(parts: Iterable[object]) -> str:
    """Join words; of more than four write the first three, and how many others there are."""
    texts = [str(part) for part in parts]
    if len(texts) > 4:
        texts = [*texts[:3], f"{len(texts) - 3:,} others"]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def jobs(names: Iterable[object]) -> str:
    """Write the names of jobs."""
    names = list(names)
    return f"{'job' if len(names) == 1 else 'jobs'} {series(names)}"


def verb(several: Sized, one: str, many: str) -> str:
    """Choose the form of a verb or noun by number."""
    return one if len(several) == 1 else many


def sentence(text: str) -> str:
    """Make a sentence: with a capital and a full stop."""
    return f"{text[0].upper()}{text[1:]}."
