// Frames in flight on the application's own queues, ordered and timed by gevt's events in the application's own submits.
#pragma once

#include <memory>

#include "command_buffers.hpp"
#include "commands.hpp"
#include "gevt.hpp"
#include "options.hpp"
#include "stopwatch.hpp"

struct FrameTimes {
  enum Pass { kTrace, kDenoise, kToneMap, kPasses };

  double gevt_ms[kPasses] = {}, own_ms[kPasses] = {}; // of all tiles: the sum
  bool agree = true;
};

class Pipeline {
public:
  Pipeline(Application &application, const Scene &scene, const Options &options);
  ~Pipeline();
  Pipeline(const Pipeline &) = delete;
  Pipeline &operator=(const Pipeline &) = delete;

  // Frames that were submitted and not yet collected, and how many there can be.
  int in_flight() const { return submitted_ - collected_; }
  int most_in_flight() const { return static_cast<int>(slots_.size()); }
  int tile_count() const { return static_cast<int>(tiles_.size()); }

  // Issues the next frame's work and returns. There must be fewer than most_in_flight() frames in flight.
  void submit();

  // Has the oldest frame in flight finished? Never waits.
  bool oldest_finished() const;

  // Takes the oldest frame, which has finished: its picture, and its times.
  std::vector<uint8_t> collect(FrameTimes &times);

private:
  // Each piece of work has a command buffer and a submit of its own: the tiles, then the denoiser, then the tone map.
  struct Marks {
    gevt::timed_event start, end;
  };

  struct Slot {
    Slot(const Application &application, const Kernels &kernels, const Options &options, size_t pieces,
         gevt::context_ref context);

    FrameBuffers buffers;
    CommandBuffers commands;
    Stopwatch stopwatch;
    std::vector<Marks> marks; // of each piece
    gevt::event finished;
  };

  size_t denoise() const { return tiles_.size(); }
  size_t tone_map() const { return tiles_.size() + 1; }
  Slot &slot(int frame) const { return *slots_[static_cast<size_t>(frame % most_in_flight())]; }
  VkCommandBuffer record(const Slot &slot, size_t piece) const;
  void submit(int queue, VkCommandBuffer commands, std::initializer_list<gevt_event_t> records) const;

  const Application &application_;
  const Kernels kernels_;
  const SceneBuffers scene_;
  const Commands commands_;
  std::vector<Tile> tiles_;
  gevt::context context_;
  std::vector<gevt::stream> streams_; // one for each queue
  std::vector<std::unique_ptr<Slot>> slots_;
  int submitted_ = 0, collected_ = 0;
};
