"""Numbers, lengths of time, processors and names of jobs, in plain English."""


def number(value):
    """A whole number, such as a point in time in seconds; its digits are grouped where there are five or more."""
    return f"{value:,}" if abs(value) >= 10_000 else str(value)


def length(seconds):
    """A length of time in seconds; from an hour on as hours:minutes, with :seconds where there are some."""
    if seconds < 3600:
        return f"{seconds} s"
    rest = f":{seconds % 60:02d}" if seconds % 60 else ""
    return f"{seconds // 3600}:{seconds % 3600 // 60:02d}{rest} h"


def ahead(second, now):
    """A point in time to come; where it is an hour off or more, how far."""
    return number(second) + (f" (in {length(second - now)})" if second - now >= 3600 else "")


def are(count):
    return "is" if count == 1 else "are"


def processors(count, which=""):
    """ "1 processor", "8 processors", "8 extra processors", "no extra processor"."""
    return f"{number(count) if count else 'no'} {which}{' ' if which else ''}processor{'s' if count > 1 else ''}"


def share(count, of, which):
    """So many of the `of` processors: "4 of the 6 extra processors", "all 6 extra processors"."""
    if count < of:
        return f"{number(count)} of the {processors(of, which)}"
    return f"the one {which} processor" if of == 1 else f"all {processors(of, which)}"


def series(parts, most=4):
    """ "a", "a and b", "a, b and c"; of more than `most` the first ones, and how many others there are."""
    parts = [str(part) for part in parts]
    if len(parts) > most:
        parts = [*parts[: most - 1], f"{len(parts) - most + 1:,} others"]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def jobs(names):
    """ "job 4", "jobs 4 and 7", "jobs 4, 7, 8 and 12 others"."""
    names = list(names)
    return f"{'job' if len(names) == 1 else 'jobs'} {series(names)}"


def verb(several, one, many):
    """The form of a verb or noun that goes with so many."""
    return one if len(several) == 1 else many


def sentence(text):
    """With a capital and a full stop."""
    return f"{text[0].upper()}{text[1:]}."
