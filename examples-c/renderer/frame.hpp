// One frame: its pixels on their way from samples to a picture, and the three passes that take them there.
#pragma once

#include <vector>

#include "tracer.hpp"

// A rectangle of pixels, its right and lower edge excluded.
struct Tile {
  int left, top, right, bottom;
};

struct Pixel {
  Vec3 light;
  float variance = 0; // of the light's luminance
};

class Frame {
public:
  // A pass is one step or more. Every tile of a step must be done before any tile of the next one starts: the denoiser reads
  // its neighbours' pixels, and the tone map reads how bright the whole picture is.
  static constexpr int kDenoiseSteps = 3;
  static constexpr int kSteps = 1 + kDenoiseSteps + 1;
  enum Pass { kTrace, kDenoise, kToneMap, kPasses };
  static Pass pass_of(int step) { return step == 0 ? kTrace : step <= kDenoiseSteps ? kDenoise : kToneMap; }

  Frame(const Scene &scene, int width, int height, int samples);

  // Makes the frame ready for its first step.
  void start(int number);

  // Runs one step on one tile. Different tiles may run at the same time.
  void run(int step, int tile) noexcept;

  int tile_count() const { return static_cast<int>(tiles_.size()); }
  int number() const { return number_; }
  const std::vector<uint8_t> &rgb() const { return rgb_; }

private:
  void trace(const Tile &tile);
  void denoise(const Tile &tile, int level);
  void tone_map(const Tile &tile);
  Pixel denoised(const std::vector<Pixel> &from, int x, int y, int spread) const;
  float blurred_variance(const std::vector<Pixel> &from, int x, int y) const;
  float exposure() const;
  size_t index(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x);
  }

  const Scene &scene_;
  const int width_, height_, samples_;
  int number_ = 0;
  Lens lens_;
  std::vector<Tile> tiles_;
  std::vector<Surface> surfaces_;
  std::vector<Pixel> pixels_[2];     // each denoise step reads one and writes the other
  std::vector<float> log_luminance_; // a sum for each tile
  std::vector<uint8_t> rgb_;
};
