"""What is run of a notebook beside what the study has of it, for only the same experiment is comparable with print.

An unchanged notebook is judged. Fewer runs, or others, are judged too, and marked as a preview. Whatever else differs
makes another experiment, which is judged by nothing.
"""

import ast
import hashlib
import platform
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from simlib import parameters as checking
from simlib._util.cache import identity
from simlib.core.workload import Workload

from .loading import Logs, are_own, default_names
from .notebooks import COUNTS, PAPERS, Notebook, notebook

PACKAGES = "numpy", "pandas", "numba", "scipy", "matplotlib"

OF_PAPER = ("ANL-Intrepid",)
"""A paper's own log, for which those of its notebooks stand in."""


@dataclass(frozen=True)
class Experiment:
    """What is run of a notebook: its parameters, the cells since these were set, and how both differ from the study's.

    `changed` makes another experiment, of which nothing is comparable; `added` policies, measures and the like leave
    the numbers of the others as they are; `fewer` logs too; `repeats` are other runs of the same experiment, said by
    parameter. `code` are the cells without those that only set parameters.
    """

    name: str = ""
    notebook: Notebook | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    cells: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    fewer: tuple[str, ...] = ()
    repeats: dict[str, str] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def own(self) -> bool:
        """Whether it is of a paper of the reader's: its name begins with no folder of the study's notebooks."""
        return bool(self.name) and self.name.partition("/")[0] not in PAPERS

    @property
    def unjudged(self) -> str:
        """Why no number is judged, in one line; "" where numbers are."""
        return f"not judged: {'; '.join(self.changed)}" if self.changed else ""

    @property
    def undecided(self) -> str:
        """Why nothing is decided of claims and findings, which speak of all policies, measures and logs together."""
        return f"not judged: {'; '.join([*self.changed, *self.added])}" if self.changed or self.added else ""

    def preview(self, logs: Logs | None = None) -> str:
        """How its runs differ from the study's, in one line; "" where they do not.

        What is not of logs does not depend on how often these are shaken. Of stand-ins and of logs of the reader's the
        study has no runs.
        """
        if logs is not None and (logs.own or logs.stand_in):
            return ""
        of_logs = self.notebook.repeats if self.notebook and not logs else ()
        said = [text for name, text in self.repeats.items() if name not in of_logs]
        return f"preview: {'; '.join(said)}" if said else ""

    @property
    def digest(self) -> str:
        """Eight letters, which differ for experiments that do: by cells, parameters, logs, and the package."""
        logs = [
            each
            for value in self.variables.values()
            for each in (value.values() if isinstance(value, Logs) else [value])
        ]
        logs = [(log.name, log.procs, identity(log.jobs)) for log in logs if isinstance(log, Workload)]
        versions = platform.python_version(), *map(metadata.version, PACKAGES), _package()
        return hashlib.sha256(repr((self.code, self.parameters, logs, versions)).encode()).hexdigest()[:8]

    def absent(self, logs: Collection[str]) -> set[str]:
        """The names of the notebook's own logs that are not among these: not requested, or not on this machine."""
        own = _own_parameters(self.notebook).get("logs", ()) if self.notebook else ()
        return set(_listed(own)) - set(logs)


_HERE: dict[str, dict[str, Any]] = {}
"""The variables of the notebook that runs, by its name: one, or none."""


def parameters(name: str, variables: dict[str, Any], *, own: bool = False, **expected: checking.Expected) -> None:
    """Begin a notebook: check its parameters, as `simlib.parameters.check`, and the names of its `logs`.

    Parameters
    ----------
    name : str
        Folder and name, such as "mualem2001/table4"; or of a paper of your own any name, such as "my-paper".
    variables : dict
        Those of the notebook, `vars()`: `judge`, `claim` and `save` compare what was run with what the study has. With
        `quick` they get the few runs of a first look.
    own : bool
        Whether `logs` may be logs of the reader's.
    **expected
        As for `simlib.parameters.check`.

    Examples
    --------
    >>> parameters("mualem2001/table4", {"In": ['logs: list[str] = ["CTC", "KTH"]'], "logs": ["LANL"]})
    Traceback (most recent call last):
        ...
    ValueError: logs: found LANL, expected names out of CTC, KTH, SDSC, Par, CM5
    """
    checking.check(variables, **expected)
    paper, here = name.partition("/")[0], notebook(name)
    if here and variables.get("quick"):  # what is not set to something else
        variables.update({each: few for each, few in here.quick.items() if variables[each] == here.parameters[each]})
    if paper in PAPERS and "logs" not in expected and isinstance(names := variables.get("logs"), list):
        are_own(paper, names, own)
    _HERE.clear()
    _HERE[name] = variables


