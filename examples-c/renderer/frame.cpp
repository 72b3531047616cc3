#include "frame.hpp"

namespace {

constexpr int kTileSize = 32;

// A filmic curve (Narkowicz's fit of ACES), then the sRGB one.
uint8_t to_byte(float light) {
  const float film = light * (2.51f * light + 0.03f) / (light * (2.43f * light + 0.59f) + 0.14f);
  const float clear = std::min(1.0f, std::max(0.0f, film));
  const float curve = clear <= 0.0031308f ? 12.92f * clear : 1.055f * std::pow(clear, 1 / 2.4f) - 0.055f;
  return static_cast<uint8_t>(curve * 255 + 0.5f);
}

template <class Function>
void for_each_pixel(const Tile &tile, Function &&function) {
  for (int y = tile.top; y < tile.bottom; y++) {
    for (int x = tile.left; x < tile.right; x++) {
      function(x, y);
    }
  }
}

} // namespace

Frame::Frame(const Scene &scene, int width, int height, int samples)
    : scene_(scene), samples_(samples),
      memory_(static_cast<size_t>(width) * static_cast<size_t>(height) * Planes::kCount),
      planes_(Planes::at(memory_.data(), width, height)) {
  for (int top = 0; top < height; top += kTileSize) {
    for (int left = 0; left < width; left += kTileSize) {
      tiles_.push_back({left, top, std::min(left + kTileSize, width), std::min(top + kTileSize, height)});
    }
  }
  log_luminance_.resize(tiles_.size());
  rgb_.resize(planes_.index(0, height) * 3);
}

void Frame::start(int number) {
  number_ = number;
  lens_ = Lens(scene_.camera, planes_.width, planes_.height, number);
}

void Frame::run(int step, int tile_number) noexcept {
  const Tile &tile = tiles_[static_cast<size_t>(tile_number)];
  if (step < kFirstDenoiseStep) {
    for_each_pixel(tile, [&](int x, int y) { trace_pixel(scene_, lens_, planes_, samples_, number_, x, y); });
  } else if (step < kMeterStep) {
    for_each_pixel(tile,
                   [&](int x, int y) { denoise_pixel(planes_, scene_.camera.from, step - kFirstDenoiseStep, x, y); });
  } else if (step == kMeterStep) {
    meter(tile, log_luminance_[static_cast<size_t>(tile_number)]);
  } else {
    tone_map(tile);
  }
}

void Frame::meter(const Tile &tile, float &sum) const {
  const Texel *light = planes_.light[kDenoiseSteps % 2];
  sum = 0;
  for_each_pixel(tile, [&](int x, int y) {
    const size_t i = planes_.index(x, y);
    sum += std::log(1e-3f + luminance(light[i].value * (planes_.colours[i].value + kLeastColour)));
  });
}

// Makes the picture's geometric mean a middle grey.
float Frame::exposure() const {
  float sum = 0;
  for (const float part : log_luminance_) {
    sum += part;
  }
  return scene_.exposure * 0.18f / std::exp(sum / static_cast<float>(planes_.width * planes_.height));
}

void Frame::tone_map(const Tile &tile) {
  const float factor = exposure();
  const Texel *light = planes_.light[kDenoiseSteps % 2];
  for_each_pixel(tile, [&](int x, int y) {
    const size_t i = planes_.index(x, y);
    const Vec3 shown = light[i].value * (planes_.colours[i].value + kLeastColour) * factor;
    rgb_[i * 3] = to_byte(shown.x);
    rgb_[i * 3 + 1] = to_byte(shown.y);
    rgb_[i * 3 + 2] = to_byte(shown.z);
  });
}
