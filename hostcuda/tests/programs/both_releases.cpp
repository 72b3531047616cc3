// A process loads the runtimes of CUDA 12 and 13. Each function belongs to its library, even if the program is linked with the other one.
#include "../../../tests/shim/check.h"
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

struct Runtime {
  void *library;

  explicit Runtime(const char *name) : library(dlopen(name, RTLD_NOW | RTLD_LOCAL)) { CHECK(library); }

  template <typename... Parameters>
  int call(const char *name, Parameters... parameters) const {
    void *found = dlsym(library, name);
    CHECK(found);
    return reinterpret_cast<int (*)(Parameters...)>(found)(parameters...);
  }

  int version() const {
    int version = 0;
    OK(call("cudaRuntimeGetVersion", &version));
    return version;
  }
};

static void prefetches(const Runtime &twelve, const Runtime &thirteen) {
  void *memory = nullptr;
  const size_t len = 4096;
  const cudaStream_t none = nullptr;
  const struct { int type, id; } place = {1, 0};
  OK(cudaMallocManaged(&memory, len, cudaMemAttachGlobal));
  OK(twelve.call("cudaMemPrefetchAsync", memory, len, 0, none));
  OK(thirteen.call("cudaMemPrefetchAsync", memory, len, place, 0u, none));
  OK(twelve.call("cudaMemAdvise", memory, len, 3, 0));
  OK(thirteen.call("cudaMemAdvise", memory, len, 3, place));
  OK(cudaFree(memory));
}

static void edges(const Runtime &twelve, const Runtime &thirteen) {
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t first = nullptr, second = nullptr, from = nullptr, to = nullptr;
  size_t count = 1;
  void *const no_data = nullptr;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddEmptyNode(&first, graph, nullptr, 0));
  OK(cudaGraphAddEmptyNode(&second, graph, nullptr, 0));
  OK(twelve.call("cudaGraphAddDependencies", graph, &first, &second, size_t(1)));
  OK(twelve.call("cudaGraphGetEdges", graph, &from, &to, &count));
  CHECK(count == 1 && from == first && to == second);
  from = to = nullptr;
  OK(thirteen.call("cudaGraphGetEdges", graph, &from, &to, no_data, &count));
  CHECK(count == 1 && from == first && to == second);
  OK(thirteen.call("cudaGraphNodeGetDependencies", second, &from, no_data, &count));
  OK(twelve.call("cudaGraphNodeGetDependentNodes", first, &to, &count));
  CHECK(count == 1 && from == first && to == second);
  OK(thirteen.call("cudaGraphRemoveDependencies", graph, &first, &second, no_data, size_t(1)));
  OK(twelve.call("cudaGraphGetEdges", graph, nullptr, nullptr, &count));
  CHECK(count == 0);
  OK(cudaGraphDestroy(graph));
}

static void captures(const Runtime &twelve, const Runtime &thirteen) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  int status = 0;
  unsigned long long id = 0, same = 1;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(twelve.call("cudaStreamGetCaptureInfo", stream, &status, &id));
  void *const none = nullptr;
  OK(thirteen.call("cudaStreamGetCaptureInfo", stream, &status, &same, none, none, none, none));
  CHECK(status == 1 && id == same);
  OK(twelve.call("cudaStreamUpdateCaptureDependencies", stream, none, size_t(0), 1u));
  OK(thirteen.call("cudaStreamUpdateCaptureDependencies", stream, none, none, size_t(0), 1u));
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphDestroy(graph));
  OK(cudaStreamDestroy(stream));
}

// Each library has the functions of its release alone.
static void names(const Runtime &twelve, const Runtime &thirteen) {
  CHECK(dlsym(twelve.library, "cudaGraphAddDependencies_v2") && dlsym(twelve.library, "cudaGetDeviceProperties_v2"));
  CHECK(dlsym(thirteen.library, "__cudaGetProcAddress"));
  CHECK(!dlsym(thirteen.library, "cudaGetDeviceProperties_v2") && !dlsym(twelve.library, "cudaSubgridCreate"));
  CHECK(dlvsym(twelve.library, "cudaFree", "libcudart.so.12") &&
        dlvsym(thirteen.library, "cudaFree", "libcudart.so.13"));
}

int main() {
  const Runtime twelve("libcudart.so.12"), thirteen("libcudart.so.13");
  CHECK(twelve.version() == 12090 && thirteen.version() == 13000);
  prefetches(twelve, thirteen);
  edges(twelve, thirteen);
  captures(twelve, thirteen);
  names(twelve, thirteen);
  return 0;
}
