// What the real CUDA driver and runtime answer about copies in three dimensions, and about nodes that copy and set.
// As truth.cu, one case a process.
// usage: copies list | copies CASE    prints CASE<TAB>name=value ...
#include "ask.h"

// A volume of 128 rows and 8 slices, on the device and page-locked on the host.
static const cudaExtent shape = {512, 128, 8};
static cudaPitchedPtr on_device() {
  cudaPitchedPtr volume = {};
  cudaMalloc3D(&volume, shape);
  return volume;
}
static cudaPitchedPtr on_host(size_t pitch) {
  void *memory = nullptr;
  cudaHostAlloc(&memory, pitch * shape.height * shape.depth, 0);
  return {memory, pitch, shape.width, shape.height};
}
static cudaMemcpy3DParms copy_of(cudaPitchedPtr to, cudaPitchedPtr from, cudaMemcpyKind kind) {
  cudaMemcpy3DParms params = {};
  params.srcPtr = from;
  params.dstPtr = to;
  params.extent = shape;
  params.kind = kind;
  return params;
}
static void ask_copies(const cudaMemcpy3DParms &good,
                       const std::function<cudaError_t(const cudaMemcpy3DParms *)> &copy) {
  GIVES("good", copy(&good));
  const auto with = [&](const char *name, const std::function<void(cudaMemcpy3DParms &)> &change) {
    cudaMemcpy3DParms params = good;
    change(params);
    GIVES(name, copy(&params));
  };
  with("to_null", [](auto &params) { params.dstPtr.ptr = nullptr; });
  with("from_null", [](auto &params) { params.srcPtr.ptr = nullptr; });
  with("to_narrow", [](auto &params) { params.dstPtr.pitch = shape.width - 1; });
  with("from_narrow", [](auto &params) { params.srcPtr.pitch = shape.width - 1; });
  with("to_pitch_most", [](auto &params) { params.dstPtr.pitch = 2147483647; });
  with("from_pitch_most", [](auto &params) { params.srcPtr.pitch = 2147483647; });
  with("to_x", [](auto &params) { params.dstPos.x = params.dstPtr.pitch - shape.width + 1; });
  with("from_x", [](auto &params) { params.srcPos.x = params.srcPtr.pitch - shape.width + 1; });
  with("to_y", [](auto &params) { params.dstPos.y = 1; });
  with("from_y", [](auto &params) { params.srcPos.y = 1; });
  with("to_z", [](auto &params) { params.dstPos.z = 1; });
  with("from_z", [](auto &params) { params.srcPos.z = 1; });
  with("kind", [](auto &params) { params.kind = static_cast<cudaMemcpyKind>(-1); });
  with("flat", [](auto &params) { params.extent.height = 0; });
  with("shallow", [](auto &params) { params.extent.depth = 0; });
  with("none", [](auto &params) { params.extent.width = 0; });
  with("no_rows", [](auto &params) { params.dstPtr.ysize = 0; });
  with("few_rows", [](auto &params) { params.dstPtr.ysize = 1; });
  with("no_pitch", [](auto &params) { params.dstPtr.pitch = 0; });
  with("a_row_without_pitch", [](auto &params) {
    params.dstPtr.pitch = params.srcPtr.pitch = params.dstPtr.ysize = params.srcPtr.ysize = 0;
    params.extent = {512, 1, 1};
  });
}
static cudaError_t now(const cudaMemcpy3DParms *params) {
  return cudaMemcpy3D(params);
}
static cudaError_t later(const cudaMemcpy3DParms *params) {
  static cudaStream_t stream = new_stream();
  const cudaError_t code = cudaMemcpy3DAsync(params, stream);
  cudaStreamSynchronize(stream);
  return code;
}
static cudaError_t node(const cudaMemcpy3DParms *params) {
  static cudaGraph_t graph = nullptr;
  if (!graph) {
    cudaGraphCreate(&graph, 0);
  }
  cudaGraphNode_t node = nullptr;
  return cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, params);
}
static cudaError_t null_node(const cudaMemcpy3DParms *params) {
  return cudaGraphMemcpyNodeSetParams(nullptr, params);
}
CASE(copy3d_to_device) { ask_copies(copy_of(on_device(), on_host(512), cudaMemcpyHostToDevice), now); }
CASE(copy3d_to_host) { ask_copies(copy_of(on_host(512), on_device(), cudaMemcpyDeviceToHost), now); }
CASE(copy3d_within_host) { ask_copies(copy_of(on_host(512), on_host(512), cudaMemcpyHostToHost), now); }
CASE(copy3d_within_device) { ask_copies(copy_of(on_device(), on_device(), cudaMemcpyDeviceToDevice), now); }
CASE(copy3d_any) { ask_copies(copy_of(on_device(), on_host(512), cudaMemcpyDefault), now); }
CASE(copy3d_later) { ask_copies(copy_of(on_device(), on_host(512), cudaMemcpyHostToDevice), later); }
CASE(copy3d_node) { ask_copies(copy_of(on_device(), on_host(512), cudaMemcpyHostToDevice), node); }
CASE(copy3d_node_within_host) { ask_copies(copy_of(on_host(512), on_host(512), cudaMemcpyHostToHost), node); }
CASE(copy3d_null_node) { ask_copies(copy_of(on_device(), on_host(512), cudaMemcpyHostToDevice), null_node); }

