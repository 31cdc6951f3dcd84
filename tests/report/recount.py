"""The numbers of a page once more, without the package: jobs, a machine, EASY and FCFS, shaken runs, and tables."""

from bisect import insort

import numpy as np

T = {4: 2.776445105}
"""The 97.5th percentile of Student's t by degrees of freedom."""


def starts(jobs, machine, backfills):
    """When jobs of (submit, run, estimate, size) start under EASY, or without backfilling under FCFS."""
    start, queue, events = {}, [], sorted({job[0] for job in jobs})
    while events:
        now = events.pop(0)
        queue += [k for k, job in enumerate(jobs) if job[0] == now and k not in queue and k not in start]
        running = [k for k in start if start[k] + jobs[k][1] > now]
        free, shadow, extra = machine - sum(jobs[k][3] for k in running), None, 0
        for k in list(queue):
            _, run, estimate, size = jobs[k]
            if shadow is None and size > free:
                ends = sorted((start[r] + jobs[r][2], jobs[r][3]) for r in running)
                room = np.cumsum([free, *(each for _, each in ends)])
                shadow = ends[int((room >= size).argmax()) - 1][0]
                extra = free + sum(each for end, each in ends if end <= shadow) - size
            elif size <= free and (shadow is None or backfills and (now + estimate <= shadow or size <= extra)):
                extra -= size if shadow is not None and now + estimate > shadow else 0
                start[k], free = now, free - size
                queue.remove(k)
                running.append(k)
                if now + run not in events:
                    insort(events, now + run)
    return np.array([start[k] for k in range(len(jobs))])


def shaken(jobs, users, seed):
    """Move each job by up to a minute: its new place in the order, and the jobs."""
    by_user = np.argsort(users, kind="stable")  # no two jobs of a user are within two minutes
    moved = jobs.copy()
    moved[by_user, 0] += np.random.default_rng(seed).integers(-60, 60, len(jobs), endpoint=True)
    order = np.argsort(moved[:, 0], kind="stable")
    return order, moved[order]


def time(seconds):
    """A time in short."""
    for letters, length in (("days", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        value = seconds / length
        if abs(value) >= 0.9995 or length == 1:
            whole = length == 1 or (length == 60 and abs(value) >= 9.95)
            text = f"{value:,.0f}" if whole else f"{value:,.1f}".removesuffix(".0")
            return f"{text} {letters}" if (text, letters) != ("1", "days") else "1 day"
    raise AssertionError


def share(part):
    """A share in per cent."""
    return f"{100 * part:.0f} %" if part >= 0.0995 or not part else f"{100 * part:.1f} %"


def ranked(values, part):
    """The smallest value that so large a part of all does not exceed."""
    return np.sort(values)[max(int(np.ceil(part * len(values) - 1e-9)), 1) - 1]


def waits_of(jobs, users, machine, shakes):
    """The waits under both policies in every run: shape (runs, policies, jobs), in the jobs' own order."""
    runs = [(np.arange(len(jobs)), jobs), *(shaken(jobs, users, seed) for seed in range(shakes))]
    waits = np.empty((len(runs), 2, len(jobs)))
    for number, (order, of_run) in enumerate(runs):
        for policy in (0, 1):
            waits[number, policy, order] = starts(of_run.tolist(), machine, policy == 0) - of_run[:, 0]
    return waits


def changed(waits, which):
    """The change of a group's mean wait: in seconds, as a share, the share's range by chance, and as a table has it."""
    base, other = waits[:, :, which].mean(axis=2).T
    moved, runs = other / other.mean() - base / base.mean(), len(waits)
    reach = T[runs - 1] * np.sqrt(1 + 1 / runs) * moved.std(ddof=1)
    low, high = (np.exp(np.log(other.mean() / base.mean()) + end * reach) - 1 for end in (-1, 1))
    seconds = other.mean() - base.mean()
    said = f"{'+' if seconds > 0 else ''}{time(seconds)}"
    return seconds, seconds / base.mean(), (low, high), said if low > 0 or high < 0 else f"({said})"


def idle(jobs, start, machine):
    """The processor-hours that are idle while a job waits."""
    ends, total = start + jobs[:, 1], 0
    edges = np.unique(np.concatenate([jobs[:, 0], start, ends]))
    for low, high in zip(edges, edges[1:], strict=False):
        waits = ((jobs[:, 0] <= low) & (start > low)).any()
        total += waits * (machine - jobs[(start <= low) & (ends > low), 3].sum()) * (high - low)
    return total / 3600


def tables(jobs, users, machine, shakes=4):
    """The cells of a page's tables, by caption, row and column, and the numbers of its decision."""
    waits, hours = waits_of(jobs, users, machine, shakes), jobs[:, 2] / 3600
    everybody, names = np.ones(len(jobs), bool), ("EASY", "FCFS")
    late, work, run = ranked(waits[0, 0], 0.99), jobs[:, 1] * jobs[:, 3], jobs[:, 1]
    seconds, part, (low, high), said = changed(waits, everybody)
    sizes = {"1 processor": jobs[:, 3] == 1, "5-8 processors": jobs[:, 3] > 4}
    by_user = {f"user {user}": users == user for user in np.unique(users)}
    found = {"Waits of all jobs": {}, "By request": {}, "By size": {}}
    for number, name in enumerate(names):
        each, first = waits[:, number], waits[0, number]
        slow = np.maximum(1, (each + run) / np.maximum(run, 10)).mean()
        found["Waits of all jobs"][name] = {
            "mean wait": time(each.mean()),
            "half wait at most": time(np.mean([ranked(one, 0.5) for one in each])),
            "1 in 20 waits over": time(np.mean([ranked(one, 0.95) for one in each])),
            "late jobs": share((first >= late).mean()),
            "longest wait": time(first.max()),
            "weighted by work": time((first * work).sum() / work.sum()),
            "wait at all": share((first > 0).mean()),
            "mean slowdown": f"{slow:.2g}" if slow < 10 else f"{slow:,.0f}",
            "idle meanwhile": f"{idle(jobs, jobs[:, 0] + first, machine):,.0f}",
        }
    for caption, classes in (
        ("By request", {"jobs that request 1 to 4 hours": hours <= 4, "jobs that request 4 to 12 hours": hours > 4}),
        ("By size", {f"jobs of {name}": which for name, which in sizes.items()}),
    ):
        for name, which in classes.items():
            row = {
                f"{of}, {policy}": time(ranked(waits[0, k, which], part_of))
                for k, policy in enumerate(names)
                for of, part_of in (("half", 0.5), ("1 in 20", 0.95), ("longest", 1))
            }
            found[caption][name] = row | {"jobs": f"{which.sum()}"}
    losers = [name for name, which in by_user.items() if changed(waits, which)[2][0] > 0]
    found["Against EASY: 5 runs of each policy"] = {
        "FCFS": {
            "mean wait": time(waits[:, 1].mean()),
            "change": f"{said} ({100 * part:+,.1f} %)" if part < 9.995 else f"{said} ({100 * part:+,.0f} %)",
            "by chance": f"{100 * low:+,.1f} to {100 * high:+,.1f} %",
            "in another year": "not known",
            "users worse": f"{len(losers)} of {len(by_user)}",
        }
    }
    for caption, groups in (("user", by_user), ("size", sizes)):
        found[f"Changes of the mean wait by {caption}"] = {
            name: {
                "jobs": f"{which.sum()}",
                "under EASY": time(waits[:, 0, which].mean()),
                "FCFS": changed(waits, which)[3],
            }
            for name, which in groups.items()
        }
    return found
