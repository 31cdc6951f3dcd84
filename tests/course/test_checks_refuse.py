"""The checks refuse each function that is not right; `test_answers` has a row for each condition of an exercise."""

import ast
import copy
import inspect
import textwrap

import numpy as np
import pytest
from test_checks import the_twins_month  # noqa: F401

from simlib import EASY, Workload, simulate
from simlib_course import lessons
from simlib_course.answers import number
from simlib_course.lessons import lesson2, lesson3

pytestmark = pytest.mark.slow

NAMES = ("now", "procs", "estimate", "free", "shadow", "extra")


def is_right(number, answer):
    return lessons.verdict(number, answer).status == "right"


# Wrong versions of a right function, made by changing its syntax tree in one place each

COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
OPERATIONS = (ast.Add, ast.Sub, ast.Mult)


def mutants(function, names=(), attributes=()):
    """Functions that differ from `function` in one place, by their sources.

    A term or a statement is dropped, `and` is taken for `or`, a comparison or an operation for another, a sign or a
    condition is turned, a name is taken for another of `names`, an attribute for another of `attributes`.
    """
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    found = {}
    for place, node in enumerate(ast.walk(tree)):
        for change in _changes(node, names, attributes):
            changed = copy.deepcopy(tree)
            change(list(ast.walk(changed))[place])
            found[ast.unparse(ast.fix_missing_locations(changed))] = changed
    found.pop(ast.unparse(tree), None)
    return {source: _defined(source, function) for source in found}


def _defined(source, function):
    """What a source defines, where the original function stands."""
    scope = dict(function.__globals__)
    exec(compile(source, f"<{function.__name__} changed>", "exec"), scope)
    return scope[function.__name__]


def _changes(node, names, attributes):
    """The functions that change a node in one way each."""
    if isinstance(node, ast.BoolOp):
        yield from (lambda one, at=at: one.values.pop(at) for at in range(len(node.values)))
        other = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield lambda one: setattr(one, "op", other())
    if isinstance(node, ast.Compare):
        yield from (lambda one, to=to: one.ops.__setitem__(0, to()) for to in COMPARISONS)
        yield lambda one: _becomes(one, ast.UnaryOp(ast.Not(), copy.copy(one)))
    if isinstance(node, ast.BinOp):
        yield lambda one: _becomes(one, one.left)
        yield lambda one: _becomes(one, one.right)
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        yield from (lambda one, to=to: setattr(one, "op", to()) for to in OPERATIONS)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield lambda one: setattr(one, "op", ast.UAdd())
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
        yield from (lambda one, to=to: setattr(one, "id", to) for to in names)
    if isinstance(node, ast.Attribute) and node.attr in attributes:
        yield from (lambda one, to=to: setattr(one, "attr", to) for to in attributes)
    if isinstance(node, ast.If):
        yield from (lambda one, to=to: setattr(one, "test", ast.Constant(to)) for to in (True, False))
    if isinstance(node, ast.Return):
        yield from (lambda one, to=to: setattr(one, "value", ast.Constant(to)) for to in (True, False, None, 0, 1))
    for field in ("body", "orelse"):
        statements = getattr(node, field, None)
        if isinstance(statements, list) and not isinstance(node, (ast.Module, ast.While)):  # which would never end
            yield from (
                lambda one, field=field, at=at: getattr(one, field).__setitem__(at, ast.Pass())
                for at in range(len(statements))
            )


def _becomes(node, other):
    """Make a node another one, where it stands."""
    kind, fields = type(other), vars(copy.copy(other))
    node.__class__ = kind
    node.__dict__.clear()
    node.__dict__.update(fields)


# Functions


def may_backfill(now, procs, estimate, free, shadow, extra):
    return procs <= free and (now + estimate <= shadow or procs <= extra)


def late(jobs):
    return (jobs.start > jobs.guarantee).sum()


def states():
    """Many states in which a head waits: its shadow time is to come."""
    random = np.random.default_rng(0)
    some = random.integers([0, 1, 1, 0, 0, 0], [60, 12, 60, 12, 120, 12], (6_000, 6)).tolist()
    return [state for state in some if state[4] > state[0]]


def test_every_rule_that_differs_from_easys_is_refused():
    wrong = 0
    for source, mutant in mutants(may_backfill, NAMES).items():
        differs = any(mutant(*state) is not lesson2.backfills(*state) for state in states())
        assert is_right("2.4", mutant) != differs, source
        wrong += differs
    assert wrong > 60


def test_the_rule_of_the_check_is_what_easy_does():
    random = np.random.default_rng(0)
    for place in random.choice(len(lesson2.cases()), 150, replace=False):
        now, procs, estimate, free, shadow, extra = case = lesson2.cases()[place]
        jobs = Workload.of(
            "a case",
            10,
            running=(0, shadow, shadow, 10 - free),
            head=(now, 10, 10, 10 - extra),
            candidate=(now, estimate, estimate, procs),
        )
        assert (simulate(jobs, EASY()).jobs.start["candidate"] == now) == lesson2.backfills(*case), case


def test_every_count_that_differs_from_that_of_broken_guarantees_is_refused():
    columns = ("start", "guarantee", "submit", "end", "wait")
    for source, mutant in mutants(late, (), (*columns, "sum", "any", "max", "count")).items():
        try:
            differs = any(mutant(jobs) != (jobs.start > jobs.guarantee).sum() for jobs in lesson3.tables().values())
        except (AttributeError, TypeError, ValueError):  # such as: one value a job
            differs = True
        assert is_right("3.4", mutant) != differs, source
        assert differs, f"no table tells {source} from the right function"


def narrow_first(wait, estimate, procs):
    return -procs


def best_fit(queue, machine):
    while queue and queue[0].procs <= machine.free:
        yield queue[0]
    if queue:
        shadow, extra = machine.shadow(queue[0])
        for job in sorted(queue, key=lambda job: -job.procs):
            if job.procs <= machine.free:
                if machine.now + job.estimate <= shadow:
                    yield job
                elif job.procs <= extra:
                    extra -= job.procs
                    yield job


BROKEN = [("6.1", narrow_first, ("wait", "estimate", "procs")), ("6.5", best_fit, ("shadow", "extra"))]


@pytest.mark.thorough
@pytest.mark.parametrize("number, right, names", BROKEN, ids=["6.1", "6.5"])
def test_a_right_function_that_is_broken_in_any_small_way_is_refused(number, right, names):
    assert lessons.verdict(number, right).status == "right"
    broken = mutants(right, names)
    assert len(broken) >= 3
    assert [
        source for source, function in broken.items() if lessons.verdict(number, function).status != "not yet"
    ] == []


@pytest.mark.parametrize("truth, given", [(0.565, 0.56), (0.565, 0.57), (0.475, 0.47), (0.475, 0.48), (0.725, "73 %")])
def test_a_share_that_lies_between_two_decimals_may_be_rounded_either_way(truth, given):
    assert lessons.is_share(number(given), truth) and not lessons.is_share(truth + 0.006, truth)


def test_a_function_that_changes_its_table_does_not_change_what_it_is_held_against():
    def none_is_late(jobs):
        jobs["start"] = jobs.guarantee
        return 0

    for _ in range(2):  # the tables are kept: the second time they are what they were
        assert lessons.verdict("3.4", none_is_late).status == "not yet"
