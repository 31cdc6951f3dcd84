"""Answers as people give them: what each is worth, at home and when it has come out of the box as data."""

import json

import numpy as np
import pandas as pd
import pytest

from simlib import EASY
from simlib_course import lessons
from simlib_course.grading import inside, judging
from simlib_course.lessons import lesson2

ANSWERS = r"""
1.1 | start=40, free=4 | right
1.1 | free=4, start=40 | right
1.1 | start="40", free="4" | right
1.1 | start="40 s", free="4 processors" | right
1.1 | start="40s", free=4.0 | right
1.1 | start=" 40 sec ", free="4." | right
1.1 | start="40,0", free="+4" | right
1.1 | start=np.int64(40), free=np.float64(4) | right
1.1 | start=pd.Series([40]), free=np.array(4) | right
1.1 | start=pd.Series([40], index=["C"]), free=np.array([[4]]) | right
1.1 | start=..., free=4 | waiting
1.1 | | waiting
1.1 | 40, 4 | expected start=..., free=...
1.1 | 40 | expected start=..., free=...
1.1 | start=40 | expected start=..., free=...
1.1 | start=40, free=4, end=60 | expected start=..., free=...
1.1 | begin=40, free=4 | expected start=..., free=...
1.1 | None | found None
1.1 | start="forty", free=4 | expected a number
1.1 | start="40 min", free=4 | expected a number
1.1 | start=[40], free=4 | expected a number
1.1 | start=True, free=4 | expected a number
1.1 | start="", free=4 | expected a number
1.1 | start=float("nan"), free=4 | expected a number
1.1 | start=float("inf"), free=4 | expected a number
1.1 | start="1e400", free=4 | expected a number
1.1 | start=pd.Series([40, 41]), free=4 | expected a number
1.1 | start=10, free=4 | when job C arrives
1.1 | start=-40, free=4 | does not start then
1.1 | start=60, free=4 | does not start then
1.1 | start=40, free=10 | one job holds some
1.1 | start=40, free=6 | Job A runs then
1.2 | 0.54 | right
1.2 | "0.54" | right
1.2 | "0,54" | right
1.2 | ",54" | right
1.2 | "54 %" | right
1.2 | "53,85%" | right
1.2 | "27/50" | right
1.2 | "7 / 13" | right
1.2 | 7 / 13 | right
1.2 | 0.5385 | right
1.2 | np.float64(0.54) | right
1.2 | np.array([0.54]) | right
1.2 | 54 | in per cent
1.2 | 53.8 | in per cent
1.2 | 53.4 | in per cent
1.2 | "54" | in per cent
1.2 | "53.85" | in per cent
1.2 | 0, 54 | with a point
1.2 | 5.385 | on average
1.2 | "70/13" | on average
1.2 | 3 | between 0 and 1
1.2 | -0.54 | between 0 and 1
1.2 | 0.46 | Above the line
1.2 | "70 %" | Above the line
1.2 | 0 | Above the line
1.2 | "1/0" | expected a number
1.2 | "54 % of it" | expected a number
1.2 | "about half" | expected a number
1.2 | "5 %%" | expected a number
1.2 | "0.5.4" | expected a number
1.2 | "x" * 5_000 | expected a number
1.2 | "1" * 5_000 | expected a number
1.2 | {"share": 0.54} | expected a number
1.2 | lambda: 0.54 | expected a number
1.3 | ["P", "R", "Q", "S", "T"] | right
1.3 | ("T", "Q", "S", "P", "R") | right
1.3 | pd.Series(list("QSPRT")) | right
1.3 | ["q", " S", "p ", "R", "t"] | right
1.3 | "PRQST" | right
1.3 | "prqst" | right
1.3 | "P R Q S T" | right
1.3 | "P, R, Q, S, T" | right
1.3 | "P,R;Q,S;T" | right
1.3 | "P>R>Q>S>T" | right
1.3 | "P -> R -> Q -> S -> T" | right
1.3 | "P-R-Q-S-T" | right
1.3 | "P R Q S T." | right
1.3 | "[P, R, Q, S, T]" | right
1.3 | "job P, job R, job Q, job S, job T" | right
1.3 | "jobs P and R, then Q and S, then T" | right
1.3 | np.array(list("PRQST")) | right
1.3 | pd.Index(list("PRQST")) | right
1.3 | list("PQRST") | 20 s sooner
1.3 | "PQRST" | 20 s sooner
1.3 | list("PRQS") | missing: T
1.3 | [] | missing: P, Q, R, S, T
1.3 | "" | missing: P, Q, R, S, T
1.3 | list("PRQSTT") | some are there twice
1.3 | "PP" | some are there twice
1.3 | set("PRQST") | no order
1.3 | list("PRQSU") | no job 'U'
1.3 | "PRQSU" | no job 'PRQSU'
1.3 | [1, 2, 3, 4, 5] | no job 1
1.3 | 5 | expected a list
1.3 | "P", "R", "Q", "S", "T" | right
1.4 | a_run=100, a_procs=1, b_procs=10 | right
1.4 | a_run="100 s", a_procs=1.0, b_procs="10" | right
1.4 | a_run=200, a_procs=1, b_procs=10 | for 200 s, not for 100 s
1.4 | a_run=0, a_procs=1, b_procs=10 | no processor is idle
1.4 | a_run=100, a_procs=4, b_procs=6 | no processor is idle while a job waits
1.4 | a_run=101, a_procs=1, b_procs=10 | for 101 s, not for 100 s
1.4 | a_run=100, a_procs=2, b_procs=10 | at most 8 processors
1.4 | a_run=100, a_procs=1, b_procs=9 | no processor is idle
1.4 | a_run=100, a_procs=0, b_procs=10 | a whole number from 1 to 10
1.4 | a_run=100, a_procs=1, b_procs=11 | a whole number from 1 to 10
1.4 | a_run=99.5, a_procs=1, b_procs=10 | found 99.5, expected a whole number
1.4 | a_run=-1, a_procs=1, b_procs=10 | found -1, expected a whole number
1.4 | a_run=1e300, a_procs=1, b_procs=10 | expected a whole number
1.4 | a_run="long", a_procs=1, b_procs=10 | expected a number
1.4 | {"A": [0, 100, 1, 100]} | expected a_run=..., a_procs=..., b_procs=...
2.1 | shadow=30, extra=2 | right
2.1 | shadow="30 s", extra="2 processors" | right
2.1 | shadow=60, extra=5 | even before
2.1 | shadow=2, extra=2 | order of their ends
2.1 | shadow=30, extra=3 | free now
2.1 | shadow=30, extra=7 | takes some of them
2.1 | shadow=30, extra=4 | less those of job H
2.1 | 30, 2 | expected shadow=..., extra=...
2.2 | C="no", D="shadow", E="extra", F="no", H=30 | right
2.2 | C=" No", D="SHADOW", E="extra ", F="n o", H="30 s" | right
2.2 | C="no", D="shadow", E="extra", F="no", H=60 | what did EASY promise
2.2 | C=False, D="shadow", E="extra", F="no", H=30 | expected one of 'shadow', 'extra', 'no'
2.2 | C="n", D="shadow", E="extra", F="no", H=30 | expected one of 'shadow', 'extra', 'no'
2.2 | C="no", D="extra", E="extra", F="no", H=30 | the first condition first
2.2 | C="extra", D="shadow", E="extra", F="no", H=30 | How many extra processors are left at 4 s
2.2 | C="no", D="shadow", E="shadow", F="no", H=30 | by when will it have ended
2.2 | C="no", D="shadow", E="no", F="no", H=30 | How many extra processors are left at 8 s
2.2 | C="no", D="shadow", E="extra", F="extra", H=30 | How many are free at 9 s
2.2 | C="no", D="shadow", E="extra", F="shadow", H=30 | How many are free at 9 s
2.2 | C="no", D="shadow", E="extra", F="no" | expected C=..., D=..., E=..., F=..., H=...
2.3 | submit=3, run=197, procs=1 | right
2.3 | submit=9, run="191 s", procs=1 | right
2.3 | submit=3, run=250, procs=1 | starts at 253; it has to start at 200
2.3 | submit=30, run=170, procs=1 | passes nobody
2.3 | submit=3, run=197, procs=2 | passes nobody
2.3 | submit=0, run=197, procs=1 | passes nobody
2.3 | submit=3, run=10**10, procs=1 | expected a whole number from 0 to
2.3 | EASY() | expected submit=..., run=..., procs=...
2.3 | submit=0, run=197, procs=2 | the first job starts at 197
2.3 | submit=3, run=197, procs=5 | a whole number from 1 to 4
2.3 | run=197 | expected submit=..., run=..., procs=...
2.4 | rule("procs <= free and (now + estimate <= shadow or procs <= extra)") | right
2.4 | rule("int(procs <= free and (now + estimate <= shadow or procs <= extra))") | right
2.4 | rule("not (procs > free or now + estimate > shadow and procs > extra)") | right
2.4 | rule("np.bool_((procs <= free) & ((now + estimate <= shadow) | (procs <= extra)))") | right
2.4 | True | expected a function
2.4 | rule("procs <= free") | under EASY this job may not start
2.4 | rule("procs <= extra") | your rule says that it may not
2.4 | rule("now + estimate < shadow") | your rule says
2.4 | lambda now, procs: True | TypeError
2.4 | rule("None") | returns nothing for now=5, procs=1, estimate=10, free=2, shadow=25, extra=1
2.4 | rule("7") | returns 7 for now=5, procs=1
2.4 | rule("'True'") | returns 'True' for now=5
2.4 | rule("True if procs <= free else None") | nothing for now=5, procs=1, estimate=10, free=0
2.4 | lesson2.backfills | comes with simlib
3.1 | second=100, third=6 | right
3.1 | second="100 s", third=6 | right
3.1 | second=30, third=6 | it would run for 50 s
3.1 | second=110, third=6 | without a break
3.1 | second=100, third=100 | may pass others
3.1 | second=100, third=30 | from 6 s on at the earliest
3.2 | run=17 | right
3.2 | run="17 s" | right
3.2 | run=18 | waits until 30
3.2 | run=16 | a few seconds more
3.2 | 17 | expected run=...
3.2 | run=1e12 | expected a whole number
3.3 | first=90, second=20 | right
3.3 | first=100, second=20 | was reserved
3.3 | first=40, second=90 | from 40 to 90 s
3.3 | first=70, second=20 | The order is that of arrival
3.3 | first=20, second=20 | cannot be put back there
3.3 | first=90, second=40 | an earlier time for it
3.3 | first=90, second=30 | The second needs 2 processors for 50 s
3.4 | lambda jobs: (jobs.start > jobs.guarantee).sum() | right
3.4 | lambda jobs: len(jobs[jobs.guarantee < jobs.start]) | right
3.4 | lambda jobs: jobs.start > jobs.guarantee | one value a job
3.4 | lambda jobs: (jobs.start != jobs.guarantee).sum() | with those that started before
3.4 | lambda jobs: (jobs.start >= jobs.guarantee).sum() | that started just as guaranteed
3.4 | lambda jobs: 0 | 1 of the jobs of Figure 2 under 'rebackfill' started after its guarantee
3.4 | lambda jobs: int((jobs.start > jobs.guarantee).any()) | 2 of 40 other jobs started after
3.4 | lambda jobs: None | returns nothing for the jobs of Figure 2
3.4 | lambda jobs: jobs.shadow | AttributeError
3.4 | lambda jobs: 1 / 0 | ZeroDivisionError: division by zero
4.2 | shadow=380, s2_until=360 | right
4.2 | shadow="380 s", s2_until="360" | right
4.2 | shadow=400, s2_until=360 | before job B ended
4.2 | shadow=380, s2_until=280 | nobody knows
4.2 | 380 | expected shadow=..., s2_until=...
4.2 | shadow=310, s2_until=360 | it goes by estimates
4.2 | shadow=340, s2_until=360 | job s1, still running
4.2 | shadow=380, s2_until=400 | add its estimate to 200
4.3 | ["wide", "s2"] | right
4.3 | pd.Index(["S2", "Wide"]) | right
4.3 | ["wide", "B2"] | no job 'B2'
4.3 | "wide and s2" | right
4.3 | "wide, s2" | right
4.3 | "jobs wide and s2" | right
4.3 | {"s2", "wide"} | right
4.3 | "wide", "s2" | right
4.3 | "wide" | 1 more of the jobs
4.3 | [] | your list is empty
4.3 | ["wide", "s2", "s2"] | twice is there: s2
4.3 | ["wide", "s1"] | job s1 starts at
4.3 | 2 | expected a list
4.4 | 2 | expected the column estimate
4.4 | [2] * 7 | expected the column estimate
4.5 | estimate=90 | right
4.5 | estimate="70 s" | right
4.5 | estimate=69 | killed after 69
4.5 | estimate=101 | still starts at 400
4.5 | 90 | expected estimate=...
5.1 | slowdown=20, bounded=10 | right
5.1 | slowdown="20,0", bounded="100/10" | right
5.1 | slowdown=19, bounded=10 | you divide the wait
5.1 | slowdown=20, bounded=20 | counts as 10 s
5.1 | slowdown=18, bounded=10 | wait and all
5.1 | slowdown=20, bounded=9.5 | take the place of which number
5.3 | 0.7 | right
5.3 | "70 %" | right
5.3 | 70 | expected one of the offered loads
5.3 | 0.9 | the queue grows for ever
5.3 | 0.75 | as much as FCFS can ever use
5.3 | 0.5 | a larger load
5.5 | 3.5 | one difference a run
5.5 | {"run 1": 3.5} | one difference a run
5.5 | [[1, 2]] * 10 | expected a number
5.5 | [1.0] * 1_000 | expected one for each shaken run
6.2 | job="B", wait=285 | right
6.2 | job=" b", wait="285 s" | right
6.2 | job="job B", wait=285 | right
6.2 | job=["B"], wait=285 | right
6.2 | job="C", wait=285 | another one waits longer
6.2 | job="B", wait=55 | in order of arrival
6.2 | job="B", wait=290 | start minus its submit
6.2 | job="K", wait=285 | no job 'K'
6.2 | job=2, wait=285 | no job 2
6.2 | job="B and C", wait=285 | expected one job
7.1 | minutes=491, behind=45824 | right
7.1 | minutes="491 min", behind="45824" | right
7.1 | 30 | expected minutes=..., behind=...
7.1 | minutes=491 / 60, behind=45824 | right in hours
7.1 | minutes=155, behind=45824 | when job 45824 starts
7.1 | minutes=5, behind=45824 | less the present time
7.1 | minutes=491, behind=45796 | runs: who waits
7.1 | minutes=491, behind=45831 | is yours
7.1 | minutes=491, behind=45827 | (Dependency) keeps it out
7.2 | 149 | right
7.2 | "154" | right
7.2 | "154:00" | right
7.2 | "2:34:00" | right
7.2 | "0-2:34" | right
7.2 | "2:34" | 2 min 34 s
7.2 | 154 / 60 | right in hours
7.2 | 164 | would still run when job
7.2 | 155 | has to end before
7.2 | 148 | but also with
7.2 | 0 | at least a minute
7.2 | "soon" | expected a number
7.3 | nodes=4, partition="LONG" | right
7.3 | nodes=60, partition="long" | nodes are free now
7.3 | nodes=3, partition="long" | but also on
7.3 | nodes=2.5, partition="long" | whole number
7.3 | nodes=4, partition="cpu" | expected one of 'amd', 'long', 'mpi', 'old'
7.3 | nodes=4, partition="old" | old is down
7.3 | nodes=4, partition="amd" | amd allows
7.3 | nodes=4, partition="mpi" | nodes are idle, and yours needs
7.4 | ["dan", "ada", "cleo", "bob", "eva", "fay"] | right
7.4 | "dan, ada, cleo, bob, eva, fay" | right
7.4 | "fay, eva, bob, cleo, ada, dan" | the largest number goes first
7.4 | "dan, ada, cleo, bob, eva" | once
7.4 | "fay, bob, ada, dan, eva, cleo" | that is FCFS
7.4 | "dan, cleo, ada, eva, bob, fay" | age counts
7.4 | "ada, dan, cleo, bob, eva, fay" | dan comes before ada
7.5 | 113 | right
7.5 | 0 | idle nodes do not help
7.5 | 450 | it may start earlier
7.5 | 114 | no job of physics ends
7.5 | 59 | the limit leaves
7.5 | 113 / 60 | right in hours
7.6 | tasks=12, merge=1295 | right
7.6 | tasks=20, merge=1295 | not all
7.6 | tasks=3, merge=1295 | lets 4 run at once
7.6 | tasks=16, merge=1295 | do not start
7.6 | tasks=1, merge=1295 | How many tasks
7.6 | tasks=12, merge=1295 / 60 | right in hours
7.6 | tasks=12, merge=945 | waits for all
7.6 | tasks=12, merge=875 | if there were no maintenance
7.6 | tasks=12, merge=1 | When does the last one end
"""

