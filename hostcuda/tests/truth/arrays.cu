// What the real CUDA driver and runtime answer about arrays, textures and surfaces.
// As truth.cu, one case a process.
// usage: arrays list | arrays CASE    prints CASE<TAB>name=value ...
#include "ask.h"

static const cudaChannelFormatDesc ints = {32, 0, 0, 0, cudaChannelFormatKindSigned};
static cudaArray_t new_array(size_t width, size_t height, size_t depth, unsigned flags = 0) {
  cudaArray_t array = nullptr;
  cudaMalloc3DArray(&array, &ints, {width, height, depth}, flags);
  return array;
}

CASE(array_create) {
  cudaArray_t array = nullptr;
  const auto create = [&](const char *name, cudaChannelFormatDesc format, size_t width, size_t height, unsigned flags) {
    array = nullptr;
    GIVES(name, cudaMallocArray(&array, &format, width, height, flags));
  };
  create("line", ints, 10, 0, 0);
  cudaChannelFormatDesc format = {};
  cudaExtent extent = {};
  unsigned flags = 77;
  GIVES("info", cudaArrayGetInfo(&format, &extent, &flags, array));
  value("x", format.x), value("y", format.y), value("f", format.f), value("width", extent.width);
  value("height", extent.height), value("depth", extent.depth), value("flags", flags);
  GIVES("desc", cudaGetChannelDesc(&format, array));
  GIVES("free", cudaFreeArray(array));
  create("plane", ints, 10, 10, 0);
  create("no_width", ints, 0, 10, 0);
  create("huge", ints, size_t(1) << 40, 1, 0);
  create("wide", ints, 200000, 1, 0);
  create("tall", ints, 10, 70000, 0);
  create("store", ints, 10, 10, cudaArraySurfaceLoadStore);
  create("layered", ints, 10, 10, cudaArrayLayered);
  create("cubemap", ints, 10, 10, cudaArrayCubemap);
  create("gather", ints, 10, 10, cudaArrayTextureGather);
  create("gather_line", ints, 10, 0, cudaArrayTextureGather);
  create("flags", ints, 10, 10, 0x1000);
  create("two", {32, 32, 0, 0, cudaChannelFormatKindFloat}, 10, 10, 0);
  create("three", {32, 32, 32, 0, cudaChannelFormatKindFloat}, 10, 10, 0);
  create("four", {16, 16, 16, 16, cudaChannelFormatKindUnsigned}, 10, 10, 0);
  create("uneven", {32, 16, 0, 0, cudaChannelFormatKindSigned}, 10, 10, 0);
  create("gap", {32, 0, 32, 0, cudaChannelFormatKindSigned}, 10, 10, 0);
  create("seven", {7, 0, 0, 0, cudaChannelFormatKindSigned}, 10, 10, 0);
  create("sixtyfour", {64, 0, 0, 0, cudaChannelFormatKindSigned}, 10, 10, 0);
  create("none", {0, 0, 0, 0, cudaChannelFormatKindNone}, 10, 10, 0);
  create("none_bits", {8, 0, 0, 0, cudaChannelFormatKindNone}, 10, 10, 0);
  create("half_float", {16, 0, 0, 0, cudaChannelFormatKindFloat}, 10, 10, 0);
  create("small_float", {8, 0, 0, 0, cudaChannelFormatKindFloat}, 10, 10, 0);
  GIVES("null", cudaMallocArray(nullptr, &ints, 10, 10, 0));
  GIVES("null_format", cudaMallocArray(&array, nullptr, 10, 10, 0));
  GIVES("free_null", cudaFreeArray(nullptr));
  GIVES("info_null", cudaArrayGetInfo(&format, &extent, &flags, nullptr));
  GIVES("desc_null", cudaGetChannelDesc(nullptr, array));
}
CASE(array_volumes) {
  cudaArray_t array = nullptr;
  const auto create = [&](const char *name, cudaExtent extent, unsigned flags) {
    array = nullptr;
    GIVES(name, cudaMalloc3DArray(&array, &ints, extent, flags));
    cudaExtent got = {};
    if (array) {
      cudaArrayGetInfo(nullptr, &got, nullptr, array);
      value(std::string(name) + "_height", got.height);
      value(std::string(name) + "_depth", got.depth);
    }
  };
  create("volume", {10, 10, 10}, 0);
  create("plane", {10, 10, 0}, 0);
  create("line", {10, 0, 0}, 0);
  create("no_height", {10, 0, 10}, 0);
  create("no_width", {0, 10, 10}, 0);
  create("layers", {10, 10, 10}, cudaArrayLayered);
  create("layers_of_lines", {10, 0, 10}, cudaArrayLayered);
  create("cube", {10, 10, 6}, cudaArrayCubemap);
  create("cube_five", {10, 10, 5}, cudaArrayCubemap);
  create("cube_uneven", {10, 11, 6}, cudaArrayCubemap);
  create("cubes", {10, 10, 12}, cudaArrayCubemap | cudaArrayLayered);
  create("gather", {10, 10, 10}, cudaArrayTextureGather);
  create("deep", {10, 10, 20000}, 0);
  cudaArray_t kept = new_array(10, 10, 10);
}
CASE(array_copies) {
  static int host[1000], back[1000];
  for (int at = 0; at < 1000; at++) {
    host[at] = at;
  }
  cudaArray_t plane = new_array(10, 10, 0), other = new_array(10, 10, 0);
  const auto in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  GIVES("in", cudaMemcpy2DToArray(plane, 0, 0, host, 40, 40, 10, in));
  GIVES("out", cudaMemcpy2DFromArray(back, 40, plane, 0, 0, 40, 10, out));
  value("same", std::memcmp(host, back, 400) == 0);
  GIVES("between", cudaMemcpy2DArrayToArray(other, 0, 0, plane, 0, 0, 40, 10, cudaMemcpyDeviceToDevice));
  GIVES("part", cudaMemcpy2DToArray(plane, 8, 2, host, 40, 16, 3, in));
  GIVES("part_out", cudaMemcpy2DFromArray(back, 16, plane, 8, 2, 16, 3, out));
  value("part_same", back[0] == 0 && back[4] == 10 && back[11] == 23);
  GIVES("wide", cudaMemcpy2DToArray(plane, 4, 0, host, 40, 40, 10, in));
  GIVES("tall", cudaMemcpy2DToArray(plane, 0, 1, host, 40, 40, 10, in));
  GIVES("odd", cudaMemcpy2DToArray(plane, 1, 0, host, 40, 4, 1, in));
  GIVES("odd_width", cudaMemcpy2DToArray(plane, 0, 0, host, 40, 3, 1, in));
  GIVES("narrow", cudaMemcpy2DToArray(plane, 0, 0, host, 39, 40, 10, in));
  GIVES("null_array", cudaMemcpy2DToArray(nullptr, 0, 0, host, 40, 40, 10, in));
  GIVES("null_host", cudaMemcpy2DToArray(plane, 0, 0, nullptr, 40, 40, 10, in));
  GIVES("no_width", cudaMemcpy2DToArray(plane, 0, 0, host, 40, 0, 10, in));
  GIVES("no_height", cudaMemcpy2DToArray(plane, 0, 0, host, 40, 40, 0, in));
  GIVES("kind", cudaMemcpy2DToArray(plane, 0, 0, host, 40, 40, 10, static_cast<cudaMemcpyKind>(9)));
  GIVES("wrong_way", cudaMemcpy2DToArray(plane, 0, 0, host, 40, 40, 10, out));
  GIVES("any", cudaMemcpy2DToArray(plane, 0, 0, host, 40, 40, 10, cudaMemcpyDefault));
  GIVES("bytes", cudaMemcpyToArray(plane, 0, 0, host, 200, in));
  GIVES("bytes_out", cudaMemcpyFromArray(back, plane, 0, 0, 200, out));
  GIVES("bytes_many", cudaMemcpyToArray(plane, 0, 0, host, 404, in));
  cudaStream_t stream = new_stream();
  GIVES("later", cudaMemcpy2DToArrayAsync(plane, 0, 0, host, 40, 40, 10, in, stream));
  GIVES("later_out", cudaMemcpy2DFromArrayAsync(back, 40, plane, 0, 0, 40, 10, out, stream));
  GIVES("sync", cudaStreamSynchronize(stream));
  value("later_same", std::memcmp(host, back, 400) == 0);
}
CASE(array_copies_3d) {
  static int host[1000], back[1000];
  for (int at = 0; at < 1000; at++) {
    host[at] = at;
  }
  cudaArray_t one = new_array(10, 10, 10), two = new_array(10, 10, 10), large = new_array(11, 11, 11);
  cudaMemcpy3DParms in = {}, between = {}, out = {};
  in.srcPtr = {host, 40, 10, 10};
  in.dstArray = one;
  in.extent = between.extent = out.extent = {10, 10, 10};
  in.kind = cudaMemcpyHostToDevice;
  between.srcArray = one;
  between.dstArray = two;
  between.kind = cudaMemcpyDeviceToDevice;
  out.srcArray = two;
  out.dstPtr = {back, 40, 10, 10};
  out.kind = cudaMemcpyDeviceToHost;
  GIVES("in", cudaMemcpy3D(&in));
  GIVES("between", cudaMemcpy3D(&between));
  GIVES("out", cudaMemcpy3D(&out));
  value("same", std::memcmp(host, back, 4000) == 0);
  const auto with = [&](const char *name, cudaMemcpy3DParms params,
                        const std::function<void(cudaMemcpy3DParms &)> &change) {
    change(params);
    GIVES(name, cudaMemcpy3D(&params));
    cudaGraph_t graph = nullptr;
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t node = nullptr;
    GIVES(std::string(name) + "_node", cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &params));
  };
  with("again", in, [](auto &) {});
  with("no_source", in, [](auto &params) { params.srcPtr = {}; });
  with("no_target", in, [](auto &params) { params.dstArray = nullptr; });
  with("two_sources", in, [&](auto &params) { params.srcArray = two, params.dstArray = large; });
  with("wide", in, [](auto &params) { params.extent.width = 11; });
  with("deep", in, [](auto &params) { params.extent.depth = 11; });
  with("x", in, [](auto &params) { params.dstPos.x = 1; });
  with("z", in, [](auto &params) { params.dstPos.z = 1; });
  with("shallow", in, [](auto &params) { params.extent.depth = 0; });
  with("narrow", in, [](auto &params) { params.srcPtr.pitch = 39; });
  with("few_rows", in, [](auto &params) { params.srcPtr.ysize = 1; });
  with("larger", between, [&](auto &params) { params.dstArray = large; });
  with("wrong_way", in, [](auto &params) { params.kind = cudaMemcpyDeviceToHost; });
  with("any", in, [](auto &params) { params.kind = cudaMemcpyDefault; });
  cudaArray_t narrow = nullptr;
  const cudaChannelFormatDesc bytes = {8, 0, 0, 0, cudaChannelFormatKindSigned};
  cudaMalloc3DArray(&narrow, &bytes, {10, 10, 10}, 0);
  with("formats", between, [&](auto &params) { params.dstArray = narrow; });
  cudaGraph_t graph = nullptr;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t node = nullptr;
  cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &in);
  cudaMemcpy3DParms got = {};
  GIVES("get", cudaGraphMemcpyNodeGetParams(node, &got));
  value("array_is", got.dstArray == one);
  value("width_is", got.extent.width);
  value("kind_is", got.kind);
  value("pitch_is", got.srcPtr.pitch);
}
CASE(array_driver) {
  init();
  CUDA_ARRAY_DESCRIPTOR shape = {};
  shape.Width = 10;
  shape.Height = 0;
  shape.Format = CU_AD_FORMAT_SIGNED_INT32;
  shape.NumChannels = 1;
  CUarray array = nullptr;
  GIVES("create", cuArrayCreate(&array, &shape));
  CUDA_ARRAY_DESCRIPTOR got = {};
  GIVES("get", cuArrayGetDescriptor(&got, array));
  value("width", got.Width), value("height", got.Height), value("format", got.Format),
      value("channels", got.NumChannels);
  CUDA_ARRAY3D_DESCRIPTOR deep = {};
  GIVES("get3d", cuArray3DGetDescriptor(&deep, array));
  value("depth", deep.Depth);
  static int host[10], back[10];
  host[3] = 33;
  GIVES("in", cuMemcpyHtoA(array, 0, host, 40));
  GIVES("out", cuMemcpyAtoH(back, array, 0, 40));
  value("same", back[3] == 33);
  GIVES("far", cuMemcpyHtoA(array, 4, host, 40));
  GIVES("odd", cuMemcpyHtoA(array, 1, host, 4));
  CUdeviceptr memory = 0;
  cuMemAlloc(&memory, 64);
  GIVES("to_device", cuMemcpyAtoD(memory, array, 0, 40));
  GIVES("from_device", cuMemcpyDtoA(array, 0, memory, 40));
  GIVES("within", cuMemcpyAtoA(array, 0, array, 20, 20));
  GIVES("destroy", cuArrayDestroy(array));
  shape.NumChannels = 3;
  GIVES("three", cuArrayCreate(&array, &shape));
  shape.NumChannels = 1;
  shape.Width = 0;
  GIVES("no_width", cuArrayCreate(&array, &shape));
  shape.Width = 10;
  shape.Format = static_cast<CUarray_format>(0x77);
  GIVES("format", cuArrayCreate(&array, &shape));
  GIVES("null", cuArrayCreate(nullptr, &shape));
  GIVES("null_shape", cuArrayCreate(&array, nullptr));
  GIVES("destroy_null", cuArrayDestroy(nullptr));
  deep = {10, 10, 10, CU_AD_FORMAT_FLOAT, 4, 0};
  GIVES("deep", cuArray3DCreate(&array, &deep));
  GIVES("deep_get", cuArray3DGetDescriptor(&deep, array));
  value("deep_flags", deep.Flags);
  GIVES("get2d", cuArrayGetDescriptor(&got, array));
  deep.Flags = 0x10000;
  GIVES("flags", cuArray3DCreate(&array, &deep));
}

int main(int count, char **words) {
  return ask(count, words);
}
