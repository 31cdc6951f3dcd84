"""Read slurm.conf, or what `scontrol show config` prints: the policy that it sets, and what of it is not simulated.

Sources are files of github.com/SchedMD/slurm, tag slurm-26-05-3-1: src/plugins/sched/backfill/backfill.c with its
options in slurm.conf(5), src/plugins/priority/multifactor/priority_multifactor.c, src/common/parse_time.c, and
src/common/parse_config.c: of a key that stands twice the last value counts. In SchedulerParameters the first value of a
name counts.
"""

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from simlib.core.schedule import Policy
from simlib.logs.files import read_bytes
from simlib.policies.conservative import SlurmBackfill
from simlib.policies.easy import FCFS
from simlib.policies.orders import DAY, Multifactor

AS_SET = "Slurm as it is set"
"""What the policy of a file is called on a page."""

_WEIGHTS = {
    "priorityweightage": "age",
    "priorityweightjobsize": "size",
    "priorityweightfairshare": "fair share",
    "priorityweightpartition": "partition",
    "priorityweightqos": "QOS",
    "priorityweightassoc": "association",
}

_KNOWN = {*_WEIGHTS, "schedulertype", "schedulerparameters", "prioritytype", "priorityflags", "priorityfavorsmall"}
_KNOWN |= {"prioritymaxage", "prioritydecayhalflife", "priorityweighttres", "priorityusageresetperiod"}

_RANGES = {
    # name in SchedulerParameters: setting of SlurmBackfill, seconds of one unit, least, most; 0 as no limit
    "bf_interval": ("interval", 1, 1, 10800),
    "bf_resolution": ("resolution", 1, 1, 3600),
    "bf_window": ("window", 60, 1, 43200),
    "bf_max_job_test": ("depth", 1, 1, 1_000_000),
    "bf_job_part_count_reserve": ("reservations", 1, 0, 100_000),
    "bf_max_job_user": ("per_user", 1, 0, 1_000_000),
}

_HARMLESS = {
    "bf_busy_nodes",
    "bf_window_linear",
    "bf_continue",
    "bf_yield_interval",
    "bf_yield_sleep",
    "bf_yield_rpc_cnt",
}
_HARMLESS |= {"max_rpc_cnt", "batch_sched_delay", "sched_interval", "sched_min_interval", "max_sched_time", "defer"}
_HARMLESS |= {"bf_max_time", "defer_batch", "default_queue_depth", "bf_node_space_size"}
"""Parameters that say which nodes are taken, or how much a scheduler does in the time that it has."""

_LINES_OF = "nodename|partitionname|nodeset|downnodes|switchname|frontendname|include"
"""Keys whose lines describe nodes or partitions, or read another file."""


class Value(NamedTuple):
    """What stands behind a key, in which line, and the key as it is written."""

    text: str
    line: int
    key: str


@dataclass(frozen=True)
class Settings:
    """The policy that a Slurm cluster is set to, and sentences on what of its settings is not simulated."""

    policy: Policy
    not_simulated: list[str]


def settings(path: str | Path) -> Settings:
    """Read slurm.conf, or what `scontrol show config` prints.

    Parameters
    ----------
    path : str or Path
        Keys may have any case; what is not set has Slurm's default.

    Returns
    -------
    Settings
        The policy is `simlib.SlurmBackfill`, or `simlib.FCFS` where nothing is backfilled, with the order that the
        weights of priority/multifactor make; with priority/basic or without weights it is the order of arrival.

    Raises
    ------
    ValueError
        If the file has no key that says how jobs are scheduled, or a value that Slurm would not take; the message has
        the file, the line and the key.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "slurm.conf")
    ...     _ = path.write_text("PriorityWeightAge=1000\\nSchedulerParameters=bf_window=2880,bf_max_job_test=1000")
    ...     found = settings(path)
    >>> found.policy
    SlurmBackfill(order=Multifactor(age=1000, procs=0, fair_share=0, ..., whole=True), depth=1000, window=172800)
    """
    values = _values(path)
    if not values.keys() & _KNOWN:
        raise ValueError(
            f"{path}: found no key such as SchedulerParameters or PriorityWeightAge, expected slurm.conf, or what "
            "`scontrol show config` prints"
        )
    reader = _Reader(path, values)
    order, said = reader.order()
    policy, more = reader.scheduler(order)
    return Settings(policy, [*more, *said, *reader.others()])


