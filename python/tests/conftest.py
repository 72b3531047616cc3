"""What the tests share. GEVT_TEST_BACKEND names the backend that they have to find: host (the default), cuda or vulkan."""

from __future__ import annotations

import ctypes
import gc
import os
import threading
import time
from collections.abc import Generator, Iterator

import pytest

import gevt

BACKEND = os.environ.get("GEVT_TEST_BACKEND", "host")
#: A wait that takes longer is a hang.
LONG = 300.0

needs_ipc = pytest.mark.skipif(BACKEND == "vulkan", reason="events of Vulkan are not shared between processes")


@pytest.fixture(autouse=True, scope="session")
def backend() -> str:
    """Proves which backend the tests run on."""
    with gevt.Context() as context:
        assert context.backend == BACKEND
    return BACKEND


failed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[failed] = True
    return report


@pytest.fixture(autouse=True)
def leaks(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each test destroys the events that it makes. A thread of gevt's may hold one until its callback has returned."""
    before = gevt.live_events()
    yield
    # The report of a test that failed holds its events.
    if request.node.stash.get(failed, False):
        return
    end = time.monotonic() + LONG
    while gc.collect() >= 0 and gevt.live_events() > before:
        assert time.monotonic() < end, "an event was not destroyed"
        time.sleep(0.001)


class Gate:
    """Holds a stream until it is opened."""

    def __init__(self, stream: gevt.Stream) -> None:
        self._open = threading.Event()
        stream.launch(lambda: self._open.wait(LONG))

    def open(self) -> None:
        self._open.set()


@pytest.fixture
def stream() -> Iterator[gevt.Stream]:
    with gevt.Stream(non_blocking=True) as stream:
        yield stream


@pytest.fixture
def gate(stream: gevt.Stream) -> Iterator[Gate]:
    gate = Gate(stream)
    yield gate
    gate.open()
    stream.sync(LONG)


class Driver:
    """Streams of the driver's own, as other libraries have them. Only on CUDA."""

    def __init__(self) -> None:
        self._cuda = ctypes.CDLL("libcuda.so.1")

    def create(self) -> int:
        native = ctypes.c_void_p()
        assert self._cuda.cuStreamCreate(ctypes.byref(native), 1) == 0
        assert native.value is not None
        return native.value

    def destroy(self, native: int) -> None:
        assert self._cuda.cuStreamDestroy_v2(ctypes.c_void_p(native)) == 0


@pytest.fixture
def native_stream() -> Iterator[int]:
    """The number of a CUstream; of the default stream on the host, which has no others."""
    if BACKEND != "cuda":
        yield 0
        return
    # The driver's calls want a current context: gevt's.
    cuda, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    with gevt.Event() as event:
        event.record()
        assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert cuda.cuCtxPushCurrent_v2(context) == 0
    driver = Driver()
    native = driver.create()
    yield native
    driver.destroy(native)
    assert cuda.cuCtxPopCurrent_v2(ctypes.byref(context)) == 0
    assert cuda.cuDevicePrimaryCtxRelease_v2(0) == 0
