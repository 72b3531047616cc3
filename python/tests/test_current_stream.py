"""Without a stream, events are recorded on PyTorch's current one. PyTorch is stood in for by a module with its functions."""

from __future__ import annotations

import shutil
import subprocess

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
        device, numbers, initialized, asked, error, devices = 0, [0, 0], False, [], None, 2

    def get_current_stream(device):
        current.asked.append(device)
        if current.error: raise current.error
        device = current.device if device < 0 else device
        return current.numbers[device], device, 1

    def get_current_raw_stream(device):
        number = current.numbers[device]
        return pools[device].get(number, number) % 2**64

    torch, native, module = types.ModuleType("torch"), types.ModuleType("torch._C"), types.ModuleType("torch.cuda")
    torch._C, torch.cuda = native, module
    native._cuda_getCurrentStream, native._cuda_getCurrentRawStream = get_current_stream, get_current_raw_stream
    module.is_initialized = lambda: current.initialized
    module.device_count = lambda: current.devices
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
    # Each thread has a current stream of its own, and asks for it.
    current.device, current.numbers[0] = 0, 3
    answers = []
    thread = threading.Thread(target=lambda: answers.append(is_recorded_on(0, 3)))
    thread.start()
    thread.join()
    assert answers == [True] and set(current.asked) == {-1}
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


# The function of torch's C interface, and a way to see what it is asked.
LIBRARY = """
void *stream;
int status, asked;
int aoti_torch_get_current_cuda_stream(int device, void **out) {
  asked++;
  *out = stream;
  return device == -1 ? status : 1;
}
"""

QUICK = """
    library = ctypes.CDLL(sys.argv[1])
    native, status, asked = ctypes.c_void_p.in_dll(library, "stream"), ctypes.c_int.in_dll(library, "status"), ctypes.c_int.in_dll(library, "asked")
    current.initialized = True

    def choose(device, number):
        current.device, current.numbers[device] = device, number
        native.value = pools[device].get(number, number) % 2**64

    def asks_python(device, number):
        "Whether a second record on the same stream asks more than the C function; both are on that stream."
        choose(device, number)
        assert is_recorded_on(device, number), (device, number)
        before, c_before = len(current.asked), asked.value
        assert is_recorded_on(device, number), (device, number)
        assert asked.value == c_before + 1
        return len(current.asked) > before
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("torch")
    (folder / "torch.c").write_text(LIBRARY)
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler here")
    command = ["cc", "-shared", "-fPIC", "-Wl,-soname,libtorch_cuda.so", "torch.c", "-o", "stand-in.so"]
    subprocess.run(command, check=True, cwd=folder)
    return str(folder / "stand-in.so")


def test_a_stream_of_torchs_own_is_known_by_its_custream(library: str) -> None:
    run(
        TORCH
        + QUICK
        + """
    assert not asks_python(0, 3) and not asks_python(1, 3) and not asks_python(0, 3)
    # 0 is the default stream of each of the two devices, and a stream of another library may be destroyed.
    assert asks_python(0, 0) and asks_python(1, 0)
    external = create(1)
    external -= 2**64 if external >= 2**63 else 0
    assert asks_python(1, external)
    # A function that fails is not believed.
    assert not asks_python(0, 3)
    status.value = 1
    assert asks_python(0, 3) and asks_python(1, 0)
    status.value = 0
    # Each thread has a current stream of its own.
    answers = []
    thread = threading.Thread(target=lambda: answers.extend([asks_python(1, 3), asks_python(0, 3)]))
    thread.start()
    thread.join()
    assert answers == [False, False] and not asks_python(1, 3)
""",
        library,
    )


def test_the_default_stream_of_the_only_device(library: str) -> None:
    run(
        TORCH
        + QUICK
        + """
    current.devices = 1
    assert not asks_python(0, 0) and not asks_python(0, 3) and not asks_python(0, 0)
""",
        library,
    )
