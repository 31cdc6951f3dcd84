"""What has nothing to do with scheduling: files, hashing, the kernels' cache, numbers in words."""

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
