// Kernels with GEVT_HOSTCUDA_KERNELS: they are refused, skipped ones take their place in the stream, and those of a library run in it. The calls
// are those of nvcc's host code.
#include "objects.h"
#include "registered.h"
#include "kernel_library.h"
#include <sched.h>
#include <string>
#include <vector>

static char fill, none, unknown, variable,
    binary[64] = "\x7f"
                 "ELF";
static int *managed_variable;

static void *at(char &function) {
  return &function;
}

static Gate gate;

static cudaStream_t stream;
static int *memory;

static int value_after_launch() {
  int back = 0;
  OK(cudaMemcpy(&back, memory + 7, sizeof back, cudaMemcpyDeviceToHost));
  return back;
}

static void launches(bool runs) {
  int count = 64, value = 5;
  void *arguments[] = {&memory, &count, &value};
  OK(cudaMemset(memory, 0, 64 * sizeof(int)));
  OK(cudaDeviceSynchronize());
  gate.shut(stream);
  OK(cudaLaunchKernel(at(fill), dim3(2), dim3(32), arguments, 0, stream));
  GIVES(600, cudaStreamQuery(stream));
  value = 6;
  count = 0;
  gate.open();
  OK(cudaStreamSynchronize(stream));
  CHECK(value_after_launch() == (runs ? 5 : 0));
  OK(cudaLaunchKernel(at(none), dim3(1), dim3(1), nullptr, 0, stream));
  GIVES(9, cudaLaunchKernel(at(fill), dim3(1), dim3(1025), arguments, 0, stream));
  GIVES(98, cudaLaunchKernel(at(unknown), dim3(1), dim3(1), arguments, 0, stream));
  // As nvcc's newer host code launches it.
  cudaKernel_t kernel = nullptr;
  count = 64;
  value = 8;
  GIVES(1, __cudaGetKernel(nullptr, at(fill)));
  OK(__cudaGetKernel(&kernel, at(fill)));
  OK(__cudaLaunchKernel(kernel, dim3(2), dim3(32), arguments, 0, stream));
  OK(cudaStreamSynchronize(stream));
  CHECK(value_after_launch() == (runs ? 8 : 0));
  // An attribute that records an event.
  cudaEvent_t event = new_event(cudaEventDisableTiming);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticEvent;
  attribute.val.programmaticEvent.event = event;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(2);
  config.blockDim = dim3(32);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  gate.shut(stream);
  OK(cudaLaunchKernelExC(&config, at(fill), arguments));
  GIVES(600, cudaEventQuery(event));
  gate.open();
  OK(cudaEventSynchronize(event));
  // Clusters depend on the device, and the launch does not happen without them.
  OK(cudaMemset(memory, 0, 64 * sizeof(int)));
  OK(cudaDeviceSynchronize());
  attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  GIVES(801, cudaLaunchKernelExC(&config, at(fill), arguments));
  attribute.id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
  GIVES(801, cudaLaunchKernelExC(&config, at(fill), arguments));
  OK(cudaStreamSynchronize(stream));
  CHECK(value_after_launch() == 0);
  if (runs) {
    GIVES(1, cudaLaunchKernel(at(fill), dim3(1), dim3(1), nullptr, 0, stream));
  }
}

// Stream 0 is the calling thread's own one, which is being captured.
static void per_thread() {
  int count = 64, value = 1;
  void *arguments[] = {&memory, &count, &value};
  cudaKernel_t kernel = nullptr;
  cudaGraph_t graph = nullptr;
  size_t nodes = 0;
  OK(__cudaGetKernel(&kernel, at(fill)));
  OK(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
  OK(__cudaLaunchKernel_ptsz(kernel, dim3(1), dim3(1), arguments, 0, nullptr));
  OK(cudaStreamEndCapture(cudaStreamPerThread, &graph));
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 1);
  OK(cudaGraphDestroy(graph));
}

