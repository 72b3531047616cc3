// Frames on gevt's streams. Each pass has a stream of its own, which runs the tiles of a step in parallel, so that a frame can be
// traced while the one before it is denoised. Nothing but events orders the passes.
#pragma once

#include <memory>
#include <vector>

#include "gevt.hpp"
#include "times.hpp"

class Pipeline {
public:
  static constexpr int kInFlight = 3;

  Pipeline(const Scene &scene, int width, int height, int samples);
  ~Pipeline();
  Pipeline(const Pipeline &) = delete;
  Pipeline &operator=(const Pipeline &) = delete;

  // Frames that were submitted and not yet collected.
  int in_flight() const { return submitted_ - collected_; }

  // Issues the next frame's work and returns. There must be fewer than kInFlight frames in flight.
  void submit();

  // Has the oldest frame in flight finished? Never waits.
  bool oldest_finished() const;

  // Takes the oldest frame, which has finished. Its picture stays as it is until the next submit.
  const Frame &collect(FrameTimes &times);

private:
  // One step: what its pass's stream calls for each tile. The picture does not depend on who draws which tile.
  struct Step {
    void operator()(size_t tile, uint32_t) const { frame->run(number, static_cast<int>(tile)); }

    Frame *frame;
    int number;
    gevt::timed_event start, end;
  };

  struct Slot {
    Slot(const Scene &scene, int width, int height, int samples) : frame(scene, width, height, samples) {}

    Frame frame;
    std::vector<Step> steps; // kSteps
    gevt::event finished;
  };

  FrameTimes times_of(const Slot &slot) const;

  std::vector<gevt::stream> streams_; // kPasses
  std::unique_ptr<Slot> slots_[kInFlight];
  gevt::timed_event origin_;
  int submitted_ = 0, collected_ = 0;
};
