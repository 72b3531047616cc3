from collections.abc import Callable, Generator, Sequence
import datetime
import types
from typing import Any, SupportsFloat, overload

from typing_extensions import Self

import gevt._errors
import gevt._info


class Context:
    """
    A device of a backend.

    In a with-block it is the current context of the task or thread, and afterwards the one before it is again.
    """

    def __init__(self, backend: str = 'auto', device: int = 0) -> None: ...

    @staticmethod
    def from_native_handle(native: int, backend: str = 'cuda') -> Context:
        """Returns a context for a CUcontext, which the caller still owns."""

    @staticmethod
    def from_gevt_handle(handle: int) -> Context:
        """
        Takes ownership of a gevt_context_t of a C or C++ extension that links libgevt.
        """

    @property
    def gevt_handle(self) -> int:
        """The gevt_context_t, for a C or C++ extension that links libgevt."""

    @property
    def backend(self) -> str:
        """The backend: "host", "cuda" or "vulkan"."""

    @property
    def device(self) -> int:
        """The number of the device."""

    @property
    def closed(self) -> bool:
        """Whether close() was called."""

    def sync(self, timeout: SupportsFloat | datetime.timedelta | None = None) -> None:
        """
        Blocks until all streams of the context have finished; raises TimeoutError after ``timeout`` seconds.
        """

    def calibrate(self) -> None:
        """Compares the device's clock with the host's now, for host_time()."""

    def close(self) -> None:
        """Closes the context. Its streams and events live on."""

    def __enter__(self) -> Context: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None, /) -> None: ...

    def __repr__(self) -> str: ...

def device_count(backend: str = 'auto') -> int:
    """
    Returns the number of devices of a backend; 0 if this machine cannot run it.
    """

class Stream:
    """
    A queue of work that runs in order.

    A with-block destroys the stream at its end. Submitted work still runs.
    """

    def __init__(self, context: Context | None = None, *, non_blocking: bool = False, name: str | None = None) -> None: ...

    @staticmethod
    def from_native(stream: Any, context: Context | None = None) -> Stream:
        """
        Returns a stream for one of another library, which still owns it.

        It is an object with ``__cuda_stream__`` or ``cuda_stream``, or the number of a CUstream.
        """

    @staticmethod
    def from_gevt_handle(handle: int) -> Stream:
        """
        Takes ownership of a gevt_stream_t of a C or C++ extension that links libgevt.
        """

    def query(self) -> bool:
        """Returns whether the stream has finished."""

    def sync(self, timeout: SupportsFloat | datetime.timedelta | None = None) -> None:
        """
        Blocks until all submitted work has finished; raises TimeoutError after ``timeout`` seconds.
        """

    def wait(self, event: Event, *, external: bool = False) -> None:
        """
        Makes all work submitted from now on wait for the event's last record.

        The event may be of any device and backend.
        """

    def launch(self, function: Callable[[], object]) -> None:
        """
        Calls a function in stream order, on a thread of gevt or of the driver.

        Its exceptions go to sys.unraisablehook.
        """

    def launch_n(self, n: int, function: Callable[[int, int], object]) -> None:
        """
        Calls ``function(item, worker)`` for each item from 0 to ``n`` - 1 in stream order, several at once. Host streams only.

        No two items run at once with the same ``worker``, which is below host_threads(). Items that hold the interpreter's lock take
        turns; items that release it run in parallel. Exceptions go to sys.unraisablehook, and the other items still run.
        """

    def set_name(self, name: str | None) -> None:
        """Names the stream in traces and messages; None removes the name."""

    @property
    def gevt_handle(self) -> int:
        """The gevt_stream_t, for a C or C++ extension that links libgevt."""

    @property
    def closed(self) -> bool:
        """Whether close() was called."""

    def close(self) -> None:
        """Destroys the stream. Submitted work still runs."""

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None, /) -> None: ...

