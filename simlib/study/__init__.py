"""The study: a package for each paper, and what their exhibits have in common."""

import warnings

from ..logs.archive import load
from ..logs.swf import LogWarning


def log(name, variant=None):
    """Load a log of the catalogue, as `simlib.load`, without warnings of what is odd about it: the records say so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LogWarning)
        return load(name, variant)
