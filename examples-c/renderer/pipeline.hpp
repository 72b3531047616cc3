// Frames on gevt's streams. Each pass has its own stream, which runs the tiles of a step in parallel. A frame can be traced while the
// frame before it is denoised. Only events order the passes.
#pragma once

#include <memory>
#include <vector>

#include "frame.hpp"
#include "gevt/timer.hpp"

class Pipeline {
public:
  static constexpr int kInFlight = 3;

  Pipeline(const Scene &scene, int width, int height, int samples);
  ~Pipeline();
  Pipeline(const Pipeline &) = delete;
  Pipeline &operator=(const Pipeline &) = delete;

  // Frames that were submitted and not yet collected.
  int in_flight() const { return submitted_ - collected_; }

  // Queues the next frame's work and returns. There must be fewer than kInFlight frames in flight.
  void submit();

  // Returns whether the oldest frame in flight is complete. Never waits.
  bool oldest_complete() const { return slots_[collected_ % kInFlight]->complete.query(); }

  // Takes the oldest frame, which is complete. Its picture does not change before the next submit.
  const Frame &collect() { return slots_[collected_++ % kInFlight]->frame; }

  // The times of the passes, on average.
  std::vector<gevt::zone_average> times();

private:
  struct Slot {
    Slot(const Scene &scene, int width, int height, int samples) : frame(scene, width, height, samples) {}

    Frame frame;
    gevt::event passes[Frame::kPasses]; // complete when the pass is
    gevt::event &complete = passes[Frame::kToneMap];
  };

  const gevt::context host_{gevt::backend::host};
  std::vector<gevt::stream> streams_; // kPasses
  std::unique_ptr<Slot> slots_[kInFlight];
  gevt::frame_timer timer_{host_, {kInFlight + 1, Frame::kPasses, 60}};
  int submitted_ = 0, collected_ = 0;
};
