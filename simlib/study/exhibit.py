"""What an exhibit is: a table or figure of a paper made anew, or a close group of them.

An exhibit's own module says what it needs, its parameters, how it simulates, what it compares with, what each claim
rests on, and which pictures it has. What is the same for all is here: parameters come from the notebook, sources are
loaded once, verdicts on what stands in for a log are withdrawn, pictures are stamped when they are made, and a record
says where every file comes from.

A notebook is then `exhibit = Table3.of(globals())`, `exhibit.table`, `exhibit.figure()`, `exhibit.verdicts`,
`exhibit.save()`, with prose between.
"""

import dataclasses
import hashlib
import importlib
import json
import pkgutil
import re
import textwrap
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from .. import plots, study
from .._util import paths
from . import records

# How notebooks show what they used and found.


def logs_table(workloads):
    """Lay out which file or model each workload came from, and which of its jobs take part, as a table."""
    rows = []
    for workload in workloads:
        dropped = [f"{count:,} {reason}" for reason, count in workload.dropped.value_counts(sort=False).items()]
        source = workload.source
        file = f"model: {source['model']}" if "model" in source else source.get("file", "none")
        rows.append(
            {
                "log": workload.name,
                "file": ("SYNTHETIC " if workload.stand_in else "") + file,
                "processors": f"{workload.procs:,}",
                "jobs": f"{len(workload):,}",
                "dropped": "; ".join(dropped),
                "then": "; ".join(workload.history),
            }
        )
    return pd.DataFrame(rows, columns=["log", "file", "processors", "jobs", "dropped", "then"]).set_index("log")


def cells_table(cells):
    """Lay out judged cells for reading: what each is a number of, published, and ours under its first rule."""
    rows = []
    for cell in cells:
        ours = next(iter(cell["readings"].values()))
        row = cell["of"] | {"published": cell["published"], "ours": ours["ours"], "off by": f"{ours['deviation']:+.1%}"}
        rows.append(row | {"verdict": ours["verdict"], "note": cell.get("note", "")})
    return pd.DataFrame(rows)


def _verdict(found):
    """The verdict by the text, how sure it is, and those of other readings."""
    sure = "" if found.get("sure") is None else f", sure {found['sure']:.0%}"
    others = {"likely": "likely program", "restored": "restored log", "printed": "as printed"}
    readings = found.get("readings", {})
    said = [f"{name}: {readings[key]['verdict']}" for key, name in others.items() if key in readings]
    return f"{found['verdict'].upper()}{sure}" + (f" ({'; '.join(said)})" if said else "")


def _wrapped(text, indent=""):
    return "\n       ".join(textwrap.wrap(text, 110, initial_indent=indent, subsequent_indent="  "))


LOGS, MODELS, EXAMPLES = "logs", "models", "examples"
"""What claims and pictures can rest on: the paper's logs, or what stands in for them; made-up workloads of published
models; small ones made by hand."""


@dataclass(frozen=True)
class Part:
    """One picture of an exhibit with its numbers, or only the numbers: what files of one name hold."""

    table: object
    draw: object = None
    on: tuple = (LOGS,)
    cells: list = field(default_factory=list)


SAME_FOR_ALL = {"of", "own", "repeats", "parameters", "sources", "synthetic", "made", "verdicts", "figure", "save"}
SAME_FOR_ALL |= {"refuse", "changed"}
"""What no exhibit defines for itself."""


