// Frames on their way through the devices: each pass is a stage with a stream of its own. gevt_stream_wait alone orders them.
#pragma once

#include "device.hpp"

// When the passes ran, on the host's clock.
struct FrameTimes {
  struct Pass {
    std::chrono::nanoseconds start{}, end{}, error{};
  };

  Pass passes[Frame::kPasses];
  bool is_known = true; // false if a device was too busy for its clock to be compared
  bool in_order = true; // no pass began before the one before it had ended
};

class Pipeline {
public:
  // The devices of the three passes; they outlive the pipeline.
  using Devices = Device * [Frame::kPasses];
  Pipeline(const Devices &devices, const Scene &scene, const Options &options);
  ~Pipeline();
  Pipeline(const Pipeline &) = delete;
  Pipeline &operator=(const Pipeline &) = delete;

  // Frames that were submitted and not yet collected, and how many there can be.
  int in_flight() const { return submitted_ - collected_; }
  int most_in_flight() const { return static_cast<int>(slots_.size()); }

  // Issues a frame's work. There must be fewer than most_in_flight() frames in flight. With `synchronise` it waits for each pass's
  // device before it issues the next one; else it returns before the work has run.
  void submit(int number, bool synchronise);

  // Has the oldest frame in flight finished? Never waits.
  bool oldest_finished() const;

  // Takes the oldest frame, which has finished. The slot stays as it is until the next submit.
  const Slot &collect(FrameTimes &times);

private:
  Slot &slot(int number) const { return *slots_[static_cast<size_t>(number % most_in_flight())]; }

  Device *devices_[Frame::kPasses];
  Slots slots_;
  std::unique_ptr<Stage> stages_[Frame::kPasses];
  int submitted_ = 0, collected_ = 0;
};
