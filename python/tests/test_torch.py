"""What PyTorch documents of torch.Event, torch.cuda.Event and torch.mps.Event, case by case, of gevt's classes."""

from __future__ import annotations

import copy
import ctypes
import gc
import inspect
import pickle
import weakref
from typing import Any

import pytest
from conftest import BACKEND, LONG, Gate, needs_ipc

import gevt
import gevt.cuda
import gevt.mps
import gevt.torch

SHAPES = [gevt.torch.Event, gevt.cuda.Event]
TIMING = "Both events must be created with argument 'enable_timing=True'"
RECORDED = "Both events must be recorded before calculating elapsed time"
COMPLETED = "Both events must be completed before calculating elapsed time"


@pytest.fixture(params=SHAPES, ids=lambda shape: shape.__module__)
def shape(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_names() -> None:
    assert gevt.cuda.Event.__module__ == "gevt.cuda" and gevt.cuda.Event.__qualname__ == "Event"
    # As torch.Event is a base of torch.cuda.Event.
    assert gevt.torch.Event in gevt.cuda.Event.mro() and issubclass(gevt.cuda.Event, gevt.Event)
    assert inspect.isclass(gevt.mps.Event)


def test_an_event_that_was_never_recorded(shape: Any, stream: gevt.Stream) -> None:
    event = shape()
    assert event.query() is True
    assert event.synchronize() is None
    assert event.wait(stream) is None
    assert event.event_id == 0


def test_record_query_synchronize(shape: Any, stream: gevt.Stream, gate: Gate) -> None:
    event = shape()
    assert event.record(stream) is None
    assert event.query() is False
    gate.open()
    assert event.synchronize() is None
    assert event.query() is True
    event.record(stream=stream)
    event.record()
    event.synchronize()


def test_wait_holds_later_work(shape: Any, stream: gevt.Stream, gate: Gate) -> None:
    with gevt.Stream(non_blocking=True) as other:
        first, second = shape(), shape()
        first.record(stream)
        first.wait(other)
        second.record(other)
        assert not second.query()
        gate.open()
        second.synchronize()
        first.wait()
        first.wait(stream=other)


def test_elapsed_time(shape: Any, stream: gevt.Stream) -> None:
    start, end = shape(enable_timing=True), shape(enable_timing=True)
    start.record(stream)
    end.record(stream)
    end.synchronize()
    ms = start.elapsed_time(end)
    assert isinstance(ms, float) and ms >= 0
    assert start.elapsed_time(end_event=end) == ms


def test_elapsed_time_without_timing(shape: Any) -> None:
    for start, end in ((shape(), shape()), (shape(enable_timing=True), shape()), (shape(), shape(enable_timing=True))):
        with pytest.raises(ValueError, match=TIMING):
            start.elapsed_time(end)
        start.record()
        end.record()
        with pytest.raises(ValueError, match=TIMING):
            start.elapsed_time(end)


def test_elapsed_time_without_a_record(shape: Any) -> None:
    start, end = shape(enable_timing=True), shape(enable_timing=True)
    with pytest.raises(ValueError, match=RECORDED):
        start.elapsed_time(end)
    start.record()
    for pair in ((start, end), (end, start)):
        with pytest.raises(ValueError, match=RECORDED):
            pair[0].elapsed_time(pair[1])


def test_elapsed_time_of_a_pending_event(shape: Any, stream: gevt.Stream, gate: Gate) -> None:
    start, end = shape(enable_timing=True), shape(enable_timing=True)
    start.record(stream)
    end.record(stream)
    with pytest.raises(RuntimeError, match=COMPLETED):
        start.elapsed_time(end)
    gate.open()
    end.synchronize()
    start.elapsed_time(end)


def test_elapsed_time_of_something_else(shape: Any) -> None:
    for wrong in (None, 1, "event", gevt.Event()):
        with pytest.raises(TypeError):
            shape(enable_timing=True).elapsed_time(wrong)


def test_arguments_of_cuda_events() -> None:
    gevt.cuda.Event(True, True)
    gevt.cuda.Event(False, False, True, False)
    gevt.cuda.Event(enable_timing=True, blocking=True, interprocess=False, external=True).record()
    gevt.cuda.Event(1, 0)  # type: ignore[arg-type]
    for wrong in ({"timing": True}, {"enable_timing": True, "x": 1}):
        with pytest.raises(TypeError):
            gevt.cuda.Event(**wrong)
    with pytest.raises(TypeError):
        gevt.cuda.Event(True, True, True, True, True)  # type: ignore[call-arg]


def test_arguments_of_torch_events() -> None:
    gevt.torch.Event(None)
    gevt.torch.Event("cpu", enable_timing=True, blocking=True).record()
    gevt.torch.Event(device="cpu:0", interprocess=True)
    with pytest.raises(TypeError):
        gevt.torch.Event("cpu", True)  # type: ignore[misc]
    for wrong in ("gpu", "cuda:x"):
        with pytest.raises(RuntimeError):
            gevt.torch.Event(wrong)


def test_identity_of_cuda_events(stream: gevt.Stream) -> None:
    event = gevt.cuda.Event()
    assert event.cuda_event == event.event_id == 0 and event.device is None
    assert event._as_parameter_.value is None
    assert repr(event) == "<torch.cuda.Event uninitialized>"
    event.record(stream)
    assert event.cuda_event == event.event_id != 0
    assert isinstance(event._as_parameter_, ctypes.c_void_p) and event._as_parameter_.value == event.cuda_event
    assert repr(event).startswith("<torch.cuda.Event 0x")
    assert (event.device.type, event.device.index) == ("cuda", 0)
    assert str(event.device) == "cuda:0"
    assert weakref.ref(event)() is event and event == event and event != gevt.cuda.Event()
    assert {event: 1}[event] == 1


def test_identity_of_torch_events(stream: gevt.Stream) -> None:
    first, second = gevt.torch.Event(enable_timing=True), gevt.torch.Event()
    assert repr(second).startswith("torch.Event device_type=") and "event_flag=0, event_id=0" in repr(second)
    first.record(stream)
    second.record(stream)
    assert first.event_id != second.event_id
    assert first.device.type == ("cpu" if BACKEND == "host" else BACKEND)
    assert "event_flag=1" in repr(first)


def test_events_are_not_copied(shape: Any) -> None:
    for event in (shape(), gevt.Event(), gevt.mps.Event()):
        for call in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError):
                call(event)


