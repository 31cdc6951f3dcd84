"""Qsim's rules: the kernel against a slow reference, rule by rule, and against EASY; logs as Qsim reads them."""

import re
from dataclasses import replace
from itertools import product

import nbformat
import numpy as np
import pandas as pd
import pytest
from exhibits import tang_trace
from helpers import ROOT, busy_users, seeds, table
from hypothesis import given
from hypothesis import strategies as st

from simlib import EASY, simulate
from simlib.policies.adjusting import Adjustment, Scheme
from simlib_study.investigations import qsim
from simlib_study.investigations.qsim import QSIM, TEXT, Program, Qsim, Rules, as_read, on_blocks
from simlib_study.tang2013 import scheduling
from simlib_study.tang2013.beyond import Predicted

OF_LOGS = ("blocks", "overruns", "beforehand", "cut", "drop", "run_times")
OPTIONS = ("largest_first", "shortest_first")
OF_SCHEDULER = [name for name in Rules._fields if name not in (*OF_LOGS, *OPTIONS)]

EVERY_RULE = {f"not {name}": QSIM.without(name) for name in OF_SCHEDULER}
EVERY_RULE |= {name: QSIM._replace(**{name: True}) for name in OPTIONS}
EVERY_RULE |= {f"only {name}": TEXT._replace(**{name: True}) for name in OF_SCHEDULER}
EVERY_RULE |= {"all": QSIM, "none": TEXT}


# A slow reference, by sets of processors, job by job and block by block


