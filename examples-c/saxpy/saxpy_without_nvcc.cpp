// The host code that nvcc generates for saxpy.cu, for machines without nvcc. The kernel is registered at start. A launch pushes the values
// between the angle brackets, and then calls a host function.
#include <cstddef>
#include <cstdio>
#include <vector>

using Stream = void *;
struct Dim3 {
  unsigned x, y, z;
};

extern "C" {
void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *thread,
                            void *block, void *block_shape, void *grid_shape, int *warp);
unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t shared, Stream stream);
int __cudaPopCallConfiguration(Dim3 *grid, Dim3 *block, size_t *shared, Stream *stream);
int cudaLaunchKernel(const void *function, Dim3 grid, Dim3 block, void **arguments, size_t shared, Stream stream);
int cudaStreamCreate(Stream *stream);
int cudaStreamSynchronize(Stream stream);
int cudaMalloc(void **memory, size_t bytes);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, Stream stream);
int cudaGetLastError();
const char *cudaGetErrorName(int code);
}

static void saxpy(int n, float a, const float *x, float *y) {
  void *arguments[] = {&n, &a, &x, &y};
  Dim3 grid, block;
  size_t shared;
  Stream stream;
  if (__cudaPopCallConfiguration(&grid, &block, &shared, &stream) == 0) {
    cudaLaunchKernel(reinterpret_cast<const void *>(saxpy), grid, block, arguments, shared, stream);
  }
}

static char binary[64];
static void **handle;
static struct Registration {
  Registration() {
    handle = __cudaRegisterFatBinary(binary);
    char *name = const_cast<char *>("_Z5saxpyifPKfPf");
    __cudaRegisterFunction(handle, reinterpret_cast<const char *>(saxpy), name, name, -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
    __cudaRegisterFatBinaryEnd(handle);
  }
  ~Registration() { __cudaUnregisterFatBinary(handle); }
} registration;

int main() {
  const int n = 10000, to_device = 1, to_host = 2;
  std::vector<float> x(n, 3), y(n, 1);
  void *device_x, *device_y;
  Stream stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&device_x, n * sizeof(float));
  cudaMalloc(&device_y, n * sizeof(float));
  cudaMemcpyAsync(device_x, x.data(), n * sizeof(float), to_device, stream);
  cudaMemcpyAsync(device_y, y.data(), n * sizeof(float), to_device, stream);
  if (__cudaPushCallConfiguration({(n + 255) / 256, 1, 1}, {256, 1, 1}, 0, stream) == 0) {
    saxpy(n, 2, static_cast<float *>(device_x), static_cast<float *>(device_y));
  }
  cudaMemcpyAsync(y.data(), device_y, n * sizeof(float), to_host, stream);
  int code = cudaStreamSynchronize(stream);
  if (code == 0) {
    code = cudaGetLastError();
  }
  int wrong = 0;
  for (float value : y) {
    wrong += value != 7;
  }
  std::printf("%s, %d wrong\n", cudaGetErrorName(code), wrong);
  return code != 0 || wrong > 0;
}