static void by_driver(bool runs) {
  CUmodule module;
  CUfunction function, symbol;
  OK(cuModuleLoadData(&module, binary));
  OK(cuModuleGetFunction(&function, module, "fill"));
  GIVES(301, cuModuleLoad(&module, "/nowhere/to/be/found"));
  OK(cudaGetFuncBySymbol(reinterpret_cast<cudaFunction_t *>(&symbol), at(fill)));
  int count = 64, value = 9;
  void *arguments[] = {&memory, &count, &value};
  for (CUfunction each : {function, symbol}) {
    value++;
    OK(cuLaunchKernel(each, 2, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
    OK(cudaStreamSynchronize(stream));
    CHECK(value_after_launch() == (runs ? value : 0));
  }
  // Arguments in a buffer.
  void *extra[] = {CU_LAUNCH_PARAM_END};
  GIVES(runs ? 801 : 0, cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, stream, nullptr, extra));
  OK(cuModuleUnload(module));
  GIVES(400, cuModuleGetFunction(&function, module, "fill"));
}

static void variables() {
  int value = 4, back = 0;
  void *address = nullptr;
  size_t size = 0;
  OK(cudaGetSymbolAddress(&address, &variable));
  OK(cudaGetSymbolSize(&size, &variable));
  CHECK(size == 8);
  OK(cudaMemcpyToSymbol(&variable, &value, sizeof value, 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpyFromSymbol(&back, &variable, sizeof back, 4, cudaMemcpyDeviceToHost));
  CHECK(back == 4);
  GIVES(1, cudaMemcpyToSymbol(&variable, &value, 8, 4, cudaMemcpyHostToDevice));
  GIVES(13, cudaGetSymbolAddress(&address, &unknown));
  CHECK(managed_variable && *managed_variable == 0);
}

static void graphs(bool runs) {
  int count = 64, value = 3;
  void *arguments[] = {&memory, &count, &value};
  cudaGraphNode_t node;
  cudaKernelNodeParams params = {}, got = {};
  params.func = at(fill);
  params.gridDim = dim3(2);
  params.blockDim = dim3(32);
  params.kernelParams = arguments;
  OK(cudaMemset(memory, 0, 64 * sizeof(int)));
  OK(cudaDeviceSynchronize());
  cudaGraph_t graph = new_graph();
  OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  OK(cudaGraphKernelNodeGetParams(node, &got));
  CHECK(got.gridDim.x == 2 && got.blockDim.x == 32);
  value = 0;
  cudaGraphExec_t executable = instantiated(graph);
  launch(executable, stream);
  CHECK(value_after_launch() == (runs ? 3 : 0));
  value = 2;
  OK(cudaGraphExecKernelNodeSetParams(executable, node, &params));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  value = 1;
  OK(cudaLaunchKernel(at(fill), dim3(2), dim3(32), arguments, 0, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  launch(executable, stream);
  CHECK(value_after_launch() == (runs ? 2 : 0));
  OK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  launch(executable, stream);
  CHECK(value_after_launch() == (runs ? 1 : 0));
}

// Writes of a kernel during an export of its memory are not lost.
static void exported() {
  int count = 8192, *target = nullptr, *has_begun = nullptr;
  const size_t page = 4096, len = count * page;
  cudaIpcMemHandle_t name;
  CUmodule module = nullptr;
  CUfunction sweep = nullptr;
  OK(cuModuleLoadData(&module, ".version 7.8\n.entry sweep() { ret; }\n"));
  OK(cuModuleGetFunction(&sweep, module, "sweep"));
  OK(cudaMalloc(reinterpret_cast<void **>(&target), len));
  OK(cudaMemset(target, 0, len));
  OK(cudaMallocHost(reinterpret_cast<void **>(&has_begun), sizeof(int)));
  volatile int *begun = has_begun;
  *begun = 0;
  OK(cudaDeviceSynchronize());
  void *arguments[] = {&target, &count, &has_begun};
  OK(cuLaunchKernel(sweep, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
  while (*begun == 0) {
    sched_yield();
  }
  OK(cudaIpcGetMemHandle(&name, target));
  OK(cudaStreamSynchronize(stream));
  std::vector<char> back(len);
  OK(cudaMemcpy(back.data(), target, len, cudaMemcpyDeviceToHost));
  for (int at = 0; at < count; at++) {
    CHECK(back[at * page] == 1);
  }
  OK(cudaFree(target));
  OK(cudaFreeHost(has_begun));
  OK(cuModuleUnload(module));
}

static int refused() {
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t of = nullptr;
  OK(cudaPeekAtLastError());
  CHECK(__cudaPushCallConfiguration(dim3(2, 3), dim3(64), 5, cudaStreamPerThread) == 0);
  OK(__cudaPopCallConfiguration(&grid, &block, &shared, &of));
  CHECK(grid.x == 2 && grid.y == 3 && grid.z == 1 && block.x == 64 && shared == 5 && of == cudaStreamPerThread);
  GIVES(801, cudaLaunchKernel(at(fill), grid, block, nullptr, shared, of));
  GIVES(801, cudaGetLastError());
  OK(cudaGetLastError());
  return 0;
}

// The library with the host functions of the kernels `fill` and `sweep`.
static constexpr char LIBRARY[] =
    "#include <stddef.h>\n#include <unistd.h>\n"
    "const size_t sweep_arguments[] = {sizeof(char *), sizeof(int), sizeof(int *), 0};\n"
    "void sweep(const void *launch, void **arguments) {\n"
    "  (void)launch;\n"
    "  **(volatile int **)arguments[2] = 1;\n"
    "  for (int i = 0; i < *(int *)arguments[1]; i++) {\n"
    "    (*(char **)arguments[0])[i * 4096L] = 1;\n"
    "    if (i % 8 == 0) usleep(50);\n"
    "  }\n"
    "}\n"
    "const size_t fill_arguments[] = {sizeof(int *), sizeof(int), sizeof(int), 0};\n"
    "void fill(const void *launch, void **arguments) {\n"
    "  (void)launch;\n"
    "  for (int i = 0; i < *(int *)arguments[1]; i++) (*(int **)arguments[0])[i] = *(int *)arguments[2];\n"
    "}\n";

static int run(const std::string &mode) {
  const bool runs = mode == "runs";
  void **handle = __cudaRegisterFatBinary(binary);
  const auto add = [handle](char &function, const char *name) {
    __cudaRegisterFunction(handle, &function, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  };
  add(fill, "_Z4fillPiii");
  add(none, "none");
  __cudaRegisterVar(handle, &variable, nullptr, "variable", 0, 8, 0, 0);
  __cudaRegisterManagedVar(handle, reinterpret_cast<void **>(&managed_variable), nullptr, "managed_variable", 0, 4, 0,
                           0);
  __cudaRegisterFatBinaryEnd(handle);
  if (mode == "refuses") {
    return refused();
  }
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaMalloc(reinterpret_cast<void **>(&memory), 64 * sizeof(int)));
  launches(runs);
  per_thread();
  by_driver(runs);
  variables();
  graphs(runs);
  if (runs) {
    exported();
  }
  __cudaUnregisterFatBinary(handle);
  GIVES(98, cudaLaunchKernel(at(fill), dim3(1), dim3(1), nullptr, 0, stream));
  return 0;
}

int main(int count, char **words) {
  if (count == 2) {
    return run(words[1]);
  }
  const KernelLibrary library(LIBRARY);
  run_anew(words[0], "refuses", "refuse");
  run_anew(words[0], "skips", "skip");
  run_anew(words[0], "runs", library.path + ",skip");
}
