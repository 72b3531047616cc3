"""gevt.Event, gevt.Stream and gevt.Context."""

from __future__ import annotations

import datetime
import gc
import json
import pickle
import sys
import threading
import weakref
from pathlib import Path

import pytest
from conftest import BACKEND, LONG, Gate

import gevt
from gevt import _gevt


def test_timeout_of_an_event(stream: gevt.Stream, gate: Gate) -> None:
    event = gevt.Event()
    event.record(stream)
    for timeout in (0, 0.001, datetime.timedelta(milliseconds=1), -1):
        with pytest.raises(gevt.TimeoutError) as caught:
            event.sync(timeout)
        assert caught.value.status == gevt.Status.TIMEOUT and caught.value.detail == gevt.Detail.TIMED_OUT
        assert isinstance(caught.value, TimeoutError) and isinstance(caught.value, gevt.Error)
    with pytest.raises(ValueError):
        event.sync(float("nan"))
    with pytest.raises(TypeError):
        event.sync("1")  # type: ignore[arg-type]
    gate.open()
    event.sync(LONG)
    event.sync(float("inf"))


def test_errors_have_status_detail_and_message() -> None:
    start, end = gevt.Event(name="start"), gevt.Event(timing=False, name="end")
    with pytest.raises(gevt.Error, match="DISABLE_TIMING") as caught:
        gevt.elapsed(start, end)
    error = caught.value
    assert isinstance(error, RuntimeError)
    assert error.status is gevt.Status.INVALID_HANDLE and error.detail is gevt.Detail.TIMING_DISABLED
    assert error.message == str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.status, copy.detail, copy.message) == (error.status, error.detail, error.message)


def test_closed_handles_are_refused(stream: gevt.Stream) -> None:
    event, other = gevt.Event(), gevt.Stream()
    with event:
        event.record(stream)
    assert event.closed
    event.close()
    other.close()
    context = gevt.Context()
    context.close()
    for call in (event.query, event.sync, event.record, other.query, other.sync, context.sync):
        with pytest.raises(gevt.Error) as caught:
            call()
        assert caught.value.status == gevt.Status.INVALID_HANDLE and caught.value.detail == gevt.Detail.STALE_HANDLE
    with pytest.raises(gevt.Error):
        gevt.Event().record(other)


def test_wrong_arguments() -> None:
    event = gevt.Event()
    # A number is no stream: threading.Event.wait(10) takes a timeout.
    for wrong in ("a stream", 1.5, object(), 10, 0, True):
        with pytest.raises(TypeError):
            event.record(wrong)
        with pytest.raises(TypeError):
            event.wait(wrong)
    with pytest.raises(TypeError), gevt.Stream() as stream:
        event.record(stream, native=0)
    with pytest.raises(TypeError):
        event.wait(native="a stream")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        gevt.Stream().wait(None)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        gevt.Context("tpu")
    with pytest.raises(gevt.Error) as caught:
        gevt.Context(BACKEND, 12345)
    assert caught.value.status == gevt.Status.INVALID_DEVICE
    with pytest.raises(ValueError):
        gevt.Event.ipc_import(b"short")
    with pytest.raises(gevt.Error):
        gevt.Event(interprocess=True)


def test_the_lock_is_released_while_a_thread_waits(stream: gevt.Stream, gate: Gate) -> None:
    """Each thread waits in a call that another thread has to end, which it can only do with the interpreter's lock."""
    event = gevt.Event()
    event.record(stream)
    waits = [
        lambda: event.sync(),
        lambda: event.sync(LONG),
        lambda: stream.sync(),
        lambda: gevt.wait_all([event]),
        lambda: gevt.wait_any([event]),
    ]
    threads = [threading.Thread(target=wait) for wait in waits]
    for thread in threads:
        thread.start()
    gate.open()
    for thread in threads:
        thread.join(LONG)
        assert not thread.is_alive()


