"""Read the text of a log's file, plain or compressed."""

import codecs
import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

LIMIT = 2 * 2**30
"""Bytes that a log may have once decompressed: three to four times the largest one of the archive."""

_BLOCK = 2**24  # bytes read at a time


class SWFError(ValueError):
    """A log that cannot be read; the message names the file, the line and field, and what was expected."""

    __module__ = "simlib.swf"  # where it is imported from, as tracebacks show it


def read_bytes(path: str | Path, limit: int = LIMIT) -> bytes:
    """Read a plain or gzip-compressed text as bytes, its lines ended by line feeds.

    Parameters
    ----------
    path : str or Path
    limit : int
        The largest size of the text in bytes, once it is decompressed.

    Raises
    ------
    SWFError
        Where it cannot be read, is no file (a pipe without a writer would be waited for), larger, or no text.

    Examples
    --------
    >>> from simlib import paths
    >>> read_bytes(paths.DATA / "samples" / "sample.swf.gz")[:14]
    b'; Version: 2.2'
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
            raise SWFError(f"{path}: found a pipe or a device, expected a file; write it to one first")
        with open(path, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            blocks = _decompressed(file.read()) if packed else iter(lambda: file.read(_BLOCK), b"")
            data = _joined(blocks, path, limit)
    except (EOFError, zlib.error) as error:
        raise SWFError(f"{path}: the gzip file is truncated or damaged ({error})") from None
    except OSError as error:
        raise SWFError(f"{path}: cannot be read: {error.strerror}") from None
    except SWFError:
        raise
    except ValueError as error:  # a NUL in the path, or a character that no file system has
        raise SWFError(f"{str(path)!r}: cannot be read: {error}") from None
    return _with_line_feeds(data.removeprefix(codecs.BOM_UTF8))


def _decompressed(data: bytes) -> Iterator[bytes]:
    """Decompress a gzip file's bytes a block at a time; `gzip.open` takes one and a half times as long."""
    while data:
        part = zlib.decompressobj(wbits=31)
        while not part.eof:
            block = part.decompress(data, _BLOCK)
            data = part.unconsumed_tail
            if block:
                yield block
            elif not (data or part.eof):
                raise EOFError("it ended before the end-of-stream marker was reached")
        data = part.unused_data.lstrip(b"\0")


def _joined(parts: Iterable[bytes], path: str | Path, limit: int) -> bytes:
    """Join the blocks of a text; raise SWFError as soon as there are too many bytes, or a NUL."""
    blocks, size = [], 0
    for block in parts:
        blocks.append(block)
        size += len(block)
        if b"\0" in block:
            number = 1 + _with_line_feeds(b"".join(blocks).partition(b"\0")[0]).count(b"\n")
            raise SWFError(f"{path}: line {number}: found binary data, expected text")
        if size > limit:
            raise SWFError(f"{path}: found more than {limit:,} bytes of text, expected a log that is smaller")
    return b"".join(blocks)


def _with_line_feeds(data: bytes) -> bytes:
    """End each line of a text with a line feed, and replace the rarer kinds of white space by blanks."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\v" in data or b"\f" in data:
        data = data.translate(bytes.maketrans(b"\v\f", b"  "))
    return data


@contextmanager
def memory_errors_name(path: str | Path) -> Iterator[None]:
    """Raise an SWFError that names the file where the block runs out of memory.

    Examples
    --------
    >>> with memory_errors_name("huge.swf"):
    ...     raise MemoryError
    Traceback (most recent call last):
        ...
    simlib.swf.SWFError: huge.swf: found more than this machine's memory holds, expected a log that is smaller
    """
    try:
        yield
    except MemoryError:
        raise SWFError(f"{path}: found more than this machine's memory holds, expected a log that is smaller") from None