class Exhibit:
    """The base of all exhibits, which are dataclasses: the annotated attributes of a subclass are its parameters.

    Each is declared by `parameters.parameter` with what it may be; a test holds the defaults to those of the notebook.
    A subclass defines `load`, `parts`, and where the text makes claims `judge`. Its results are attributes that are
    worked out when they are first asked for (`functools.cached_property`). It is declared with
    """

    missing = ()
    """What it asked for and is not on this machine, a sentence each."""

    def __init_subclass__(cls, name=None, section="", seconds=0, after=None, claims=None):
        if taken := sorted(SAME_FOR_ALL & set(vars(cls))):
            raise TypeError(f"{cls.__name__} defines {', '.join(taken)}, which is the same for all exhibits")
        cls.name, cls.section, cls.seconds, cls.after, cls.claims = name, section, seconds, after, claims or {}
        if name:  # and not what several exhibits have in common
            dataclass(eq=False)(cls)
            if unchecked := [each.name for each in dataclasses.fields(cls) if "kind" not in each.metadata]:
                raise TypeError(f"{cls.__name__} declares {', '.join(unchecked)} without parameters.parameter(...)")
            REGISTRY[name] = cls

    # What an exhibit defines

    def load(self):
        """The workloads that it is made from: a dict of lists by group, in the order of the record."""
        return {}

    def parts(self):
        """A dict of `Part` by the suffix of its files' names, "" for the main one."""
        raise NotImplementedError

    def judge(self):
        """The verdicts on the claims of the text, a list of dicts from `claims.decide`."""
        return []

    # What is the same for all

    @classmethod
    def of(cls, variables):
        """Make the exhibit from a notebook's variables, which are `globals()` there."""
        if int(pd.__version__.split(".")[0]) < 3:
            raise ImportError(f"the study: found pandas {pd.__version__}, expected 3.1 or newer, as simlib[study] asks")
        names = [each.name for each in dataclasses.fields(cls)]
        if missing := [name for name in names if name not in variables]:
            raise ValueError(f"{cls.name}: found no parameter {', '.join(missing)} in the notebook's first code cell")
        return cls(**{name: variables[name] for name in names})

    def __post_init__(self):
        """Check the parameters; one value stands for a list of it, as `papermill -p` has no lists."""
        for each in dataclasses.fields(self):
            value = getattr(self, each.name)
            if isinstance(each.default, tuple) and not isinstance(value, tuple):
                setattr(self, each.name, tuple(value) if isinstance(value, list) else (value,))
            kind = each.metadata["kind"]
            if not kind.is_of(getattr(self, each.name)):
                self.refuse(each.name, kind.expected)

    def refuse(self, name, expected):
        """Raise ValueError for a parameter, with what it may be."""
        raise ValueError(f"{self.name}: {name}: found {_shown(getattr(self, name))}, expected {expected}")

    @classmethod
    def repeats(cls):
        """The names of the parameters that say how many runs of the logs there are."""
        return [each.name for each in dataclasses.fields(cls) if each.metadata.get("repeats")]

    @property
    def parameters(self):
        """The parameters by name, as the record has them."""
        return {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}

    @cached_property
    def sources(self):
        """The workloads that it is made from, by group."""
        return self.load()

    def synthetic(self, on):
        """Whether any of these groups has a workload that only stands in for a log: the one place that decides it."""
        return any(workload.stand_in for group in on for workload in self.sources.get(group, []))

    @property
    def own(self):
        """Whether it is made from a log of the reader's own: then it has no printed numbers, claims or place here."""
        return bool(getattr(self, "log", ""))

    def show_sources(self):
        """Print what is missing; return a table of the others: which file or model, which of its jobs take part."""
        sources = self.sources
        for one in self.missing:
            print(f"{one}: not on this machine, left out")
        return logs_table([workload for group in sources.values() for workload in group])

    @cached_property
    def made(self):
        """The parts, by suffix."""
        return self.parts()

    @cached_property
    def verdicts(self):
        """The verdicts on its claims; none but "cannot be tested" on one that rests on stand-ins; none of own logs."""
        if self.own:
            return []
        found = {claim["id"]: claim for claim in self.judge()}
        if set(found) != set(self.claims):
            raise ValueError(f"{self.name}: judge() decides {', '.join(found)}, expected {', '.join(self.claims)}")
        return [records.withdrawn(one) if self.synthetic(self._rests_on(id)) else one for id, one in found.items()]

    def _rests_on(self, claim):
        on = self.claims[claim]
        return (on,) if isinstance(on, str) else on

    def print_verdicts(self):
        """Print the verdicts, one after another, wrapped: first the claim, then a line each reading."""
        for found in self.verdicts:
            print(f"{found['id']}  {_wrapped(_verdict(found) + ': ' + found['claim'])}")
            for line in found["evidence"].split("\n"):
                print(f"       {_wrapped(line, '  ')}")

    def figure(self, part=""):
        """Draw a picture, stamped if it shows what stands in for a log; once, for it is shown and saved.

        It is closed, so that a notebook shows it where it is the value of a cell. None where there is none.
        """
        if self.made[part].draw is None:
            return None
        drawn = vars(self).setdefault("_figures", {})
        if part not in drawn:
            figure = self.made[part].draw()
            if self.synthetic(self.made[part].on):
                plots.stamp(figure)
            plt.close(figure)
            drawn[part] = figure
        return drawn[part]

    @property
    def changed(self):
        """The parameters that are not the notebook's own, by name."""
        own = type(self)().parameters
        return {name: value for name, value in self.parameters.items() if value != own[name]}

    def save(self):
        """Write all parts: pictures, numbers, records; nothing before all are drawn and judged.

        What a notebook makes by its own parameters goes to `figures/`, or where it rests on stand-ins to
        `build/synthetic/`. What it makes by others, or of fewer logs than its record in `figures/`, goes to a folder
        in `build/explorations/`, and what it makes of a log of one's own to one in `build/own/`: nothing counts these.
        """
        stem, files, why = self.name.replace("/", "_"), {}, {}
        for suffix, part in self.made.items():
            name = f"{stem}_{suffix}" if suffix else stem
            claims = self.verdicts if suffix == next(iter(self.made)) else []
            groups = [*part.on, *(group for one in claims for group in self._rests_on(one["id"]))]
            on = [group for group in self.sources if group in groups]
            workloads = [workload for group in on for workload in self.sources[group]]
            others = [] if LOGS in on else self.repeats()  # which are of shaken runs of the logs
            table = _made(part.table)
            found = records.contents(
                name,
                self.figure(suffix),
                table.drop(columns=["published", "deviation"], errors="ignore") if self.own else table,
                workloads,
                {name: value for name, value in self.parameters.items() if name not in others and name != "log"},
                [] if self.own else _made(part.cells),
                claims,
            )
            differs = [] if self.own else self._differs(name, on, workloads)
            why |= dict.fromkeys(differs)
            folder = self._apart if self.own or differs else records.folder(workloads)
            files |= {folder / file: content for file, content in found.items()}
        records.write(files)
        if self.own:
            print(f"Saved in {self._apart}")
        elif why:
            print(f"Saved in {self._apart}, for this is not what figures/ has: {'; '.join(why)}")

    def _differs(self, name, on, workloads):
        """Say what a part is made by or from that its record in `figures/` is not: sentences."""
        few = [] if LOGS in on and not self.synthetic(on) else self.repeats()  # which do not matter there
        own = type(self)().parameters
        said = [
            f"{parameter} is {_shown(value)}, in the notebook {_shown(own[parameter])}"
            for parameter, value in self.changed.items()
            if parameter not in few
        ]
        lacking = [] if self.synthetic(on) else records.lacking(paths.ROOT / "figures" / f"{name}.json", workloads)
        return said + ([f"without {', '.join(lacking)}"] if lacking else [])

    @property
    def _apart(self):
        """Where that goes which is not the study's: a folder for each log of one's own, and each set of parameters."""
        build = paths.ROOT / "build"
        if self.own:
            return build / "own" / Path(self.log).name.split(".")[0]
        made_from = [self.changed, [workload.name for group in self.sources.values() for workload in group]]
        digest = hashlib.sha256(json.dumps(made_from, default=str).encode()).hexdigest()[:8]
        return build / "explorations" / f"{self.name.replace('/', '_')}_{digest}"


def _shown(value):
    """A parameter's value as it stands in a notebook, cut where it is long."""
    text = repr(list(value) if isinstance(value, tuple) else value)
    return text if len(text) <= 100 else f"{text[:97]}..."


def _made(value):
    return value() if callable(value) else value


REGISTRY = {}
"""The exhibits whose modules have been imported, by name."""


@cache
def exhibits():
    """All exhibits of both papers, in the papers' order: found by importing every module of each paper's folder."""
    for package in pkgutil.iter_modules(study.__path__, f"{study.__name__}."):
        if package.ispkg:
            for module in pkgutil.iter_modules(importlib.import_module(package.name).__path__, f"{package.name}."):
                importlib.import_module(module.name)
    return dict(sorted(REGISTRY.items(), key=lambda item: (item[0].partition("/")[0], _in_order(item[1]))))


def _in_order(cls):
    """By section, and there as the notebooks are called: figure 4, figures 8-10, figure 11, table 1."""
    notebook = cls.name.partition("/")[2]
    numbered = re.match(r"([a-z]+?)s?(\d+)", notebook)
    kind, number = numbered.groups() if numbered else (notebook, 0)
    return [int(number) for number in cls.section.split(".")], kind, int(number)
