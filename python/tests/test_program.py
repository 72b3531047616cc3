"""What the program completes and runs: host-signalled events, items of a launch, work in a waiting thread, the host's clock."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
import weakref
from collections.abc import Iterator

import pytest
from conftest import BACKEND, LONG, Gate

import gevt


@pytest.fixture
def host() -> Iterator[gevt.Context]:
    """A context of the host, whatever the other tests run on."""
    with gevt.Context("host") as context:
        yield context


def test_a_signal_completes_an_event() -> None:
    event = gevt.Event(host_signaled=True, name="ready")
    assert event.info.state == "pending" and event.info.backend == "host" and not event.query()
    with pytest.raises(gevt.TimeoutError):
        event.sync(0.001)
    event.signal()
    event.sync(LONG)
    assert event.query() and event.info.state == "complete"
    event.reset()
    assert not event.query()
    event.signal()
    assert gevt.wait_any([event], LONG) == 0


def test_a_signal_releases_a_stream_of_any_backend(stream: gevt.Stream) -> None:
    ready, done = gevt.Event(host_signaled=True), gevt.Event(timing=False)
    ready.wait(stream)
    done.record(stream)
    assert not done.query()
    threading.Thread(target=ready.signal).start()
    done.sync(LONG)


def test_a_failure_reaches_those_who_wait(stream: gevt.Stream) -> None:
    ready, done = gevt.Event(host_signaled=True), gevt.Event(timing=False)
    stream.wait(ready)
    done.record(stream)
    ready.signal(gevt.Error("the disk is full", gevt.Status.OUT_OF_MEMORY))
    with pytest.raises(gevt.Error) as caught:
        done.sync(LONG)
    assert caught.value.status == gevt.Status.OUT_OF_MEMORY and caught.value.detail == gevt.Detail.EVENT_FAILED
    assert done.info.state == "failed" and ready.info.state == "failed"
    with pytest.raises(gevt.Error):
        stream.sync()


@pytest.mark.parametrize(
    "failure, status",
    [
        (ValueError("of the program"), gevt.Status.UNKNOWN),
        (gevt.TimeoutError("of another wait", gevt.Status.TIMEOUT), gevt.Status.UNKNOWN),
        (gevt.Error("no failure at all", gevt.Status.SUCCESS), gevt.Status.UNKNOWN),
        (gevt.Error("of a newer driver", 12345), 12345),
        (gevt.Status.LAUNCH_FAILED, gevt.Status.LAUNCH_FAILED),
        (7, 7),
    ],
    ids=str,
)
def test_failures(failure: BaseException | int, status: int) -> None:
    event = gevt.Event(host_signaled=True)
    event.signal(failure)
    with pytest.raises(gevt.Error) as caught:
        event.query()
    assert caught.value.status == status
    event.reset()
    assert not event.query()


def test_a_failure_reaches_tasks_and_callbacks() -> None:
    async def main() -> None:
        event = gevt.Event(host_signaled=True)
        errors: asyncio.Queue[gevt.Error | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        event.on_complete(lambda error: loop.call_soon_threadsafe(errors.put_nowait, error))

        async def wait() -> None:
            await event

        task = asyncio.create_task(wait())
        await asyncio.sleep(0)
        event.signal(gevt.Status.LAUNCH_FAILED)
        with pytest.raises(gevt.Error) as caught:
            await asyncio.wait_for(task, LONG)
        assert caught.value.status == gevt.Status.LAUNCH_FAILED
        error = await asyncio.wait_for(errors.get(), LONG)
        assert error is not None and error.status == gevt.Status.LAUNCH_FAILED

    asyncio.run(main())


def test_signals_that_are_refused(stream: gevt.Stream) -> None:
    plain, event = gevt.Event(), gevt.Event(host_signaled=True)
    for call in (plain.signal, plain.reset, lambda: event.record(stream)):
        with pytest.raises(gevt.Error) as caught:
            call()
        assert caught.value.status == gevt.Status.ILLEGAL_STATE
    for pending in (gevt.Status.NOT_READY, gevt.Status.TIMEOUT):
        with pytest.raises(gevt.Error) as caught:
            event.signal(pending)
        assert caught.value.status == gevt.Status.INVALID_VALUE
    for wrong in ("failed", 1.5, ValueError):
        with pytest.raises(TypeError):
            event.signal(wrong)  # type: ignore[arg-type]
    assert not event.query()
    event.signal()
    with pytest.raises(gevt.Error):
        event.signal()


def test_an_event_that_is_closed_before_its_signal(stream: gevt.Stream) -> None:
    done = gevt.Event(timing=False)
    with gevt.Event(host_signaled=True) as ready:
        stream.wait(ready)
        done.record(stream)
    with pytest.raises(gevt.Error) as caught:
        done.sync(LONG)
    assert caught.value.status == gevt.Status.CONTEXT_IS_DESTROYED
    with pytest.raises(gevt.Error):
        stream.sync()


def test_waits_across_backends(stream: gevt.Stream, gate: Gate, host: gevt.Context) -> None:
    """The host's stream waits for the tested backend's, and that one for the host's."""
    ran: list[str] = []
    with gevt.Stream(host) as other, gevt.Stream(non_blocking=True) as last:
        first, second, third = gevt.Event(timing=False), gevt.Event(timing=False), gevt.Event(timing=False)
        first.record(stream)
        first.wait(other)
        other.launch(lambda: ran.append("host"))
        second.record(other)
        assert first.info.backend == BACKEND and second.info.backend == "host"
        second.wait(stream=last)
        last.launch(lambda: ran.append(BACKEND))
        third.record(last)
        assert not third.query()
        gate.open()
        third.sync(LONG)
    assert ran == ["host", BACKEND]