// A plane, whose row count is irrelevant.
CASE(copy3d_plane) {
  const auto with = [](const char *name, const std::function<void(cudaMemcpy3DParms &)> &change) {
    cudaMemcpy3DParms params = copy_of(on_device(), on_host(512), cudaMemcpyHostToDevice);
    params.extent.depth = 1;
    change(params);
    GIVES(name, cudaMemcpy3D(&params));
  };
  with("good", [](auto &) {});
  with("no_rows", [](auto &params) { params.dstPtr.ysize = 0; });
  with("few_rows", [](auto &params) { params.dstPtr.ysize = 1; });
  with("from_no_rows", [](auto &params) { params.srcPtr.ysize = 0; });
  with("to_y", [](auto &params) { params.dstPos.y = 1; });
  with("narrow_row", [](auto &params) { params.dstPtr.pitch = 511, params.extent.height = 1; });
  with("no_pitch_row", [](auto &params) { params.dstPtr.pitch = 0, params.extent.height = 1; });
  with("empty_narrow", [](auto &params) { params.dstPtr.pitch = 511, params.extent.width = 0; });
  with("flat_narrow", [](auto &params) { params.dstPtr.pitch = 511, params.extent.height = 0; });
  with("shallow_no_rows", [](auto &params) { params.dstPtr.ysize = 0, params.extent.depth = 0; });
  with("xsize", [](auto &params) { params.dstPtr.xsize = 0; });
}
CASE(copy3d_node_params) {
  const cudaMemcpy3DParms params = copy_of(on_device(), on_host(512), cudaMemcpyDefault);
  cudaMemcpy3DParms got = {};
  cudaGraph_t graph = new_graph();
  cudaGraphNode_t node = nullptr;
  GIVES("add", cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &params));
  GIVES("get", cudaGraphMemcpyNodeGetParams(node, &got));
  value("kind", got.kind);
  value("pitch", got.dstPtr.pitch), value("xsize", got.dstPtr.xsize), value("ysize", got.dstPtr.ysize);
  value("same_target", got.dstPtr.ptr == params.dstPtr.ptr);
  value("width", got.extent.width), value("height", got.extent.height), value("depth", got.extent.depth);
  cudaMemcpy3DParms moved = params;
  moved.dstPos = {16, 2, 1};
  moved.extent = {64, 4, 2};
  GIVES("set", cudaGraphMemcpyNodeSetParams(node, &moved));
  GIVES("get_moved", cudaGraphMemcpyNodeGetParams(node, &got));
  value("moved_ysize", got.dstPtr.ysize);
  cudaGraphExec_t exec = nullptr;
  GIVES("make", cudaGraphInstantiate(&exec, graph, 0));
  GIVES("exec_same", cudaGraphExecMemcpyNodeSetParams(exec, node, &moved));
  GIVES("exec_larger", cudaGraphExecMemcpyNodeSetParams(exec, node, &params));
}

