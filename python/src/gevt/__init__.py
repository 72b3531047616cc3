"""GPU events that are checked and fast, with and without a GPU.

An event marks a point in a stream of asynchronous work. It can be queried, waited for by the host, by another stream or by a
task of asyncio, timed against another event, and shared with another process. gevt runs on CUDA, on Vulkan, and on a host backend
that needs no GPU.

gevt.torch.Event, gevt.cuda.Event, gevt.mps.Event and gevt.core.Event have the shapes of torch.Event, torch.cuda.Event,
torch.mps.Event and cuda.core.Event.
"""

from __future__ import annotations

import atexit
import contextlib
from collections.abc import Iterator
from os import PathLike, fspath

from . import _gevt
from ._errors import Detail, Error, Status, TimeoutError
from ._gevt import (
    Context,
    Event,
    Stream,
    device_count,
    elapsed,
    elapsed_ns,
    host_threads,
    host_time,
    live_events,
    set_host_threads,
    wait_all,
    wait_any,
)
from ._info import EventInfo, HostTime
from ._timer import timer

__all__ = [
    "Context",
    "Detail",
    "Error",
    "Event",
    "EventInfo",
    "HostTime",
    "Status",
    "Stream",
    "TimeoutError",
    "device_count",
    "elapsed",
    "elapsed_ns",
    "host_threads",
    "host_time",
    "live_events",
    "set_host_threads",
    "timer",
    "trace",
    "wait_all",
    "wait_any",
]

__version__ = _gevt.version()

# The interpreter waits for running callbacks and drops the others.
atexit.register(_gevt.close_gate)


@contextlib.contextmanager
def trace(path: str | PathLike[str]) -> Iterator[None]:
    """Writes what events and streams do in the with-block to a file that Perfetto and chrome://tracing open."""
    _gevt.trace_start(fspath(path))
    try:
        yield
    finally:
        _gevt.trace_stop()
