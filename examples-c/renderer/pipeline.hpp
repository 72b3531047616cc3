// Frames on gevt's streams. Each pass has streams of its own and each stream takes a share of the picture's tiles, so that a
// frame can be traced while the one before it is denoised. Nothing but events orders the work.
#pragma once

#include <memory>
#include <vector>

#include "gevt.hpp"
#include "times.hpp"

class Pipeline {
public:
  static constexpr int kInFlight = 3;

  Pipeline(const Scene &scene, int width, int height, int samples, int streams);
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
  // One tile of one step: what a stream is given to run.
  struct Work {
    void operator()() const { frame->run(step, tile); }

    Frame *frame;
    int step, tile;
  };

  // Timed events around one step's share of one stream.
  struct Stretch {
    gevt::timed_event start, end;
  };

  struct Slot {
    Slot(const Scene &scene, int width, int height, int samples) : frame(scene, width, height, samples) {}

    Frame frame;
    std::vector<Work> work;                        // tile_count() for each step
    std::vector<Stretch> stretches[Frame::kSteps]; // one for each stream
    gevt::event finished;
  };

  void issue_step(Slot &slot, int step);
  FrameTimes times_of(const Slot &slot) const;

  std::vector<gevt::stream> streams_[Frame::kPasses];
  std::unique_ptr<Slot> slots_[kInFlight];
  gevt::timed_event origin_;
  int submitted_ = 0, collected_ = 0;
};
