// Two streams and two buffers: one is filled while the other is worked on, and events hand them over.
#include "objects.h"
#include <numeric>
#include <vector>

constexpr size_t COUNT = 4096;
constexpr int ROUNDS = 200;

struct Job {
  const int *from;
  long long *sum;
};

static void add(void *user) {
  const Job *job = static_cast<Job *>(user);
  *job->sum += std::accumulate(job->from, job->from + COUNT, 0LL);
}

int main() {
  cudaStream_t fill = new_stream(), work = new_stream();
  int *pinned[2], *device[2], *result[2];
  cudaEvent_t filled[2], used[2];
  for (int i = 0; i < 2; i++) {
    OK(cudaMallocHost(reinterpret_cast<void **>(&pinned[i]), COUNT * sizeof(int)));
    OK(cudaMallocHost(reinterpret_cast<void **>(&result[i]), COUNT * sizeof(int)));
    OK(cudaMalloc(reinterpret_cast<void **>(&device[i]), COUNT * sizeof(int)));
    OK(cudaEventCreateWithFlags(&filled[i], cudaEventDisableTiming));
    OK(cudaEventCreateWithFlags(&used[i], cudaEventDisableTiming));
  }
  long long sum = 0, expected = 0;
  Job jobs[2] = {{result[0], &sum}, {result[1], &sum}};
  for (int round = 0; round < ROUNDS; round++) {
    const int i = round % 2;
    OK(cudaEventSynchronize(used[i]));
    for (size_t k = 0; k < COUNT; k++) {
      pinned[i][k] = round * 7 + static_cast<int>(k);
      expected += pinned[i][k];
    }
    OK(cudaMemcpyAsync(device[i], pinned[i], COUNT * sizeof(int), cudaMemcpyHostToDevice, fill));
    OK(cudaEventRecord(filled[i], fill));
    OK(cudaStreamWaitEvent(work, filled[i], 0));
    OK(cudaMemcpyAsync(result[i], device[i], COUNT * sizeof(int), cudaMemcpyDeviceToHost, work));
    OK(cudaLaunchHostFunc(work, add, &jobs[i]));
    OK(cudaEventRecord(used[i], work));
  }
  OK(cudaDeviceSynchronize());
  CHECK(sum == expected);
  for (int i = 0; i < 2; i++) {
    OK(cudaFreeHost(pinned[i]));
    OK(cudaFreeHost(result[i]));
    OK(cudaFree(device[i]));
    OK(cudaEventDestroy(filled[i]));
    OK(cudaEventDestroy(used[i]));
  }
  OK(cudaStreamDestroy(fill));
  OK(cudaStreamDestroy(work));
  GIVES(cudaErrorContextIsDestroyed, cudaStreamQuery(work));
  GIVES(cudaErrorInvalidValue, cudaFree(device[0]));
  GIVES(cudaErrorInvalidValue, cudaGetLastError());
  OK(cudaGetLastError());
}