def running() -> Experiment:
    """Compare what runs now with the notebook of the study that it is of, as `study.parameters` was told.

    Outside of Jupyter the cells are not known, and only parameters are compared. Where no notebook runs there is
    nothing to compare.
    """
    if not _HERE:
        return Experiment()
    ((name, variables),) = _HERE.items()
    here = notebook(name)
    executed = [cell for cell in variables.get("In", ()) if _parsed(cell)]  # not those of comments only
    if not here:
        return _of_nobody(name, executed, variables)
    own = _own_parameters(here)
    now = {each: variables.get(each, default) for each, default in own.items()}
    if "logs" in own:  # those that were loaded are called as their names were
        now["logs"] = getattr(now["logs"], "asked", now["logs"]) or own["logs"]
    sets = [_sets(cell) for cell in executed]
    begin = max([number for number, names in enumerate(sets) if names >= set(here.parameters)], default=0)
    cells, code = executed[begin:], executed[begin:]  # what was run before does no longer count
    while code and _sets(code[0]) and _sets(code[0]) <= set(here.parameters):
        code = code[1:]
    changed, added = _differing(code, here, variables)
    fewer: list[str] = []
    repeats: dict[str, str] = {}
    for each, value in now.items():
        default = own[each]
        said = f"{each} is {value!r}, in the study {default!r}"
        if _listed(value) == _listed(default):
            continue
        if each == "seed" or COUNTS.fullmatch(each):
            repeats[each] = said
        else:
            known = [*_listed(default), *OF_PAPER]
            among = each == "logs" and _listed(value) and all(name in known for name in _listed(value))
            (fewer if among else changed).append(said)
    differs = tuple(changed), tuple(added), tuple(fewer)
    return Experiment(name, here, now, tuple(cells), tuple(code), *differs, repeats, variables)


def _of_nobody(name: str, executed: Sequence[str], variables: dict[str, Any]) -> Experiment:
    """What runs of a notebook that is not the study's: its parameters are what the last cell of such declares."""
    declaring = [number for number, cell in enumerate(executed) if checking.declared([cell])[0]]
    cells = executed[max(declaring, default=0) :]
    names = checking.declared(cells)[0]
    given = {each: getattr(variables[each], "asked", variables[each]) for each in names if each in variables}
    code = [cell for cell in cells if not _sets(cell) or not _sets(cell) <= names.keys()]
    return Experiment(name, None, given, tuple(cells), tuple(code), (NO_NOTEBOOK,), variables=variables)


def _own_parameters(here: Notebook) -> dict[str, Any]:
    """The parameters of a notebook of the study, with the names of its logs where it takes those of the settings.

    Without `quick`: what it sets is told by the others.
    """
    own = {name: value for name, value in here.parameters.items() if name != "quick"}
    by_default = "logs" in own and own["logs"] is None
    return own | {"logs": default_names(here.name.partition("/")[0])} if by_default else own


NO_NOTEBOOK = "this is no notebook of the study"


def _listed(value: Any) -> Any:
    """A list where one value may stand for it."""
    return list(value) if isinstance(value, (list, tuple)) else value if isinstance(value, dict) else [value]


@cache
def _package() -> str:
    """A digest of simlib and of the study."""
    here = Path(__file__).parent
    files = sorted([*here.with_name("simlib").rglob("*.py"), *here.rglob("*.py")])
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


# Cells


