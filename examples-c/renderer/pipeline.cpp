#include "pipeline.hpp"

#include <functional>
#include <string>

#include "../check.h"

namespace {

// Such as "slot 0 step 1: share 2 begins".
template <class Stretches>
void name(const Stretches &shares, int slot, int step) {
  for (size_t i = 0; i < shares.size(); i++) {
    const std::string share =
        "slot " + std::to_string(slot) + " step " + std::to_string(step) + ": share " + std::to_string(i);
    shares[i].start.set_name((share + " begins").c_str());
    shares[i].end.set_name((share + " ends").c_str());
  }
}

} // namespace

Pipeline::Pipeline(const Scene &scene, int width, int height, int samples, int streams) {
  for (auto &pass : streams_) {
    for (int i = 0; i < streams; i++) {
      pass.emplace_back(gevt::non_blocking);
    }
  }
  for (int i = 0; i < kInFlight; i++) {
    slots_[i] = std::make_unique<Slot>(scene, width, height, samples);
    Slot &slot = *slots_[i];
    for (int step = 0; step < Frame::kSteps; step++) {
      for (int tile = 0; tile < slot.frame.tile_count(); tile++) {
        slot.work.push_back({&slot.frame, step, tile});
      }
      slot.stretches[step].resize(static_cast<size_t>(streams));
      name(slot.stretches[step], i, step);
    }
    slot.finished.set_name(("slot " + std::to_string(i) + " finished").c_str());
  }
  origin_.set_name("rendering began");
  origin_.record(streams_[Frame::kTrace][0]);
  // All times count from here, so nothing may start before.
  for (const gevt::stream &stream : streams_[Frame::kTrace]) {
    stream.wait(origin_);
  }
}

Pipeline::~Pipeline() {
  // Frames may still be under way if the program gives up early, and their work uses the slots.
  for (auto &pass : streams_) {
    for (const gevt::stream &stream : pass) {
      std::error_code ec;
      stream.sync(ec);
      EXPECT(!ec);
    }
  }
}

void Pipeline::submit() {
  EXPECT(in_flight() < kInFlight);
  Slot &slot = *slots_[submitted_ % kInFlight];
  slot.frame.start(submitted_);
  for (int step = 0; step < Frame::kSteps; step++) {
    issue_step(slot, step);
  }
  // One event for the whole frame: its stream waits for the other streams' shares of the last step.
  const gevt::stream_ref last = streams_[Frame::kToneMap][0];
  for (const Stretch &share : slot.stretches[Frame::kSteps - 1]) {
    last.wait(share.end);
  }
  slot.finished.record(last);
  submitted_++;
}

void Pipeline::issue_step(Slot &slot, int step) {
  const auto &streams = streams_[Frame::pass_of(step)];
  const int tiles = slot.frame.tile_count();
  for (size_t i = 0; i < streams.size(); i++) {
    if (step > 0) {
      for (const Stretch &share : slot.stretches[step - 1]) {
        streams[i].wait(share.end);
      }
    }
    slot.stretches[step][i].start.record(streams[i]);
    // Neighbouring tiles go to different streams, so no stream gets all the costly ones.
    for (int tile = static_cast<int>(i); tile < tiles; tile += static_cast<int>(streams.size())) {
      streams[i].launch(std::ref(slot.work[static_cast<size_t>(step * tiles + tile)]));
    }
    slot.stretches[step][i].end.record(streams[i]);
  }
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
  for (int step = 0; step < Frame::kSteps; step++) {
    for (const Stretch &share : slot.stretches[step]) {
      const auto start = share.start - origin_, end = start + (share.end - share.start);
      times.passes[Frame::pass_of(step)].cover(start.count(), end.count());
      if (step == 0) {
        continue;
      }
      // The order that the waits asked for: no share of a step starts before all shares of the last step have ended.
      for (const Stretch &before : slot.stretches[step - 1]) {
        EXPECT(share.start - before.end >= std::chrono::nanoseconds::zero());
      }
    }
  }
  return times;
}
