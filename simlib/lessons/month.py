"""The month of a real log that lessons 4 to 6 look at."""

from functools import cache

from ..archive import load


@cache
def january():
    """The jobs of January 1997 at KTH in Stockholm, or of its twin where the log is not here.

    In this month the effects that the lessons speak of are clear, and as clear with the twin: what estimates do, that
    two metrics disagree on two schedulers, that other queue orders beat EASY's.
    """
    return load("KTH-SP2").months("1997-01")
