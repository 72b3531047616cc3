// Three frames in flight on the application's two streams, ordered and timed by gevt's events. Beside each of gevt's timed
// events stands one of the driver's own, recorded at the same place, to compare the times.
#pragma once

#include "application.hpp"
#include "gevt.h"

struct PassTime {
  float gevt_ms = 0, cuda_ms = 0;

  // Within 2 microseconds and 1 %: the places are neighbours in the stream, not one.
  bool agrees() const;
};

class Pipeline {
public:
  static constexpr int kInFlight = 3;

  explicit Pipeline(const Application &application);
  ~Pipeline();
  Pipeline(const Pipeline &) = delete;
  Pipeline &operator=(const Pipeline &) = delete;

  // Frames that were submitted and not yet collected.
  int in_flight() const { return submitted_ - collected_; }

  // Issues the next frame's work and returns. There must be fewer than kInFlight frames in flight.
  void submit();

  // Has the oldest frame in flight finished? Never waits.
  bool oldest_finished() const;

  // Takes the oldest frame, which has finished: its picture, which stays as it is until the next submit, and its times.
  const uint8_t *collect(PassTime (&times)[Application::kPasses]);

private:
  // One place in a stream, marked twice.
  struct Mark {
    gevt_event_t ours = nullptr;
    CUevent cuda = nullptr;
  };

  struct Slot {
    Application::Buffers buffers;
    Mark start[Application::kPasses], end[Application::kPasses];
    gevt_event_t finished = nullptr;
  };

  void record(const Mark &mark, Application::Pass pass) const;

  const Application &application_;
  gevt_context_t context_ = nullptr;
  gevt_stream_t streams_[Application::kPasses] = {};
  Slot slots_[kInFlight];
  int submitted_ = 0, collected_ = 0;
};
