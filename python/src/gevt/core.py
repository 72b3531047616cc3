"""Events in the shape of cuda.core.Event, and as much of cuda.core's Device and Stream as makes them.

Options are spelled as in cuda.core 1 (timing_enabled, blocking_sync) or before it (enable_timing, busy_waited_sync), and so
are the properties that tell them.
"""

from __future__ import annotations

import multiprocessing.reduction
import threading
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from . import _gevt

__all__ = ["Device", "Event", "EventOptions", "IPCEventDescriptor", "Stream"]

_Self = TypeVar("_Self", bound="Event")


@dataclass
class EventOptions:
    """How an event is made.

    timing_enabled: its times can be subtracted. blocking_sync: sync() sleeps instead of spinning. ipc_enabled: it can be sent to
    other processes, and has no timing.
    """

    timing_enabled: bool | None = False
    blocking_sync: bool | None = False
    ipc_enabled: bool | None = False
    enable_timing: bool | None = field(default=None, repr=False)
    busy_waited_sync: bool | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.enable_timing is None:
            self.enable_timing = self.timing_enabled
        if self.busy_waited_sync is None:
            self.busy_waited_sync = self.blocking_sync
        self.timing_enabled, self.blocking_sync = self.enable_timing, self.busy_waited_sync


def _options(options: EventOptions | dict[str, Any] | None) -> EventOptions:
    """Returns options that may have been given as a dict, or as cuda.core's own."""
    if options is None:
        return EventOptions()
    if isinstance(options, EventOptions):
        return options
    if isinstance(options, dict):
        return EventOptions(**options)
    names = [field.name for field in fields(EventOptions)]
    given = {name: getattr(options, name) for name in names if hasattr(options, name)}
    if not given:
        raise TypeError(
            "The Event options must be provided as an object of type EventOptions or as a dict with valid Event options. "
            f"The provided object is {options!r}."
        )
    return EventOptions(**given)


class IPCEventDescriptor:
    """What another process needs to open an event. It can be pickled."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise RuntimeError("IPCEventDescriptor objects cannot be instantiated directly. Please use Event APIs.")

    @classmethod
    def _init(cls, reserved: bytes, is_blocking_sync: bool) -> IPCEventDescriptor:
        self = cls.__new__(cls)
        self._reserved = reserved
        self._is_blocking_sync = is_blocking_sync
        return self

    _reserved: bytes
    _is_blocking_sync: bool

    def __eq__(self, other: object) -> bool:
        return self._reserved == other._reserved if isinstance(other, IPCEventDescriptor) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._reserved)

    def __reduce__(self) -> tuple[Any, ...]:
        return IPCEventDescriptor._init, (self._reserved, self._is_blocking_sync)


class Event(_gevt.CoreEvent):
    """A point in a stream. Stream.record and Device.create_event make them."""

    _device_id: int | None
    _context: _gevt.Context | None
    _is_blocking_sync: bool
    _is_timing_enabled: bool
    _descriptor: IPCEventDescriptor | None
    _is_ipc_enabled: bool

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise RuntimeError("Event objects cannot be instantiated directly. Please use Stream APIs (record).")

    @classmethod
    def _init(
        cls: type[_Self],
        device_id: int,
        context: object = None,
        options: EventOptions | dict[str, Any] | None = None,
        is_free: bool = False,
    ) -> _Self:
        given = _options(options)
        if given.ipc_enabled and is_free:
            raise TypeError("IPC-enabled events must be bound; use Stream.record for creation.")
        if given.ipc_enabled and given.timing_enabled:
            raise TypeError("IPC-enabled events cannot use timing.")
        if not isinstance(context, _gevt.Context):
            context = Device(device_id).context  # One of cuda.core's.
        self = cls.__new__(cls)
        timing, blocking, shared = bool(given.timing_enabled), bool(given.blocking_sync), bool(given.ipc_enabled)
        _gevt.CoreEvent.__init__(self, timing, blocking, shared, context)
        self._device_id, self._context = device_id, context
        self._is_timing_enabled, self._is_blocking_sync, self._is_ipc_enabled = timing, blocking, shared
        self._descriptor = IPCEventDescriptor._init(self.ipc_export(), blocking) if shared else None
        return self

    @classmethod
    def from_ipc_descriptor(cls: type[_Self], ipc_descriptor: IPCEventDescriptor) -> _Self:
        """Opens an event that another process exported."""
        self = cls.__new__(cls)
        _gevt.CoreEvent.__init__(self, ipc_descriptor._reserved)
        self._device_id = self._context = None
        self._is_timing_enabled, self._is_blocking_sync = False, ipc_descriptor._is_blocking_sync
        self._descriptor, self._is_ipc_enabled = ipc_descriptor, True
        return self

    @property
    def ipc_descriptor(self) -> IPCEventDescriptor:
        """What another process needs to open the event."""
        descriptor = _open(self)._descriptor
        if descriptor is None:
            raise RuntimeError("Event is not IPC-enabled")
        return descriptor

    def get_ipc_descriptor(self) -> IPCEventDescriptor:
        """Returns ipc_descriptor, as cuda.core before 1.0 spells it."""
        return self.ipc_descriptor

    @property
    def is_ipc_enabled(self) -> bool:
        """Whether the event can be sent to other processes."""
        return _open(self)._is_ipc_enabled

    @property
    def is_timing_enabled(self) -> bool:
        """Whether the event has a time."""
        return _open(self)._is_timing_enabled

    @property
    def is_timing_disabled(self) -> bool:
        """Whether the event has no time."""
        return not self.is_timing_enabled

    @property
    def is_blocking_sync(self) -> bool:
        """Whether sync() sleeps instead of spinning."""
        return _open(self)._is_blocking_sync

    @property
    def is_sync_busy_waited(self) -> bool:
        """Returns is_blocking_sync, as cuda.core before 1.0 spells it."""
        return self.is_blocking_sync

    @property
    def handle(self) -> int:
        """The CUevent; on the host, which has none, gevt's handle; 0 after close(). Later queries of the event ask the driver."""
        if self.closed:
            return 0
        return self.native_handle if self.info.backend == "cuda" else self.gevt_handle

    @property
    def device(self) -> Device | None:
        """The device of the event; None for one of another process."""
        number = _open(self)._device_id
        return None if number is None else Device(number)

    @property
    def context(self) -> _gevt.Context | None:
        """The context of the event; None for one of another process."""
        return _open(self)._context

    def __isub__(self, other: object) -> Any:
        return NotImplemented

    def __rsub__(self, other: object) -> Any:
        return NotImplemented

    def __eq__(self, other: object) -> bool:
        return self.gevt_handle == other.gevt_handle if isinstance(other, Event) else NotImplemented

    def __hash__(self) -> int:
        return hash((Event, self.gevt_handle))

    def __repr__(self) -> str:
        return f"<Event handle={self.gevt_handle:#x}>"

    def __reduce__(self) -> tuple[Any, ...]:
        if not self.is_ipc_enabled:
            raise TypeError("cannot pickle 'Event' object: it was made without ipc_enabled")
        return type(self).from_ipc_descriptor, (self.ipc_descriptor,)