def _sets(cell: str) -> set[str]:
    """The names that a cell sets; none if it does anything else but import types for them."""
    lines = [line for line in _parsed(cell) if not isinstance(line, ast.ImportFrom)]
    targets = [target for line in lines for target in getattr(line, "targets", [getattr(line, "target", None)])]
    return {target.id for target in targets} if all(isinstance(target, ast.Name) for target in targets) else set()


def _differing(cells: Sequence[str], here: Notebook, variables: dict[str, Any]) -> tuple[list[str], list[str]]:
    """How executed cells differ from a notebook's: lists of what makes another experiment, and of what is added."""
    left = [cell for cell in here.code if cell != here.tagged]
    run: list[tuple[ast.AST, ...]] = []
    added: list[str] = []
    for cell in cells:
        lines = _parsed(cell)
        if left and _same(lines, _parsed(left[0])):
            left.pop(0)
        elif not any(_same(lines, before) for before in run):
            if not left or (more := _added(lines, _parsed(left[0]), variables)) is None:
                own = left[0].splitlines() if left else []
                line = next((line for line in cell.splitlines() if line.strip() and line not in own), cell.strip())
                return [f"the study has no cell {line.strip()!r} here"], added
            left.pop(0)
            added += [f"{name!r} is not in the study" for name in more]
        run.append(lines)
    return [], added


@lru_cache(1000)
def _parsed(cell: str) -> tuple[ast.AST, ...]:
    """The lines of a cell; its text where it is no Python."""
    try:
        return tuple(ast.parse(cell).body)
    except SyntaxError:
        return (ast.Constant(cell),)


def _same(one: Iterable[ast.AST], other: Iterable[ast.AST]) -> bool:
    """Whether lines are the same but for their comments and layout."""
    return [*map(ast.dump, one)] == [*map(ast.dump, other)]


def _added(new: Any, old: Any, variables: dict[str, Any]) -> list[Any] | None:
    """The names of what code adds to dicts of other code, such as a policy; None if it differs in anything else."""
    if isinstance(old, (list, tuple)):
        if not isinstance(new, type(old)) or len(new) != len(old):
            return None
        return _together([_added(*pair, variables) for pair in zip(new, old, strict=True)])
    if not isinstance(old, ast.AST):
        return [] if new == old else None
    if isinstance(old, ast.Dict) and isinstance(new, ast.Dict):
        entries, own = (_entries(of) for of in (new, old))
        more = [key for key in entries if key not in own]
        if not own.keys() <= entries.keys() or any(not isinstance(entries[key][0], ast.Constant) for key in more):
            return None
        within = [_added(entries[key][1], value, variables) for key, (_, value) in own.items()]
        return _together([*within, [entries[key][0].value for key in more]])
    if type(new) is type(old):
        return _together([_added(getattr(new, field), getattr(old, field), variables) for field in old._fields])
    if isinstance(new, (ast.List, ast.Tuple)) and new.elts:
        first, *rest = new.elts
        if isinstance(first, ast.Starred) and _same([first.value], [old]):
            constants = [one.value for one in rest if isinstance(one, ast.Constant)]
            return constants if len(constants) == len(rest) else None
    if isinstance(new, ast.BinOp) and isinstance(new.op, ast.BitOr) and isinstance(new.right, ast.Dict):
        there = variables.get(new.left.id) if isinstance(new.left, ast.Name) else None
        names = [key.value if isinstance(key, ast.Constant) else None for key in new.right.keys]
        if _same([new.left], [old]) and isinstance(there, dict) and not {None, *there} & {*names}:
            return names
    return None


def _entries(of: ast.Dict) -> dict[str | None, tuple[Any, ast.expr]]:
    """The entries of a dict, as they are written, by their keys."""
    return {key if key is None else ast.dump(key): (key, value) for key, value in zip(of.keys, of.values, strict=True)}


def _together(lists: Sequence[list[Any] | None]) -> list[Any] | None:
    """One list of several; None if one of them is None."""
    known = [of for of in lists if of is not None]
    return [one for of in known for one in of] if len(known) == len(lists) else None