def _values(path: str | Path) -> dict[str, Value]:
    """The values by keys in small letters; lines that end in a backslash go on."""
    text = read_bytes(path).decode("utf-8", "replace")
    values: dict[str, Value] = {}
    before, begun = "", 0
    for number, line in enumerate(text.split("\n"), start=1):
        line = before + re.sub(r"(?<!\\)#.*", "", line).rstrip()
        begun = begun or number
        if line.endswith("\\"):
            before = line[:-1]
            continue
        if printed := re.fullmatch(r"\s*([A-Za-z]\w*)\s+= ?(.*)", line):
            pairs = [printed.groups()]
        else:
            pairs = re.findall(r'([A-Za-z]\w*)\s*=\s*("[^"]*"|\S+)', line)
        if pairs and not re.fullmatch(_LINES_OF, pairs[0][0].lower()):
            values |= {key.lower(): Value(value.strip().strip('"'), begun, key) for key, value in pairs}
        before, begun = "", 0
    return values


class _Reader:
    """The values of a file, read as what they mean; methods give a part, and what of it is not simulated."""

    def __init__(self, path: str | Path, values: dict[str, Value]) -> None:
        self.path, self.values = path, values

    def text(self, key: str, default: str = "") -> str:
        """A value in small letters; (null) is none."""
        text = self.values[key].text.lower() if key in self.values else default
        return default if text in ("", "(null)") else text

    def refuse(self, key: str, found: str, expected: str) -> ValueError:
        """What to raise of a value that Slurm does not take."""
        _, line, written = self.values[key]
        return ValueError(f"{self.path}: line {line}: {written}: found {found!r}, expected {expected}")

    def number(self, key: str, found: str, least: int, most: int, name: str = "") -> int:
        """A whole number within limits, of a name within the value of the key."""
        if not re.fullmatch(r"-?\d{1,12}", found) or not least <= int(found) <= most:
            raise self.refuse(key, f"{name}={found}" if name else found, f"a whole number from {least} to {most}")
        return int(found)

    def seconds(self, key: str, default: int) -> int:
        """A time, as Slurm writes it: minutes, or [days-]hours:minutes:seconds."""
        if not (text := self.text(key)):
            return default
        days, hours, minutes, seconds = r"(\d{1,6})-(\d{1,6})(?::(\d{1,6}))?(?::(\d{1,6}))?", r"\d{1,6}", "", ""
        if found := re.fullmatch(days, text):
            parts = [int(part or 0) for part in found.groups()]
        elif re.fullmatch(rf"{hours}:{hours}:{hours}", text):
            parts = [0, *map(int, text.split(":"))]
        elif re.fullmatch(rf"{hours}(:{hours})?", text):
            minutes, _, seconds = text.partition(":")
            parts = [0, 0, int(minutes), int(seconds or 0)]
        else:
            raise self.refuse(key, text, "minutes, or a time such as 7-00:00:00")
        return sum(part * unit for part, unit in zip(parts, (DAY, 3600, 60, 1), strict=True))

    def parameters(self) -> dict[str, str]:
        """SchedulerParameters: the values by their names, the first one of each."""
        pairs = [part.strip().partition("=") for part in self.text("schedulerparameters").split(",") if part.strip()]
        return {name: value for name, _, value in reversed(pairs)}

    def scheduler(self, order: str | Multifactor) -> tuple[Policy, list[str]]:
        """The scheduler with an order of the queue."""
        kind, given = self.text("schedulertype", "sched/backfill"), self.parameters()
        if kind not in ("sched/backfill", "sched/builtin"):
            raise self.refuse("schedulertype", kind, "sched/backfill or sched/builtin")
        said = [
            f"{name} of SchedulerParameters is not simulated."
            for name in given
            if name not in _RANGES and name not in _HARMLESS
        ]
        if small := [name for name in given if name in _HARMLESS]:
            said.append(
                f"{', '.join(small)}: a scheduler has as much time as it needs here, and nodes are not told apart."
            )
        if kind == "sched/builtin" or given.get("bf_interval") == "-1":
            return FCFS(order), said
        options: dict[str, Any] = {}
        for name, (setting, unit, least, most) in _RANGES.items():
            if name in given:
                number = self.number("schedulerparameters", given[name], least, most, name)
                options[setting] = number * unit if number or least else math.inf
        return SlurmBackfill(order, **options), said

    def order(self) -> tuple[str | Multifactor, list[str]]:
        """The order of the queue."""
        if (kind := self.text("prioritytype", "priority/multifactor")) == "priority/basic":
            return "fcfs", []
        if kind != "priority/multifactor":
            raise self.refuse("prioritytype", kind, "priority/multifactor or priority/basic")
        weight = {name: self.number(key, self.text(key, "0"), 0, 2**32 - 1) for key, name in _WEIGHTS.items()}
        flags = self.text("priorityflags").split(",")
        favour = self.text("priorityfavorsmall", "no")
        if favour not in ("yes", "no", "1", "0", "true", "false"):
            raise self.refuse("priorityfavorsmall", favour, "YES or NO")
        by_cpus, said = self.by_cpus()
        said += [f"The weight of the {name} ({weight[name]:,}) is not simulated: a log does not have its factor."
                 for name in ("partition", "QOS", "association") if weight[name]]  # fmt: skip
        size = -weight["size"] if favour in ("yes", "1", "true") else weight["size"]
        per_minute = "small_relative_to_time" in flags
        if per_minute and by_cpus:
            said.append("CPU in PriorityWeightTRES is not simulated with SMALL_RELATIVE_TO_TIME.")
            by_cpus = 0
        if weight["size"]:
            said.append(
                "The size is the share of the processors; Slurm takes the mean of this and the share of the nodes."
            )
        if not (weight["age"] or size + by_cpus or weight["fair share"]):
            return "fcfs", said
        half_life, max_age = self.seconds("prioritydecayhalflife", 7 * DAY), self.seconds("prioritymaxage", 7 * DAY)
        if weight["fair share"]:
            said += self.fair_share(flags)
        if ignored := [flag for flag in flags if flag.startswith(("accrue", "incr", "no_normal", "max_tres"))]:
            said.append(f"{', '.join(ignored)} of PriorityFlags: not simulated.")
        return (
            Multifactor(
                weight["age"],
                size + by_cpus,
                weight["fair share"],
                max(max_age, 1) / DAY,
                (half_life or 1000 * 365 * DAY) / DAY,
                per_minute=per_minute,
                whole=True,
            ),
            said,
        )

    def by_cpus(self) -> tuple[int, list[str]]:
        """The weight of processors in PriorityWeightTRES, and what is said of the other resources."""
        pairs = [part.partition("=") for part in self.text("priorityweighttres").split(",") if part]
        weight, others = 0, []
        for name, _, value in pairs:
            number = self.number("priorityweighttres", value, 1 - 2**32, 2**32 - 1, name)
            if name == "cpu":
                weight = number
            elif number:
                others.append(name)
        said = f"{', '.join(others)} in PriorityWeightTRES: not simulated, only CPU is."
        return weight, [said] if others else []

    def fair_share(self, flags: list[str]) -> list[str]:
        """What of the fair share is not simulated."""
        said = ["Fair share: all users have equal shares here, in one account."]
        if "no_fair_tree" not in flags:
            said.append(
                "Fair Tree orders users by the same usage, but its factor is a user's rank; here it is 2 ** -usage, as "
                "with NO_FAIR_TREE."
            )
        if (reset := self.text("priorityusageresetperiod", "none")) != "none":
            said.append(f"PriorityUsageResetPeriod={reset.upper()} is not simulated: usage only decays.")
        return said

    def others(self) -> list[str]:
        """What else is set that no simulation counts."""
        said = []
        if self.text("preempttype", "preempt/none") != "preempt/none":
            said.append("Preemption is not simulated.")
        if "limits" in self.text("accountingstorageenforce") or "safe" in self.text("accountingstorageenforce"):
            said.append(
                "Limits of associations and QOS are enforced; this file does not have them. Ask for user limits."
            )
        if (plugin := self.text("prioritysitefactorplugin")) or self.text("jobsubmitplugins"):
            said.append(f"{plugin or self.text('jobsubmitplugins')} may change priorities; that is not simulated.")
        if self.text("overtimelimit", "0 min") not in ("0", "0 min"):
            said.append("OverTimeLimit is not simulated: a job is expected to end at its limit.")
        return said
