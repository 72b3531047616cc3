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
  // A pass has one step or more. A step begins when all tiles of the step before it are complete: the denoiser reads neighbouring pixels,
  // and the tone map reads the brightness of the whole picture.
  static constexpr int kFirstDenoiseStep = 1, kMeterStep = kFirstDenoiseStep + kDenoiseSteps;
  static constexpr int kSteps = kMeterStep + 2;
  enum Pass { kTrace, kDenoise, kToneMap, kPasses };
  // The first step of a pass, and of what comes after the last pass.
  static int first_step(int pass) {
    constexpr int kFirst[] = {0, kFirstDenoiseStep, kMeterStep, kSteps};
    return kFirst[pass];
  }

  Frame(const Scene &scene, int width, int height, int samples);

  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;

  // Makes the frame ready for its first step.
  void start(int number);

  // Runs one step on one tile. Different tiles may run at the same time.
  void run(int step, int tile) noexcept;

  int tile_count() const { return static_cast<int>(tiles_.size()); }
  const std::vector<uint8_t> &rgb() const { return rgb_; }

private:
  void meter(const Tile &tile, float &sum) const;
  void tone_map(const Tile &tile);
  float exposure() const;

  const Scene &scene_;
  const int samples_;
  int number_ = 0;
  Lens lens_;
  std::vector<Tile> tiles_;
  std::vector<Texel> memory_;
  const Planes planes_;
  std::vector<float> log_luminance_; // a sum for each tile
  std::vector<uint8_t> rgb_;
};
