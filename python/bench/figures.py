"""Measures calls of events from Python, each beside the originals': PyTorch's and cuda.core's, where they are installed.

Batches of all take turns in one process, and each figure is the median of its batches. Those of the loop itself are taken
off. Exits 1 if a figure of gevt's is above its bound.
"""

from __future__ import annotations

import ctypes
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gevt
import gevt.core
import gevt.cuda

BATCHES, BATCH = 300, 100


def loop(call: str, **names: Any) -> Callable[[], None]:
    """Returns a function that makes the call BATCH times."""
    scope: dict[str, Any] = dict(names)
    lines = f"def batch({', '.join(f'{name}={name}' for name in names)}):\n  for _ in range({BATCH}): {call}"
    exec(lines, scope)
    return scope["batch"]


def measure(calls: dict[str, Callable[[], float]], after: Callable[[], object]) -> dict[str, float]:
    """Returns the nanoseconds of one call of each; `after` runs between batches."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(BATCHES):
        for name, batch in calls.items():
            taken[name].append(batch())
            after()
    return {name: statistics.median(values) for name, values in taken.items()}


def timed(batch: Callable[[], None]) -> Callable[[], float]:
    def run() -> float:
        start = time.perf_counter_ns()
        batch()
        return (time.perf_counter_ns() - start) / BATCH

    return run


def plain_driver(event: int, stream: int) -> Callable[[], float] | None:
    """The driver's record of that event, called from C."""
    source = Path(__file__).with_name("driver.c")
    with tempfile.TemporaryDirectory() as folder:
        library = str(Path(folder) / "driver.so")
        try:
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", str(source), "-o", library], check=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        record_ns = ctypes.CDLL(library).record_ns
    record_ns.restype = ctypes.c_double
    record_ns.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int]
    record = ctypes.cast(ctypes.CDLL("libcuda.so.1").cuEventRecord, ctypes.c_void_p)
    return lambda: float(record_ns(record, event, stream, BATCH))


def pair(make: Callable[[], Any], record: Callable[[Any], object]) -> tuple[Any, Any]:
    events = make(), make()
    for event in events:
        record(event)
    return events


def main() -> int:
    rows: dict[str, dict[str, Callable[[], float]]] = {"query": {}, "create + delete": {}, "record": {}, "elapsed": {}}
    empty = timed(loop("pass"))
    waits: list[Callable[[], object]] = []

    def add(name: str, row: str, call: str, **names: Any) -> None:
        rows[row][name] = timed(loop(call, **names))

    def add_torch_shape(name: str, make: Any, stream: Any) -> None:
        start, end = pair(lambda: make(enable_timing=True), lambda event: event.record())
        end.synchronize()
        add(name, "query", "e.query()", e=end)
        add(name, "create + delete", "E(enable_timing=True)", E=make)
        add(name, "elapsed", "s.elapsed_time(e)", s=start, e=end)
        recorded = make(enable_timing=True)
        add(name, "record", "e.record()", e=recorded)
        add(f"{name}, a stream", "record", "e.record(s)", e=recorded, s=stream)

    def add_core_shape(name: str, core: Any, timing: str) -> None:
        device = core.Device()
        device.set_current()
        stream = device.create_stream()
        start, end = pair(lambda: device.create_event({timing: True}), stream.record)
        stream.sync()
        add(name, "query", "e.is_done", e=end)
        add(name, "create + delete", "d.create_event(o)", d=device, o=core.EventOptions(**{timing: True}))
        add(name, "record", "s.record(e)", s=stream, e=device.create_event({timing: True}))
        add(name, "elapsed", "e - s", e=end, s=start)
        waits.append(stream.sync)

    own = gevt.Stream()
    waits.append(own.sync)
    try:
        import torch

        usable = torch.cuda.is_available()
    except ImportError:
        usable = False
    if usable:
        torch.cuda.init()
        waits.append(torch.cuda.synchronize)
        add_torch_shape("torch.cuda.Event", torch.cuda.Event, torch.cuda.Stream())
        add_torch_shape("gevt.cuda.Event, a torch.cuda.Stream", gevt.cuda.Event, torch.cuda.Stream())
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        driver = plain_driver(event.cuda_event, 0)
        if driver is not None:
            rows["record"]["the plain driver"] = driver
    add_torch_shape("gevt.cuda.Event", gevt.cuda.Event, own)
    try:
        import cuda.core as core

        if not hasattr(core, "Device"):
            import cuda.core.experimental as core  # type: ignore[no-redef]
        timing = "timing_enabled" if hasattr(core.Event, "is_timing_enabled") else "enable_timing"
        add_core_shape("cuda.core.Event", core, timing)
    except Exception as error:
        print(f"without cuda.core: {error}")
    add_core_shape("gevt.core.Event", gevt.core, "timing_enabled")

    def settle() -> None:
        for wait in waits:
            wait()

    print(f"gevt {gevt.__version__} on {gevt.Context().backend}, Python {sys.version.split()[0]}; ns a call")
    bounds = {"query": 80.0, "create + delete": 200.0, "record": 0.0, "elapsed": 120.0}
    missed = 0
    for row, calls in rows.items():
        medians = measure({"": empty, **calls}, settle if row == "record" else lambda: None)
        overhead = medians.pop("")
        bound = bounds[row]
        if row == "record":
            bound = medians.get("the plain driver", float("nan")) + 150
        for name, ns in medians.items():
            ns -= 0 if name == "the plain driver" else overhead
            judged = name == "gevt.cuda.Event" or name == "gevt.cuda.Event, a stream"
            verdict = ""
            if judged and bound == bound:
                missed += ns > bound
                verdict = f"  {'MISSED' if ns > bound else 'kept'}: at most {bound:.0f}"
            print(f"{row:16} {name:46} {ns:8.0f}{verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
