"""The same program with the original's class and with gevt's prints the same. Needs a GPU, and what it compares with."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

import pytest
from conftest import BACKEND

import gevt.core
import gevt.cuda
import gevt.torch

pytestmark = pytest.mark.skipif(BACKEND != "cuda", reason="needs a GPU")


class Output:
    """What a program prints, without the numbers of handles."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def show(self, what: str, value: Callable[[], object]) -> None:
        try:
            text = repr(value())
        except Exception as error:
            # Python's own words for a wrong type differ, and so does cuda.core's advice after the first words.
            kind = RuntimeError if isinstance(error, RuntimeError) else type(error)
            words = [] if kind is TypeError and "IPC" not in str(error) else str(error).partition("\n")[0].split()[:8]
            text = " ".join([kind.__name__, *words])
        self.lines.append(f"{what}: {re.sub(r'0x[0-9a-f]+|event_id=[1-9][0-9]*', 'HANDLE', text)}")


def cuda_program(torch: Any, Event: Any) -> list[str]:
    output = Output()
    show = output.show
    side = torch.cuda.Stream()
    start, end, untimed = Event(enable_timing=True), Event(enable_timing=True), Event()
    show("repr of a new one", lambda: start)
    show("its identity", lambda: (start.cuda_event, start.event_id, start.device, start._as_parameter_.value))
    show("its query", start.query)
    show("its synchronize", start.synchronize)
    show("its wait", start.wait)
    show("elapsed of new ones", lambda: start.elapsed_time(end))
    show("elapsed without timing", lambda: untimed.elapsed_time(Event()))
    show("elapsed with one untimed", lambda: start.elapsed_time(untimed))
    show("record", start.record)
    torch.cuda._sleep(100_000_000)
    show("record_event of a stream", lambda: torch.cuda.current_stream().record_event(end) is end)
    show("pending", end.query)
    show("elapsed while pending", lambda: start.elapsed_time(end))
    show("wait_event of a stream", lambda: side.wait_event(end))
    untimed.record(side)
    show("behind it", untimed.query)
    show("synchronize", untimed.synchronize)
    show("then", lambda: (start.query(), end.query(), untimed.query()))
    show("elapsed", lambda: start.elapsed_time(end) > 1)
    show("elapsed backwards", lambda: end.elapsed_time(start) < -1)
    show("elapsed of itself", lambda: end.elapsed_time(end))
    show("repr", lambda: start)
    show("device", lambda: (start.device, type(start.device).__name__))
    show("identity", lambda: start.cuda_event == start.event_id == start._as_parameter_.value != 0)
    with torch.cuda.stream(side):
        torch.cuda._sleep(10_000_000)
        show("record in a with-block", end.record)
        show("is of its stream", lambda: (end.query(), torch.cuda.default_stream().query()))
        show("wait in a with-block", start.wait)
    end.synchronize()
    show("record on an external stream", lambda: end.record(torch.cuda.ExternalStream(side.cuda_stream)))
    show("synchronize", end.synchronize)
    shared = Event(interprocess=True)
    show("ipc_handle", lambda: (type(shared.ipc_handle()).__name__, len(shared.ipc_handle()), shared.device))
    show("ipc_handle of a plain one", lambda: bool(Event().ipc_handle()))
    for arguments in ({"timing": True}, {"enable_timing": 1, "blocking": 1}):
        show(f"arguments {arguments}", lambda arguments=arguments: type(Event(**arguments)).__qualname__)  # type: ignore[misc]
    graph, external, inside = torch.cuda.CUDAGraph(), Event(enable_timing=True, external=True), Event()
    inside.synchronize()
    with torch.cuda.graph(graph):
        external.record()
        inside.record()
        side.wait_event(inside)
        inside.record(side)
        torch.cuda.current_stream().wait_event(inside)
        external.wait()
    graph.replay()
    torch.cuda.synchronize()
    show("an external event after a replay", external.query)
    return output.lines


def torch_program(torch: Any, Event: Any) -> list[str]:
    output = Output()
    show = output.show
    stream = torch.cuda.Stream()
    start, end = Event("cuda", enable_timing=True), Event(device=torch.device("cuda"), enable_timing=True)
    show("repr of a new one", lambda: start)
    show("its identity", lambda: (start.event_id, start.device))
    show("elapsed of new ones", lambda: start.elapsed_time(end))
    show("elapsed without timing", lambda: Event().elapsed_time(Event()))
    start.record(stream)
    with torch.cuda.stream(stream):
        torch.cuda._sleep(100_000_000)
        end.record()
    show("pending", end.query)
    show("elapsed while pending", lambda: start.elapsed_time(end))
    show("wait", end.wait)
    show("synchronize", end.synchronize)
    show("elapsed", lambda: start.elapsed_time(end) > 1)
    show("repr", lambda: start)
    show("device", lambda: start.device)
    show("two are two", lambda: start.event_id != end.event_id)
    return output.lines


