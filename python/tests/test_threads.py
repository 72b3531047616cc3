"""Many threads use the same objects, with the interpreter's lock and, in a free-threaded Python, without it."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable

import pytest
from conftest import BACKEND, LONG
from test_process import run

import gevt
import gevt.core
import gevt.cuda
import gevt.torch

THREADS, CALLS = 8, 200


def together(work: Callable[[int], object], threads: int = THREADS) -> None:
    """Calls work(number) in many threads, which begin at the same time, and raises what one of them raised."""
    begin = threading.Barrier(threads)
    raised: list[BaseException] = []

    def one(number: int) -> None:
        try:
            begin.wait(LONG)
            work(number)
        except BaseException as error:
            raised.append(error)

    started = [threading.Thread(target=one, args=(number,)) for number in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join(LONG)
        assert not thread.is_alive(), "a thread hangs"
    if raised:
        raise raised[0]


def test_no_lock_of_the_interpreter_is_needed() -> None:
    """Importing gevt has not switched the lock on again."""
    is_enabled = getattr(sys, "_is_gil_enabled", None)
    if is_enabled is None or is_enabled():
        pytest.skip("this Python has the lock")


def test_one_event_and_one_stream_of_many_threads(stream: gevt.Stream) -> None:
    event, start, end = gevt.Event(), gevt.Event(), gevt.Event(name="end")
    start.record(stream)
    end.record(stream)
    called = [0] * THREADS
    finished = threading.Semaphore(0)

    def work(number: int) -> None:
        def completed(error: gevt.Error | None) -> None:
            assert error is None
            called[number] += 1
            finished.release()

        for _ in range(CALLS):
            event.record(stream)
            event.query()
            event.on_complete(completed)
            stream.wait(event)
            event.wait(stream)
            stream.launch(lambda: None)
            event.sync(LONG)
            gevt.wait_any([event, start], LONG)
            gevt.elapsed(start, end)
            end.name = f"of thread {number}"
            assert end.name.startswith("of thread ") and end.info.state == "complete" and "end" not in repr(end)

    end.sync(LONG)
    together(work)
    for _ in range(THREADS * CALLS):
        assert finished.acquire(timeout=LONG)
    assert called == [CALLS] * THREADS and event.info.record_count == THREADS * CALLS


def test_objects_that_are_closed_while_others_use_them() -> None:
    for _ in range(CALLS // 10):
        event, stream, context = gevt.cuda.Event(enable_timing=True), gevt.Stream(), gevt.Context()

        def work(number: int) -> None:
            calls: list[Callable[[], object]] = [
                lambda: event.record(stream),
                event.query,
                lambda: event.on_complete(lambda error: None),
                lambda: stream.wait(event),
                lambda: stream.launch(lambda: None),
                event.synchronize,
                lambda: gevt.elapsed(event, event),
                lambda: repr(event),
                context.sync,
                (event.close, stream.close, context.close, stream.sync)[number % 4],
            ]
            random.Random(number).shuffle(calls)
            for call in calls:
                try:
                    call()
                except gevt.Error as error:
                    # A stale handle, or an event that was not recorded yet; or is pending.
                    assert error.status in (gevt.Status.INVALID_HANDLE, gevt.Status.NOT_READY), error

        together(work)


def test_signals_and_resets_of_many_threads() -> None:
    event = gevt.Event(host_signaled=True)
    signals = [0] * THREADS

    def work(number: int) -> None:
        for _ in range(CALLS):
            try:
                event.signal()
                signals[number] += 1
            except gevt.Error as error:
                assert error.status == gevt.Status.ILLEGAL_STATE
            if number % 2:
                event.reset()
            event.query()
        event.reset()

    together(work)
    assert sum(signals) >= 1 and not event.query()
    event.signal()
    event.sync(LONG)


def test_first_uses_of_many_threads() -> None:
    """Contexts, default streams, devices and shapes that are made at their first use."""
    run("""
        import threading
        import gevt, gevt.core, gevt.cuda, gevt.torch, gevt.mps
        begin = threading.Barrier(8)
        raised = []
        def work():
            try:
                begin.wait(300)
                for _ in range(20):
                    event = gevt.torch.Event("cpu")
                    event.record(); event.synchronize(); repr(event); event.info; event.device
                    event = gevt.cuda.Event(enable_timing=True)
                    event.record(); event.wait(); event.synchronize(); repr(event)
                    event = gevt.core.Device().create_stream().record(); event.sync(); hash(event)
                    event = gevt.mps.Event(); event.record(); event.synchronize()
                    try: gevt.Event().ipc_export()
                    except gevt.Error: pass
                    gevt.device_count("cuda"), gevt.host_threads()
            except BaseException as error:
                raised.append(error)
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert not raised, raised
    """)


def test_events_that_threads_make_and_drop(stream: gevt.Stream) -> None:
    shared: list[gevt.Event | None] = [None] * 4

    def work(number: int) -> None:
        make = (gevt.Event, gevt.cuda.Event, gevt.torch.Event, gevt.core.Device().create_event)[number % 4]
        for turn in range(CALLS):
            event = make()
            event.record(stream)
            shared[turn % 4] = event
            other = shared[(turn + 1) % 4]
            if other is not None:
                other.query()
                other.info

    together(work)
    stream.sync(LONG)


@pytest.mark.skipif(BACKEND == "vulkan", reason="launch_n is tried on the host once")
def test_items_of_many_launches() -> None:
    with gevt.Context("host") as context, gevt.Stream(context) as stream:
        done = [0] * THREADS

        def work(number: int) -> None:
            count = threading.Semaphore(0)
            for _ in range(10):
                stream.launch_n(16, lambda item, worker: count.release())
            for _ in range(160):
                assert count.acquire(timeout=LONG)
                done[number] += 1

        together(work)
        stream.sync(LONG)
        assert done == [160] * THREADS
