"""cuda.core: events on streams, through the driver API of cuda.bindings."""

try:
    from cuda.core import Device, EventOptions
except ImportError:
    from cuda.core.experimental import Device, EventOptions


def options(timing):
    """The option's name differs between releases."""
    try:
        return EventOptions(timing_enabled=timing)
    except TypeError:
        return EventOptions(enable_timing=timing)


device = Device(0)
device.set_current()
first, second = device.create_stream(), device.create_stream()

for _ in range(50):
    event = first.record(options=options(False))
    second.wait(event)
    event.sync()
    assert event.is_done
print("handed over", event.is_done)

start = first.record(options=options(True))
middle = first.record(options=options(True))
end = first.record(options=options(True))
end.sync()
print("times", end - start >= middle - start >= 0, all(end.is_done for _ in range(1000)))
try:
    event - start
    print("no error")
except RuntimeError as error:
    print(type(error).__name__, error)

# After another record, the event marks the later place.
first.record(start)
first.sync()
print("again", end - start <= 0)
for event in (start, middle, end):
    event.close()
second.sync()
