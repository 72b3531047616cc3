#include "pipeline.hpp"

#include <functional>
#include <string>

#include "../check.h"

Pipeline::Pipeline(const Scene &scene, int width, int height, int samples) {
  for (const char *pass : {"trace", "denoise", "tone map"}) {
    streams_.emplace_back(gevt::non_blocking);
    streams_.back().set_name(pass);
  }
  for (int i = 0; i < kInFlight; i++) {
    slots_[i] = std::make_unique<Slot>(scene, width, height, samples);
    Slot &slot = *slots_[i];
    const std::string name = "slot " + std::to_string(i);
    for (int number = 0; number < Frame::kSteps; number++) {
      slot.steps.push_back({&slot.frame, number, {}, {}});
      const std::string step = name + " step " + std::to_string(number);
      slot.steps.back().start.set_name((step + " begins").c_str());
      slot.steps.back().end.set_name((step + " ends").c_str());
    }
    slot.finished.set_name((name + " finished").c_str());
  }
  // All times count from here.
  origin_.set_name("rendering began");
  origin_.record(streams_[Frame::kTrace]);
}

Pipeline::~Pipeline() {
  // Frames may still be under way if the program gives up early, and their work uses the slots.
  for (const gevt::stream &stream : streams_) {
    std::error_code ec;
    stream.sync(ec);
    EXPECT(!ec);
  }
}

void Pipeline::submit() {
  EXPECT(in_flight() < kInFlight);
  Slot &slot = *slots_[submitted_ % kInFlight];
  slot.frame.start(submitted_);
  for (const Step &step : slot.steps) {
    const gevt::stream_ref stream = streams_[Frame::pass_of(step.number)];
    if (step.number > 0) {
      stream.wait(slot.steps[static_cast<size_t>(step.number) - 1].end);
    }
    step.start.record(stream);
    stream.launch_n(static_cast<size_t>(slot.frame.tile_count()), std::ref(step));
    step.end.record(stream);
  }
  slot.finished.record(streams_[Frame::kToneMap]);
  submitted_++;
}

bool Pipeline::oldest_finished() const {
  return slots_[collected_ % kInFlight]->finished.query();
}

const Frame &Pipeline::collect(FrameTimes &times) {
  const Slot &slot = *slots_[collected_ % kInFlight];
  EXPECT(slot.frame.number() == collected_);
  times = times_of(slot);
  collected_++;
  return slot.frame;
}

FrameTimes Pipeline::times_of(const Slot &slot) const {
  FrameTimes times;
  times.frame = slot.frame.number();
  for (const Step &step : slot.steps) {
    const auto start = step.start - origin_, end = start + (step.end - step.start);
    times.passes[Frame::pass_of(step.number)].cover(start.count(), end.count());
    // The order that the waits asked for: no step starts before the last one has ended.
    if (step.number > 0) {
      EXPECT(step.start - slot.steps[static_cast<size_t>(step.number) - 1].end >= std::chrono::nanoseconds::zero());
    }
  }
  return times;
}
