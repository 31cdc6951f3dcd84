"""Helpers that know nothing of scheduling: files, hashing, the cache of kernels, numbers in words."""

import importlib
from collections.abc import Callable
from types import ModuleType


def importing(package: str, *modules: str) -> Callable[[str], ModuleType]:
    """Make the `__getattr__` of a package that imports these of its modules when they are first used."""

    def imported(name: str) -> ModuleType:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return importlib.import_module(f".{name}", package)

    return imported
