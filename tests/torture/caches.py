"""Damaged caches: what lies in build/cache/ and the code of compiled functions are made anew."""

import json
import shutil
import warnings

import numpy as np
import pandas as pd

from simlib._util import cache

from .attack import Findings, Tried, folder_for_files, last_line, python, try_random
from .places import IMPORTING


def some_numbers(n, seed):
    """Stands for what is slow to compute."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"x": rng.random(n), "k": np.arange(n)})
    return {"table": table, "array": rng.integers(0, 10**6, 3 * n), "mean": float(table.x.mean())}


def damage(path, rng):
    """Cut a file short, empty it, or flip some of its bits."""
    data = bytearray(path.read_bytes())
    kind = ["cut short", "empty", "flipped", "flipped", "flipped"][rng.integers(5)]
    if kind == "flipped" and data:
        for _ in range(rng.integers(1, 4)):
            data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
    else:
        data = data[: rng.integers(len(data) + 1)] if kind == "cut short" else b""
    path.write_bytes(data)
    return f"{path.name} {kind}"


def kept_blocks(plan):
    """Files below build/cache/."""

    def attempt(rng):
        n, seed = int(rng.integers(1, 200)), int(rng.integers(100))
        right = some_numbers(n, seed)
        cache.once(some_numbers)(n, seed)
        files = sorted(path for path in cache.FOLDER.rglob("*") if path.is_file())
        done = damage(files[rng.integers(len(files))], rng)
        try:
            found = cache.once(some_numbers)(n, seed)
            same = found["table"].equals(right["table"]) and np.array_equal(found["array"], right["array"])
            same &= found["mean"] == right["mean"]
        except Exception as error:
            return f"{done}: {type(error).__name__} comes out: {error}"[:250], (done, type(error))
        finally:
            shutil.rmtree(cache.FOLDER)
            cache.FOLDER.mkdir()
        return None if same else (f"{done}: wrong numbers are taken (n={n}, seed={seed})", (done, "wrong"))

    usual = cache.FOLDER
    with folder_for_files() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cache.FOLDER = folder / "cache"
        cache.FOLDER.mkdir()
        try:
            return try_random("files below build/cache/ with flipped bits, cut short, emptied", plan, 1500, attempt)
        finally:
            cache.FOLDER = usual


def kernels(plan):
    """The machine code of compiled functions."""
    what = "compiled functions' files cut short, emptied, with flipped bits (half of them at a time)"
    found = Findings(shown=20)
    with folder_for_files() as folder:
        whole, part = folder / "whole", folder / "part"
        process = python(IMPORTING, NUMBA_CACHE_DIR=whole, timeout=400)
        if process.returncode:
            return Tried(what, 0, [last_line(process)])
        right = json.loads(process.stdout.splitlines()[-1])["sums"]
        numbers = plan.numbers(8)
        for number in numbers:
            rng = plan.rng(number)
            shutil.copytree(whole, part)
            done = [damage(path, rng) for path in sorted(part.rglob("*.code")) if rng.random() < 0.5]
            fault = _fault(python(IMPORTING, NUMBA_CACHE_DIR=part, timeout=400), right)
            if fault:
                found.add(f"{len(done)} files, such as {done[0]}: {fault} (--case {number})", fault)
            shutil.rmtree(part)
    return Tried(what, len(numbers), found.told())


def _fault(process, right):
    if process.returncode < 0:
        return f"the process dies of signal {-process.returncode}"
    if process.returncode:
        return last_line(process)
    sums = json.loads(process.stdout.splitlines()[-1])["sums"]
    return None if sums == right else f"wrong schedules: {sums}, expected {right}"