class Event:
    """
    A point in a stream.

    Its first record binds it to the stream's context. A with-block destroys it at its end. With ``host_signaled`` it is a point in the
    program instead: pending until signal(), and never recorded.
    """

    def __init__(self, *, timing: bool = True, blocking: bool = False, interprocess: bool = False, strict: bool = False, host_signaled: bool = False, context: Context | None = None, name: str | None = None) -> None: ...

    @staticmethod
    def from_native_handle(native: int, *, context: Context | None = None, timing: bool = True, blocking: bool = False) -> Event:
        """Returns an event for a CUevent, which the caller still owns."""

    @staticmethod
    def from_gevt_handle(handle: int) -> Event:
        """
        Takes ownership of a gevt_event_t of a C or C++ extension that links libgevt.
        """

    @staticmethod
    def ipc_import(handle: bytes, context: Context | None = None) -> Event:
        """Opens an event of another process."""

    def ipc_export(self) -> bytes:
        """Returns the bytes with which other processes can open the event."""

    def record(self, stream: Any | None = None, *, external: bool = False, native: int | None = None) -> None:
        """
        Records the event on a stream.

        None is the default stream of the current context. ``native`` is the number of a CUstream of the current context.
        """

    def query(self) -> bool:
        """
        Returns whether the last record is complete; True for an event that was never recorded.
        """

    def wait(self, stream: Any | None = None, *, external: bool = False, native: int | None = None) -> None:
        """
        Makes all work that is submitted to a stream from now on wait for the last record.

        The stream may be of any device and backend. None is the default stream of the current context. ``native`` is the number of a CUstream
        of the current context. To block the calling thread, use sync().
        """

    def signal(self, failure: BaseException | int | None = None) -> None:
        """
        Completes a host-signaled event, from any thread.

        With ``failure`` it fails: all waiters get gevt.Error with that Status, or with that of a gevt.Error; with UNKNOWN for other
        exceptions.
        """

    def reset(self) -> None:
        """
        Makes a host-signaled event pending again. Waits that were already issued keep the signal that they saw.
        """

    def sync(self, timeout: SupportsFloat | datetime.timedelta | None = None) -> None:
        """
        Blocks until the last record is complete; raises TimeoutError after ``timeout`` seconds.
        """

    def sync_helping(self, timeout: SupportsFloat | datetime.timedelta | None = None) -> None:
        """
        Like sync(), and meanwhile runs functions of host streams and callbacks on this thread.

        Hold no lock that such functions may need. Returns when the function that it runs has returned, which may be later than the
        timeout.
        """

    def on_complete(self, function: Callable[[gevt._errors.Error | None], object]) -> None:
        """
        Calls ``function(error)`` on a thread of gevt when the last record completes (with None) or fails.
        """

    def __await__(self) -> Generator[Any, None, None]: ...

    @property
    def name(self) -> str:
        """The name that messages and traces show."""

    @name.setter
    def name(self, name: str | None) -> None: ...

    @property
    def info(self) -> gevt._info.EventInfo:
        """The state of the event, and how it was created."""

    def __repr__(self) -> str: ...

    @property
    def gevt_handle(self) -> int:
        """The gevt_event_t, for a C or C++ extension that links libgevt."""

    @property
    def native_handle(self) -> int:
        """The CUevent. Others may record it, so later queries ask the driver."""

    @property
    def closed(self) -> bool:
        """Whether close() was called."""

    def close(self) -> None:
        """Destroys the event. Waits for it are not disturbed."""

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None, /) -> None: ...

def elapsed(start: Event, end: Event) -> float:
    """
    Returns the milliseconds from one event's record to another's; negative if ``end`` came first.
    """

def elapsed_ns(start: Event, end: Event) -> int:
    """
    Returns the nanoseconds from one event's record to another's; negative if ``end`` came first.
    """

def host_time(event: Event) -> gevt._info.HostTime:
    """
    Returns when the event completed on the clock of time.monotonic_ns().

    It compares events of different devices and backends.
    """

def wait_all(events: Sequence[Event], timeout: SupportsFloat | datetime.timedelta | None = None) -> None:
    """
    Blocks until all events are complete; raises TimeoutError after ``timeout`` seconds.
    """