def test_what_a_callback_raises_is_reported(stream: gevt.Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[object] = []
    reported = threading.Event()

    def report(unraisable: object) -> None:
        raised.append(unraisable.exc_value)  # type: ignore[attr-defined]
        reported.set()

    monkeypatch.setattr(sys, "unraisablehook", report)
    problem = ValueError("in a callback")

    def fails(*_: object) -> None:
        raise problem

    stream.launch(fails)
    assert reported.wait(LONG) and raised == [problem]


def test_a_callback_may_use_gevt(stream: gevt.Stream) -> None:
    seen: list[bool] = []
    finished = threading.Event()
    event = gevt.Event()

    def completed(_: object) -> None:
        seen.append(event.query())
        event.close()
        finished.set()

    event.record(stream)
    event.on_complete(completed)
    assert finished.wait(LONG) and seen == [True] and event.closed


def test_functions_are_released(stream: gevt.Stream) -> None:
    class Function:
        def __call__(self, *_: object) -> None:
            pass

    function = Function()
    reference = weakref.ref(function)
    with gevt.Event() as event:
        event.record(stream)
        event.on_complete(function)
        stream.launch(function)
        end = gevt.Event()
        end.record(stream)
        end.sync(LONG)
    with pytest.raises(gevt.Error):
        event.on_complete(function)
    del function
    stream.sync(LONG)
    # A callback may run after sync() has returned.
    for _ in range(100_000):
        gc.collect()
        if reference() is None:
            return
        threading.Event().wait(0.001)
    raise AssertionError("the function was never released")


def test_streams_have_names(tmp_path: Path) -> None:
    with gevt.trace(tmp_path / "trace.json"), gevt.Stream(name="uploads") as stream:
        stream.launch(lambda: None)
        stream.sync(LONG)
        stream.set_name("downloads")
        stream.launch(lambda: None)
        stream.sync(LONG)
        stream.set_name(None)
    assert "downloads" in (tmp_path / "trace.json").read_text()


def test_names_and_repr() -> None:
    event = gevt.Event(name="frame")
    assert event.name == "frame" and repr(event) == "<gevt.Event 'frame' unrecorded>"
    event.name = None
    assert event.name == "" and repr(event) == "<gevt.Event unrecorded>"
    event.record()
    event.sync(LONG)
    assert repr(event) == f"<gevt.Event complete on {BACKEND}:0>"
    event.close()
    assert repr(event) == "<gevt.Event closed>"


def test_a_timer(stream: gevt.Stream) -> None:
    with gevt.timer(stream, name="sum") as timer:
        stream.launch(lambda: sum(range(1000)))
    assert timer.ms == timer.ns / 1e6 and timer.ns >= 0
    assert timer.ns == gevt.elapsed_ns(timer.start, timer.end) and timer.end.name == "sum end"
    with gevt.timer() as timer:
        pass
    assert timer.ns >= 0 and timer.start.name == ""


def test_only_the_innermost_with_block_of_a_context_ends() -> None:
    outer, inner = gevt.Context("host"), gevt.Context()
    with pytest.raises(RuntimeError):
        outer.__exit__(None, None, None)
    with outer:
        with inner, pytest.raises(RuntimeError):
            outer.__exit__(None, None, None)
        event = gevt.Event()
        event.record()
        assert event.info.backend == "host"


def test_contexts() -> None:
    with gevt.Context("host") as outer:
        event = gevt.Event()
        event.record()
        assert event.info.backend == "host" and outer.backend == "host"
        with gevt.Context() as inner:
            event = gevt.Event()
            event.record()
            assert event.info.backend == inner.backend == BACKEND
        event = gevt.Event()
        event.record()
        assert event.info.backend == "host"
    event = gevt.Event()
    event.record()
    assert event.info.backend == BACKEND
    inner.sync()
    assert repr(outer) == "<gevt.Context host:0>"
    assert gevt.device_count("host") >= 1 and gevt.device_count() >= 1


def test_streams_of_others(native_stream: int) -> None:
    class Torch:
        cuda_stream, device_index = native_stream, 0

    class Cupy:
        ptr, device_id = native_stream, 0

    class Protocol:
        def __cuda_stream__(self) -> tuple[int, int]:
            return 0, native_stream

    others: list[object] = [Protocol()]
    if BACKEND == "cuda":
        others += [Torch(), Torch(), Cupy()]
    with gevt.Event() as event, gevt.Stream.from_native(native_stream) as wrapped:
        event.record(native=native_stream)
        event.wait(native=native_stream)
        event.wait(wrapped)
        event.sync(LONG)
        assert event.info.backend == BACKEND
    for other in others:
        event = gevt.Event()
        event.record(other)
        event.wait(other)
        event.sync(LONG)
        assert event.info.backend == BACKEND
        with gevt.Stream.from_native(other) as wrapped:
            wrapped.wait(event)
            event.record(wrapped)
        event.sync(LONG)


def test_handles_of_a_c_extension(stream: gevt.Stream) -> None:
    event = gevt.Event()
    event.record(stream)
    with gevt.Event.from_gevt_handle(event.gevt_handle) as same:
        same.sync(LONG)
    with pytest.raises(gevt.Error):
        event.query()
    first = gevt.Stream(context := gevt.Context())
    with gevt.Stream.from_gevt_handle(first.gevt_handle) as second:
        event = gevt.Event()
        event.record(second)
        event.sync(LONG)
        same_context = gevt.Context.from_gevt_handle(context.gevt_handle)
        assert (same_context.backend, same_context.device) == (context.backend, context.device)
        same_context.close()
    with pytest.raises(gevt.Error):
        gevt.Context.from_gevt_handle(same_context.gevt_handle)


def test_native_handles(stream: gevt.Stream) -> None:
    event = gevt.Event()
    event.record(stream)
    if BACKEND == "cuda":
        with gevt.Event.from_native_handle(event.native_handle) as wrapped:
            wrapped.sync(LONG)
    else:
        with pytest.raises(gevt.Error) as caught:
            event.native_handle
        assert caught.value.status == gevt.Status.NOT_SUPPORTED


def test_trace(tmp_path: Path, stream: gevt.Stream) -> None:
    path = tmp_path / "trace.json"
    with gevt.trace(path):
        event = gevt.Event(name="traced")
        event.record(stream)
        event.sync(LONG)
        with pytest.raises(gevt.Error), gevt.trace(path):
            pass
    assert "traced" in json.dumps(json.loads(path.read_text()))


def test_numbers_are_those_of_the_library() -> None:
    statuses = {number: _gevt.status_name(number) for number in range(1000)}
    assert {
        number: name.removeprefix("GEVT_").removeprefix("ERROR_")
        for number, name in statuses.items()
        if name != "GEVT_ERROR_UNRECOGNIZED"
    } == {status.value: status.name for status in gevt.Status}
    details = {number: _gevt.detail_name(number) for number in range(1000)}
    assert {
        number: name.removeprefix("GEVT_DETAIL_")
        for number, name in details.items()
        if name != "GEVT_DETAIL_UNRECOGNIZED"
    } == {detail.value: detail.name for detail in gevt.Detail}
    assert gevt.Error("of a newer driver", 12345).status == 12345
