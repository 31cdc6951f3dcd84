"""Answers go out of the box as data, functions stay in it, and the judge believes nothing of what it reads."""

import json
import multiprocessing
import socket
import threading
import tracemalloc
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest

from simlib import EASY, OwnPolicy
from simlib.policies import examples_own
from simlib_course import lessons
from simlib_course.answers import Waiting
from simlib_course.grading import inside, judging
from simlib_course.lessons import lesson2


def carried(value):
    return judging.unpack(json.loads(json.dumps(inside.pack(value, []))))


@pytest.mark.parametrize(
    "value",
    [40, 0.5, "B", True, None, ..., [1, ["a", ...]], (1, 2), {"shadow": 30, "extra": ...}, {1, 2}, np.float64(0.1) / 3],
    ids=repr,
)
def test_data_comes_out_as_it_went_in(value):
    found = carried(value)
    assert found == value and (type(found) is type(value) or isinstance(value, float))


def test_numbers_in_series_and_arrays_are_the_same_to_the_last_bit():
    values = np.random.default_rng(0).random(100)
    assert carried(values) == values.tolist() and carried(pd.Series(values)) == values.tolist()
    assert carried(pd.Series([54])) == 54
    assert np.isnan(carried(float("nan"))) and carried(float("-inf")) == float("-inf")


def test_what_no_exercise_asks_for_is_called_what_it_is():
    assert "found <object object" in lessons.verdict("1.2", carried(object())).sentence


def answered(number, answer, monkeypatch, tmp_path, seconds=60.0, student="Ada"):
    """The verdict on what a notebook gives to a check: its end runs in a thread, and not in a box."""
    monkeypatch.setenv("SIMLIB_JUDGE", str(tmp_path / "judge"))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "judge"))
        listener.listen()
        ends = threading.Thread(target=given, args=(number, answer), daemon=True)
        ends.start()
        connection, _ = listener.accept()
        with connection:
            found, said, _ = judging.judge(connection, seconds, student)
        ends.join(10)
    assert found == number
    return said


def given(number, answer):
    try:
        inside._check(number, answer)
    except OSError:  # the judge has heard enough
        pass


def test_in_the_box_no_check_and_no_right_answer_is_left():
    def in_the_box():
        inside.begin()
        for number in (number for lesson in lessons.LESSONS for number in lessons.exercises(lesson)):
            for asked in (lessons.verdict, lessons._judge(number), lesson2.backfills, examples_own.best_fit):
                with pytest.raises(Waiting):
                    asked(number, 1)

    box = multiprocessing.get_context("fork").Process(target=in_the_box)  # for it changes the modules
    box.start()
    box.join()
    assert box.exitcode == 0


def shortest(wait, estimate, procs):
    return -estimate


def narrow(procs):
    return -procs


def largest(queue, machine):
    for job in sorted(queue, key=lambda job: -job.procs):
        if machine.fits(job):
            yield job


class Remembers:
    def __init__(self):
        self.calls = 0

    def __call__(self, *case):
        self.calls += 1
        return lesson2.backfills(*case) if self.calls < 100 else "no truth"


def fails(*case):
    raise KeyError("shadow")


def hungry(*case):
    raise MemoryError("too much")


def cleared(jobs):
    jobs["start"] = 0
    return 0


