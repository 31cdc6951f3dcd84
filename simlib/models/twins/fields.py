"""The further fields of a twin's log: users' groups, applications, queues, statuses and waits."""

import numpy as np
import pandas as pd

from ...arrays import Floats, Ints
from ...swf import FIELDS
from .chance import NONE, Table, places, read, score


def add_names(table: Table, jobs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Add `group`, `app`, `queue` and `status`, and number the users from 1."""
    user, request = jobs.user.to_numpy(), jobs.request.to_numpy()
    group: Ints | int = NONE
    app: Ints | int = NONE
    queue: Ints | int = NONE
    if users := table["users"]["groups"]:
        of_user = rng.permutation(np.repeat(np.arange(1, len(users) + 1), users))
        second = rng.random(jobs.session.iloc[-1] + 1) < table["users"]["second"]
        group = np.where(second[jobs.session], rng.permutation(of_user)[user], of_user[user])
    if table["apps"]:
        one_off = rng.random(len(jobs)) < table["apps"]["one_off"]
        app = pd.factorize(np.where(one_off, -1 - np.arange(len(jobs)), request))[0] + 1
    if queues := table["queues"]:
        of_user = table["likeness"]["queue"]
        scores = score(rng.standard_normal((3, len(jobs))), (user, of_user), (request, 1 - of_user))
        deck = np.repeat(queues["queue"], queues["jobs"])
        queue = deck[(places(scores, np.zeros(len(jobs), int)) * len(deck)).astype(int)]
    status = np.empty(len(jobs), int)
    for part in table["status"]:
        chosen = (jobs.requested != NONE).to_numpy() == part["requested"]
        status[chosen] = _statuses(part, jobs.used.to_numpy()[chosen], rng)
    return jobs.assign(user=user + 1, group=group, app=app, queue=queue, status=status)


def _statuses(part: Table, used: Floats, rng: np.random.Generator) -> Ints:
    """Draw status codes with the shares that they have in each job's class of R."""
    shares = np.cumsum(np.array(part["jobs"], float), axis=1)
    row = np.searchsorted(part["upto"], used)
    above = rng.random(len(used))[:, None] * shares[row, -1:] >= shares[row]
    return np.array(part["status"])[above.sum(axis=1)]


def swf_fields(table: Table, jobs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """List the 18 SWF fields of each line of the log, in order of submission.

    Lines of jobs that were removed before they ran are among them: some of the jobs once more, without a run time.
    """
    jobs = jobs.assign(wait=np.rint(read(table["waits"], rng.random(len(jobs)))).astype(int))
    removed = jobs.iloc[rng.choice(len(jobs), table["removed"])].assign(run=NONE, wait=NONE, status=5)
    jobs = pd.concat([jobs, removed]).sort_values("submit", kind="stable")
    number = pd.RangeIndex(1, len(jobs) + 1, name="job")
    lines = jobs.assign(job=number, requested_procs=jobs.procs, requested_time=jobs.requested)
    return lines.reindex(columns=FIELDS, fill_value=NONE).set_axis(number)
