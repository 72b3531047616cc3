"""PyTorch: events on several streams. Prints what has to be the same with the drop-in and without it."""

import torch

STREAMS, ROUNDS, SIZE = 4, 25, 1 << 16

streams = [torch.cuda.Stream() for _ in range(STREAMS)]
data = [torch.full((SIZE,), float(i), device="cuda") for i in range(STREAMS)]
torch.cuda.synchronize()

# Each stream adds its neighbour's data of the round before, which an event hands over.
for _ in range(ROUNDS):
    ready = [torch.cuda.Event() for _ in range(STREAMS)]
    copies = [None] * STREAMS
    for i, stream in enumerate(streams):
        with torch.cuda.stream(stream):
            copies[i] = data[i].clone()
            ready[i].record()
    used = [torch.cuda.Event() for _ in range(STREAMS)]
    for i, stream in enumerate(streams):
        neighbour = (i + 1) % STREAMS
        with torch.cuda.stream(stream):
            stream.wait_event(ready[neighbour])
            data[i] = (data[i] + copies[neighbour]) % 1021
            used[i].record()
    # The copies go back to the allocator when all streams are through with them.
    for event in used:
        event.synchronize()
        assert event.query()
print("sums", [int(part.sum().item()) for part in data])

# The time of work that takes a while: above none, and additive.
matrix = torch.randn(2048, 2048, device="cuda")
a, b, c = (torch.cuda.Event(enable_timing=True) for _ in range(3))
torch.cuda.synchronize()
a.record()
for _ in range(20):
    product = matrix @ matrix
b.record()
for _ in range(20):
    product = matrix @ matrix
c.record()
print("pending", c.query() in (True, False))
c.synchronize()
first, second, both = a.elapsed_time(b), b.elapsed_time(c), a.elapsed_time(c)
print("times", first > 0, second > 0, abs(first + second - both) < 0.01 + both * 1e-3)
print("queries", all(event.query() for event in (a, b, c) for _ in range(1000)))

# What fails has to fail in the same words.
for start, end in ((torch.cuda.Event(), b), (torch.cuda.Event(enable_timing=True), b)):
    try:
        start.elapsed_time(end)
        print("no error")
    except (RuntimeError, ValueError) as error:
        print(type(error).__name__, str(error).splitlines()[0])

# Many events, made and dropped.
for _ in range(2000):
    event = torch.cuda.Event()
    event.record()
event.synchronize()
print("last", event.query())
