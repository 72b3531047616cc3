// Frames that pass through Vulkan, the host and CUDA, ordered by gevt_stream_wait alone. No thread waits between the passes.
//
// gevt opens the CUDA device. The program then looks for the VkPhysicalDevice with the same UUID, which is the same GPU. If there is
// none, as on a machine with two GPUs or with a stand-in for CUDA, it takes another one.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>

#include "cuda/driver.hpp"
#include "vulkan/filled_buffer.hpp"

namespace {

constexpr uint32_t kFrames = 12, kInFlight = 3;
constexpr size_t kWords = 65536;

bool has_uuid(VkPhysicalDevice device, const gevt::context_info &info) {
  VkPhysicalDeviceIDProperties id = {};
  id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
  VkPhysicalDeviceProperties2 properties = {};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &id;
  vkGetPhysicalDeviceProperties2(device, &properties);
  const auto uuid = info.uuid();
  return uuid && std::memcmp(id.deviceUUID, uuid->data(), VK_UUID_SIZE) == 0;
}

Device open_same(const Instance &instance, const gevt::context_info &info) {
  bool is_there = false;
  for (VkPhysicalDevice device : instance.devices()) is_there = is_there || has_uuid(device, info);
  return Device(instance, {}, [&](VkPhysicalDevice device, uint32_t, const VkQueueFamilyProperties &) {
    return !is_there || has_uuid(device, info);
  });
}

// A frame's memory and events. An event belongs to the device that records it.
struct Slot {
  Slot(const Device &from, gevt::context_ref vulkan, gevt::context_ref cuda_context, gevt::context_ref host)
      : buffer(from, kWords), filled(vulkan), staged(host), computed(cuda_context), checked(host) {
    cuda(cuMemAlloc(&device, kWords * 4));
    void *memory = nullptr;
    cuda(cuMemAllocHost(&memory, kWords * 4));
    pinned = static_cast<uint32_t *>(memory);
  }
  ~Slot() {
    std::error_code ignored;
    checked.sync(ignored); // the devices use the memory until then
    cuMemFree(device);
    cuMemFreeHost(pinned);
  }
  Slot(const Slot &) = delete;
  Slot &operator=(const Slot &) = delete;

  const FilledBuffer buffer;
  CUdeviceptr device = 0;
  uint32_t *pinned = nullptr;
  gevt::event filled, staged, computed, checked;
};

void run(const Instance &instance) {
  const gevt::context cuda_context(gevt::backend::cuda), host(gevt::backend::host);
  cuda(cuCtxSetCurrent(static_cast<CUcontext>(cuda_context.native_handle())));
  const gevt::context_info info = cuda_context.info();
  const Device device = open_same(instance, info);
  std::printf("CUDA: %s\nVulkan: %s, %s\n", std::string(info.name()).c_str(), device.name().c_str(),
              has_uuid(device.physical(), info) ? "the same device" : "another device");

  const gevt::context vulkan = device.wrap();
  const gevt::stream fill = device.wrap_queue(vulkan), stage(host), compute(cuda_context), check_all(host);
  const auto native = static_cast<CUstream>(compute.native_handle());
  std::unique_ptr<Slot> slots[kInFlight];
  for (auto &slot : slots) slot = std::make_unique<Slot>(device, vulkan, cuda_context, host);
  uint32_t wrong = 0; // written by the last stream alone

  for (uint32_t frame = 0; frame < kFrames; frame++) {
    Slot &slot = *slots[frame % kInFlight];
    slot.checked.sync(); // the slot's last frame
    // Vulkan fills the buffer with the frame's number.
    {
      gevt::vulkan::batch batch(fill, {slot.filled});
      batch.end(slot.buffer.fill(frame, batch));
    }
    // The host copies it into memory that CUDA can read.
    stage.wait(slot.filled);
    stage.launch([&slot] { std::memcpy(slot.pinned, slot.buffer.mapped(), kWords * 4); });
    slot.staged.record(stage);
    // CUDA overwrites the first half.
    compute.wait(slot.staged);
    cuda(cuMemcpyHtoDAsync(slot.device, slot.pinned, kWords * 4, native));
    cuda(cuMemsetD32Async(slot.device, frame + 1000, kWords / 2, native));
    cuda(cuMemcpyDtoHAsync(slot.pinned, slot.device, kWords * 4, native));
    slot.computed.record(compute);
    // The host looks at the result.
    check_all.wait(slot.computed);
    check_all.launch([&slot, &wrong, frame] {
      for (size_t i = 0; i < kWords; i++) wrong += slot.pinned[i] != (i < kWords / 2 ? frame + 1000 : frame);
    });
    slot.checked.record(check_all);
  }
  check_all.sync();
  std::printf("%u frames, %u wrong values\n", kFrames, wrong);
  if (wrong > 0) throw std::runtime_error("a pass did not wait for the one before it");
}

} // namespace

int main() {
  try {
    if (const std::string reason = load_cuda(); !reason.empty()) throw Unsupported(reason);
    run(Instance());
  } catch (const Unsupported &reason) {
    std::printf("SKIPPED: %s\n", reason.what());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "hybrid: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
