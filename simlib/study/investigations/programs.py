"""Which program did the authors run? The details that MF section 2 leaves open, as policies to compare with Table 1."""

from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace

from ...policies.conservative import Conservative
from ...policies.easy import EASY
from .kernel_variants import conservative as conservative_readings
from .kernel_variants import easy as easy_readings
from .kernel_variants.conservative import ConservativeReading
from .kernel_variants.easy import EasyReading


@dataclass(frozen=True)
class EasyProgram:
    """EASY as its text can be read."""

    reading: EasyReading = easy_readings.TEXT
    overrun: str = "extend"

    def prepare(self, jobs):
        """The program for these jobs, whose own estimates it may have to know."""
        if self.overrun != "outlive":
            return self
        return SimpleNamespace(schedule=partial(self.schedule, own=jobs.estimate.to_numpy()))

    def schedule(self, submit, run, estimate, size, machine, own=None):
        known = estimate if own is None else own
        start, backfilled = easy_readings.easy_reading(submit, run, known, size, machine, self.reading)
        latest = max((start + known).max(initial=0), 2 * known.max(initial=0))
        if self.reading.by_limit and latest >= easy_readings.FAR:  # two numbers would not fit into one
            raise ValueError(f"EasyProgram: found a time of {latest} s, expected below 2^32 s with by_limit")
        return {"start": start, "backfilled": backfilled}


@dataclass(frozen=True)
class ConservativeProgram:
    """Conservative backfilling as its text can be read."""

    reading: ConservativeReading = conservative_readings.TEXT
    overrun: str = "extend"

    def schedule(self, submit, run, estimate, size, machine):
        start, guarantee = conservative_readings.conservative_reading(
            submit, run, estimate, size, machine, self.reading
        )
        return {"start": start, "guarantee": guarantee}


DETAILS = {
    "easy": {
        "extra processors": {
            "used up by jobs that run beyond the shadow time": {"charge": easy_readings.CHARGE_LONG},
            "never used up": {"charge": easy_readings.CHARGE_NONE},
            "used up by every backfilled job": {"charge": easy_readings.CHARGE_ALL},
        },
        "extra processors are counted": {
            "when all that end at the shadow time have ended": {"first_only": False},
            "as soon as the head has enough": {"first_only": True},
        },
        "a backfilled job ends": {"by the shadow time": {"strict": False}, "before the shadow time": {"strict": True}},
        "a job beyond its estimate": {
            "had its run time as estimate": {"overrun": "extend"},
            "is killed": {"overrun": "kill"},
            "is expected to end now": {"overrun": "outlive"},
            "was expected to end in the past": {"overrun": "outlive", "in_past": True},
        },
        "events of one instant": {
            "one pass after all": {"events": easy_readings.ONE_PASS},
            "a pass after each, ends first": {"events": easy_readings.ENDS_FIRST},
            "a pass after each, arrivals first": {"events": easy_readings.ARRIVALS_FIRST},
        },
        "candidates": {
            "oldest first": {"candidates": easy_readings.OLDEST},
            "newest first": {"candidates": easy_readings.NEWEST},
            "shortest estimate first": {"candidates": easy_readings.SHORTEST},
            "longest estimate first": {"candidates": easy_readings.LONGEST},
            "narrowest first": {"candidates": easy_readings.NARROWEST},
            "widest first": {"candidates": easy_readings.WIDEST},
        },
        "backfilled in a pass": {"as many as fit": {"once": False}, "one job": {"once": True}},
        "the shadow time": {"found anew in each pass": {"held": False}, "held once found": {"held": True}},
    },
    "conservative": {
        "compressed in order of": {
            "arrival": {"order": conservative_readings.ARRIVAL},
            "start, ties by arrival": {"order": conservative_readings.START},
            "start, ties latest first": {"order": conservative_readings.START_LATEST},
            "expected end": {"order": conservative_readings.END},
            "arrival, latest first": {"order": conservative_readings.LATEST},
            "estimate, shortest first": {"order": conservative_readings.SHORTEST},
            "estimate, longest first": {"order": conservative_readings.LONGEST},
            "size, narrowest first": {"order": conservative_readings.NARROWEST},
            "size, widest first": {"order": conservative_readings.WIDEST},
        },
        "compressed": {"once": {"repeat": False}, "until nothing moves": {"repeat": True}},
        "several ends at one instant": {"one compression after all": {"each": False}, "one after each": {"each": True}},
        "arrivals of the instant of an end": {
            "after the compression": {"arrivals_first": False},
            "before it": {"arrivals_first": True},
        },
        "a job beyond its estimate": {
            "had its run time as estimate": {"overrun": "extend"},
            "is killed": {"overrun": "kill"},
        },
    },
}
"""What the texts leave open, by scheduler: each detail with its readings, the engine's first."""

PLAIN = {
    EasyProgram(): EASY(),
    EasyProgram(easy_readings.TEXT._replace(charge=easy_readings.CHARGE_NONE)): EASY(reuse_extra=True),
    ConservativeProgram(): Conservative(),
    ConservativeProgram(conservative_readings.TEXT._replace(order=conservative_readings.START)): Conservative("start"),
}
"""The programs that are policies of the package."""


def program(scheduler, choices=()):
    """The program of some choices."""
    options = {}
    for detail, reading in dict(choices).items():
        try:
            options |= DETAILS[scheduler][detail][reading]
        except KeyError:
            known = "; ".join(f"{name}: {', '.join(readings)}" for name, readings in DETAILS[scheduler].items())
            raise ValueError(f"{scheduler}: found {detail!r}: {reading!r}, expected one of {known}") from None
    overrun = options.pop("overrun", "extend")
    if scheduler == "easy":
        found = EasyProgram(easy_readings.TEXT._replace(**options), overrun)
    else:
        reading = conservative_readings.TEXT._replace(**options)
        if reading.order in (conservative_readings.START, conservative_readings.START_LATEST):
            reading = reading._replace(repeat=False)  # nothing moves a second time: see `simlib.engine.conservative`
        found = ConservativeProgram(reading, overrun)
    return PLAIN.get(found, found)


def neighbours(scheduler, choices=()):
    """All programs that differ from one in a single detail, and that one itself."""
    choices = dict(choices)
    found = {("", ""): choices}
    for detail, readings in DETAILS[scheduler].items():
        chosen = choices.get(detail, next(iter(readings)))
        found |= {(detail, other): choices | {detail: other} for other in readings if other != chosen}
    return found
