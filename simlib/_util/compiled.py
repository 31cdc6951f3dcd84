"""Compile functions with numba, keep their machine code for the next process, and tell whether a progress bar is seen.

Numba has its own cache, but trusts every file in it: when a constant in another file has changed, it runs the old code,
and a damaged file raises an error. Here a file's name is a digest of all sources of its code, and its first bytes are a
digest of the rest. A function whose file does not match is compiled again.
"""

import atexit
import hashlib
import os
import pickle
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np

from . import paths

MISSING = ""
"""Why nothing can be compiled: numba is not installed, or cannot work with this Python."""

numba: Any = None
types: Any = None
CFunc: Any = None
NumbaWarning: Any = Warning
_Cache: Any = object


def _as_it_is(function: Any = None, **options: Any) -> Any:
    """Give the function that is decorated, or a decorator that does."""
    return function or _as_it_is


register_jitable: Any = _as_it_is
overloaded: Any = lambda _, **options: _as_it_is  # noqa: E731

try:
    import numba as _numba
    from numba import extending
    from numba.core import caching, ccallback, compiler, errors
    from numba.core import types as _types
    from numba.core.serialize import dumps
    from numba.core.sigutils import normalize_signature
    from numba.misc.appdirs import AppDirs

    numba, types, CFunc, NumbaWarning = _numba, _types, ccallback.CFunc, errors.NumbaWarning
    _Cache, register_jitable, overloaded = caching._Cache, extending.register_jitable, extending.overload
except Exception as error:  # a new Python raises all sorts
    MISSING = f"{type(error).__name__}: {error}"

_PACKAGE = Path(__file__).parent.parent
_ENGINE = _PACKAGE / "engine"
_Function = TypeVar("_Function", bound=Callable)


class NotReady(Exception):
    """A function would have to be compiled first, and nobody waits for that."""


WAITING = ContextVar("WAITING", default=True)
"""Whether who calls a function waits until it is compiled."""

COMPILED = ContextVar("COMPILED", default=False)
"""Whether all schedules are made by compiled functions, also those of few jobs."""


@contextmanager
def during(switch: ContextVar[bool], value: bool) -> Iterator[None]:
    """Set a switch for the lines of a with statement."""
    token = switch.set(value)
    try:
        yield
    finally:
        switch.reset(token)


@overload
def compiled(function: _Function) -> _Function: ...
@overload
def compiled(function: None = None, **options: Any) -> Callable[[_Function], _Function]: ...
def compiled(function: Any = None, **options: Any) -> Any:
    """Compile a function with numba when it is first called, and keep the machine code.

    It may call functions of the same folder and of `simlib.engine`. It runs without Python's lock, so that threads run
    at the same time.
    """
    if function is None:
        return lambda function: compiled(function, **options)
    if MISSING:
        return _not_ready if _is_event_loop(function) else function
    dispatcher = numba.njit(nogil=True, **options)(function)
    if os.path.isfile(function.__code__.co_filename):  # not what is typed in
        dispatcher._cache = _CodeFiles(function)
    return dispatcher


def _is_event_loop(function: Any) -> bool:
    """Whether a function schedules: it takes long to compile, and has a plain version."""
    return "progress_and_stop" in function.__code__.co_varnames


def _not_ready(*given: Any, **options: Any) -> None:
    raise NotReady


def pointer(function: Callable[..., float], signature: str) -> "CFunc":
    """Compile a function to a pointer that kernels can be given, and keep the machine code."""
    if MISSING:
        raise NotReady
    to_function: Any = CFunc(function, normalize_signature(signature), locals={}, options={"error_model": "numpy"})
    to_function._cache = _CodeFiles(function)
    to_function.compile()
    return to_function