def wait_any(events: Sequence[Event], timeout: SupportsFloat | datetime.timedelta | None = None) -> int:
    """
    Blocks until one of the events is complete, and returns its position; raises TimeoutError after ``timeout`` seconds.

    If an event has failed, its position is the exception's ``index``.
    """

class TorchEvent(Event):
    """An event in the shape of torch.Event."""

    def __new__(
        cls,
        device: Any = None,
        *,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
    ) -> Self: ...
    def __init__(self, *arguments: object, **named: object) -> None: ...

    def record(self, stream: Any | None = None) -> None:
        """Records the event on a stream; None is PyTorch's current stream."""

    def wait(self, stream: Any | None = None) -> None:
        """
        Makes all work that is submitted to the stream from now on wait for the event; None is PyTorch's current stream.
        """

    def elapsed_time(self, end_event: TorchEvent) -> float:
        """
        Returns the milliseconds from this event's record to that of ``end_event``.
        """

    def synchronize(self) -> None:
        """Blocks until the last record is complete."""

    def ipc_handle(self) -> bytes:
        """Returns the bytes with which other processes can open the event."""

    def close(self) -> None:
        """Destroys the event. Waits for it are not disturbed."""

    @property
    def event_id(self) -> int:
        """The CUevent, on the host gevt's handle; 0 before the first record."""

    @property
    def device(self) -> Any:
        """The device of the event: a torch.device if PyTorch is imported."""

    def __repr__(self) -> str: ...

    @classmethod
    def from_ipc_handle(cls, device: Any, handle: bytes) -> Self:
        """Opens an event of another process on a device."""

class CudaEvent(TorchEvent):
    """An event in the shape of torch.cuda.Event."""

    def __new__(
        cls,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        external: bool = False,
    ) -> Self: ...
    def __init__(self, *arguments: object, **named: object) -> None: ...

    @property
    def cuda_event(self) -> int:
        """The CUevent, on the host gevt's handle; 0 before the first record."""

    @property
    def device(self) -> Any:
        """The device of the event; None before the first record."""

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __repr__(self) -> str: ...

    @classmethod
    def from_ipc_handle(cls, device: Any, handle: bytes) -> Self:
        """Opens an event of another process on a device."""

class MpsEvent(Event):
    """
    An event in the shape of torch.mps.Event, on the default stream of the current context.
    """

    def __init__(self, enable_timing: bool = False) -> None: ...

    def record(self, stream: Any | None = None) -> None:
        """Records the event on a stream; None is the default stream."""

    def wait(self, stream: Any | None = None) -> None:
        """
        Makes all work that is submitted to the stream from now on wait for the event.
        """

    def synchronize(self) -> None:
        """Blocks until the last record is complete."""

    def elapsed_time(self, end_event: MpsEvent) -> float:
        """
        Waits for both events, and returns the milliseconds from this event's record to that of ``end_event``.
        """

class CoreEvent(Event):
    """The base class of gevt.core.Event."""

    @overload
    def __init__(self, timing: bool, blocking: bool, interprocess: bool, context: Context | None) -> None: ...

    @overload
    def __init__(self, ipc_handle: bytes) -> None: ...

    @property
    def is_done(self) -> bool:
        """Whether the last record is complete."""

    @property
    def is_closed(self) -> bool:
        """Whether close() was called."""

    def __sub__(self, arg: CoreEvent, /) -> float: ...

    def sync(self) -> None:
        """Blocks until the last record is complete."""

def close_gate() -> None: ...

def version() -> str: ...

def live_events() -> int:
    """
    Returns how many events exist in this process, of all languages. For leak checks.
    """

def status_name(arg: int, /) -> str: ...

def detail_name(arg: int, /) -> str: ...

def host_threads() -> int:
    """Returns how many functions of host streams run at once."""

def set_host_threads(count: int) -> None:
    """
    Sets how many functions of host streams run at once; 0 means as many as there are cores.
    """

def trace_start(path: str) -> None: ...

def trace_stop() -> None: ...
