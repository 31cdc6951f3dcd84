"""What programs call EASY: public simulators and schedulers, each as settings of one policy, read in their sources.

Each program's rule is an `EasyProgram`, whose plain reading is `simlib.EASY()`. Two things are compared: when a waiting
job may pass the head of the queue, and when the head starts. All else is the same for all programs: the order of
arrival, a machine of equal processors, estimates raised to the run time where they lie below it. So a program that
kills jobs at their estimates, or has nodes of several kinds, schedules a log differently from the simulation here.
"""

from typing import NamedTuple

import pandas as pd

from ..investigations.kernel_variants import easy
from ..investigations.kernel_variants.easy import TEXT, EasyReading
from ..investigations.programs import PLAIN, EasyProgram


class Program(NamedTuple):
    """A program, and what it calls EASY.

    Attributes
    ----------
    repository, commit : str, on GitHub, and the commit that was read
    lines : str, files and lines where the rule stands
    rule : str, in one line
    reading : EasyReading, the same as settings
    untold : str, what the source leaves open or what is not simulated
    """

    repository: str
    commit: str
    lines: str
    rule: str
    reading: EasyReading = TEXT
    untold: str = ""


PROGRAMS = {
    "pyss": Program(
        "dinesh121991/pyss",
        "44a2423",
        "src/schedulers/easy_scheduler.py:56-89, src/base/prototype.py:52",
        "who leaves the head its place in a profile of numbers of processors may pass it: the text's rule; "
        "each event has a pass, arrivals first",
        TEXT._replace(events=easy.ARRIVALS_FIRST),
        "jobs are killed at their request (prototype.py:210); one that ends when it was to is gone a moment sooner",
    ),
    "batsched, easy_bf": Program(
        "oar-team/batsched",
        "bab23fa",
        "src/algo/easy_bf.cpp:105-145, src/schedule.cpp:215-239, src/locality.cpp:29-33",
        "the head reserves the lowest-numbered processors that are free by the shadow time; who runs beyond it has to "
        "fit the other free ones",
        TEXT._replace(beyond=easy.PLACED),
        "whether all events of an instant come in one message is up to Batsim, which kills at the walltime",
    ),
    "batsched, easy_bf_fast": Program(
        "oar-team/batsched",
        "bab23fa",
        "src/algo/easy_bf_fast.cpp:75-125, 141-142, 183-184, 241-258",
        "nobody runs beyond the shadow time, which is found once, when a job becomes the head",
        TEXT._replace(beyond=easy.NOBODY, held=True),
        "as easy_bf",
    ),
    "Flux": Program(
        "flux-framework/flux-sched",
        "fd257f7",
        "qmanager/policies/queue_policy_easy_impl.hpp:34, queue_policy_bf_base_impl.hpp:38-69, "
        "qmanager/config/queue_system_defaults.hpp:17, resource/traversers/dfu_impl.cpp:92, "
        "resource/policies/dfu_match_policy_factory.cpp:24",
        "as easy_bf of batsched, from the highest number down; 32 jobs of the queue are looked at at a time",
        TEXT._replace(beyond=easy.PLACED, looked_at=32),
        "a scheduler, so events come when they come; nodes are rarely alike, and the match policy is a setting",
    ),
    "RLScheduler": Program(
        "DIR-LAB/deep-batch-scheduler",
        "cd433e3",
        "HPCSimPickJobs.py:385-430",
        "nobody runs up to the shadow time, which is found once, when a job becomes the head; each event has a pass, "
        "arrivals first",
        TEXT._replace(beyond=easy.NOBODY, held=True, strict=True, events=easy.ARRIVALS_FIRST),
        "it runs sequences of 256 jobs (line 31), here the log; a job beyond its request puts the shadow in the past",
    ),
    "RAPS": Program(
        "ExaDigiT/RAPS",
        "6c142bf",
        "raps/schedulers/default.py:141-210",
        "nobody runs beyond the shadow time, for which running jobs are gone through by time limit, not by end; "
        "computed again after each backfilled job",
        TEXT._replace(beyond=easy.NOBODY, by_limit=True, recomputed=True),
        "time goes by seconds; whom it kills when (raps/engine.py) is not simulated",
    ),
    "CQSim": Program(
        "SPEAR-UIC/CQSim",
        "d8bdbb0",
        "src/CqSim/Backfill.py:57-79, src/CqSim/Cqsim_sim.py:141-163, 288-291, 363-364",
        "the text's rule with the true run times of candidates, and the requests of running jobs; each event has a "
        "pass, ends first",
        TEXT._replace(known=True, events=easy.ENDS_FIRST),
        "whether the run times are meant",
    ),
    "AccaSim": Program(
        "cgalleguillosm/accasim",
        "2a3c0e0",
        "accasim/base/scheduler_class.py:439-504, accasim/base/allocator_class.py:277-287, 354-361",
        "whoever fits passes the head, which starts no earlier than at the shadow time that it had first",
        TEXT._replace(beyond=easy.ANYBODY, held=True, waits=True),
        "whether that is meant: the docstring keeps others off the reserved nodes, and until June 2018 (23f1fe0) the "
        "code did",
    ),
    "Qsim": Program(
        "wtangiit/Qsim",
        "fea47fd",
        "src/lib/Components/bqsim.py:969-971, 1136-1160, 1209-1249, 1277-1296, bgsched.py:878, evsim.py:325-339",
        "each blocked job drains the partition that frees earliest, and nobody runs beyond that; a running job needs "
        "five minutes more at least",
        TEXT._replace(beyond=easy.NOBODY, least=300),
        "what a second blocked job drains: a machine of like processors is one partition; kills and whole minutes",
    ),
    "ocst": Program(
        "freuk/ocst",
        "ec6a9ea",
        "src/easy.ml:280-297, 328-343",
        "the text's rule, but extra processors are counted as soon as the head has enough",
        TEXT._replace(first_only=True),
        "which of the jobs that end at once is counted first",
    ),
    "Alea": Program(
        "aleasimulator/alea",
        "a3315f0",
        "Alea/src/xklusac/algorithms/queue_based/multi_queue/EASY_Backfilling.java:124-175, 207-209, "
        "Alea/src/xklusac/environment/ResourceInfo.java:763-811",
        "the text's rule, but a job that ends at the shadow time needs extra processors; both are computed again after "
        "each backfilled job",
        TEXT._replace(strict=True, recomputed=True),
        "a machine of several clusters, and of several queues; estimates are a setting",
    ),
}
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