def test_an_event_is_whole_once_new_has_returned(shape: Any) -> None:
    """As PyTorch's, which has no __init__ of its own."""
    event = shape.__new__(shape, enable_timing=True)
    assert type(event) is shape and event.query() is True
    event.record()
    event.__init__()
    event.__init__(enable_timing=False)
    event.synchronize()
    assert event.elapsed_time(event) == 0.0
    others = set(SHAPES) - {shape}
    for wrong in (int, object, None, 1, gevt.Event, *others):
        with pytest.raises(TypeError):
            shape.__new__(wrong)


def test_a_subclass_with_a_new(shape: Any) -> None:
    class Mine(shape):  # type: ignore[misc]
        def __new__(cls, note: str) -> Mine:
            self: Mine = super().__new__(cls, enable_timing=True)
            self.note = note
            return self

    event = Mine("mine")
    event.record()
    event.synchronize()
    assert type(event) is Mine and event.note == "mine" and event.elapsed_time(event) == 0.0


def test_a_subclass_with_an_init(shape: Any) -> None:
    class Mine(shape):  # type: ignore[misc]
        def __init__(self, enable_timing: bool) -> None:
            self.note = "mine"

    class Calls(shape):  # type: ignore[misc]
        def __init__(self, *, enable_timing: bool) -> None:
            super().__init__()

    class Passes(shape):  # type: ignore[misc]
        def __init__(self, *, enable_timing: bool) -> None:
            super().__init__(enable_timing=enable_timing)

    if shape is gevt.cuda.Event:
        assert Mine(True).note == "mine" and Mine(True).query() is True
    start, end = Calls(enable_timing=True), Calls(enable_timing=True)
    start.record()
    end.record()
    end.synchronize()
    assert start.elapsed_time(end) >= 0
    # The arguments were for __new__, and object.__init__ takes none.
    with pytest.raises(TypeError, match="takes no arguments"):
        Passes(enable_timing=True)


def test_a_subclass_with_methods(stream: gevt.Stream) -> None:
    class Mine(gevt.cuda.Event):
        def record(self, stream: Any = None) -> None:
            self.recorded = stream
            super().record(stream)

    event = Mine(enable_timing=True)
    event.record(stream)
    event.synchronize()
    assert event.recorded is stream and event.query() is True and isinstance(event, gevt.torch.Event)


def test_attributes_of_a_programs_own() -> None:
    """Objects of torch.cuda.Event have a dict, those of torch.Event have none."""
    event = gevt.cuda.Event()
    event.label = "mine"  # type: ignore[attr-defined]
    assert vars(event) == {"label": "mine"}
    event.query = lambda: "asked"  # type: ignore[method-assign]
    assert event.query() == "asked"
    del event.query
    assert event.query() is True
    with pytest.raises(AttributeError):
        gevt.torch.Event().label = "mine"  # type: ignore[attr-defined]


