"""Where the study's files lie: in a checkout beside the package, else inside the installed package and the cache."""

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent if (_PACKAGE.parent / "data" / "archive.toml").exists() else None

ROOT = _CHECKOUT or Path.cwd()
"""The folder that `figures/` and `build/` are written to: the checkout, else the current folder."""

DATA = _CHECKOUT / "data" if _CHECKOUT else _PACKAGE / "data"
"""The catalogue, the published numbers, fitted parameters and samples."""


def _cache():
    """The user's cache, as the system has it."""
    from pooch import os_cache  # slow to import

    return Path(os_cache("simlib"))


TRACES = _CHECKOUT / "data" / "traces" if _CHECKOUT else _cache()
"""Where downloaded logs are kept."""


@contextmanager
def replacing(path):
    """Give a temporary path beside `path` that takes its place when the block ends well, and vanishes otherwise."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        new = Path(folder) / path.name
        yield new
        os.replace(new, path)