class _CodeFiles(_Cache):
    """Keep the machine code of one function, a file for each combination of types."""

    def __init__(self, function: Callable) -> None:
        self._function: Any = function
        self._enabled = True

    @property
    def cache_path(self) -> str:
        """The folder of the files."""
        return str(place())

    def load_overload(self, sig: tuple, target_context: Any) -> Any:
        """Read the code for a combination of types; None if there is none, or if the file is damaged."""
        target_context.refresh()
        _keep_memory()
        code = None
        with suppress(OSError):
            code = paths.read_sealed(self._path(sig, target_context.codegen())) if self._enabled else None
        if code is None:
            if not WAITING.get():
                raise NotReady
            if _is_event_loop(self._function):
                say(
                    "compiling schedulers at their first use, each for some seconds, or longer on a busy machine; the "
                    "command simlib compile does it for all of them beforehand"
                )
            return None
        return compiler.CompileResult._rebuild(target_context, *pickle.loads(code))

    def save_overload(self, sig: tuple, data: Any) -> None:
        """Write the code for a combination of types; where that fails, as on a full disk, the next process compiles."""
        if not self._enabled or data.lifted or data.library.has_dynamic_globals:
            return
        with suppress(OSError):
            paths.write_sealed(self._path(sig, data.codegen), dumps(data._reduce()))

    def enable(self) -> None:
        """Read and write files."""
        self._enabled = True

    def disable(self) -> None:
        """Compile in every process."""
        self._enabled = False

    def flush(self) -> None:
        """Remove nothing: a file stays right, for its name is a digest of all that it was made of."""

    def _path(self, sig: tuple, codegen: Any) -> Path:
        sources = _sources(self._function.__code__.co_filename)
        settings = numba.__version__, getattr(numba.config, "BOUNDSCHECK", None)
        made_of = sources, self._function.__qualname__, sig, codegen.magic_tuple(), *settings
        digest = hashlib.sha256(repr(made_of).encode()).hexdigest()
        return place() / f"{self._function.__name__}-{digest[:24]}.code"


@cache
def say(why: str) -> None:
    """Say on standard error, once in a process, why something takes so long."""
    print(f"simlib: {why}", file=sys.stderr, flush=True)


@cache
def _sources(file: str) -> str:
    """A digest of all that a function in a file is compiled from."""
    files = {*_ENGINE.glob("*.py"), *Path(file).parent.glob("*.py")}
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(files))).hexdigest()


@cache
def place() -> Path:
    """The first folder that only we can write: numba's setting, the package's, the user's; else a temporary one.

    The temporary one vanishes with the process.
    """
    package, home = _PACKAGE / "__pycache__", AppDirs("numba", False).user_cache_dir
    for place in filter(None, (numba.config.CACHE_DIR, package, home)):
        with suppress(OSError):
            folder = Path(place, "kernels")
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o755, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            if _ours_alone(folder):
                return folder
    warnings.warn(
        f"neither {package} nor {home} can be written, and by nobody else: simlib's kernels are compiled anew in every "
        "process, which takes a minute; to keep them, let NUMBA_CACHE_DIR name a folder that you alone can write",
        stacklevel=2,
    )
    temporary = paths.temporary(tempfile.gettempdir(), "kernels")
    folder = temporary.__enter__()
    atexit.register(_remove, temporary, os.getpid())
    return folder


def _ours_alone(folder: Path) -> bool:
    """Tell whether nobody else can write into a folder or replace it: reading code from it means running it."""
    if os.name != "posix":
        return True
    own, above = folder.stat(), folder.parent.stat()
    replaced = above.st_mode & stat.S_IWOTH and not above.st_mode & stat.S_ISVTX
    return own.st_uid == os.getuid() and not own.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not replaced


def _remove(temporary: AbstractContextManager[Path], owner: int) -> None:
    """Remove a temporary folder at the end of the process that made it."""
    if os.getpid() == owner:  # and not a process that was forked from it
        temporary.__exit__(None, None, None)


@cache
def _keep_memory() -> None:
    """Let glibc keep freed memory for the next run, which needs arrays of the same size.

    In threads it would return the memory to the system and get it again page by page, which takes a fifth of the time
    of a shaken run of SDSC under EASY. It keeps twice the size of the largest block that was ever freed, up to 32 MiB
    (mallopt(3), M_MMAP_THRESHOLD). The block freed here is never touched.
    """
    np.empty(31 * 2**20, np.uint8)


def bar_shows() -> bool:
    """Tell whether a progress bar would be seen: in a terminal, or in a notebook that a person executes.

    Programs such as papermill and nbclient declare that there is no input; bars would stay in the notebook's outputs.
    """
    if (kernel := _kernel()) is None:
        return sys.stderr.isatty()
    return kernel.get_parent("shell").get("content", {}).get("allow_stdin") is not False and not lines_show()


def lines_show() -> bool:
    """Tell whether papermill executes this notebook: its log keeps what is written."""
    if _kernel() is None:
        return False
    import psutil  # comes with ipykernel

    parent = psutil.Process().parent()
    return parent is not None and any("papermill" in word for word in parent.cmdline())


def _kernel() -> Any:
    """The kernel that runs this notebook; None elsewhere."""
    if "ipykernel" not in sys.modules:
        return None
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None)
