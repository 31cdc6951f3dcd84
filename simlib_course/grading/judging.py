"""Judge answers outside of the box, where no line of a student's code is run.

An answer comes as data (`unpack`), and nothing in it is believed. What stands for a function asks the box for each of
its values, or for the start times that it gives as a policy. The checks of the course do the rest.
"""

import copy
import inspect
import json
import pickle
import socket
import threading
import time
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .. import lessons
from ..answers import NotYet, Waiting, words
from .box import FAILED, OUT_OF_MEMORY, OUT_OF_TIME

RIGHT, NOT_YET, UNANSWERED = "right", "not yet", "unanswered"

BEST_FIRST = (RIGHT, NOT_YET, OUT_OF_TIME, OUT_OF_MEMORY, FAILED, UNANSWERED)
"""All verdicts; of several notebooks with the same exercise the verdict counts that stands here first."""

ENDED = "the notebook ended while its answer was checked."

OTHER_NAME = "expected the name of who hands in"

LARGEST = 2**20
"""Bytes of a message from the box that are read."""

DEEPEST = 25
"""So deep lists may lie in lists."""


class Judged(NamedTuple):
    """The verdict on an answer, one of `BEST_FIRST`, and why."""

    verdict: str
    sentence: str


class Stopped(BaseException):
    """The box gives no more values: the verdict and why; no check that excepts `Exception` keeps it."""


class Strange:
    """Stand for an answer that stays in the box, or of a kind that no exercise asks for."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


class Channel:
    """A connection to the box, on which it sends one answer and then the values of its functions."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self._connection, self._until, self._seconds = connection, time.monotonic() + seconds, seconds
        self._stream, self._lock = connection.makefile("rb"), threading.Lock()

    def close(self) -> None:
        """Let the notebook go on; the connection stays open as long as its stream is."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._stream.close()

    def read(self) -> Any:
        """Read a message."""
        try:
            self._connection.settimeout(max(0.01, self._until - time.monotonic()))
            line = self._stream.readline(LARGEST)
            return json.loads(line)
        except TimeoutError:
            raise Stopped(OUT_OF_TIME, f"your function takes more than {self._seconds:g} s.") from None
        except (OSError, ValueError, RecursionError):
            raise Stopped(FAILED, ENDED) from None

    def ask(self, place: int, what: str, *given: Any, **named: Any) -> Any:
        """Ask for the value of a function; what the function raises is raised here."""
        with self._lock:  # simulations may run in several threads
            request = pickle.dumps((place, what, given, named))
            try:
                self._connection.sendall(len(request).to_bytes(4) + request)
            except OSError:
                raise Stopped(FAILED, ENDED) from None
            reply = self.read()
        if "error" not in reply:
            return unpack(reply["value"], self)
        name, text = str(reply["error"]), str(reply["text"])
        if name == "MemoryError":
            raise Stopped(OUT_OF_MEMORY, f"your function needs more memory than it may have: {text}")
        known = {kind.__name__: kind for kind in (NotYet, Waiting, ValueError, TypeError)}
        raise (known.get(name) or type(name, (Exception,), {}))(text)


class Remote(Strange):
    """A student's policy, which runs in the box; or an order or a pass, of which the box makes a policy."""

    def __init__(self, channel: Channel, place: int, text: str) -> None:
        super().__init__(text)
        self._channel, self._place, self._jobs = channel, place, pd.DataFrame()

    def prepare(self, jobs: pd.DataFrame) -> "Remote":
        """Know the jobs of a simulation."""
        prepared = copy.copy(self)
        prepared._jobs = jobs
        return prepared

    def schedule(self, submit: Any, run: Any, estimate: Any, procs: Any, machine: int) -> dict[str, Any]:
        """Ask when the jobs start."""
        jobs = self._jobs.assign(submit=submit, run=run, estimate=estimate, procs=procs)
        return {"start": np.asarray(self._channel.ask(self._place, "schedule", jobs, machine))}


class RemoteFunction(Remote):
    """A student's function, which runs in the box."""

    def __init__(self, channel: Channel, place: int, text: str, asks: list[str]) -> None:
        super().__init__(channel, place, text)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in asks])

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._channel.ask(self._place, "call", *given, **named)


Remote.__module__ = RemoteFunction.__module__ = "handed_in"  # no part of simlib, whose policies are believed


def unpack(packed: Any, channel: Channel | None = None, depth: int = 0) -> Any:
    """Give an answer back; raises anything for what `inside.pack` has not made."""
    if packed is None or isinstance(packed, (bool, int, float, str)):
        return packed
    if depth > DEEPEST:
        raise ValueError("lists in lists in lists")

    def inside(of: Any) -> Any:
        return unpack(of, channel, depth + 1)

    kind, of = packed["is"], packed.get("of")
    if kind == "dots":
        return ...
    if kind == "float":
        return float(of)
    kinds: dict[str, Any] = {"list": list, "tuple": tuple, "set": set}
    if kind in kinds:
        return kinds[kind](map(inside, of))
    if kind == "dict":
        return {inside(key): inside(each) for key, each in of}
    if kind == "function" and channel:
        its = channel, int(of), str(packed["text"])[:200]
        return Remote(*its) if packed["asks"] is None else RemoteFunction(*its, list(map(str, packed["asks"])))
    return Strange(str(packed.get("text", kind))[:200])


def judged(number: str, answer: Any, student: str) -> Judged:
    """Judge an answer of a student."""
    if isinstance(answer, dict) and "student" in answer and words(answer["student"]) != words(student):
        if answer["student"] is ...:
            return Judged(UNANSWERED, f"{number} is waiting for your name.")
        found = f"found student={answer['student']!r}"[:200]
        return Judged(NOT_YET, f"{found}, {OTHER_NAME}, {student!r}.")
    try:
        status, sentence = lessons.verdict(number, answer)
    except Stopped as stopped:
        return Judged(*stopped.args)
    return Judged({"waiting": UNANSWERED}.get(status, status), sentence)


def judge(connection: socket.socket, seconds: float, student: str) -> tuple[str, Judged, str]:
    """Judge the answer that the box sends on a connection; give the exercise, the verdict, and the seed it was for."""
    channel, number, seed = Channel(connection, seconds), "", ""
    try:
        message = channel.read()
        number, seed = str(message["exercise"])[:20], str(message["seed"])[:100]
        return number, judged(number, unpack(message["answer"], channel), student), seed
    except Stopped as stopped:
        return number, Judged(*stopped.args), seed
    except Exception as error:  # whatever a hostile notebook wrote, such as an exercise that does not exist
        return number, Judged(FAILED, f"its answer cannot be read: {type(error).__name__}: {error}"[:300]), seed
    finally:
        channel.close()
