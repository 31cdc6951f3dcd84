"""How the parts of a kernel are compiled: without counting references to arrays, and most into the kernel itself."""

from functools import partial

from ..compiled import compiled

uncounted = partial(compiled, _nrt=False)
"""Compile a function that counts no references.

Numba counts the references to each array of a tuple that a function is given, by atomic instructions; around a few
lines that are run at every event this takes ten times as long as the lines. A function that does not count may neither
make an array nor return one, nor raise an exception with arguments, and the arrays that it is given must be held by who
calls it, as they are by a kernel.
"""

part = partial(uncounted, forceinline=True)
"""Compile a function that counts no references into those that call it."""