static void ask_driver(const CUDA_MEMCPY3D &good) {
  GIVES("good", cuMemcpy3D(&good));
  const auto with = [&](const char *name, const std::function<void(CUDA_MEMCPY3D &)> &change) {
    CUDA_MEMCPY3D params = good;
    change(params);
    GIVES(name, cuMemcpy3D(&params));
  };
  with("to_null", [](auto &params) { params.dstDevice = 0; });
  with("from_null", [](auto &params) { params.srcHost = nullptr; });
  with("to_narrow", [](auto &params) { params.dstPitch = 511; });
  with("from_narrow", [](auto &params) { params.srcPitch = 511; });
  with("to_pitch_most", [](auto &params) { params.dstPitch = 2147483648; });
  with("to_x", [](auto &params) { params.dstXInBytes = params.dstPitch - 511; });
  with("from_x", [](auto &params) { params.srcXInBytes = params.srcPitch - 511; });
  with("to_y", [](auto &params) { params.dstY = 1; });
  with("from_y", [](auto &params) { params.srcY = 1; });
  with("to_z", [](auto &params) { params.dstZ = 1; });
  with("level", [](auto &params) { params.srcLOD = 1; });
  with("type", [](auto &params) { params.srcMemoryType = static_cast<CUmemorytype>(9); });
  with("flat", [](auto &params) { params.Height = 0; });
  with("shallow", [](auto &params) { params.Depth = 0; });
  with("none", [](auto &params) { params.WidthInBytes = 0; });
  with("no_rows", [](auto &params) { params.dstHeight = 0; });
  with("few_rows", [](auto &params) { params.dstHeight = 1; });
  with("no_pitch", [](auto &params) { params.dstPitch = 0; });
  GIVES("null", cuMemcpy3D(nullptr));
}
CASE(copy3d_driver) {
  init();
  const cudaPitchedPtr to = on_device(), from = on_host(512);
  CUDA_MEMCPY3D params = {};
  params.srcMemoryType = CU_MEMORYTYPE_HOST;
  params.srcHost = from.ptr;
  params.srcPitch = from.pitch;
  params.srcHeight = 128;
  params.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  params.dstDevice = reinterpret_cast<CUdeviceptr>(to.ptr);
  params.dstPitch = to.pitch;
  params.dstHeight = 128;
  params.WidthInBytes = 512;
  params.Height = 128;
  params.Depth = 8;
  ask_driver(params);
}
CASE(copy2d_refused) {
  const cudaPitchedPtr to = on_device(), from = on_host(512);
  const auto kind = cudaMemcpyHostToDevice;
  GIVES("good", cudaMemcpy2D(to.ptr, 512, from.ptr, 512, 512, 128, kind));
  GIVES("to_null", cudaMemcpy2D(nullptr, 512, from.ptr, 512, 512, 128, kind));
  GIVES("from_null", cudaMemcpy2D(to.ptr, 512, nullptr, 512, 512, 128, kind));
  GIVES("to_narrow", cudaMemcpy2D(to.ptr, 511, from.ptr, 512, 512, 128, kind));
  GIVES("from_narrow", cudaMemcpy2D(to.ptr, 512, from.ptr, 511, 512, 128, kind));
  GIVES("to_no_pitch", cudaMemcpy2D(to.ptr, 0, from.ptr, 512, 512, 128, kind));
  GIVES("to_no_pitch_one_row", cudaMemcpy2D(to.ptr, 0, from.ptr, 512, 512, 1, kind));
  GIVES("to_narrow_one_row", cudaMemcpy2D(to.ptr, 511, from.ptr, 512, 512, 1, kind));
  GIVES("pitch_most", cudaMemcpy2D(to.ptr, size_t(1) << 31, from.ptr, 512, 512, 128, kind));
  GIVES("kind", cudaMemcpy2D(to.ptr, 512, from.ptr, 512, 512, 128, static_cast<cudaMemcpyKind>(-1)));
  GIVES("no_width", cudaMemcpy2D(to.ptr, 512, from.ptr, 512, 0, 128, kind));
  GIVES("no_height", cudaMemcpy2D(to.ptr, 512, from.ptr, 512, 512, 0, kind));
  GIVES("no_width_null", cudaMemcpy2D(nullptr, 512, nullptr, 512, 0, 128, kind));
  GIVES("line_null", cudaMemcpy(nullptr, from.ptr, 4, kind));
  GIVES("line_none_null", cudaMemcpy(nullptr, nullptr, 0, kind));
  GIVES("line_kind", cudaMemcpy(to.ptr, from.ptr, 4, static_cast<cudaMemcpyKind>(-1)));
  GIVES("wrong_way", cudaMemcpy(to.ptr, from.ptr, 4, cudaMemcpyDeviceToHost));
  GIVES("wrong_way_within", cudaMemcpy(from.ptr, from.ptr, 4, cudaMemcpyDeviceToDevice));
  GIVES("set_null", cudaMemset(nullptr, 0, 4));
  GIVES("set2d_narrow", cudaMemset2D(to.ptr, 511, 0, 512, 2));
  GIVES("set2d_null", cudaMemset2D(nullptr, 512, 0, 512, 2));
  GIVES("set2d_no_width", cudaMemset2D(to.ptr, 512, 0, 0, 2));
  GIVES("set2d_long", cudaMemset2D(to.ptr, 512, 0, 512, 100000));
  GIVES("set_long", cudaMemset(to.ptr, 0, size_t(1) << 40));
}
// A node of an executable graph, and the kind that it may become.
CASE(exec_copy_kinds) {
  static int host[2];
  char *memory = device_memory(64);
  void *ends[2] = {host, memory};
  for (int kind = 0; kind < 4; kind++) {
    void *to = ends[kind & 1], *from = ends[kind >> 1];
    cudaGraph_t graph = nullptr;
    cudaGraphCreate(&graph, 0);
    cudaMemcpy3DParms params = {};
    params.srcPtr = {from, 0, 4, 0};
    params.dstPtr = {to, 0, 4, 0};
    params.extent = {4, 1, 1};
    params.kind = static_cast<cudaMemcpyKind>(kind);
    cudaGraphNode_t node = nullptr;
    GIVES("add", cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &params));
    cudaGraphExec_t exec = nullptr;
    GIVES("make", cudaGraphInstantiate(&exec, graph, 0));
    for (int other = 0; other < 5; other++) {
      params.kind = static_cast<cudaMemcpyKind>(other);
      GIVES("set" + std::to_string(kind) + std::to_string(other),
            cudaGraphExecMemcpyNodeSetParams(exec, node, &params));
      GIVES("line" + std::to_string(kind) + std::to_string(other),
            cudaGraphExecMemcpyNodeSetParams1D(exec, node, to, from, 4, params.kind));
      cudaGraphNode_t plain = nullptr;
      GIVES("node" + std::to_string(kind) + std::to_string(other),
            cudaGraphMemcpyNodeSetParams1D(node, to, from, 4, params.kind));
    }
  }
}
CASE(copy_node_lines) {
  static int host[64];
  char *memory = device_memory(64);
  cudaGraph_t graph = new_graph();
  cudaGraphNode_t node = nullptr, empty = nullptr;
  const auto add = [&](void *to, const void *from, size_t len, int kind) {
    return cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, to, from, len, static_cast<cudaMemcpyKind>(kind));
  };
  GIVES("to_null", add(nullptr, host, 4, 1));
  GIVES("from_null", add(memory, nullptr, 4, 1));
  GIVES("none", add(memory, host, 0, 1));
  GIVES("kind", add(memory, host, 4, -1));
  GIVES("long", add(memory, host, 5000000, 1));
  GIVES("wrong_way", add(memory, host, 4, 2));
  GIVES("wrong_way_within", add(host, host, 4, 3));
  GIVES("any", add(memory, host, 4, 4));
  GIVES("good", add(memory, host, 4, 1));
  cudaMemcpy3DParms params = {};
  GIVES("get", cudaGraphMemcpyNodeGetParams(node, &params));
  value("kind_is", params.kind);
  value("to_pitch", params.dstPtr.pitch);
  value("to_xsize", params.dstPtr.xsize);
  value("to_ysize", params.dstPtr.ysize);
  value("width", params.extent.width);
  value("height", params.extent.height);
  value("depth", params.extent.depth);
  GIVES("get_null", cudaGraphMemcpyNodeGetParams(node, nullptr));
  GIVES("get_no_node", cudaGraphMemcpyNodeGetParams(nullptr, &params));
  GIVES("set_null", cudaGraphMemcpyNodeSetParams(node, nullptr));
  cudaGraphAddEmptyNode(&empty, graph, nullptr, 0);
  GIVES("get_of_empty", cudaGraphMemcpyNodeGetParams(empty, &params));
  GIVES("set_no_node", cudaGraphMemcpyNodeSetParams1D(nullptr, memory, host, 4, cudaMemcpyHostToDevice));
  GIVES("set_none", cudaGraphMemcpyNodeSetParams1D(node, memory, host, 0, cudaMemcpyHostToDevice));
  GIVES("set_kind", cudaGraphMemcpyNodeSetParams1D(node, memory, host, 4, static_cast<cudaMemcpyKind>(-1)));
  GIVES("set_no_node_kind", cudaGraphMemcpyNodeSetParams1D(nullptr, memory, host, 4, static_cast<cudaMemcpyKind>(-1)));
}
CASE(set_nodes) {
  char *memory = device_memory(1024);
  static char host[64];
  void *managed = nullptr, *locked = nullptr;
  cudaMallocManaged(&managed, 64);
  cudaHostAlloc(&locked, 64, 0);
  cudaGraph_t graph = new_graph();
  cudaGraphNode_t node = nullptr, empty = nullptr;
  const auto add = [&](void *to, size_t pitch, unsigned size, size_t width, size_t height) {
    cudaMemsetParams params = {};
    params.dst = to;
    params.pitch = pitch;
    params.elementSize = size;
    params.width = width;
    params.height = height;
    params.value = 7;
    return cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &params);
  };
  GIVES("null", add(nullptr, 0, 1, 4, 1));
  GIVES("size0", add(memory, 0, 0, 4, 1));
  GIVES("size3", add(memory, 0, 3, 4, 1));
  GIVES("size8", add(memory, 0, 8, 4, 1));
  GIVES("no_width", add(memory, 0, 1, 0, 1));
  GIVES("no_height", add(memory, 0, 1, 4, 0));
  GIVES("wide", add(memory, 0, 4, 5000000, 1));
  GIVES("tall", add(memory, 512, 4, 4, 5000000));
  GIVES("narrow", add(memory, 15, 4, 4, 2));
  GIVES("narrow_one_row", add(memory, 15, 4, 4, 1));
  GIVES("no_pitch_two_rows", add(memory, 0, 4, 4, 2));
  GIVES("pageable", add(host, 0, 1, 4, 1));
  GIVES("managed", add(managed, 0, 1, 4, 1));
  GIVES("locked", add(locked, 0, 1, 4, 1));
  GIVES("unaligned", add(memory + 1, 0, 4, 4, 1));
  GIVES("good", add(memory, 0, 4, 4, 1));
  cudaMemsetParams params = {};
  GIVES("get", cudaGraphMemsetNodeGetParams(node, &params));
  value("pitch_is", params.pitch);
  value("width_is", params.width);
  value("size_is", params.elementSize);
  GIVES("get_null", cudaGraphMemsetNodeGetParams(node, nullptr));
  GIVES("get_no_node", cudaGraphMemsetNodeGetParams(nullptr, &params));
  GIVES("set_null", cudaGraphMemsetNodeSetParams(node, nullptr));
  GIVES("set_no_node", cudaGraphMemsetNodeSetParams(nullptr, &params));
  cudaGraphAddEmptyNode(&empty, graph, nullptr, 0);
  GIVES("set_empty", cudaGraphMemsetNodeSetParams(empty, &params));
  cudaGraphExec_t exec = nullptr;
  GIVES("make", cudaGraphInstantiate(&exec, graph, 0));
  const auto change = [&](const char *name, const std::function<void(cudaMemsetParams &)> &change) {
    cudaMemsetParams changed = params;
    change(changed);
    GIVES(name, cudaGraphExecMemsetNodeSetParams(exec, node, &changed));
  };
  change("exec_same", [](auto &) {});
  change("exec_size", [](auto &params) { params.elementSize = 1; });
  change("exec_width", [](auto &params) { params.width = 2; });
  change("exec_rows", [](auto &params) { params.height = 2, params.pitch = 16; });
  change("exec_null", [](auto &params) { params.dst = nullptr; });
  change("exec_managed", [&](auto &params) { params.dst = managed; });
  change("exec_locked", [&](auto &params) { params.dst = locked; });
  change("exec_wide", [](auto &params) { params.width = 5000000; });
  GIVES("exec_none", cudaGraphExecMemsetNodeSetParams(nullptr, node, &params));
  GIVES("exec_no_node", cudaGraphExecMemsetNodeSetParams(exec, nullptr, &params));
  GIVES("exec_null_params", cudaGraphExecMemsetNodeSetParams(exec, node, nullptr));
}