def test_times_of_several_backends(stream: gevt.Stream, host: gevt.Context) -> None:
    with gevt.Stream(host) as other:
        early, middle, late = gevt.Event(), gevt.Event(), gevt.Event(host_signaled=True)
        before = time.monotonic_ns()
        early.record(other)
        early.sync(LONG)
        middle.record(stream)
        middle.sync(LONG)
        late.signal()
        after = time.monotonic_ns()
    device = gevt.Context()
    device.calibrate()
    device.close()
    times = [gevt.host_time(event) for event in (early, middle, late)]
    assert times[0].error_ns == times[2].error_ns == 0
    assert before <= times[0].ns <= times[2].ns <= after
    assert times[0].ns - times[1].error_ns <= times[1].ns <= times[2].ns + times[1].error_ns
    with pytest.raises(gevt.Error):
        gevt.host_time(gevt.Event())
    with pytest.raises(gevt.Error) as caught:
        gevt.host_time(gevt.Event(host_signaled=True))
    assert caught.value.status == gevt.Status.NOT_READY


def test_items_of_a_launch(host: gevt.Context) -> None:
    order: list[str] = []
    seen: list[int] = []
    busy: set[int] = set()
    clashes: list[int] = []
    lock = threading.Lock()

    def item(number: int, worker: int) -> None:
        with lock:
            if worker in busy or worker >= gevt.host_threads():
                clashes.append(worker)
            busy.add(worker)
        time.sleep(0)
        with lock:
            busy.remove(worker)
            seen.append(number)

    with gevt.Stream(host) as stream:
        stream.launch(lambda: order.append("before"))
        stream.launch_n(100, item)
        stream.launch(lambda: order.append(f"after {len(seen)}"))
        stream.sync(LONG)
    assert sorted(seen) == list(range(100)) and order == ["before", "after 100"] and not clashes


def test_the_function_of_items_is_released(host: gevt.Context, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[str] = []
    # Not the exceptions, whose frames refer to the function.
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: reported.append(str(unraisable.exc_value)))
    ran: list[int] = []

    class Function:
        def __call__(self, item: int, worker: int) -> None:
            ran.append(item)
            if item % 2:
                raise ValueError(item)

    with gevt.Stream(host) as stream:
        for n in (0, 8):
            function = Function()
            reference = weakref.ref(function)
            stream.launch_n(n, function)
            del function
            stream.sync(LONG)
            assert reference() is None
        function = Function()
        stream.close()
        with pytest.raises(gevt.Error):
            stream.launch_n(8, function)
        reference = weakref.ref(function)
        del function
        assert reference() is None
    # One item's exception does not keep the others.
    assert sorted(ran) == list(range(8)) and sorted(reported) == ["1", "3", "5", "7"]


def test_arguments_of_a_launch_of_items(stream: gevt.Stream, host: gevt.Context) -> None:
    with gevt.Stream(host) as other:
        for arguments in ((-1, print), (1.5, print), (1, None)):
            with pytest.raises(TypeError):
                other.launch_n(*arguments)  # type: ignore[arg-type]
    if BACKEND != "host":
        with pytest.raises(gevt.Error) as caught:
            stream.launch_n(1, print)
        assert caught.value.status == gevt.Status.NOT_SUPPORTED


def test_a_thread_works_while_it_waits(host: gevt.Context) -> None:
    """The thread runs functions and items, or waits for those that do."""
    event = gevt.Event(timing=False)
    with gevt.Stream(host) as stream, gevt.Stream(host, non_blocking=True) as other:
        for _ in range(20):
            stream.launch(lambda: time.sleep(0.0001))
            other.launch_n(4, lambda item, worker: None)
        other_done = gevt.Event(timing=False)
        other_done.record(other)
        stream.wait(other_done)
        event.record(stream)
        event.sync_helping(LONG)
        event.sync_helping()
        event.sync_helping(timeout=0)
    assert event.query()
    pending = gevt.Event(host_signaled=True)
    with pytest.raises(gevt.TimeoutError):
        pending.sync_helping(0.001)
    pending.signal()
    pending.sync_helping()


def test_the_lock_is_released_while_a_thread_waits_for_a_signal() -> None:
    event = gevt.Event(host_signaled=True)
    waits = [event.sync, event.sync_helping, lambda: event.sync_helping(LONG), lambda: gevt.wait_all([event])]
    threads = [threading.Thread(target=wait) for wait in waits]
    for thread in threads:
        thread.start()
    event.signal()
    for thread in threads:
        thread.join(LONG)
        assert not thread.is_alive()