ROWS = [[part.strip() for part in line.rsplit("|", 1)] for line in ANSWERS.strip().splitlines()]


def answer_of(call):
    """The exercise and the answer of a call's arguments, as `lessons.check` takes them."""
    number, _, arguments = call.partition("|")

    def given(answer=..., /, *more, **parts):
        return parts or ((answer, *more) if more else answer)

    known = {"given": given, "rule": rule, "np": np, "pd": pd, "lesson2": lesson2, "EASY": EASY}
    return number.strip(), eval(f"given({arguments})", known)


def rule(condition):
    return eval(f"lambda now, procs, estimate, free, shadow, extra: {condition}", {"np": np})


@pytest.mark.parametrize("call, expected", ROWS, ids=[call for call, _ in ROWS])
def test_an_answer_has_the_same_verdict_at_home_and_in_the_box(call, expected):
    number, answer = answer_of(call)
    found = lessons.verdict(number, answer)
    if expected in ("right", "waiting"):
        assert found.status == expected, found
    else:
        assert found.status == "not yet" and expected in found.sentence
        assert "Error" in expected or "Error" not in found.sentence, "Python's own words are no hint"
    if not callable(answer):
        carried = judging.unpack(json.loads(json.dumps(inside.pack(answer, []))))
        assert lessons.verdict(number, carried).status == found.status