class Slow:
    """Qsim's scheduler in plain Python; blocks are sets of processors, by their places, of which pairs share a wire."""

    def __init__(self, rows, machine, wfp, rules, adjusted=None, switches=(False,) * 3, blocks=(), wires=()):
        self.rows, self.wfp, self.rules = rows, wfp, rules
        self.adjusts = adjusted is not None
        given = [max(estimate, run) for _, run, estimate, _ in rows]
        user, other = self.minutes(given), self.minutes(adjusted if self.adjusts else given)
        self.walltime = user
        self.queue_by, self.backfill_by, self.running_by = (other if use else user for use in switches)
        self.start, self.expected, self.place, self.queue = {}, {}, {}, []
        self.free = set(range(machine))
        lengths = sorted({2**i for i in range(machine.bit_length())} | {machine})
        self.has = blocks or [
            frozenset(range(first, first + length))
            for length in lengths
            for first in range(0, machine - length + 1, length)
        ]
        self.blocks = range(len(self.has))
        self.wired = {block: {sum(pair) - block for pair in wires if block in pair} for block in self.blocks}

    def minutes(self, estimates):
        return [max(60, e - e % 60) for e in estimates] if self.rules.whole_minutes else list(estimates)

    def within(self, block):
        return {other for other in self.blocks if other != block and self.has[other] <= self.has[block]}

    def around(self, block):
        return {other for other in self.blocks if other != block and self.has[other] >= self.has[block]}

    def idle(self, block):
        return self.has[block] <= self.free and not self.wired[block] & set(self.place.values())

    def schedule(self):
        coming = sorted(range(len(self.rows)), key=lambda job: self.rows[job][0])
        ends = {}
        while coming or ends:
            now = min([self.rows[job][0] for job in coming] + list(ends.values()))
            arriving = [job for job in coming if self.rows[job][0] == now]
            ending = [job for job in self.start if ends.get(job) == now]
            if self.rules.single_events:
                ending, arriving = ([], arriving[:1]) if arriving else (ending[:1], [])
            for job in ending:
                place = self.place.pop(job)
                self.free |= self.has[place] if self.rules.partitions else place
                del ends[job], self.expected[job]
            for job in arriving:
                coming.remove(job)
                self.queue.append(job)
            self.one_event(now)
            ends |= {job: start + self.rows[job][1] for job, start in self.start.items() if job in self.place}
        return [self.start[job] for job in range(len(self.rows))]

    def score(self, job, now):
        submit, _, _, procs = self.rows[job]
        return ((now - submit) / max(self.queue_by[job], 1)) ** 3 * procs if self.wfp else 0

    def one_event(self, now):
        if self.adjusts and not self.rules.five_minutes:
            overdue = [job for job in self.expected if self.start[job] + self.running_by[job] <= now]
            self.expected |= dict.fromkeys(overdue, now + 300)
        self.queue.sort(key=lambda job: (-self.score(job, now), job))
        promised = None
        while True:
            if self.rules.partitions:
                job, place = self.on_blocks(now)
            else:
                job, place, promised = self.on_any(now, None if self.rules.each_start else promised)
            if job is None:
                return
            self.queue.remove(job)
            self.free -= self.has[place] if self.rules.partitions else place
            self.start[job], self.place[job], self.expected[job] = now, place, now + self.running_by[job]

    def end(self, job, now):
        return max(self.expected[job], now + 300 if self.rules.five_minutes else now)

    # Blocks

    def free_at(self, now):
        """By block; each rule asks all blocks that it is about."""
        times = {}
        for block in self.blocks:
            mine = {block} | self.within(block) | self.wired[block]
            inside = [self.end(job, now) for job, place in self.place.items() if place in mine]
            holding = [
                self.end(job, now)
                for job, place in self.place.items()
                if place not in mine and self.has[place] & self.has[block]
            ]
            times[block] = max(inside, default=now)
            if holding and not self.rules.inner_blocks:
                times[block] = max(inside + holding)
            elif holding and not inside:
                times[block] = now + 300
        taken = {block: time for block, time in times.items() if not self.idle(block)}
        for block in self.blocks:
            if self.idle(block):
                times[block] = min((taken[other] for other in self.around(block) if other in taken), default=now)
        return times

    def of_size(self, job):
        length = min(len(has) for has in self.has if len(has) >= self.rows[job][3])
        return [block for block in self.blocks if len(self.has[block]) == length]

    def best(self, blocks):
        if not blocks:
            return None
        if not self.rules.least_blocking:
            return blocks[0]
        return min(blocks, key=lambda block: sum(map(self.idle, self.around(block) | self.wired[block])))

    def backfill(self, job, now, times):
        window = {block: times[block] - now for block in self.of_size(job) if self.idle(block)}
        return self.best([block for block, seconds in window.items() if self.backfill_by[job] <= seconds])

    def turn(self, job):
        """When it is its turn to be backfilled; the first in the queue where these are equal."""
        if self.rules.shortest_first:
            return self.walltime[job]
        return -self.rows[job][3] * self.walltime[job] if self.rules.largest_first else 0

    def on_blocks(self, now):
        times, drained, waiting = self.free_at(now), set(), 0
        for job in self.queue:
            place = self.best([b for b in self.of_size(job) if self.idle(b) and b not in drained])
            if place is not None:
                return job, place
            if self.rules.all_drain or not waiting:
                target = min(self.of_size(job), key=times.get)
                drained |= {target} | self.within(target) | self.around(target) | self.wired[target]
            waiting += 1
            if not self.rules.backfill_last and (place := self.backfill(job, now, times)) is not None:
                return job, place
        for job in sorted(self.queue, key=self.turn) if self.rules.backfill_last else ():
            if (place := self.backfill(job, now, times)) is not None:
                return job, place
        return None, None

    # Any processors

    def take(self, job):
        return set(sorted(self.free)[: self.rows[job][3]])

    def on_any(self, now, promised):
        if not self.queue:
            return None, None, promised
        head, *others = self.queue
        needed = self.rows[head][3]
        if needed <= len(self.free):
            return head, self.take(head), promised
        if promised is None:
            ends = sorted({now, *(self.end(job, now) for job in self.place)})
            by = {t: len(self.free) + sum(len(p) for j, p in self.place.items() if self.end(j, now) <= t) for t in ends}
            shadow = next(t for t in ends if by[t] >= needed)
            promised = shadow, by[shadow] - needed
        shadow, extra = promised
        fitting = [job for job in others if self.rows[job][3] <= len(self.free)]
        in_time = [job for job in fitting if now + self.backfill_by[job] <= shadow]
        beside = [job for job in fitting if self.rows[job][3] <= extra]
        first = beside if self.rules.backfill_last else [job for job in fitting if job in in_time or job in beside]
        for job in first or (sorted(in_time, key=self.turn) if self.rules.backfill_last else in_time):
            left = extra if job in in_time else extra - self.rows[job][3]
            return job, self.take(job), (shadow, left)
        return None, None, promised


