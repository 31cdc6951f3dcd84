"""Write numbers, lengths of time, processors and names of jobs in plain English."""

from collections.abc import Iterable, Sized

# Write measures as people say them.


def per_cent(share: float) -> str:
    """Write a relative difference; that of something from nothing has no end.

    Examples
    --------
    >>> per_cent(-0.391), per_cent(12.5), per_cent(float("inf"))
    ('-39.1 %', '+1,250 %', '+∞ %')
    """
    if share == float("inf"):
        return "+∞ %"
    return f"{100 * share + 0:+,.1f} %" if abs(share) < 9.995 else f"{100 * share:+,.0f} %"


def duration(seconds: float) -> str:
    """Write a time as people say it.

    Examples
    --------
    >>> [duration(seconds) for seconds in (45, -600, 7500, 200_000)]
    ['45 s', '-10.0 min', '2.1 h', '2.3 days']
    """
    for unit, length in (("days", 86400), ("h", 3600), ("min", 60)):
        if abs(seconds) >= length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds:,.0f} s"


def number(value: int) -> str:
    """Write a whole number, such as a point in time in seconds; from five digits on they are grouped.

    Examples
    --------
    >>> number(9999), number(10000)
    ('9999', '10,000')
    """
    return f"{value:,}" if abs(value) >= 10_000 else str(value)


def length(seconds: int) -> str:
    """Write a length of time in seconds; from an hour on as hours:minutes, with :seconds where there are some.

    Examples
    --------
    >>> length(90), length(3600), length(3661)
    ('90 s', '1:00 h', '1:01:01 h')
    """
    if seconds < 3600:
        return f"{seconds} s"
    rest = f":{seconds % 60:02d}" if seconds % 60 else ""
    return f"{seconds // 3600}:{seconds % 3600 // 60:02d}{rest} h"


def ahead(second: int, now: int) -> str:
    """Write a point in time to come; where it is an hour off or more, say how far.

    Examples
    --------
    >>> ahead(100, now=60), ahead(7260, now=60)
    ('100', '7260 (in 2:00 h)')
    """
    return number(second) + (f" (in {length(second - now)})" if second - now >= 3600 else "")


def are(count: int) -> str:
    """Choose "is" or "are".

    Examples
    --------
    >>> are(1), are(2)
    ('is', 'are')
    """
    return "is" if count == 1 else "are"


def processors(count: int, which: str = "") -> str:
    """Write how many processors.

    Examples
    --------
    >>> processors(1), processors(8), processors(0, "extra")
    ('1 processor', '8 processors', 'no extra processor')
    """
    return f"{number(count) if count else 'no'} {which}{' ' if which else ''}processor{'s' if count > 1 else ''}"


def share(count: int, of: int, which: str) -> str:
    """Write how many of the `of` processors.

    Examples
    --------
    >>> share(4, 6, "extra"), share(6, 6, "extra"), share(1, 1, "free")
    ('4 of the 6 extra processors', 'all 6 extra processors', 'the one free processor')
    """
    if count < of:
        return f"{number(count)} of the {processors(of, which)}"
    return f"the one {which} processor" if of == 1 else f"all {processors(of, which)}"


def series(parts: Iterable[object], most: int = 4) -> str:
    """Join words; of more than `most` write the first ones, and how many others there are.

    Examples
    --------
    >>> series("a"), series("ab"), series("abc"), series("abcdef")
    ('a', 'a and b', 'a, b and c', 'a, b, c and 3 others')
    """
    texts = [str(part) for part in parts]
    if len(texts) > most:
        texts = [*texts[: most - 1], f"{len(texts) - most + 1:,} others"]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def jobs(names: Iterable[object]) -> str:
    """Write the names of jobs.

    Examples
    --------
    >>> jobs([4]), jobs([4, 7])
    ('job 4', 'jobs 4 and 7')
    """
    names = list(names)
    return f"{'job' if len(names) == 1 else 'jobs'} {series(names)}"


def verb(several: Sized, one: str, many: str) -> str:
    """Choose the form of a verb or noun that goes with so many.

    Examples
    --------
    >>> verb(["A"], "ends", "end"), verb(["A", "B"], "ends", "end")
    ('ends', 'end')
    """
    return one if len(several) == 1 else many


def sentence(text: str) -> str:
    """Make a sentence: with a capital and a full stop.

    Examples
    --------
    >>> sentence("nobody waits")
    'Nobody waits.'
    """
    return f"{text[0].upper()}{text[1:]}."
