"""Read and write the Standard Workload Format (SWF), version 2.2, of the Parallel Workloads Archive.

A log is a header of comment lines (`; Key: value`) and one line of 18 numbers a job, -1 for what is not known.
Format: https://www.cs.huji.ac.il/labs/parallel/workload/swf.html
"""

from .header import SYNTHETIC, header_fields, machine_size, says_synthetic, start_time
from .lines import FIELDS, contents, job_lines, read_log
from .reading import jobs_of, read, read_swf
from .text import LIMIT, SWFError, read_bytes
from .writing import write_log, write_swf

__all__ = [
    "FIELDS",
    "LIMIT",
    "SYNTHETIC",
    "SWFError",
    "contents",
    "header_fields",
    "job_lines",
    "jobs_of",
    "machine_size",
    "read",
    "read_bytes",
    "read_log",
    "read_swf",
    "says_synthetic",
    "start_time",
    "write_log",
    "write_swf",
]
