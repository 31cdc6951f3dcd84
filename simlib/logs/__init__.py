"""Where logs come from and go: SWF, catalogue and download, sacct, sanity checks, restoring."""

from .._util import importing

__getattr__ = importing(__name__, "archive", "restoring", "sacct", "schedules", "swf", "tables")
