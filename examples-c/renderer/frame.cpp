#include "frame.hpp"

namespace {

constexpr int kTileSize = 32;
// Light is denoised without the surface's colour, so that patterns stay sharp. A black surface must not divide by 0.
constexpr Vec3 kLeastColour = {0.01f, 0.01f, 0.01f};

// A filmic curve (Narkowicz's fit of ACES), then the sRGB one.
uint8_t to_byte(float light) {
  const float film = light * (2.51f * light + 0.03f) / (light * (2.43f * light + 0.59f) + 0.14f);
  const float clear = std::min(1.0f, std::max(0.0f, film));
  const float curve = clear <= 0.0031308f ? 12.92f * clear : 1.055f * std::pow(clear, 1 / 2.4f) - 0.055f;
  return static_cast<uint8_t>(curve * 255 + 0.5f);
}

} // namespace

Frame::Frame(const Scene &scene, int width, int height, int samples)
    : scene_(scene), width_(width), height_(height), samples_(samples) {
  for (int top = 0; top < height; top += kTileSize) {
    for (int left = 0; left < width; left += kTileSize) {
      tiles_.push_back({left, top, std::min(left + kTileSize, width), std::min(top + kTileSize, height)});
    }
  }
  const size_t count = index(0, height);
  surfaces_.resize(count);
  pixels_[0].resize(count);
  pixels_[1].resize(count);
  log_luminance_.resize(tiles_.size());
  rgb_.resize(count * 3);
}

void Frame::start(int number) {
  number_ = number;
  lens_ = Lens(scene_.camera, width_, height_, number);
}

void Frame::run(int step, int tile_number) noexcept {
  const Tile &tile = tiles_[static_cast<size_t>(tile_number)];
  switch (pass_of(step)) {
  case kTrace:
    trace(tile);
    break;
  case kDenoise:
    denoise(tile, step - 1);
    if (step == kDenoiseSteps) {
      float sum = 0;
      for (int y = tile.top; y < tile.bottom; y++) {
        for (int x = tile.left; x < tile.right; x++) {
          const size_t i = index(x, y);
          const Vec3 colour = surfaces_[i].colour + kLeastColour;
          sum += std::log(1e-3f + luminance(pixels_[kDenoiseSteps % 2][i].light * colour));
        }
      }
      log_luminance_[static_cast<size_t>(tile_number)] = sum;
    }
    break;
  default:
    tone_map(tile);
    break;
  }
}

void Frame::trace(const Tile &tile) {
  const float share = 1 / static_cast<float>(samples_);
  for (int y = tile.top; y < tile.bottom; y++) {
    for (int x = tile.left; x < tile.right; x++) {
      Vec3 light, colour{0, 0, 0}, normal, place;
      float squares = 0, shown = 0;
      for (int s = 0; s < samples_; s++) {
        Random random(static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(s),
                      static_cast<uint32_t>(number_));
        const float right = random.next(), down = random.next();
        const Ray ray = lens_.ray(static_cast<float>(x) + right, static_cast<float>(y) + down);
        const Sample sample = trace_path(scene_, ray, random);
        light += sample.light;
        squares += luminance(sample.light) * luminance(sample.light);
        if (sample.shows_surface) {
          colour += sample.surface.colour;
          normal += sample.surface.normal;
          place += sample.surface.place;
          shown++;
        }
      }
      const float part = shown > 0 ? 1 / shown : 0;
      const Vec3 mean = light * share, tint = colour * part + kLeastColour;
      const float centre = luminance(mean), grey = luminance(tint);
      const float spread =
          std::max(0.0f, squares * share - centre * centre) / static_cast<float>(std::max(1, samples_ - 1));
      const size_t i = index(x, y);
      surfaces_[i] = {colour * part, normal * part, place * part};
      pixels_[0][i] = {mean / tint, spread / (grey * grey)};
    }
  }
}

