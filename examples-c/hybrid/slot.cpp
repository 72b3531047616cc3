#include "slot.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace {

void *allocate(size_t bytes) {
  void *data = std::aligned_alloc(SharedMemory::kPage, bytes);
  if (data == nullptr) {
    throw std::bad_alloc();
  }
  // Touches each page, so that a device finds it.
  return std::memset(data, 0, bytes);
}

} // namespace

SharedMemory::SharedMemory(size_t bytes) : bytes_((bytes + kPage - 1) / kPage * kPage), data_(allocate(bytes_)) {}

void SharedMemory::Free::operator()(void *data) const {
  std::free(data);
}

Slot::Slot(const Scene &scene, int width, int height, int samples, int number, const Contexts &contexts)
    : number(number), memory(Frame::texels(width, height) * sizeof(Texel)),
      frame(scene, width, height, samples, static_cast<Texel *>(memory.data())) {
  const char *const names[Frame::kPasses] = {"trace", "denoise", "tone map"};
  for (int pass = 0; pass < Frame::kPasses; pass++) {
    const std::string name = "slot " + std::to_string(number) + " " + names[pass];
    marks.push_back({gevt::timed_event(contexts[pass]), gevt::timed_event(contexts[pass])});
    marks.back().start.set_name((name + " begins").c_str());
    marks.back().end.set_name((name + " ends").c_str());
  }
}