def _open(event: Event) -> Event:
    if event.closed:
        raise RuntimeError("Event has been closed")
    return event


class Stream:
    """A stream of gevt's own or of another library, which records events."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise RuntimeError("Stream objects cannot be instantiated directly. Please use Device.create_stream.")

    _device: Device
    _stream: _gevt.Stream
    _native: object

    @classmethod
    def _init(cls, device: Device, native: object = None) -> Stream:
        self = cls.__new__(cls)
        self._device, self._native = device, native
        if native is None:
            self._stream = _gevt.Stream(device.context, non_blocking=True)
        else:
            self._stream = _gevt.Stream.from_native(native, device.context)
        return self

    def record(self, event: Event | None = None, options: EventOptions | dict[str, Any] | None = None) -> Event:
        """Records an event, or a new one with these options, and returns it."""
        stream = self._open()
        if event is None:
            event = Event._init(self._device.device_id, self._device.context, options)
        elif not isinstance(event, Event):
            raise TypeError(f"Event expected, got {type(event).__name__}")
        elif _open(event)._is_ipc_enabled:
            raise TypeError(
                "IPC-enabled events should not be re-recorded, instead create a new event by supplying options."
            )
        event.record(stream)
        return event

    def wait(self, event_or_stream: Any) -> None:
        """Makes the stream's later work wait for an event, or for what another stream holds now."""
        stream = self._open()
        if isinstance(event_or_stream, Event):
            stream.wait(_open(event_or_stream))
            return
        if isinstance(event_or_stream, (int, str)):
            raise ValueError(
                "only an Event, Stream, or object supporting __cuda_stream__ can be waited, "
                f"got {type(event_or_stream)}"
            )
        with _gevt.Event(timing=False) as event:
            event.record(event_or_stream._open() if isinstance(event_or_stream, Stream) else event_or_stream)
            stream.wait(event)

    def sync(self) -> None:
        """Blocks until the stream has finished."""
        self._open().sync()

    @property
    def is_closed(self) -> bool:
        """Whether close() was called."""
        return self._stream.closed

    def _open(self) -> _gevt.Stream:
        if self._stream.closed:
            raise RuntimeError("Stream has been closed")
        return self._stream

    def close(self) -> None:
        """Destroys the stream; a stream of another library lives on."""
        self._stream.close()

    def __cuda_stream__(self) -> tuple[int, int]:
        if self._native is None:
            raise NotImplementedError("gevt does not give out the CUstream of a stream of its own")
        protocol = getattr(self._native, "__cuda_stream__", None)
        return (0, int(self._native)) if protocol is None else protocol()  # type: ignore[call-overload]

    @property
    def device(self) -> Device:
        """The device of the stream."""
        return self._device

    @property
    def context(self) -> _gevt.Context:
        """The context of the stream."""
        return self._device.context


class Device:
    """A device of gevt's default backend: of CUDA where there is a GPU, else of the host. One object a thread."""

    _devices = threading.local()
    _id: int
    _context: _gevt.Context

    def __new__(cls, device_id: int | None = None) -> Device:
        known: dict[int, Device] = cls._devices.__dict__.setdefault("known", {})
        number = cls._devices.__dict__.get("current", 0) if device_id is None else int(device_id)
        if number not in known:
            self = super().__new__(cls)
            self._id, self._context = number, _gevt.Context("auto", number)
            known[number] = self
        return known[number]

    @property
    def device_id(self) -> int:
        """The number of the device."""
        return self._id

    @property
    def context(self) -> _gevt.Context:
        """The context of the device."""
        return self._context

    def set_current(self) -> None:
        """Makes Device() mean this one on the calling thread."""
        self._devices.__dict__["current"] = self._id

    def create_stream(self, obj: Any = None, options: object = None) -> Stream:
        """Returns a new stream, or one of another library as a Stream."""
        return Stream._init(self, obj)

    def create_event(self, options: EventOptions | dict[str, Any] | None = None) -> Event:
        """Returns a new event."""
        return Event._init(self._id, self._context, options, True)

    def sync(self) -> None:
        """Blocks until all streams of the device have finished."""
        self._context.sync()

    def __repr__(self) -> str:
        return f"<Device {self._id}>"


multiprocessing.reduction.register(Event, Event.__reduce__)
