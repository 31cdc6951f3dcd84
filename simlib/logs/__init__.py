"""Where logs come from and go: SWF, catalogue and download, sacct, sanity checks."""

from .._util import importing

__getattr__ = importing(__name__, "archive", "reading", "sacct", "schedules", "swf", "tables")
