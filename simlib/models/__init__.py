"""Workloads that no machine had: models of Feitelson '96 and Jann '97, twins that stand in for logs, other users."""

from .._util import importing

__getattr__ = importing(__name__, "examples", "feitelson96", "jann97", "sample", "twin", "users")
