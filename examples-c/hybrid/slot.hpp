// One frame in flight: its memory, which all devices share, its events, and its picture.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../renderer/frame.hpp"
#include "gevt.hpp"

// Memory of the host as devices take it for their own: whole pages of the largest size that a device asks for.
class SharedMemory {
public:
  static constexpr size_t kPage = 65536;

  // Throws std::bad_alloc.
  explicit SharedMemory(size_t bytes);

  void *data() const { return data_.get(); }
  size_t bytes() const { return bytes_; }

private:
  struct Free {
    void operator()(void *data) const;
  };

  const size_t bytes_;
  const std::unique_ptr<void, Free> data_;
};

// The ends of a pass.
struct Marks {
  gevt::timed_event start, end;
};

struct Slot {
  // The contexts are those of the devices that run the passes.
  using Contexts = gevt::context_ref[Frame::kPasses];
  Slot(const Scene &scene, int width, int height, int samples, int number, const Contexts &contexts);

  const int number;
  const SharedMemory memory; // of the frame's pixels
  Frame frame;
  std::vector<Marks> marks; // kPasses
  std::vector<uint8_t> png;
};

using Slots = std::vector<std::unique_ptr<Slot>>;
