#include "pipeline.hpp"

namespace {

constexpr const char *kNames[Frame::kPasses] = {"trace", "denoise", "tone map"};

} // namespace

Pipeline::Pipeline(const Scene &scene, int width, int height, int samples) {
  for (const char *name : kNames) {
    streams_.emplace_back(host_, gevt::non_blocking);
    streams_.back().set_name(name);
  }
  for (auto &slot : slots_) slot = std::make_unique<Slot>(scene, width, height, samples);
}

Pipeline::~Pipeline() {
  // If the program gives up early, queued work still uses the slots.
  std::error_code ignored;
  for (const gevt::stream &stream : streams_) stream.sync(ignored);
}

void Pipeline::submit() {
  Slot &slot = *slots_[submitted_ % kInFlight];
  Frame &frame = slot.frame;
  frame.start(submitted_++);
  timer_.begin_frame();
  for (int pass = 0; pass < Frame::kPasses; pass++) {
    const gevt::stream &stream = streams_[static_cast<size_t>(pass)];
    if (pass > 0) stream.wait(slot.passes[pass - 1]);
    {
      const auto zone = timer_.zone(kNames[pass], stream);
      // A stream runs all tiles of a step before the next step.
      for (int step = Frame::first_step(pass); step < Frame::first_step(pass + 1); step++) {
        stream.launch_n(static_cast<size_t>(frame.tile_count()),
                        [&frame, step](size_t tile, uint32_t) { frame.run(step, static_cast<int>(tile)); });
      }
    }
    slot.passes[pass].record(stream);
  }
  timer_.end_frame();
}

std::vector<gevt::zone_average> Pipeline::times() {
  std::vector<gevt::zone_average> zones;
  timer_.averages(zones);
  return zones;
}
