// What event calls cost through CUDA's names, beside the gevt call on the host backend, and how fast copies run in a stream.
// Prints the medians in nanoseconds; fails where a call takes 30 ns more, or copies of 1 MiB run below 0.9 of memcpy.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <gevt.h>
#include <vector>

constexpr double ALLOWED_NS = 30, ALLOWED_RATIO = 0.9;
constexpr int RUNS = 21, CALLS = 20000, BLOCKS = 16, COPIES = 256;
constexpr size_t BYTES = 1 << 20;

static bool failed = false;

template <typename Call>
static double once(int calls, Call call) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; i++) {
    call(i);
  }
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / calls;
}

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The two calls take turns, so that what else the machine does meets both.
template <typename Cuda, typename Gevt>
static void row(const char *name, Cuda cuda, Gevt gevt) {
  std::vector<double> ours, theirs;
  for (int run = 0; run < RUNS; run++) {
    ours.push_back(once(CALLS, cuda));
    theirs.push_back(once(CALLS, gevt));
  }
  const double a = median(ours), b = median(theirs);
  std::printf("%-18s cu %6.1f   gevt %6.1f\n", name, a, b);
  failed |= a > b + ALLOWED_NS;
}

static void copies(CUstream stream) {
  CUdeviceptr device;
  failed |= cuMemAlloc(&device, BYTES * BLOCKS) != CUDA_SUCCESS;
  std::vector<char> host(BYTES * BLOCKS, 1);
  char *to = reinterpret_cast<char *>(device);
  std::memset(to, 2, host.size());
  std::vector<double> plain, stream_order;
  for (int run = 0; run < RUNS; run++) {
    plain.push_back(once(1, [&](int) {
      for (int i = 0; i < COPIES; i++) {
        std::memcpy(to + (i % BLOCKS) * BYTES, &host[(i % BLOCKS) * BYTES], BYTES);
      }
    }));
    stream_order.push_back(once(1, [&](int) {
      for (int i = 0; i < COPIES; i++) {
        cuMemcpyHtoDAsync(device + (i % BLOCKS) * BYTES, &host[(i % BLOCKS) * BYTES], BYTES, stream);
      }
      cuStreamSynchronize(stream);
    }));
  }
  const double a = median(stream_order), b = median(plain);
  std::printf("copies of 1 MiB    %.1f GB/s, memcpy %.1f GB/s, ratio %.2f\n", COPIES * BYTES / a, COPIES * BYTES / b,
              b / a);
  failed |= b / a < ALLOWED_RATIO;
  cuMemFree(device);
}

int main() {
  CUcontext context;
  CUstream stream;
  CUevent event, other;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  cuEventCreate(&event, 0);
  cuEventCreate(&other, 0);
  gevt_context_t host;
  gevt_stream_t queue;
  gevt_event_t mark, later;
  failed |= gevt_context_open(&host, GEVT_BACKEND_HOST, 0) != GEVT_SUCCESS;
  failed |= gevt_stream_create(&queue, host, GEVT_STREAM_NON_BLOCKING) != GEVT_SUCCESS;
  failed |= gevt_create(&mark, 0) != GEVT_SUCCESS || gevt_create(&later, 0) != GEVT_SUCCESS;
  float ms;
  row(
      "record", [&](int) { cuEventRecord(event, stream); }, [&](int) { (void)gevt_record(mark, queue); });
  cuEventRecord(other, stream);
  failed |= gevt_record(later, queue) != GEVT_SUCCESS;
  row(
      "query", [&](int) { cuEventQuery(event); }, [&](int) { (void)gevt_query(mark); });
  row(
      "synchronize", [&](int) { cuEventSynchronize(event); }, [&](int) { (void)gevt_sync(mark); });
  row(
      "stream wait", [&](int) { cuStreamWaitEvent(stream, event, 0); },
      [&](int) { (void)gevt_stream_wait(queue, mark, 0); });
  row(
      "elapsed", [&](int) { cuEventElapsedTime(&ms, event, other); },
      [&](int) { (void)gevt_elapsed(&ms, mark, later); });
  row(
      "create + destroy",
      [&](int) {
        CUevent made;
        cuEventCreate(&made, 0);
        cuEventDestroy(made);
      },
      [&](int) {
        gevt_event_t made;
        if (gevt_create(&made, 0) == GEVT_SUCCESS) {
          (void)gevt_destroy(made);
        }
      });
  copies(stream);
  return failed;
}
