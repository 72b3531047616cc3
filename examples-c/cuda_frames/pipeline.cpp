#include "pipeline.hpp"

#include <cmath>
#include <string>

#include "../check.h"

bool PassTime::agrees() const {
  return std::fabs(gevt_ms - cuda_ms) <= 0.002f + 0.01f * cuda_ms;
}

Pipeline::Pipeline(const Application &application) : application_(application) {
  CHECK(gevt_context_wrap(&context_, GEVT_BACKEND_CUDA, application.context()));
  for (const auto pass : {Application::kDraw, Application::kDevelop}) {
    CHECK(gevt_stream_wrap(&streams_[pass], context_, application.stream(pass)));
  }
  for (int i = 0; i < kInFlight; i++) {
    Slot &slot = slots_[i];
    slot.buffers = application.make_buffers();
    for (auto &marks : {slot.start, slot.end}) {
      for (int pass = 0; pass < Application::kPasses; pass++) {
        CHECK(gevt_create_in(&marks[pass].ours, context_, GEVT_EVENT_DEFAULT));
        CUDA(driver.event_create(&marks[pass].cuda, 0));
      }
    }
    CHECK(gevt_create_in(&slot.finished, context_, GEVT_EVENT_DISABLE_TIMING));
    CHECK(gevt_set_name(slot.finished, ("slot " + std::to_string(i) + " finished").c_str()));
  }
}

Pipeline::~Pipeline() {
  // Frames may still be under way, and their work uses the slots.
  CHECK(gevt_context_sync(context_));
  for (Slot &slot : slots_) {
    for (auto &marks : {slot.start, slot.end}) {
      for (int pass = 0; pass < Application::kPasses; pass++) {
        CHECK(gevt_destroy(marks[pass].ours));
        CUDA(driver.event_destroy(marks[pass].cuda));
      }
    }
    CHECK(gevt_destroy(slot.finished));
    application_.free_buffers(slot.buffers);
  }
  // The streams and the context stay the application's.
  for (gevt_stream_t stream : streams_) {
    CHECK(gevt_stream_destroy(stream));
  }
  CHECK(gevt_context_close(context_));
}

// In this order at both ends of a pass, so that both times hold one of the other's records.
void Pipeline::record(const Mark &mark, Application::Pass pass) const {
  CUDA(driver.event_record(mark.cuda, application_.stream(pass)));
  CHECK(gevt_record(mark.ours, streams_[pass]));
}

void Pipeline::submit() {
  EXPECT(in_flight() < kInFlight);
  const Slot &slot = slots_[submitted_ % kInFlight];

  // Work before the first mark: on an idle stream the driver's event would be done before gevt's is recorded.
  application_.clear(slot.buffers);
  record(slot.start[Application::kDraw], Application::kDraw);
  application_.draw(slot.buffers, submitted_);
  record(slot.end[Application::kDraw], Application::kDraw);

  // The other stream develops this frame while the next one is drawn.
  CHECK(gevt_stream_wait(streams_[Application::kDevelop], slot.end[Application::kDraw].ours, GEVT_WAIT_DEFAULT));
  record(slot.start[Application::kDevelop], Application::kDevelop);
  application_.develop(slot.buffers);
  record(slot.end[Application::kDevelop], Application::kDevelop);
  application_.fetch(slot.buffers);
  CHECK(gevt_record(slot.finished, streams_[Application::kDevelop]));
  submitted_++;
}

bool Pipeline::oldest_finished() const {
  EXPECT(in_flight() > 0);
  return event_is_finished(slots_[collected_ % kInFlight].finished);
}

const uint8_t *Pipeline::collect(PassTime (&times)[Application::kPasses]) {
  const Slot &slot = slots_[collected_ % kInFlight];
  for (int pass = 0; pass < Application::kPasses; pass++) {
    CHECK(gevt_elapsed(&times[pass].gevt_ms, slot.start[pass].ours, slot.end[pass].ours));
    CUDA(driver.event_elapsed(&times[pass].cuda_ms, slot.start[pass].cuda, slot.end[pass].cuda));
  }
  // The order that the wait asked for.
  int64_t gap = 0;
  CHECK(gevt_elapsed_ns(&gap, slot.end[Application::kDraw].ours, slot.start[Application::kDevelop].ours));
  EXPECT(gap >= 0);
  collected_++;
  return slot.buffers.picture;
}
