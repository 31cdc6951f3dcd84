"""Made-up workloads: the published models of Feitelson '96 and Jann '97, and twins that stand in for logs."""

from .._util import importing

__getattr__ = importing(__name__, "examples", "feitelson96", "jann97", "sample", "twin")
