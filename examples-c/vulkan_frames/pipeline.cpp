#include "pipeline.hpp"

#include <string>

#include "../check.h"
#include "wrapped.hpp"
#include "gevt/vulkan.hpp"

namespace {

constexpr VkPipelineStageFlags2 kAllCommands = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;

} // namespace

Pipeline::Slot::Slot(const Application &application, const Kernels &kernels, const Options &options, size_t pieces,
                     gevt::context_ref context)
    : buffers(application, kernels, options.width, options.height), commands(application, pieces),
      stopwatch(application, static_cast<int>(pieces)), finished(context) {
  for (size_t i = 0; i < pieces; i++) {
    marks.push_back({gevt::timed_event(context), gevt::timed_event(context)});
  }
}

Pipeline::Pipeline(Application &application, const Scene &scene, const Options &options)
    : application_(application), kernels_(application), scene_(application, kernels_, scene),
      commands_(kernels_, scene_, scene.camera, options.width, options.height, options.samples),
      context_(wrap_device(application)) {
  for (int top = 0; top < options.height; top += options.tile) {
    for (int left = 0; left < options.width; left += options.tile) {
      tiles_.push_back(
          {left, top, std::min(left + options.tile, options.width), std::min(top + options.tile, options.height)});
    }
  }
  for (int i = 0; i < application.queue_count(); i++) {
    streams_.push_back(wrap_queue(context_, application, i));
  }
  for (int i = 0; i < options.in_flight; i++) {
    slots_.push_back(std::make_unique<Slot>(application, kernels_, options, tiles_.size() + 2, context_));
    // The names are for the trace.
    Slot &slot = *slots_.back();
    const std::string name = "slot " + std::to_string(i);
    for (size_t piece = 0; piece < slot.marks.size(); piece++) {
      const std::string what = piece == denoise()    ? ": denoising "
                               : piece == tone_map() ? ": tone map "
                                                     : ": tile " + std::to_string(piece) + " ";
      slot.marks[piece].start.set_name((name + what + "begins").c_str());
      slot.marks[piece].end.set_name((name + what + "ends").c_str());
    }
    slot.finished.set_name((name + " finished").c_str());
  }
}

Pipeline::~Pipeline() {
  // Frames may still be under way if the program gives up early, and their work uses the slots.
  std::error_code ec;
  context_.sync(ec);
  if (ec) {
    // The device is lost. Only Vulkan can say when it has let go of the memory.
    driver.DeviceWaitIdle(application_.device());
  }
}

void Pipeline::submit() {
  EXPECT(in_flight() < most_in_flight());
  const Slot &slot = this->slot(submitted_);
  slot.commands.reset();
  slot.stopwatch.reset();

  // Neighbouring tiles go to different queues. A device with one queue does all of it there.
  const int last = application_.queue_count() - 1, tracing = std::max(1, last);
  for (size_t tile = 0; tile < tiles_.size(); tile++) {
    submit(static_cast<int>(tile) % tracing, record(slot, tile),
           {slot.marks[tile].start.get(), slot.marks[tile].end.get()});
  }

  // The denoiser reads its neighbours' pixels, and the tone map how bright the whole picture is. Submits to one queue are not
  // ordered among each other either, so these waits are needed there, too.
  const gevt::stream_ref stream = streams_.back();
  for (size_t tile = 0; tile < tiles_.size(); tile++) {
    stream.wait(slot.marks[tile].end);
  }
  const Marks &denoised = slot.marks[denoise()], &mapped = slot.marks[tone_map()];
  submit(last, record(slot, denoise()), {denoised.start.get(), denoised.end.get()});
  stream.wait(denoised.end);
  submit(last, record(slot, tone_map()), {mapped.start.get(), mapped.end.get(), slot.finished.get()});
  submitted_++;
}

// One of gevt's time stamps at both ends, and the application's own on both sides of it.
VkCommandBuffer Pipeline::record(const Slot &slot, size_t piece) const {
  VkCommandBuffer to = slot.commands.begin(piece);
  const int number = static_cast<int>(piece);
  slot.stopwatch.read(to, number, Stopwatch::kBeforeStart);
  gevt::vulkan::write_time(slot.marks[piece].start, to, kAllCommands);
  slot.stopwatch.read(to, number, Stopwatch::kAfterStart);
  if (piece == denoise()) {
    commands_.denoise(to, slot.buffers);
  } else if (piece == tone_map()) {
    commands_.tone_map(to, slot.buffers);
  } else {
    commands_.trace(to, slot.buffers, submitted_, tiles_[piece]);
  }
  slot.stopwatch.read(to, number, Stopwatch::kBeforeEnd);
  gevt::vulkan::write_time(slot.marks[piece].end, to, kAllCommands);
  slot.stopwatch.read(to, number, Stopwatch::kAfterEnd);
  VULKAN(driver.EndCommandBuffer(to));
  return to;
}

void Pipeline::submit(int queue, VkCommandBuffer commands, std::initializer_list<gevt_event_t> records) const {
  submit_recording(application_.queue(queue), streams_[static_cast<size_t>(queue)], commands, records);
}

bool Pipeline::oldest_finished() const {
  EXPECT(in_flight() > 0);
  return slot(collected_).finished.query();
}

std::vector<uint8_t> Pipeline::collect(FrameTimes &times) {
  const Slot &slot = this->slot(collected_);
  // What rounding to a tick at both ends, and to a nanosecond, can make of a time.
  const double rounding = 2 * application_.tick_ns() + 1;
  for (size_t piece = 0; piece < slot.marks.size(); piece++) {
    const auto pass = piece == denoise()    ? FrameTimes::kDenoise
                      : piece == tone_map() ? FrameTimes::kToneMap
                                            : FrameTimes::kTrace;
    const double ns = static_cast<double>((slot.marks[piece].end - slot.marks[piece].start).count());
    const Stretch own = slot.stopwatch.stretch(static_cast<int>(piece));
    times.gevt_ms[pass] += ns / 1e6;
    times.own_ms[pass] += (own.inner_ns + own.outer_ns) / 2e6;
    times.agree = times.agree && ns >= own.inner_ns - rounding && ns <= own.outer_ns + rounding;
  }

  const auto *pixel = static_cast<const uint8_t *>(slot.buffers.readback().mapped());
  std::vector<uint8_t> rgb(static_cast<size_t>(slot.buffers.readback().bytes()) / 4 * 3);
  for (size_t i = 0; i < rgb.size(); i += 3, pixel += 4) {
    std::copy(pixel, pixel + 3, &rgb[i]);
  }
  collected_++;
  return rgb;
}
