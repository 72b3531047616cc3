// A device, and what it does of a frame. Each kind of device has a file of its own that knows how.
#pragma once

#include <memory>
#include <string>

#include "options.hpp"
#include "slot.hpp"

// One pass of all frames, on a stream of its own.
class Stage {
public:
  virtual ~Stage() = default;
  virtual gevt::stream_ref stream() const = 0;
  // Puts the slot's pass on the stream, between its two marks. Returns before it has run.
  virtual void issue(Slot &slot) = 0;
};

// All that a stage works on. It outlives the stages.
struct Work {
  const Scene &scene;
  const Options &options;
  const Slots &slots;
};

class Device {
public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;
  virtual gevt::context_ref context() const = 0;
  // A stage that takes the frame from `before`, which traced it, or traces it itself where that is null.
  virtual std::unique_ptr<Stage> stage(Frame::Pass pass, const Work &work, const Device *before) = 0;
};

// The passes on the host's streams, each as one launch for each step. It can do all of them, and encodes the picture.
std::unique_ptr<Device> open_host();

// The first two passes on a CUDA device, and the first one on a Vulkan device. Without such a device they return nothing, and say
// why. `complaints` counts those of Vulkan's validation layer, where it is given.
std::unique_ptr<Device> open_cuda(std::string &trouble);
std::unique_ptr<Device> open_vulkan(int number, int *complaints, std::string &trouble);
