"""The calls of gevt.h through the Python package, for gevt_as_python.hpp. Their arguments are those of C, as numbers."""

import ctypes
import struct
from ctypes import c_char, c_float, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

import gevt

FLAGS = {"blocking": 1, "timing": 2, "interprocess": 4, "strict": 0x10000, "host_signaled": 0x20000}
BACKENDS = ("auto", "host", "cuda", "vulkan")
STATES = ("unrecorded", "pending", "complete", "captured", "failed")
# A gevt_event_info_t.
INFO = "N3IiP2IQ64s"

library = ctypes.CDLL(None)
library.gevt_last_message.restype = ctypes.c_char_p


class NotSaid(Exception):
    """What Python cannot say, such as a NULL output or a handle without an object, is said in C."""


def sayable(value):
    if not value:
        raise NotSaid
    return value


class Known(dict):
    def __missing__(self, key):
        raise NotSaid


# The objects of all handles, also of closed ones.
events, streams, contexts, backends = Known(), Known(), Known(), Known(enumerate(BACKENDS))


def call(name, here, *arguments):
    """Returns the status of a call, or NotImplemented where it has to be made in C."""
    if here and here not in contexts:
        contexts[here] = gevt.Context.from_gevt_handle(here)
    try:
        return calls[name](*arguments) or 0 if name in calls else NotImplemented
    except NotSaid:
        return NotImplemented
    except gevt.Error as error:
        # It says what the last failure says.
        assert error.detail == library.gevt_last_detail()
        assert str(error) == library.gevt_last_message().decode()
        return error.status


def give(out, kind, value):
    """Only a success writes the output."""
    sayable(out)
    kind.from_address(out).value = value()


def make(out, objects, new):
    def handle():
        made = new()
        objects[made.gevt_handle] = made
        return made.gevt_handle

    give(out, c_void_p, handle)


def close(one):
    # A second end is C's to refuse.
    sayable(not one.closed)
    one.close()


def ready(holds):
    return 0 if holds else gevt.Status.NOT_READY


def seconds(ns):
    return None if ns == 2**64 - 1 else ns / 1e9


def on(s):
    """The stream as an argument. Without one it is the default stream."""
    return (streams[s],) if s else ()


def context_or_none(c):
    return contexts[c] if c else None


def bit(flags):
    """The one flag that there is."""
    sayable(flags <= 1)
    return flags != 0


def named(flags, *names):
    """The flags of an event as named arguments. The one for timing is against it."""
    sayable(not flags & ~sum(FLAGS[name] for name in names))
    return {name: (flags & FLAGS[name] != 0) != (name == "timing") for name in names}


def of_c(function, user, *parameters):
    """A function of C's with its pointer."""
    made = ctypes.CFUNCTYPE(None, c_void_p, *parameters)(sayable(function))
    return lambda *arguments: made(user, *arguments)


def on_complete(e, function, user):
    completed = of_c(function, user, c_int32)
    events[e].on_complete(lambda error: completed(error.status if error else 0))


def set_name(e, name):
    try:
        events[e].name = ctypes.string_at(name).decode() if name else None
    except UnicodeDecodeError:
        # Text of Python's is always valid.
        raise NotSaid from None


def get_info(out, e):
    size = struct.calcsize(INFO)
    sayable(out and c_size_t.from_address(out).value >= size)
    told = events[e].info
    # Python does not tell the context's handle.
    assert library.gevt_get_info(c_void_p(out), c_void_p(e)) == 0
    info = (c_char * size).from_address(out)
    size, *_, context, _, reserved, _, _ = struct.unpack_from(INFO, info)
    state, backend = STATES.index(told.state), BACKENDS.index(told.backend or "auto")
    numbers = told.flags, state, backend, told.device, context, told.imported, reserved, told.record_count
    struct.pack_into(INFO, info, 0, size, *numbers, told.name.encode())


def listed(array, count):
    sayable(array and count < 100000)
    return [events[e] for e in (c_void_p * count).from_address(array)]


def sync_any(out, array, count, ns):
    try:
        give(out, c_size_t, lambda: gevt.wait_any(listed(array, count), seconds(ns)))
    except gevt.Error as error:
        if error.index is not None:
            give(out, c_size_t, lambda: error.index)
        raise


def host_time(out, error, e):
    sayable(out and error)
    time = gevt.host_time(events[e])
    give(out, c_int64, lambda: time.ns)
    give(error, c_uint64, lambda: time.error_ns)


calls = {
    "query": lambda e: ready(events[e].query()),
    "sync": lambda e: events[e].sync(),
    "sync_timeout": lambda e, ns: events[e].sync(seconds(ns)),
    "sync_helping": lambda e, ns: events[e].sync_helping(seconds(ns)),
    "sync_all": lambda array, count, ns: gevt.wait_all(listed(array, count), seconds(ns)),
    "sync_any": sync_any,
    "reset": lambda e: events[e].reset(),
    "signal": lambda e, failure: events[e].signal(*[failure] if failure else []),
    "on_complete": on_complete,
    "native": lambda out, e: give(out, c_void_p, lambda: events[e].native_handle),
    "record": lambda e, s: events[e].record(*on(s)),
    "record_with_flags": lambda e, s, flags: events[e].record(*on(s), external=sayable(bit(flags))),
    "set_name": set_name,
    "get_info": get_info,
    "elapsed": lambda out, start, end: give(out, c_float, lambda: gevt.elapsed(events[start], events[end])),
    "elapsed_ns": lambda out, start, end: give(out, c_int64, lambda: gevt.elapsed_ns(events[start], events[end])),
    "host_time": host_time,
    "create": lambda out, flags: make(out, events, lambda: gevt.Event(**named(flags, *FLAGS))),
    "create_in": lambda out, c, flags: make(
        out, events, lambda: gevt.Event(context=contexts[c], **named(flags, *FLAGS))
    ),
    "wrap": lambda out, c, native, flags: make(
        out,
        events,
        lambda: gevt.Event.from_native_handle(native, context=contexts[c], **named(flags, "timing", "blocking")),
    ),
    "destroy": lambda e: close(events[e]),
    "stream_query": lambda s: ready(streams[s].query()),
    "stream_sync": lambda s: streams[s].sync(),
    "stream_sync_timeout": lambda s, ns: streams[s].sync(seconds(ns)),
    "stream_wait": lambda s, e, flags: events[e].wait(*on(s), external=bit(flags)),
    "stream_launch": lambda s, function, user: streams[s].launch(of_c(function, user)),
    "stream_launch_n": lambda s, n, function, user: streams[s].launch_n(n, of_c(function, user, c_size_t, c_uint32)),
    "stream_create": lambda out, c, flags: make(
        out, streams, lambda: gevt.Stream(context_or_none(c), non_blocking=bit(flags))
    ),
    "stream_wrap": lambda out, c, native: make(
        out, streams, lambda: gevt.Stream.from_native(native, context_or_none(c))
    ),
    "stream_destroy": lambda s: close(streams[s]),
    "context_open": lambda out, backend, device: make(out, contexts, lambda: gevt.Context(backends[backend], device)),
    "context_sync": lambda c: contexts[c].sync(),
    "context_sync_timeout": lambda c, ns: contexts[c].sync(seconds(ns)),
    "context_calibrate": lambda c: contexts[c].calibrate(),
    "context_close": lambda c: close(contexts[c]),
    # C refuses a backend without a device.
    "device_count": lambda out, backend: give(out, c_int32, lambda: sayable(gevt.device_count(backends[backend]))),
    "host_get_threads": lambda out: give(out, c_uint32, gevt.host_threads),
    "host_set_threads": gevt.set_host_threads,
}