def core_program(core: Any) -> list[str]:
    output = Output()
    show = output.show
    device = core.Device()
    device.set_current()
    names = core.EventOptions.__dataclass_fields__ if hasattr(core.EventOptions, "__dataclass_fields__") else ()
    timing = "timing_enabled" if "timing_enabled" in names or hasattr(core.Event, "is_timing_enabled") else "enable_timing"
    stream = device.create_stream()
    show("a plain constructor", core.Event)
    start, end, untimed = stream.record(options={timing: True}), stream.record(options={timing: True}), stream.record()
    stream.sync()
    show("difference", lambda: type(end - start).__name__)
    show("without timing", lambda: untimed - start)
    show("never recorded", lambda: device.create_event({timing: True}) - start)
    show("something else", lambda: end - 1)
    show("done", lambda: (start.is_done, end.is_done, start.is_ipc_enabled))
    show("equality", lambda: (start == start, start == end, start == "event", hash(start) == hash(start), start != end))
    show("device", lambda: (start.device is device, start.context is not None))
    show("free and shared", lambda: device.create_event({"ipc_enabled": True}))
    show("shared and timed", lambda: stream.record(options={"ipc_enabled": True, timing: True}))
    shared = stream.record(options={"ipc_enabled": True})
    show("shared again", lambda: stream.record(shared))
    show("shared", lambda: (shared.is_ipc_enabled, shared.sync()))
    show("record of a given one", lambda: stream.record(end) is end)
    show("wait", lambda: (stream.wait(end), stream.wait(device.create_stream())))
    show("other things", lambda: stream.record(1))
    show("waits for other things", lambda: stream.wait(1))
    show("other options", lambda: stream.record(options=1))
    show("copy", lambda: bool(copy.copy(end)))
    show("options", lambda: core.EventOptions())
    start.close()
    show("closed twice", start.close)
    for name in ("is_done", "device", "context", "ipc_descriptor", "is_ipc_enabled", "is_closed"):
        show(f"{name} of a closed one", lambda name=name: getattr(start, name))  # type: ignore[misc]
    show("sync of a closed one", start.sync)
    show("record of a closed one", lambda: stream.record(start))
    stream.close()
    show("record on a closed stream", stream.record)
    show("sync of a closed stream", stream.sync)
    return output.lines


def usable_torch() -> Any:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch finds no GPU")
    torch.cuda.init()
    return torch


def test_torch_cuda_event(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = usable_torch()
    original = cuda_program(torch, torch.cuda.Event)
    monkeypatch.setattr(torch.cuda, "Event", gevt.cuda.Event)
    assert cuda_program(torch, torch.cuda.Event) == original


def test_torch_event() -> None:
    torch = usable_torch()
    assert torch_program(torch, gevt.torch.Event) == torch_program(torch, torch.Event)


def test_cuda_core_event() -> None:
    core = pytest.importorskip("cuda.core")
    if not hasattr(core, "Event"):
        core = pytest.importorskip("cuda.core.experimental")
    assert core_program(gevt.core) == core_program(core)


def test_streams_of_others() -> None:
    """Streams of PyTorch, CuPy and cuda.core are taken as they are."""
    streams: list[Any] = []
    torch = usable_torch()
    streams += [torch.cuda.Stream(), torch.cuda.current_stream(), torch.Stream("cuda")]
    cupy = pytest.importorskip("cupy")
    streams += [cupy.cuda.Stream(non_blocking=True), cupy.cuda.get_current_stream()]
    core = pytest.importorskip("cuda.core")
    core = core if hasattr(core, "Device") else pytest.importorskip("cuda.core.experimental")
    device = core.Device()
    device.set_current()
    streams += [device.create_stream(), device.default_stream]
    for stream in streams:
        for event in (gevt.Event(), gevt.cuda.Event(), gevt.torch.Event()):
            event.record(stream)
            event.sync(300)
            assert event.info.backend == "cuda"
        made = gevt.core.Device().create_stream(stream).record()
        made.sync()
