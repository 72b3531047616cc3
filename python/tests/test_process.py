"""What ends, forks and shares a process: exit, fork, other processes, other libraries."""

from __future__ import annotations

import gc
import multiprocessing
import os
import queue
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from conftest import LONG, needs_ipc

import gevt
import gevt.core
import gevt.cuda


def run(program: str, *arguments: str) -> str:
    """Runs a Python program to its end, which has to be a good one, and returns what it printed."""
    command = [sys.executable, "-c", textwrap.dedent(program), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=LONG)
    assert ran.returncode == 0 and ran.stderr == "", (ran.returncode, ran.stdout, ran.stderr)
    return ran.stdout


def test_exit_with_pending_callbacks() -> None:
    """Those that have not begun are dropped; the one that has is waited for, and may print."""
    assert (
        run("""
        import gevt, threading, time
        begun = threading.Event()
        def last():
            begun.set()
            time.sleep(0.05)
            print("begun before the exit")
        stream, event = gevt.Stream(), gevt.Event()
        stream.launch(last)
        event.record(stream)
        for _ in range(100):
            event.on_complete(lambda error: time.sleep(0.001))
            stream.launch(lambda: time.sleep(0.001))
        begun.wait()
    """)
        == "begun before the exit\n"
    )


def test_exit_while_other_threads_wait_and_call() -> None:
    for _ in range(5):
        run("""
            import gevt, threading
            stream, event = gevt.Stream(), gevt.Event()
            never = threading.Event()
            def record():
                mine = gevt.Event()
                while True: mine.record(); mine.query()
            threads = [threading.Thread(target=event.sync, daemon=True) for _ in range(4)]
            threads += [threading.Thread(target=record, daemon=True) for _ in range(2)]
            gate = threading.Event()
            stream.launch(lambda: gate.wait(0.02))
            event.record(stream)
            for thread in threads: thread.start()
        """)


def test_exit_with_events_in_a_cycle() -> None:
    run("""
        import gevt, gevt.cuda
        class Holder: pass
        holder = Holder()
        holder.self, holder.event, holder.stream = holder, gevt.cuda.Event(), gevt.Stream()
        holder.event.record(holder.stream)
        holder.event.on_complete(lambda error, holder=holder: None)
        import builtins
        builtins.kept = holder
    """)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_fork() -> None:
    event = gevt.Event()
    event.record()
    child = os.fork()
    if child == 0:
        try:
            event.query()
        except gevt.Error as error:
            event.close()
            os._exit(0 if error.status == gevt.Status.NOT_INITIALIZED else 2)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_forked_child_ends_as_usual() -> None:
    """While threads of its parent wait, and functions are pending."""
    assert (
        run("""
        import gevt, os, sys, threading, warnings
        warnings.simplefilter("ignore")
        stream, event, last, gate = gevt.Stream(), gevt.Event(host_signaled=True), gevt.Event(), threading.Event()
        for _ in range(3): threading.Thread(target=event.sync, daemon=True).start()
        stream.launch(gate.wait)
        last.record(stream)
        last.on_complete(lambda error: None)
        child = os.fork()
        if child == 0:
            try: event.query()
            except gevt.Error: pass
            else: sys.exit("the child queried an event")
            del stream, event, last
            sys.exit(0)
        status = os.waitpid(child, 0)[1]
        gate.set()
        event.signal()
        print("the child's status:", status)
    """)
        == "the child's status: 0\n"
    )


def test_a_function_may_fork() -> None:
    run("""
        import gevt, os, threading, warnings
        warnings.simplefilter("ignore")
        statuses, done = [], threading.Event()
        def fork():
            child = os.fork()
            if child == 0:
                try: gevt.Event()
                except gevt.Error: os._exit(0)
                os._exit(9)
            statuses.append(os.waitpid(child, 0)[1])
            done.set()
        stream = gevt.Stream()
        stream.launch(fork)
        assert done.wait(300) and statuses == [0], statuses
    """)


def test_exit_while_items_and_finalizers_run() -> None:
    run("""
        import gevt, sys
        with gevt.Context("host") as context:
            stream, other = gevt.Stream(context), gevt.Stream(context)
        event = gevt.Event(host_signaled=True)
        other.wait(event)
        other.launch(print)
        event.on_complete(print)
        class Last:
            def __del__(self):
                for call in (event.query, event.signal, other.query):
                    try: call()
                    except gevt.Error: pass
        last = Last()
        last.itself = last
        sys.modules["last"] = last
        stream.launch_n(100_000, lambda item, worker: None)
    """)


def test_cycles_of_subclasses_are_collected() -> None:
    class Event(gevt.cuda.Event):
        itself: Any

    class Stream(gevt.Stream):
        itself: Any

    before = gevt.live_events()
    for _ in range(10):
        event, stream = Event(), Stream()
        event.record(stream)
        stream.sync(LONG)
        event.itself, stream.itself = (event, stream), stream
        other: Any = gevt.core.Device().create_event()
        other.itself = other
    del event, stream, other
    gc.collect()
    assert gevt.live_events() == before