def policy(reading):
    """Make the policy of a reading: that of the package, where it has one."""
    return PLAIN.get(EasyProgram(reading), EasyProgram(reading))


def policies(readings=None):
    """Make the policy of each program by name, or of other readings."""
    readings = {name: program.reading for name, program in PROGRAMS.items()} if readings is None else readings
    return {name: policy(reading) for name, reading in readings.items()}


def table():
    """List the programs: the rule of each, where it stands, and what cannot be decided."""
    rows = [
        (name, one.rule, f"{one.repository}@{one.commit}: {one.lines}", settings(one.reading), one.untold)
        for name, one in PROGRAMS.items()
    ]
    columns = ["program", "what it calls EASY", "where", "settings", "not told, or not simulated"]
    return pd.DataFrame(rows, columns=columns).set_index("program")


NAMES = {
    "charge": ["long", "none", "all"],
    "events": ["one pass", "ends first", "arrivals first"],
    "beyond": ["counted", "nobody", "anybody", "placed"],
}
"""What the numbers of settings mean."""


def settings(reading):
    """Write the settings in which a reading differs from the text's."""
    told = []
    for name, value, usual in zip(reading._fields, reading, TEXT, strict=True):
        if value != usual:
            value = NAMES[name][value] if name in NAMES else value
            told.append(name if value is True else f"{name} = {value}")
    return ", ".join(told)