// An edge-avoiding à-trous filter, its sense of edges scaled by the pixel's own noise (Dammertz 2010, Schied 2017).
void Frame::denoise(const Tile &tile, int level) {
  const std::vector<Pixel> &from = pixels_[level % 2];
  std::vector<Pixel> &to = pixels_[(level + 1) % 2];
  for (int y = tile.top; y < tile.bottom; y++) {
    for (int x = tile.left; x < tile.right; x++) {
      to[index(x, y)] = denoised(from, x, y, 1 << level);
    }
  }
}

Pixel Frame::denoised(const std::vector<Pixel> &from, int x, int y, int spread) const {
  constexpr float kKernel[] = {1, 2.0f / 3, 1.0f / 6};
  const size_t here = index(x, y);
  const Surface &surface = surfaces_[here];
  const Pixel &centre = from[here];
  if (dot(surface.normal, surface.normal) < 0.1f) {
    return centre; // sky and lights have no noise
  }
  const float bright = luminance(centre.light);
  const float noise = 1 / (4 * std::sqrt(blurred_variance(from, x, y)) + 1e-3f);
  const float flat = 1 / (0.01f * static_cast<float>(spread) * (1 + 0.1f * length(surface.place - scene_.camera.from)));
  Vec3 light = centre.light;
  float variance = centre.variance, sum = 1;
  for (int dy = -2; dy <= 2; dy++) {
    const int v = y + dy * spread;
    if (v < 0 || v >= height_) {
      continue;
    }
    for (int dx = -2; dx <= 2; dx++) {
      const int u = x + dx * spread;
      if (u < 0 || u >= width_ || (dx == 0 && dy == 0)) {
        continue;
      }
      const size_t there = index(u, v);
      const Surface &other = surfaces_[there];
      const float facing = dot(surface.normal, other.normal);
      if (facing < 0.5f) {
        continue;
      }
      const Pixel &pixel = from[there];
      const float off_plane = std::fabs(dot(surface.normal, other.place - surface.place)) * flat;
      const float unlike = std::fabs(luminance(pixel.light) - bright) * noise;
      const float facing8 = facing * facing * facing * facing * facing * facing * facing * facing;
      const float weight =
          kKernel[std::abs(dx)] * kKernel[std::abs(dy)] * facing8 * facing8 * std::exp(-off_plane - unlike);
      light += pixel.light * weight;
      variance += pixel.variance * weight * weight;
      sum += weight;
    }
  }
  return {light * (1 / sum), variance / (sum * sum)};
}

// One pixel's own variance comes from few samples and is itself noisy.
float Frame::blurred_variance(const std::vector<Pixel> &from, int x, int y) const {
  float variance = 0, sum = 0;
  for (int v = std::max(0, y - 1); v <= std::min(height_ - 1, y + 1); v++) {
    for (int u = std::max(0, x - 1); u <= std::min(width_ - 1, x + 1); u++) {
      const float weight = (u == x ? 2.0f : 1.0f) * (v == y ? 2.0f : 1.0f);
      variance += from[index(u, v)].variance * weight;
      sum += weight;
    }
  }
  return variance / sum;
}

// Makes the picture's geometric mean a middle grey.
float Frame::exposure() const {
  float sum = 0;
  for (const float part : log_luminance_) {
    sum += part;
  }
  return scene_.exposure * 0.18f / std::exp(sum / static_cast<float>(width_ * height_));
}

void Frame::tone_map(const Tile &tile) {
  const float factor = exposure();
  const std::vector<Pixel> &from = pixels_[kDenoiseSteps % 2];
  for (int y = tile.top; y < tile.bottom; y++) {
    for (int x = tile.left; x < tile.right; x++) {
      const size_t i = index(x, y);
      const Vec3 light = from[i].light * (surfaces_[i].colour + kLeastColour) * factor;
      rgb_[i * 3] = to_byte(light.x);
      rgb_[i * 3 + 1] = to_byte(light.y);
      rgb_[i * 3 + 2] = to_byte(light.z);
    }
  }
}
