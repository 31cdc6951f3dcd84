"""Make a page of a log: `notebooks/my-cluster.ipynb` executed, without its code, in one file of HTML."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any

from .. import paths
from ..months import Moment
from .taking import find

NOTEBOOK = "my-cluster.ipynb"

LOOK = """body { font: 16px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; max-width: 1080px;
  margin: 2em auto; padding: 0 1.25em; color: #1b1b1b }
h1 { font-size: 1.9em; line-height: 1.2 } h2 { margin: 2em 0 .5em; border-bottom: 2px solid #e2e2e2 }
img { max-width: 100%; height: auto } .anchor-link, .prompt { display: none }
.finding { border-left: 4px solid #0072B2; padding-left: .8em; margin: .5em 0 }
.output_html { overflow-x: auto } table { border-collapse: collapse; border: 0; font-size: .8em; margin: .8em 0 }
th, td { padding: .2em .5em; text-align: right; border: 0; vertical-align: top;
  border-bottom: 1px solid #e2e2e2 }
tbody th, td { white-space: nowrap } th { text-align: left }
.output_stderr { color: #a30000 } pre { white-space: pre-wrap }"""


class ReportError(RuntimeError):
    """A page that could not be made; the message says why."""


def report(
    log: str | Path,
    out: str | Path | None = None,
    procs: int | None = None,
    partition: int | str | None = None,
    first: Moment | None = None,
    last: Moment | None = None,
    progress: bool = False,
    **others: Any,
) -> Path:
    """Ask all questions of a log, and write the answers as one page that needs no other file.

    Parameters
    ----------
    log, procs, partition, first, last
        As for `simlib.cluster.taken`.
    out : str or Path, optional
        Where to write the page; by default into the current folder, under the log's name.
    progress : bool
        Whether to show a bar.
    **others
        Further parameters of the notebook: `policies`, `shakes`, `seed`.

    Returns
    -------
    Path
        The page. It appears at once and whole.

    Raises
    ------
    ReportError
        Where there is no notebook, for simlib is not installed from its repository, or the questions cannot be asked.
    ArchiveError
        Where there is neither such a file nor such a name.

    Examples
    --------
    >>> report("nowhere.swf")
    Traceback (most recent call last):
        ...
    simlib.archive.ArchiveError: nowhere.swf: found no such file, and no such name in the catalogue; expected ...
    """
    source = _source(log)
    notebook = paths.ROOT / "notebooks" / NOTEBOOK
    if not notebook.exists():
        raise ReportError(
            f"report: found no notebook {notebook}, expected simlib installed from its repository, where it lies: "
            "pip install -e '.[study]' there"
        )
    target = Path(out) if out else Path(f"{Path(log).name.removesuffix('.gz').removesuffix('.swf')}.html")
    given = {"log": source, "procs": procs, "partition": partition, "first": first, "last": last} | others
    with paths.replacing(target) as new:  # first: where it cannot be written, nobody waits to hear it
        content = _content(notebook, {name: value for name, value in given.items() if value is not None}, progress)
        title = f"My cluster: {Path(log).name}"
        new.write_text(
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
            f"<style>{LOOK}</style></head><body>\n{content}\n</body></html>\n",
            encoding="utf-8",
        )
    return target


def _source(log: str | Path) -> str:
    """Name a log so that it is found from any folder; ArchiveError where there is none."""
    found = find(log)
    return str(log) if found is None else str(found.resolve())


def _content(notebook: Path, parameters: dict[str, Any], progress: bool) -> str:
    """Execute the notebook, and give it as HTML without the page around it."""
    with _quick_to_import(), tempfile.TemporaryDirectory(prefix="simlib-report-") as folder:
        try:
            import papermill
            from nbconvert import HTMLExporter
        except ImportError as error:
            raise ReportError(f"report: {error}; expected the extra: pip install -e '.[study]'") from None
        executed = Path(folder) / NOTEBOOK
        try:
            papermill.execute_notebook(
                notebook,
                executed,
                parameters,
                kernel_name="python3",
                progress_bar=progress,
                request_save_on_cell_execute=False,
                extra_arguments=["--log-level=CRITICAL"],  # of the kernel, which else says how it is connected
            )
        except papermill.PapermillExecutionError as error:
            if error.ename in ("ArchiveError", "SWFError", "ValueError", "FileNotFoundError", "OSError"):
                raise ReportError(str(error.evalue)) from None
            raise ReportError(f"report: {error}") from None
        exporter = HTMLExporter(
            template_name="basic", exclude_input=True, exclude_input_prompt=True, exclude_output_prompt=True
        )
        content, _ = exporter.from_filename(str(executed))
    return content.replace("No description has been provided for this image", "")


@contextmanager
def _quick_to_import() -> Iterator[None]:
    """Keep jsonschema from building a grammar of addresses, which takes longer than all else and no notebook needs."""
    name = "rfc3987_syntax"
    before = sys.modules.get(name, False)
    if before is False:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if before is False:
            del sys.modules[name]
