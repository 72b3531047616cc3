// One frame: its pixels on their way from samples to a picture, and the three passes that take them there.
#pragma once

#include <vector>

#include "passes.hpp"
#include "scene.hpp"

// A rectangle of pixels, its right and lower edge excluded.
struct Tile {
  int left, top, right, bottom;
};

class Frame {
public:
  // A pass is one step or more. Every tile of a step must be done before any tile of the next one starts: the denoiser reads
  // its neighbours' pixels, and the tone map reads how bright the whole picture is, which the step before it measures.
  static constexpr int kFirstDenoiseStep = 1, kMeterStep = kFirstDenoiseStep + kDenoiseSteps;
  static constexpr int kSteps = kMeterStep + 2;
  enum Pass { kTrace, kDenoise, kToneMap, kPasses };
  static Pass pass_of(int step) { return step == 0 ? kTrace : step < kMeterStep ? kDenoise : kToneMap; }

  Frame(const Scene &scene, int width, int height, int samples);

  // A frame whose pixels are in memory of the caller's: texels(width, height) of them.
  Frame(const Scene &scene, int width, int height, int samples, Texel *memory);
  static size_t texels(int width, int height);

  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;

  // Makes the frame ready for its first step.
  void start(int number);

  // Runs one step on one tile. Different tiles may run at the same time.
  void run(int step, int tile) noexcept;

  // Runs all steps of a frame on the calling thread.
  void render(int number);

  int tile_count() const { return static_cast<int>(tiles_.size()); }
  int number() const { return number_; }
  const Lens &lens() const { return lens_; }
  const Planes &planes() const { return planes_; }
  const std::vector<uint8_t> &rgb() const { return rgb_; }

private:
  void meter(const Tile &tile, float &sum) const;
  void tone_map(const Tile &tile);
  float exposure() const;

  const SceneView scene_;
  const int samples_;
  int number_ = 0;
  Lens lens_;
  std::vector<Tile> tiles_;
  std::vector<Texel> own_; // empty where the memory is the caller's
  const Planes planes_;
  std::vector<float> log_luminance_; // a sum for each tile
  std::vector<uint8_t> rgb_;
};
