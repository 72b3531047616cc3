#include "pipeline.hpp"

#include "../check.h"

Pipeline::Pipeline(const Devices &devices, const Scene &scene, const Options &options) {
  for (int i = 0; i < options.in_flight; i++) {
    const Slot::Contexts contexts = {devices[Frame::kTrace]->context(), devices[Frame::kDenoise]->context(),
                                     devices[Frame::kToneMap]->context()};
    slots_.push_back(std::make_unique<Slot>(scene, options.width, options.height, options.samples, i, contexts));
  }
  const Work work = {scene, options, slots_};
  for (const auto pass : {Frame::kTrace, Frame::kDenoise, Frame::kToneMap}) {
    devices_[pass] = devices[pass];
    stages_[pass] = devices[pass]->stage(pass, work, pass > 0 ? devices[pass - 1] : nullptr);
  }
}

Pipeline::~Pipeline() {
  // Frames may still be under way if the program gives up early, and every stage's work uses the slots.
  for (Device *device : devices_) {
    std::error_code ec;
    device->context().sync(ec);
  }
}

void Pipeline::submit(int number, bool synchronise) {
  EXPECT(in_flight() < most_in_flight());
  Slot &slot = this->slot(submitted_);
  slot.frame.start(number);
  for (int pass = 0; pass < Frame::kPasses; pass++) {
    if (pass > 0) {
      stages_[pass]->stream().wait(slot.marks[static_cast<size_t>(pass) - 1].end);
    }
    stages_[pass]->issue(slot);
    if (synchronise) {
      devices_[pass]->context().sync();
    }
  }
  submitted_++;
}

bool Pipeline::oldest_finished() const {
  EXPECT(in_flight() > 0);
  return slot(collected_).marks[Frame::kToneMap].end.query();
}

const Slot &Pipeline::collect(FrameTimes &times) {
  const Slot &slot = this->slot(collected_);
  for (int pass = 0; pass < Frame::kPasses; pass++) {
    const Marks &marks = slot.marks[static_cast<size_t>(pass)];
    // A trace shows a device's marks of events that somebody has asked for.
    EXPECT(marks.start.query() && marks.end.query());
    std::error_code first, last, pair;
    const auto start = marks.start.host_time(first), end = marks.end.host_time(last);
    static_cast<void>(marks.end.since(marks.start, pair)); // it shows the pair, too
    times.is_known = times.is_known && !first && !last;
    if (times.is_known) {
      times.passes[pass] = {start.time.time_since_epoch(), end.time.time_since_epoch(),
                            std::max(start.error, end.error)};
      const auto &before = times.passes[std::max(0, pass - 1)];
      times.in_order =
          times.in_order && (pass == 0 || times.passes[pass].start + start.error + before.error >= before.end);
    }
  }
  collected_++;
  return slot;
}
