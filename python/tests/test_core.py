"""What cuda.core documents of its Event, case by case, of gevt.core.Event."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import pytest
from conftest import Gate, needs_ipc

import gevt
from gevt.core import Device, Event, EventOptions, Stream


@pytest.fixture
def device() -> Device:
    device = Device()
    device.set_current()
    return device


@pytest.fixture
def recorder(device: Device, stream: gevt.Stream, gate: Gate) -> Stream:
    """A stream that the gate holds."""
    recorder = device.create_stream()
    with gevt.Event(timing=False) as held:
        held.record(stream)
        recorder._stream.wait(held)
    return recorder


def test_events_are_made_by_streams_and_devices(device: Device) -> None:
    with pytest.raises(RuntimeError, match=r"^Event objects cannot be instantiated directly\."):
        Event()
    stream = device.create_stream()
    assert isinstance(stream.record(), Event)
    event = device.create_event()
    assert stream.record(event) is event
    assert isinstance(device.create_event({"timing_enabled": True}), Event)


def test_subtraction(device: Device) -> None:
    stream = device.create_stream()
    start, end = (stream.record(options=EventOptions(timing_enabled=True)) for _ in range(2))
    end.sync()
    ms = end - start
    assert isinstance(ms, float) and math.isfinite(ms) and ms >= 0
    for wrong in (1, None, "event"):
        with pytest.raises(TypeError):
            end - wrong  # type: ignore[operator]
        with pytest.raises(TypeError):
            wrong - end  # type: ignore[operator]


def test_subtraction_needs_timing(device: Device) -> None:
    stream = device.create_stream()
    timed, untimed = stream.record(options={"enable_timing": True}), stream.record()
    stream.sync()
    assert not timed.is_timing_disabled and untimed.is_timing_disabled
    assert timed.is_timing_enabled and not untimed.is_timing_enabled
    for pair in ((untimed, timed), (timed, untimed), (untimed, untimed)):
        with pytest.raises(RuntimeError, match="^Both Events must be created with timing enabled"):
            pair[0] - pair[1]


def test_subtraction_needs_records(device: Device) -> None:
    timed = EventOptions(enable_timing=True)
    recorded, new, other = device.create_stream().record(options=timed), device.create_event(timed), device.create_event(timed)
    recorded.sync()
    for pair in ((new, recorded), (recorded, new), (other, new)):
        with pytest.raises(RuntimeError, match="^Both Events must be recorded"):
            pair[0] - pair[1]


def test_subtraction_needs_completion(recorder: Stream, gate: Gate) -> None:
    timed = EventOptions(timing_enabled=True)
    start, end = recorder.record(options=timed), recorder.record(options=timed)
    assert end.is_done is False
    with pytest.raises(RuntimeError, match="^One or both events have not completed"):
        end - start
    gate.open()
    end.sync()
    assert end.is_done is True
    end - start


@pytest.mark.parametrize("spelling", ["blocking_sync", "busy_waited_sync"])
def test_options(device: Device, spelling: str) -> None:
    for value in (True, False):
        options: Any = {spelling: value}
        for given in (options, EventOptions(**options)):
            event = device.create_event(given)
            assert event.is_blocking_sync is value and event.is_sync_busy_waited is value
    assert EventOptions() == EventOptions(None, None, None) or EventOptions().timing_enabled is False
    with pytest.raises(TypeError):
        device.create_event(1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        device.create_event({"speed": 1})


def test_device_and_context(device: Device) -> None:
    event = device.create_event(options=EventOptions())
    assert event.device is device is Device(device.device_id)
    assert event.context is not None and event.handle != 0


def test_a_subclass(device: Device) -> None:
    class Mine(Event):
        pass

    assert isinstance(Mine._init(device.device_id, device.context), Mine)
    # A foreign context object means the device's context.
    made = Mine._init(device.device_id, object(), {"timing_enabled": True})
    assert isinstance(made, Mine) and made.context is device.context and made.is_timing_enabled


def test_equality_and_hash(device: Device) -> None:
    stream = device.create_stream()
    first, second = stream.record(), stream.record()
    assert first == first and first != second and hash(first) != hash(second) and hash(first) == hash(first)
    assert (first == "event") is False and (first == 1) is False and (first is None) is False
    assert {first: 1, second: 2}[first] == 1 and len({first, second, first}) == 2


def test_close(device: Device) -> None:
    event = device.create_stream().record()
    assert event.is_closed is False
    event.close()
    event.close()
    assert event.is_closed is True and event.handle == 0 and event == event and hash(event) == hash(event)
    stream = device.create_stream()
    names = [
        "is_done", "device", "context", "ipc_descriptor", "is_ipc_enabled", "is_timing_enabled", "is_timing_disabled",
        "is_blocking_sync", "is_sync_busy_waited",
    ]  # fmt: skip
    uses = [lambda name=name: getattr(event, name) for name in names]  # type: ignore[misc]
    uses += [event.sync, lambda: event - event, lambda: stream.record(event), lambda: stream.wait(event)]
    for use in uses:
        with pytest.raises(RuntimeError, match="^Event has been closed"):
            use()


def test_close_of_a_stream(device: Device) -> None:
    stream, other = device.create_stream(), device.create_stream()
    event = other.record()
    assert stream.is_closed is False
    stream.close()
    stream.close()
    assert stream.is_closed is True
    for use in (stream.sync, stream.record, lambda: stream.wait(event), lambda: other.wait(stream)):
        with pytest.raises(RuntimeError, match="^Stream has been closed"):
            use()


def test_wrong_arguments(device: Device) -> None:
    stream = device.create_stream()
    for wrong in (1, "event"):
        with pytest.raises(ValueError, match="^only an Event, Stream, or object supporting __cuda_stream__ can be waited"):
            stream.wait(wrong)
        with pytest.raises(TypeError, match="^Event expected, got"):
            stream.record(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="^The Event options must be provided as an object of type EventOptions"):
            stream.record(options=wrong)  # type: ignore[arg-type]
    event = stream.record()
    for call in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            call(event)
    assert repr(EventOptions()) == "EventOptions(timing_enabled=False, blocking_sync=False, ipc_enabled=False)"


@needs_ipc
def test_interprocess_events(device: Device) -> None:
    stream = device.create_stream()
    with pytest.raises(TypeError, match=r"^IPC-enabled events must be bound; use Stream.record for creation\.$"):
        device.create_event({"ipc_enabled": True})
    with pytest.raises(TypeError, match=r"^IPC-enabled events cannot use timing\.$"):
        stream.record(options=EventOptions(ipc_enabled=True, timing_enabled=True))
    event = stream.record(options={"ipc_enabled": True})
    assert event.is_ipc_enabled and event.ipc_descriptor == event.get_ipc_descriptor()
    assert pickle.loads(pickle.dumps(event.ipc_descriptor)) == event.ipc_descriptor
    with pytest.raises(TypeError, match="^IPC-enabled events should not be re-recorded"):
        stream.record(event)
    with pytest.raises(RuntimeError, match="^Event is not IPC-enabled"):
        stream.record().ipc_descriptor


def test_waits_of_streams(device: Device, recorder: Stream, gate: Gate, native_stream: int) -> None:
    stream = device.create_stream()
    stream.wait(recorder.record())
    held = stream.record()
    stream.wait(recorder)
    assert not held.is_done
    gate.open()
    held.sync()

    class Protocol:
        def __cuda_stream__(self) -> tuple[int, int]:
            return 0, native_stream

    stream.wait(Protocol())
    wrapped = device.create_stream(Protocol())
    assert wrapped.__cuda_stream__() == (0, native_stream)
    wrapped.record().sync()
    device.sync()