def test_an_interrupt_while_the_main_thread_waits() -> None:
    """It is raised when the wait ends; that of a task, at once."""
    assert (
        run("""
        import asyncio, gevt, os, signal, threading
        # A program that a shell has started in the background ignores it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        event = gevt.Event(host_signaled=True)
        def interrupt():
            os.kill(os.getpid(), signal.SIGINT)
        def interrupt_and_signal():
            interrupt()
            event.signal()
        try:
            threading.Thread(target=interrupt_and_signal).start()
            event.sync()
            while True: pass
        except KeyboardInterrupt:
            print("sync")
        event.sync()
        event.reset()
        try:
            threading.Thread(target=interrupt).start()
            while True:
                try: event.sync(0.001)
                except gevt.TimeoutError: pass
        except KeyboardInterrupt:
            print("sync with a timeout")
        async def wait():
            threading.Thread(target=interrupt).start()
            await event
        try:
            asyncio.run(wait())
        except KeyboardInterrupt:
            print("await")
    """)
        == "sync\nsync with a timeout\nawait\n"
    )


def test_an_interrupt_while_an_error_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception that a signal's handler raises there is the one that the call raises."""

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gevt._errors.exception_of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        gevt.elapsed(gevt.Event(), gevt.Event())


@pytest.mark.skipif(sys.version_info < (3, 12), reason="needs Python 3.12")
def test_other_interpreters_are_refused() -> None:
    """The library's threads call the main interpreter only."""
    run("""
        try: import _interpreters as interpreters
        except ImportError: import _xxsubinterpreters as interpreters
        program = "raised = None\\ntry: import gevt\\nexcept ImportError as error: raised = str(error)\\n"
        program += "assert 'subinterpreters' in raised, raised"
        for _ in range(2):
            other = interpreters.create()
            failure = interpreters.run_string(other, program)
            assert failure is None, failure
            interpreters.destroy(other)
            import gevt
        event = gevt.Event()
        event.record()
        event.sync(300)
    """)


def other_process(kind: str, event: Any, inbox: Any, outbox: Any) -> None:
    if kind == "bytes":
        event = gevt.Event.ipc_import(event)
    elif kind == "core":
        outbox.put((event.is_ipc_enabled, event.is_timing_disabled, event.is_blocking_sync, event.device, event.context))
    event.sync() if kind == "core" else event.sync(LONG)
    outbox.put("complete")
    inbox.get(timeout=LONG)


@needs_ipc
@pytest.mark.parametrize("kind", ["bytes", "cuda", "core"])
def test_events_of_other_processes(kind: str) -> None:
    spawn = multiprocessing.get_context("spawn")
    inbox, outbox = spawn.Queue(), spawn.Queue()
    event: Any
    sent: Any
    if kind == "core":
        event = sent = gevt.core.Device().create_stream().record(options={"ipc_enabled": True, "blocking_sync": True})
    elif kind == "cuda":
        event = sent = gevt.cuda.Event(interprocess=True)
        event.record()
    else:
        event = gevt.Event(timing=False, interprocess=True)
        event.record()
        sent = event.ipc_export()
    process = spawn.Process(target=other_process, args=(kind, sent, inbox, outbox))
    process.start()

    def answer() -> Any:
        while True:
            try:
                return outbox.get(timeout=1)
            except queue.Empty:
                assert process.is_alive(), "the other process failed"

    if kind == "core":
        assert answer() == (True, True, True, None, None)
    assert answer() == "complete"
    inbox.put("end")
    process.join(LONG)
    assert process.exitcode == 0


EXTENSION = """
#include <stdint.h>
typedef struct gevt_event_s *gevt_event_t;
extern int32_t gevt_create(gevt_event_t *, uint32_t);
extern int32_t gevt_record(gevt_event_t, void *);
extern int32_t gevt_query(gevt_event_t);
uint64_t extension_create(void) {
  gevt_event_t event = 0;
  return gevt_create(&event, 0) == 0 ? (uint64_t)event : 0;
}
int extension_query(uint64_t event) { return gevt_query((gevt_event_t)event); }
int extension_record(uint64_t event) { return gevt_record((gevt_event_t)event, 0); }
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler here")
@pytest.mark.parametrize("first", ["gevt", "extension"])
def test_an_extension_that_links_libgevt_shares_handles(tmp_path: Path, first: str) -> None:
    """The extension finds a copy of the library of its own in its folder; the process has one library all the same."""
    library = Path(gevt.__file__).parent / "libgevt.so.0"
    shutil.copy(library, tmp_path / "libgevt.so.0")
    (tmp_path / "extension.c").write_text(EXTENSION)
    subprocess.run(
        ["cc", "-shared", "-fPIC", "extension.c", "-o", "extension.so", "./libgevt.so.0", "-Wl,-rpath,$ORIGIN"],
        cwd=tmp_path,
        check=True,
    )
    out = run(
        """
        import ctypes, sys
        path, first = sys.argv[1:]
        if first == "gevt": import gevt
        extension = ctypes.CDLL(path)
        import gevt
        extension.extension_create.restype = ctypes.c_uint64
        for name in ("extension_query", "extension_record"):
            getattr(extension, name).argtypes = [ctypes.c_uint64]
        event = gevt.Event.from_gevt_handle(extension.extension_create())
        event.record(); event.sync()
        assert extension.extension_query(event.gevt_handle) == 0
        ours = gevt.Event()
        assert extension.extension_record(ours.gevt_handle) == 0
        ours.sync()
        assert ours.info.record_count == 1 and gevt.live_events() == 2
        print(len({line.split()[-1] for line in open("/proc/self/maps") if "libgevt.so" in line}), "library")
    """,
        str(tmp_path / "extension.so"),
        first,
    )
    assert out == "1 library\n"