FUNCTIONS = {
    "a rule of simlib": ("2.4", lesson2.backfills, "not yet", "comes with simlib"),
    "made within": ("2.4", (lambda k: lambda *case: lesson2.backfills(*case) and k)(True), "right", "4,608 cases"),
    "a wrong rule": ("2.4", lambda *case: True, "not yet", "may not"),
    "a rule that remembers": ("2.4", Remembers(), "not yet", "no truth"),
    "a rule that fails": ("2.4", fails, "not yet", "KeyError: 'shadow'"),
    "a rule that needs much": ("2.4", hungry, "out of memory", "too much"),
    "a rule that waits": ("2.4", lambda *case: ..., "unanswered", "waiting"),
    "a table that is changed": ("3.4", cleared, "not yet", "your function says 0"),
    "an order": ("6.1", narrow, "right", "Job B"),
    "a wrong order": ("6.1", shortest, "not yet", "narrow job"),
    "an order that cannot be compiled": ("6.3", lambda wait: open("x").read(), "not yet", ""),
    "an order of the page": ("6.3", shortest, "not yet", "stands on the page"),
    "a class": ("6.3", EASY, "not yet", "expected a function"),
    "a policy of simlib": ("6.3", EASY(order="wfp"), "not yet", "comes with simlib"),
    "a pass": ("6.5", lambda *asked: examples_own.best_fit(*asked), "right", "job by job"),
    "a pass without a shadow time": ("6.5", largest, "not yet", "under best fit at"),
    "a pass of simlib": ("6.5", examples_own.best_fit, "not yet", "comes with simlib"),
    "a pass that starts nobody": ("6.3", OwnPolicy(lambda queue, machine: []), "not yet", "starves"),
    "no function": ("2.4", "yes", "not yet", "expected a function"),
    "no exercise": ("9.9", 1, "failed", "9.9"),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*SYNTHETIC:UserWarning")  # where the log of lesson 6 is not here
@pytest.mark.parametrize("number, answer, verdict, part", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_function_is_asked_for_its_values_and_judged_by_them(number, answer, verdict, part, monkeypatch, tmp_path):
    found = answered(number, answer, monkeypatch, tmp_path)
    assert found.verdict == verdict and part in found.sentence


def test_a_function_that_does_not_return_is_out_of_time(monkeypatch, tmp_path):
    never = threading.Event()
    found = answered("2.4", lambda *case: never.wait(1), monkeypatch, tmp_path, seconds=0.5)
    never.set()
    assert found.verdict == "out of time"


@pytest.mark.parametrize("name", ["Ada Lovelace", "ada_LOVELACE", "Lovelace, Ada"])
def test_the_name_of_the_assignment_is_that_of_who_hands_in_however_it_is_typed(name):
    asked = {"student": name, "jobs": ..., "load": ..., "large": ...}
    assert judging.judged("A.1", asked, "Ada Lovelace").verdict == "unanswered"
    other = judging.judged("A.1", asked, "Bob")
    assert other.verdict == "not yet" and "'Bob'" in other.sentence


def message(number, answer, more=b""):
    return b'{"exercise": "%b", "seed": "", "answer": %b}\n%b' % (number, answer, more)


FUNCTION = b'{"is": "function", "of": 0, "text": "f", "asks": []}'
HOSTILE = [
    b"",
    b"\xff\n",
    b"[" * 100_000 + b"\n",
    b'{"exercise": "2.4"}\n',
    b'{"exercise": "2.4", "seed": [], "answer": 1}\n',
    message(b"2.4", b"[1]"),
    message(b"2.4", b'{"is": "function"}'),
    message(b"2.4", b'{"is": "list", "of": 7}'),
    message(b"4.4", b'{"is": "workload", "columns": [["run", "S1000000000", [1]]], "procs": 4}'),
    message(b"4.4", b'{"is": "list", "of": [' + b'{"is": "list", "of": []},' * 45_000 + b"1]}"),
    message(b"1.2", b'"' + b"1" * 9_000 + b'"'),
    message(b"1.2", b'"' + b"1" * 2**21 + b'"'),
    message(b"2.3", b'{"is": "dict", "of": [["submit", 3], ["run", 1e300], ["procs", 1]]}'),
    message(b"2.4", FUNCTION, b'{"value": {"is": "list"}}\n'),
    message(b"2.4", FUNCTION.replace(b"[]", b'["1"]')),
    message(b"2.4", FUNCTION, b'{"error": "SystemExit"}\n'),
]


@pytest.mark.parametrize("sent", HOSTILE, ids=lambda sent: sent[:60].decode(errors="replace"))
def test_what_the_box_should_not_send_gets_no_point_and_stops_nobody(sent):
    ours, theirs = socket.socketpair()

    def send():
        with suppress(OSError):  # the judge has heard enough
            theirs.sendall(sent)
            theirs.shutdown(socket.SHUT_WR)

    with ours, theirs:
        threading.Thread(target=send, daemon=True).start()
        tracemalloc.start()
        _, found, _ = judging.judge(ours, 5.0, "Ada")
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert found.verdict in ("failed", "not yet") and used < 100 * 2**20
