// y = a x + y on a GPU. Built with `nvcc -cudart shared saxpy.cu`, it also runs on CUDA without a GPU: saxpy_host.c has the
// kernel's host function.
#include <cstdio>
#include <vector>

__global__ void saxpy(int n, float a, const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a * x[i] + y[i];
  }
}

int main() {
  const int n = 10000;
  std::vector<float> x(n, 3), y(n, 1);
  float *device_x, *device_y;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&device_x, n * sizeof(float));
  cudaMalloc(&device_y, n * sizeof(float));
  cudaMemcpyAsync(device_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(device_y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream);
  saxpy<<<(n + 255) / 256, 256, 0, stream>>>(n, 2, device_x, device_y);
  cudaMemcpyAsync(y.data(), device_y, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaError_t code = cudaStreamSynchronize(stream);
  if (code == cudaSuccess) {
    code = cudaGetLastError();
  }
  int wrong = 0;
  for (float value : y) {
    wrong += value != 7;
  }
  std::printf("%s, %d wrong\n", cudaGetErrorName(code), wrong);
  return code != cudaSuccess || wrong > 0;
}
