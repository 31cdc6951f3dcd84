"""Lines of the Standard Workload Format, and what reading them complains of."""

import pytest

from simlib import SWFError, read_swf
from simlib.logs import swf

UNKNOWN = dict.fromkeys(swf.FIELDS, -1)
HEAD = "; MaxProcs: 128\n"
JOB = " ".join(map(str, range(1, 19)))


def line(**fields):
    """A job line; what is not given is unknown."""
    return " ".join(str(value) for value in (UNKNOWN | fields).values()) + "\n"


def jobs(*rows):
    """Job lines of (submit, run, procs)."""
    return "".join(
        line(job=number, submit=submit, run=run, procs=procs)
        for number, (submit, run, procs) in enumerate(rows, start=1)
    )


def fault(path, **options):
    """What reading a file complains of, after the file's name; one line."""
    with pytest.raises(SWFError) as error:
        read_swf(path, **options)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message and len(message) < len(str(path)) + 200
    return message.removeprefix(f"{path}: ")
