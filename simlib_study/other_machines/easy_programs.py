"""What programs call EASY: public simulators and schedulers, each as settings of one policy, read in their sources.

Each program's rule is an `EasyProgram`, whose plain reading is `simlib.EASY()`. Two things are compared: when a waiting
job may pass the head of the queue, and when the head starts. All else is the same for all programs: the order of
arrival, a machine of equal processors, estimates raised to the run time where they lie below it. So a program that
kills jobs at their estimates, or has nodes of several kinds, schedules a log differently from the simulation here.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from simlib._util import paths
from simlib._util.arrays import Ints
from simlib.core.schedule import Policy
from simlib.policies.easy import EASY

from ..investigations.kernel_variants import easy
from ..investigations.kernel_variants.easy import TEXT, EasyReading


@dataclass(frozen=True)
class EasyProgram:
    """EASY as a program has it."""

    reading: EasyReading = TEXT

    def schedule(self, submit: Ints, run: Ints, estimate: Ints, size: Ints, machine: int) -> dict[str, np.ndarray]:
        start, backfilled = easy.easy_reading(submit, run, estimate, size, machine, self.reading)
        latest = max((start + estimate).max(initial=0), 2 * estimate.max(initial=0))
        if self.reading.by_limit and latest >= easy.FAR:  # two numbers would not fit into one
            raise ValueError(f"EasyProgram: found a time of {latest} s, expected below 2^32 s with by_limit")
        return {"start": start, "backfilled": backfilled}


class Program(NamedTuple):
    """A program, where its rule stands, the rule in one line and as settings, and what is open or not simulated."""

    repository: str
    commit: str
    lines: str
    rule: str
    reading: EasyReading = TEXT
    untold: str = ""


NAMES = {
    "charge": {easy.CHARGE_LONG: "long", easy.CHARGE_NONE: "none"},
    "events": {easy.ONE_PASS: "one pass", easy.ENDS_FIRST: "ends first", easy.ARRIVALS_FIRST: "arrivals first"},
    "beyond": {easy.COUNTED: "counted", easy.NOBODY: "nobody", easy.ANYBODY: "anybody", easy.PLACED: "placed"},
}
"""What the numbers of settings mean."""


def _programs() -> Iterator[tuple[str, Program]]:
    """Read the programs: by name, rows of `data/settings/easy_programs.toml`."""
    numbers = {name: {word: number for number, word in words.items()} for name, words in NAMES.items()}
    rows = tomllib.loads((paths.DATA / "settings" / "easy_programs.toml").read_text(encoding="utf-8"))["program"]
    for row in rows:
        words = row.pop("settings")
        told: dict[str, Any] = {name: numbers[name][of] if name in numbers else of for name, of in words.items()}
        yield row.pop("name"), Program(**row, reading=TEXT._replace(**told))


PROGRAMS = dict(_programs())
"""The programs by name."""

CAUSES = {
    "no extra processors": TEXT._replace(beyond=easy.NOBODY),
    "shared extra processors": TEXT._replace(charge=easy.CHARGE_NONE),
    "run times known": TEXT._replace(known=True),
    "shadow time held": TEXT._replace(held=True),
    "a pass for each event": TEXT._replace(events=easy.ENDS_FIRST),
    "32 jobs looked at": TEXT._replace(looked_at=32),
}
"""Single differences by name, beside that of easy_bf; the second is how the paper's authors most likely had it."""


PLAIN = {TEXT: EASY(), TEXT._replace(charge=easy.CHARGE_NONE): EASY(reuse_extra=True)}
"""The readings that are policies of the package."""


def policy(reading: EasyReading) -> Policy:
    """Make the policy of a reading: that of the package, where it has one."""
    return PLAIN.get(reading, EasyProgram(reading))


def policies(readings: Mapping[str, EasyReading] | None = None) -> dict[str, Policy]:
    """Make the policy of each program by name, or of other readings."""
    readings = {name: program.reading for name, program in PROGRAMS.items()} if readings is None else readings
    return {name: policy(reading) for name, reading in readings.items()}


def table() -> pd.DataFrame:
    """List the programs: the rule of each, where it stands, and what cannot be decided."""
    rows = [
        (name, one.rule, f"{one.repository}@{one.commit}: {one.lines}", settings(one.reading), one.untold)
        for name, one in PROGRAMS.items()
    ]
    columns = ["program", "what it calls EASY", "where", "settings", "not told, or not simulated"]
    return pd.DataFrame(rows, columns=columns).set_index("program")


def settings(reading: EasyReading) -> str:
    """Write the settings in which a reading differs from the text's."""
    told = {name: value for name, value in reading._asdict().items() if value != getattr(TEXT, name)}
    told = {name: NAMES[name][value] if name in NAMES else value for name, value in told.items()}
    return ", ".join(name if value is True else f"{name} = {value}" for name, value in told.items())
