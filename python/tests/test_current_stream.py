"""Without a stream, events are recorded on PyTorch's current one. PyTorch is stood in for by a module with its functions."""

from __future__ import annotations

import pytest
from conftest import BACKEND
from test_process import run

import gevt

pytestmark = [
    pytest.mark.skipif(BACKEND != "cuda", reason="PyTorch's streams are those of CUDA"),
    pytest.mark.skipif(BACKEND == "cuda" and gevt.device_count("cuda") < 2, reason="there are no two devices here"),
]

TORCH = """
    import ctypes, sys, types
    cuda = ctypes.CDLL("libcuda.so.1")
    assert cuda.cuInit(0) == 0
    contexts = []
    for device in range(2):
        context = ctypes.c_void_p()
        assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
        contexts.append(context)

    def create(device):
        native = ctypes.c_void_p()
        assert cuda.cuCtxPushCurrent_v2(contexts[device]) == 0
        assert cuda.cuStreamCreate(ctypes.byref(native), 1) == 0
        assert cuda.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p())) == 0
        return native.value

    # As torch numbers them: 0 is the default stream, and one of another library has its CUstream, as 64 bits with a sign.
    pools = [{0: 0, 3: create(0)}, {0: 0, 3: create(1)}]
    class current:
        device, numbers, initialized, asked, error = 0, [0, 0], False, [], None

    def get_device():
        if current.error: raise current.error
        return current.device

    def get_current_raw_stream(device):
        current.asked.append(device)
        number = current.numbers[device]
        return pools[device].get(number, number) % 2**64

    torch, native, module = types.ModuleType("torch"), types.ModuleType("torch._C"), types.ModuleType("torch.cuda")
    torch._C, torch.cuda = native, module
    native._cuda_getDevice, native._cuda_getCurrentRawStream = get_device, get_current_raw_stream
    module.is_initialized = lambda: current.initialized
    sys.modules |= {"torch": torch, "torch._C": native, "torch.cuda": module}

    import gevt, gevt.cuda, gevt.torch, threading

    def is_recorded_on(device, number):
        "Whether an event without a stream waits for what that stream holds, and is of its device."
        gate = threading.Event()
        with gevt.Context("cuda", device) as context:
            stream = gevt.Stream.from_native(pools[device].get(number, number) % 2**64, context)
            stream.launch(gate.wait)
        event = gevt.cuda.Event()
        event.record()
        waited = not event.query()
        gate.set()
        event.sync(300)
        stream.sync(300)
        return waited and event.info.device == device
"""


def test_the_current_stream_of_torch() -> None:
    run(
        TORCH
        + """
    event = gevt.cuda.Event()
    event.record()
    event.sync(300)
    assert not current.asked
    current.initialized = True
    for device, number in ((0, 0), (0, 3), (1, 3), (1, 0), (0, 3), (0, 3)):
        current.device, current.numbers[device] = device, number
        assert is_recorded_on(device, number), (device, number)
    external = create(1)
    external -= 2**64 if external >= 2**63 else 0
    current.device, current.numbers[1] = 1, external
    assert is_recorded_on(1, external)
    # Each thread asks for its current stream.
    current.device, current.numbers[0] = 0, 3
    answers = []
    thread = threading.Thread(target=lambda: answers.append(is_recorded_on(0, 3)))
    thread.start()
    thread.join()
    assert answers == [True]
    # The other shapes, and waits.
    asked = len(current.asked)
    event = gevt.torch.Event("cuda")
    event.record()
    event.wait()
    event.synchronize()
    assert len(current.asked) == asked + 2
    gevt.torch.Event("cpu").record()
    assert len(current.asked) == asked + 2
"""
    )


def test_errors_of_torch_are_raised() -> None:
    run(
        TORCH
        + """
    current.initialized, current.error = True, RuntimeError("CUDA error: of torch")
    event = gevt.cuda.Event()
    for call in (event.record, event.wait):
        try:
            call()
        except RuntimeError as error:
            assert error is current.error
        else:
            raise AssertionError("it was made")
    current.error = None
    event.record()
    event.sync(300)
"""
    )


def test_the_trace_of_torch() -> None:
    """The callbacks of torch.cuda._gpu_trace see events as they see those of torch.cuda.Event."""
    run(
        TORCH
        + """
    current.initialized = True
    class CallbackRegistry:
        def __init__(self, name): self.name, self.callback_list = name, []
        def fire_callbacks(self, *arguments):
            for callback in self.callback_list: callback(self.name, *arguments)

    trace = types.ModuleType("torch.cuda._gpu_trace")
    kinds = ["Creation", "Deletion", "Record", "Wait", "Synchronization"]
    for kind in kinds: setattr(trace, f"Event{kind}Callbacks", CallbackRegistry(kind))
    sys.modules["torch.cuda._gpu_trace"] = trace
    seen = []
    def listen(on):
        for kind in kinds:
            callbacks = getattr(trace, f"Event{kind}Callbacks").callback_list
            callbacks.append(lambda *call: seen.append(call)) if on else callbacks.clear()

    class Stream:
        cuda_stream, device_index = pools[0][3], 0

    event = gevt.cuda.Event()
    event.record()
    listen(True)
    # Only its creation was before.
    event.record()
    number = event._as_parameter_.value
    del event
    assert seen == [("Record", number, 0), ("Deletion", number)], seen
    seen.clear()
    event = gevt.cuda.Event()
    event.synchronize()
    event.wait()
    assert not seen  # It has no CUevent yet.
    event.record()
    number = event._as_parameter_.value
    event.record(Stream())
    event.wait(Stream())
    event.wait()
    event.synchronize()
    assert seen == [
        ("Creation", number), ("Record", number, 0), ("Record", number, pools[0][3]), ("Wait", number, pools[0][3]),
        ("Wait", number, 0), ("Synchronization", number),
    ], seen
    seen.clear()
    del event
    assert seen == [("Deletion", number)], seen
    event = gevt.torch.Event("cuda")
    event.record()
    seen.clear()
    event.close()
    del event
    assert [kind for kind, _ in seen] == ["Deletion"]
    # An event of the host has no CUevent.
    seen.clear()
    event = gevt.torch.Event("cpu")
    event.record()
    event.synchronize()
    del event
    # An exception in a deletion callback cannot propagate.
    trace.EventDeletionCallbacks.callback_list.append(lambda *call: 1 / 0)
    unraised = []
    sys.unraisablehook = unraised.append
    assert not seen
    event = gevt.cuda.Event()
    event.record()
    del event
    assert [each.exc_type for each in unraised] == [ZeroDivisionError]
    listen(False)
    seen.clear()
    event = gevt.cuda.Event()
    event.record()
    event.synchronize()
    del event
    assert not seen
"""
    )