# Cases


@st.composite
def cases(draw):
    """A dozen jobs on a small machine, of minutes and hours, where ties and overdue jobs are frequent."""
    machine = draw(st.integers(1, 11))
    gap = st.sampled_from([0, 0, 0, 1, 59, 60, 120, 300, 700])
    run = st.sampled_from([0, 1, 45, 60, 240, 299, 300, 301, 900, 2400])
    more = st.sampled_from([0, 0, 1, 15, 60, 100, 300, 3600])
    size = st.one_of(st.integers(1, machine), st.integers(1, max(machine // 3, 1)))
    drawn = draw(st.lists(st.tuples(gap, run, more, size), min_size=2, max_size=14))
    submit = np.cumsum([gap for gap, *_ in drawn])
    rows = [(int(s), r, r + m, p) for s, (_, r, m, p) in zip(submit, drawn, strict=True)]
    adjusted = draw(st.none() | st.just([max(e // draw(st.sampled_from([1, 2, 5])), 1) for _, _, e, _ in rows]))
    return rows, machine, draw(st.booleans()), adjusted, draw(st.tuples(*[st.booleans()] * 3))


def both(case, rules, blocks=(), wires=()):
    """Start times by the kernel and by the reference."""
    rows, machine, wfp, adjusted, switches = case
    adjust, workload = None, table(rows, machine)
    if adjusted is not None:
        made = pd.Series(adjusted, workload.jobs.index)
        of = dict(zip(("queue", "backfill", "running"), switches, strict=True))
        adjust = Predicted(predicted=made, **of)
    policy = Qsim(
        order="wfp" if wfp else "fcfs",
        adjust=adjust,
        rules=rules,
        layout=qsim.Layout(tuple(blocks), tuple(wires)) if blocks else None,
    )
    fast = simulate(workload, policy).jobs
    if adjusted is not None:  # as it was rounded
        adjusted = [min(a, max(e, r)) for a, (_, r, e, _) in zip(adjusted, rows, strict=True)]
    slow = Slow(rows, machine, wfp, rules, adjusted, switches if adjusted else (False,) * 3, blocks, wires)
    return fast.start.to_list(), slow.schedule()


@pytest.mark.slow
@pytest.mark.parametrize("rules", EVERY_RULE.values(), ids=list(EVERY_RULE))
@given(case=cases())
def test_each_job_starts_when_it_does_by_the_slow_reference(case, rules):
    fast, slow = both(case, rules)
    assert fast == slow


@given(case=cases(), switched=st.tuples(*[st.booleans()] * len(QSIM)))
def test_so_it_does_with_any_of_the_rules(case, switched):
    fast, slow = both(case, Rules(*switched))
    assert fast == slow


@st.composite
def layouts(draw):
    """A dozen blocks of some processors of eight, that overlap in any way or are the same, and wires between others."""
    some = draw(st.lists(st.frozensets(st.integers(0, 7), min_size=1), max_size=9))
    intervals = draw(
        st.lists(st.builds(lambda a, b: frozenset(range(min(a, b), max(a, b) + 1)), *[st.integers(0, 7)] * 2))
    )
    blocks = sorted([frozenset({0}), frozenset(range(8)), *some, *intervals[:6]], key=len)
    apart = [(a, b) for b in range(len(blocks)) for a in range(b) if not blocks[a] & blocks[b]]
    return blocks, draw(st.lists(st.sampled_from(apart), unique=True, max_size=5)) if apart else []


@given(case=cases(), layout=layouts(), switched=st.tuples(*[st.booleans()] * len(QSIM)))
def test_so_it_does_on_any_blocks(case, layout, switched):
    rows, _, *others = case
    rows = [(*times, min(size, 8)) for *times, size in rows]
    fast, slow = both((rows, 8, *others), Rules(*switched)._replace(partitions=True), *layout)
    assert fast == slow


def test_a_job_that_no_block_holds_is_refused():
    with pytest.raises(ValueError, match="Qsim: found a job of 3 processors, expected at most 2, the largest block's"):
        simulate(table([(0, 1, 1, 3)], 4), Qsim(layout=qsim.Layout((frozenset({0}), frozenset({0, 1})))))


def test_intrepid_has_its_own_blocks():
    blocks, wires, _ = qsim.intrepid()
    sizes = pd.Series([qsim.MIDPLANE * len(block) for block in blocks]).value_counts()
    assert sizes[[512, 1024, 2048, 4096, 8192, 16384, 24576, 32768, 40960]].to_list() == [82, 81, 21, 27, 8, 4, 1, 2, 1]
    assert set().union(*blocks) == set(range(80)) and len(wires) == 84
    assert all(not blocks[one] & blocks[other] for one, other in wires)


def test_mira_has_the_listed_sizes_on_all_midplanes():
    blocks = qsim.mira().blocks
    assert sorted({qsim.MIDPLANE * len(block) for block in blocks}) == [
        *(512, 1024, 2048, 4096, 8192, 12288, 16384, 24576, 32768, 49152)
    ]
    assert set().union(*blocks) == set(range(96)) and len(set(blocks)) == len(blocks)


def test_a_log_of_nodes_is_put_on_midplanes():
    layout = qsim.mira()
    few_nodes = pd.DataFrame({"submit": range(4), "run": 60, "estimate": 60, "procs": [1, 512, 513, 9000]})
    read = qsim.on_midplanes(tang_trace(few_nodes, 49152), layout)
    assert read.workload.jobs.procs.to_list() == [1, 1, 2, 24] and read.workload.procs == 96
    of_cores = replace(tang_trace(few_nodes.assign(procs=4 * few_nodes.procs), 163840), about={"per_node": 4})
    read = qsim.on_midplanes(of_cores, qsim.intrepid())
    assert read.workload.jobs.procs.to_list() == [1, 1, 2, 32] and read.workload.procs == 80
    assert read.workload.jobs.submit.to_list() == [0, 1, 2, 3]


def test_small_jobs_take_a_midplane_each_or_share_one():
    pair = qsim.Layout((frozenset({0}), frozenset({1}), frozenset({0, 1})), ((0, 1),))
    both_midplanes, one = qsim.shared(pair, range(2)), qsim.shared(pair, [0])
    assert [len(block) for block in one.blocks] == [1] * 8 + [2] * 4 + [4] * 2 + [8, 8, 16]
    assert one.wires == ((14, 15),) and one.blocks[14:] == (frozenset(range(8)), frozenset(range(8, 16)), {*range(16)})
    assert len(both_midplanes.blocks) == 31 and both_midplanes.unit == 64
    jobs = pd.DataFrame({"submit": 0, "run": 600, "estimate": 600, "procs": [60, 100, 400, 1024, 40]})

    def starts(layout):
        read = as_read(tang_trace(jobs, 1024), TEXT._replace(blocks=True), layout)
        return simulate(read.workload, Qsim(rules=QSIM, layout=layout)).jobs.start.to_list()

    alone = qsim.Layout(pair.blocks)
    assert starts(alone) == [0, 0, 600, 1200, 600]  # two at a time
    assert starts(qsim.shared(alone, range(2))) == [0, 0, 0, 600, 0]


# All rules off


@pytest.mark.slow
@seeds
@pytest.mark.parametrize("order", ["wfp", "fcfs"])
def test_without_any_of_its_rules_it_is_the_study_s_easy(order, seed):
    workload, scheme = busy_users(seed), Scheme("user", least=2)
    for switches in product([False, True], repeat=3):
        use = dict(zip(("queue", "backfill", "running"), switches, strict=True))
        for adjust in (None, Adjustment(scheme, **use)):
            easy, qsim = (EASY(order=order, adjust=adjust), Qsim(order=order, adjust=adjust, rules=TEXT))
            ours, theirs = simulate(workload, qsim).jobs, simulate(workload, easy).jobs
            pd.testing.assert_frame_equal(ours[["start", "backfilled"]], theirs[["start", "backfilled"]])


# Single rules, by hand


def starts(rows, machine, **rules):
    return simulate(table(rows, machine), Qsim(rules=QSIM._replace(**rules))).jobs.start.to_list()


def test_a_small_job_drains_a_part_of_what_runs_as_a_large_one():
    """A job of two waits, and believes that half of the large job's block is free in five minutes: it is not.

    Nothing else is kept for it then, so that a long job takes the last processor, beside which it could have run.
    """
    rows = [(0, 9000, 9000, 4), (0, 900, 900, 2), (0, 600, 600, 1), (1, 900, 900, 2), (2, 5000, 5000, 1)]
    assert starts(rows, 8)[3:] == [900, 2]
    assert starts(rows, 8, inner_blocks=False)[3:] == [600, 900]


def test_an_estimate_below_the_run_time_is_raised_or_stands():
    """The head expects the second processor after 600 seconds, if that stands; so the third job would be too late."""
    workload = table([(0, 1000, 600, 1), (1, 600, 600, 2), (2, 700, 700, 1)], 2)
    for overruns, third in ((False, 2), (True, 1600)):
        assert simulate(workload, Qsim(rules=TEXT._replace(overruns=overruns))).jobs.start.to_list() == [0, 1000, third]


def test_of_those_that_can_be_backfilled_the_first_the_largest_or_the_shortest_starts():
    """On one processor of four: the others are drained for a job of four."""
    rows = [(0, 3000, 3000, 2), (0, 3000, 3000, 1), (1, 60, 60, 4)]
    waiting = [(2, 1200, 1200, 1), (2, 2400, 2400, 1), (2, 600, 600, 1)]
    for option, first in {None: 0, "largest_first": 1, "shortest_first": 2}.items():
        found = starts([*rows, *waiting], 4, single_events=False, **({option: True} if option else {}))
        assert found[3:].index(2) == first, option


def test_settings_that_qsim_does_not_have_are_refused():
    with pytest.raises(ValueError, match="found backfill='sjf', expected it left as it is"):
        Qsim(backfill="sjf")
    with pytest.raises(ValueError, match="found order='sjf', expected 'wfp' or 'fcfs'"):
        Qsim(order="sjf")


# Logs as Qsim reads them


def few(**columns):
    return tang_trace(pd.DataFrame({"submit": [0, 1, 2, 3], "run": [70, 60, 0, 50], "estimate": 60} | columns))


def test_long_runs_are_cut_and_jobs_of_no_length_or_the_whole_machine_dropped():
    read = as_read(few(procs=[1, 2, 3, 8]), QSIM.without("blocks")).workload.jobs
    assert read.run.to_list() == [60, 60]
    assert as_read(few(procs=1), QSIM.without("drop", "blocks")).workload.jobs.run.to_list() == [60, 60, 0, 50]
    assert as_read(few(procs=1), TEXT).workload.jobs.run.to_list() == [70, 60, 0, 50]


def test_where_a_log_has_run_times_nothing_is_cut_and_only_jobs_of_the_whole_machine_are_dropped():
    read = as_read(few(procs=[1, 2, 3, 8]), QSIM.without("blocks")._replace(run_times=True)).workload.jobs
    assert read.run.to_list() == [70, 60, 0]


def test_a_log_on_blocks_has_the_load_that_it_had():
    trace = tang_trace(pd.DataFrame({"submit": range(50), "run": 100, "estimate": 100, "procs": range(1, 51)}), 1000)
    made = on_blocks(trace, 100).workload
    assert set(made.jobs.procs) == {1, 2, 4, 8}  # of eight processors each
    assert made.load == pytest.approx(trace.workload.load, rel=0.01)


# Programs


@pytest.fixture(scope="module")
def busy():
    rng = np.random.default_rng(1)
    n, day = 600, 86400
    used, estimate = rng.choice([0.1, 0.4, 1.02], n), rng.choice([3600, 7200, 20000], n)
    jobs = {"submit": np.sort(rng.integers(0, 6 * day, n)), "run": (used * estimate).astype(int)}
    jobs |= {"estimate": estimate, "procs": 2 ** rng.integers(0, 7, n), "user": rng.integers(0, 3, n), "group": 1}
    return tang_trace(pd.DataFrame(jobs), machine=128)


@pytest.mark.slow
def test_the_text_s_program_is_that_of_figures_14_to_17(busy):
    how = {"shakes": 2, "least_jobs": 50}
    ours = qsim.runs([busy], {"text": TEXT}, **how).xs("text", level="program")
    pd.testing.assert_series_equal(ours, scheduling.runs([busy], **how), check_names=False)


@pytest.mark.slow
def test_a_rule_adds_the_gain_with_it_less_that_without(busy):
    programs = {"Qsim": QSIM, "partitions": QSIM.without("partitions"), "beforehand": QSIM.without("beforehand")}
    found = qsim.runs([busy], programs, [85, qsim.PERFECT], shakes=2, least_jobs=50)
    gained = qsim.gained(found)
    added = qsim.averages(qsim.added(gained["Qsim"], {name: gained[name] for name in ("partitions", "beforehand")}))
    averages, place = qsim.averages(gained).ours, ("made up", "wfp", "selective p85", "wait")
    difference = averages["Qsim", *place] - averages["partitions", *place]
    assert added.ours[qsim.RULES["partitions"], *place] == pytest.approx(difference)
    assert difference != 0
    written = qsim.points(added, "wait").loc[qsim.RULES["partitions"], place[:3]]
    assert float(written.rstrip(" *")) == pytest.approx(100 * difference, abs=0.06)
    levels = qsim.levels(found).loc["made up"]
    assert (levels.beforehand == levels.Qsim).all()  # of the baseline, which adjusts nothing
    assert (levels.partitions != levels.Qsim).all()


def test_few_months_are_drawn_by_halves_for_each_program(busy):
    jobs = busy.workload.jobs
    later = jobs.submit.where(jobs.submit < 3 * 86400, jobs.submit + 14 * 86400)  # half of them, in the second half
    longer = tang_trace(jobs.assign(submit=later), machine=128)
    found = qsim.runs([longer], {"text": TEXT}, [85], shakes=2, least_jobs=50)
    gained, halves = qsim.gained(found), qsim.halves(found)
    averages, by_halves = qsim.averages(gained), qsim.averages(gained, halves)
    made = halves["text"]["made up"].groupby(scheduling.AVERAGED[1:]).mean()
    place = ("wfp", "selective p85", "wait")
    assert by_halves.months_high["text", "made up", *place] == pytest.approx(made.loc[place].quantile(0.975))
    assert averages.months_high["text", "made up", *place] != by_halves.months_high["text", "made up", *place]


def test_adjusted_beforehand_they_are_what_the_log_says_and_perfect_ones_the_run_times(busy):
    cases, asked = qsim.cases(busy, Program(QSIM), [85, qsim.PERFECT]), busy.workload.jobs.estimate
    rules = QSIM.without("whole_minutes")
    perfect, regular = (
        simulate(busy.workload, Qsim(rules=rules, adjust=cases[f"regular {case}"].adjust)).jobs.adjusted
        for case in ("perfect", "p85")
    )
    assert np.abs(perfect - np.minimum(busy.workload.jobs.run, asked)).max() <= 1
    assert (regular <= asked).all() and (regular < asked).any()
    assert set(cases) == {"baseline", "regular p85", "selective p85", "regular perfect", "selective perfect"}
    assert (cases["regular p85"].adjust.running, cases["selective p85"].adjust.running) == (True, False)


def test_the_sources_name_a_file_and_lines_for_each_rule():
    cells = nbformat.read(ROOT / "notebooks" / "tang2013" / "qsim.ipynb", as_version=4).cells
    (table,) = (cell.source for cell in cells if "| rule | where |" in cell.source)
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| ")][2:]
    assert len(rows) == 17 and all(re.search(r"\.py:\d+", where) for _, _, where, *_ in rows)
    assert set(qsim.RULES) == {*Rules._fields} - {"each_start", "blocks", "run_times", *OPTIONS}