def test_an_event_in_a_cycle_of_its_own_is_collected() -> None:
    before = gevt.live_events()
    event = gevt.cuda.Event()
    event.own = event  # type: ignore[attr-defined]
    event.call = lambda event=event: event  # type: ignore[attr-defined]
    del event
    gc.collect()
    assert gevt.live_events() == before


def test_flags_are_bools_or_integers(shape: Any) -> None:
    assert shape(enable_timing=2) is not None
    for wrong in ("yes", 1.0, None, []):
        with pytest.raises(TypeError):
            shape(enable_timing=wrong)
    with pytest.raises(TypeError):
        gevt.torch.Event(True)


def test_bytes_that_are_no_ipc_handle(shape: Any) -> None:
    class Mine(shape):  # type: ignore[misc]
        pass

    for cls in (shape, Mine):
        for short in (b"", b"short", bytes(65)):
            with pytest.raises(RuntimeError, match=f"byte-like object of size 64, but got {len(short)}"):
                cls.from_ipc_handle(0, short)
        with pytest.raises(RuntimeError):
            cls.from_ipc_handle(device="cpu", handle=b"x" * 64)
        with pytest.raises(TypeError):
            cls.from_ipc_handle(0, 64)
        with pytest.raises(TypeError):
            cls.from_ipc_handle(b"x" * 64)


def test_cuda_is_the_host_if_the_environment_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from gevt._device import parse

    monkeypatch.setenv("GEVT_BACKEND", "host")
    assert parse("cuda:1") == parse("cpu:1")


def test_an_event_of_the_host_is_opened_on_the_host() -> None:
    """Also where "cuda" is a GPU."""
    with gevt.Context("host") as host, gevt.Stream(host) as stream:
        event = gevt.cuda.Event(interprocess=True)
        event.record(stream)
    _, (cls, device, handle) = event.__reduce__()
    assert cls is gevt.cuda.Event and device == "cpu:0" and handle == event.ipc_handle()


@needs_ipc
def test_interprocess_events_pickle() -> None:
    event = gevt.cuda.Event(interprocess=True)
    handle = event.ipc_handle()
    assert isinstance(handle, bytes) and len(handle) == 64 and event.ipc_handle() == handle
    assert event.device.type == "cuda"
    # It is for another process: this one is refused.
    with pytest.raises(RuntimeError):
        gevt.cuda.Event.from_ipc_handle(0, handle)
    with pytest.raises(RuntimeError):
        pickle.loads(pickle.dumps(event))
    with pytest.raises(RuntimeError, match="^CUDA error: invalid resource handle\n.*INTERPROCESS"):
        gevt.cuda.Event().ipc_handle()
    with pytest.raises(RuntimeError):
        gevt.cuda.Event.from_ipc_handle(0, b"")


def test_every_shape_is_a_gevt_event(shape: Any, stream: gevt.Stream, gate: Gate) -> None:
    event = shape()
    event.name = "shaped"
    event.record(stream)
    with pytest.raises(gevt.TimeoutError):
        event.sync(0.001)
    gate.open()
    gevt.wait_all([event], LONG)
    assert event.info.name == "shaped"


@pytest.mark.skipif(gevt.device_count() < 2, reason="there is one device here")
def test_a_stream_of_another_device(shape: Any) -> None:
    event = shape()
    with gevt.Context("auto", 0) as first, gevt.Context("auto", 1) as second:
        event.record(gevt.Stream(first))
        other = gevt.Stream(second)
        with pytest.raises(RuntimeError, match="Event device 0 does not match recording stream's device 1."):
            event.record(other)
        event.wait(other)


def test_mps_events() -> None:
    start, end = gevt.mps.Event(enable_timing=True), gevt.mps.Event(True)
    assert start.query() is True
    start.record()
    end.wait()
    end.record()
    assert end.synchronize() is None and end.query() is True
    ms = start.elapsed_time(end)
    assert isinstance(ms, float) and ms >= 0
    with pytest.raises(RuntimeError):
        gevt.mps.Event().elapsed_time(end)
    with pytest.raises(RuntimeError):
        gevt.mps.Event(True).elapsed_time(end)


def test_streams_of_mps_events(stream: gevt.Stream) -> None:
    event = gevt.mps.Event()
    for given in (None, stream):
        event.record(given)
        event.wait(given)
        event.record(stream=given)
        event.synchronize()

    class Other:
        class device:
            type = "cuda"

    for call in (event.record, event.wait):
        with pytest.raises(RuntimeError, match="^expected an MPS stream, but got cuda$"):
            call(Other())  # type: ignore[arg-type]
        with pytest.raises(AttributeError):
            call(1)  # type: ignore[arg-type]
