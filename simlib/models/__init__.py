"""Synthetic workloads: the models Feitelson '96 and Jann '97, twins that replace logs, and resampled users."""

from .._util import importing

__getattr__ = importing(__name__, "examples", "feitelson96", "jann97", "sample", "twin", "users")
