"""Wrong versions of a right function, made by changing its syntax tree in one place each: what a check must refuse."""

import ast
import copy
import inspect
import textwrap

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
