"""PyTorch: CUDA graphs that record external events, which a remembered completion must not hide."""

import torch

ROUNDS = 20

x = torch.zeros(1 << 20, device="cuda")
start = torch.cuda.Event(enable_timing=True, external=True)
middle = torch.cuda.Event(enable_timing=True, external=True)
end = torch.cuda.Event(enable_timing=True, external=True)

# Before the capture: lazily made things are made.
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    x.add_(0)
side.synchronize()

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    start.record()
    for _ in range(50):
        x.add_(1)
    middle.record()
    for _ in range(50):
        x.add_(1)
    end.record()

good = 0
for round in range(1, ROUNDS + 1):
    graph.replay()
    end.synchronize()
    # The launch has reached its last event, so a stream that waits for that event alone sees the sum.
    waiter = torch.cuda.Stream()
    waiter.wait_event(end)
    with torch.cuda.stream(waiter):
        value = x[0].item()
    first, whole = start.elapsed_time(middle), start.elapsed_time(end)
    good += value == 100 * round and 0 < first < whole and end.query() and middle.query()
print("rounds", good)

# Work that is captured across streams, by events of the capture alone.
fork, join = torch.cuda.Event(), torch.cuda.Event()
y, z = torch.zeros(1 << 16, device="cuda"), torch.zeros(1 << 16, device="cuda")
other = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    fork.record()
    other.wait_event(fork)
    with torch.cuda.stream(other):
        z.add_(2)
        join.record(other)
    y.add_(1)
    torch.cuda.current_stream().wait_event(join)
    y.add_(z)
for _ in range(5):
    graph.replay()
torch.cuda.synchronize()
print("captured", int(y[0].item()), int(z[0].item()))

# An event that was finished is queried while another stream is captured: refused, and the capture is lost.
done = torch.cuda.Event()
done.record()
done.synchronize()
graph = torch.cuda.CUDAGraph()
try:
    with torch.cuda.graph(graph):
        y.add_(1)
        done.query()
    print("no error")
except RuntimeError as error:
    print(type(error).__name__, str(error).splitlines()[0])
