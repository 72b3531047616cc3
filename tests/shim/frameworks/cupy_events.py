"""CuPy: events on streams."""

import cupy

first, second = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
with first:
    x = cupy.zeros(1 << 20, dtype=cupy.float32)
with second:
    y = cupy.zeros(1 << 20, dtype=cupy.float32)
first.synchronize()
second.synchronize()

for round in range(50):
    handed = cupy.cuda.Event(disable_timing=True)
    with first:
        x += 1
        handed.record(first)
    second.wait_event(handed)
    with second:
        y += x
        back = second.record(cupy.cuda.Event(disable_timing=True))
    first.wait_event(back)
second.synchronize()
print("sums", int(x[0]), int(y[0]), handed.done, back.done)

start, end = cupy.cuda.Event(), cupy.cuda.Event()
with first:
    start.record(first)
    for _ in range(20):
        cupy.sin(x, out=x)
    end.record(first)
end.synchronize()
print("time", cupy.cuda.get_elapsed_time(start, end) > 0, all(end.done for _ in range(1000)))

for what in (lambda: cupy.cuda.get_elapsed_time(start, cupy.cuda.Event()), lambda: cupy.cuda.get_elapsed_time(start, back)):
    try:
        what()
        print("no error")
    except cupy.cuda.runtime.CUDARuntimeError as error:
        print(type(error).__name__, error)
print("blocking", cupy.cuda.Event(block=True).done)
