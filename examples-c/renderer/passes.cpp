#include "passes.hpp"

namespace {

// One pixel's own variance comes from few samples and is itself noisy.
float blurred_variance(const Planes &planes, const Texel *from, int x, int y) {
  float variance = 0, sum = 0;
  for (int v = std::max(0, y - 1); v <= std::min(planes.height - 1, y + 1); v++) {
    for (int u = std::max(0, x - 1); u <= std::min(planes.width - 1, x + 1); u++) {
      const float weight = (u == x ? 2.0f : 1.0f) * (v == y ? 2.0f : 1.0f);
      variance += from[planes.index(u, v)].variance * weight;
      sum += weight;
    }
  }
  return variance / sum;
}

Texel denoised(const Planes &planes, const Texel *from, Vec3 camera, int x, int y, int spread) {
  constexpr float kKernel[] = {1, 2.0f / 3, 1.0f / 6};
  const size_t here = planes.index(x, y);
  const Vec3 normal = planes.normals[here].value, place = planes.places[here].value;
  const Texel &centre = from[here];
  if (dot(normal, normal) < 0.1f) {
    return centre; // sky and lights have no noise
  }
  const float bright = luminance(centre.value);
  const float noise = 1 / (4 * std::sqrt(blurred_variance(planes, from, x, y)) + 1e-3f);
  const float flat = 1 / (0.01f * static_cast<float>(spread) * (1 + 0.1f * length(place - camera)));
  Vec3 light = centre.value;
  float variance = centre.variance, sum = 1;
  for (int dy = -2; dy <= 2; dy++) {
    const int v = y + dy * spread;
    if (v < 0 || v >= planes.height) {
      continue;
    }
    for (int dx = -2; dx <= 2; dx++) {
      const int u = x + dx * spread;
      if (u < 0 || u >= planes.width || (dx == 0 && dy == 0)) {
        continue;
      }
      const size_t there = planes.index(u, v);
      const float facing = dot(normal, planes.normals[there].value);
      if (facing < 0.5f) {
        continue;
      }
      const Texel &pixel = from[there];
      const float off_plane = std::fabs(dot(normal, planes.places[there].value - place)) * flat;
      const float unlike = std::fabs(luminance(pixel.value) - bright) * noise;
      const float facing8 = facing * facing * facing * facing * facing * facing * facing * facing;
      const float weight =
          kKernel[std::abs(dx)] * kKernel[std::abs(dy)] * facing8 * facing8 * std::exp(-off_plane - unlike);
      light += pixel.value * weight;
      variance += pixel.variance * weight * weight;
      sum += weight;
    }
  }
  return {light * (1 / sum), variance / (sum * sum)};
}

} // namespace

Planes Planes::at(Texel *memory, int width, int height) {
  Planes planes;
  planes.width = width;
  planes.height = height;
  const size_t count = planes.index(0, height);
  planes.colours = memory;
  planes.normals = memory + count;
  planes.places = memory + 2 * count;
  planes.light[0] = memory + 3 * count;
  planes.light[1] = memory + 4 * count;
  return planes;
}

void trace_pixel(const Scene &scene, const Lens &lens, const Planes &planes, int samples, int frame, int x, int y) {
  Vec3 light, colour{0, 0, 0}, normal, place;
  float squares = 0, shown = 0;
  for (int s = 0; s < samples; s++) {
    Random random(static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(s),
                  static_cast<uint32_t>(frame));
    const float right = random.next(), down = random.next();
    const Ray ray = lens.ray(static_cast<float>(x) + right, static_cast<float>(y) + down);
    const Sample sample = trace_path(scene, ray, random);
    light += sample.light;
    squares += luminance(sample.light) * luminance(sample.light);
    if (sample.shows_surface) {
      colour += sample.surface.colour;
      normal += sample.surface.normal;
      place += sample.surface.place;
      shown++;
    }
  }
  const float share = 1 / static_cast<float>(samples), part = shown > 0 ? 1 / shown : 0;
  const Vec3 mean = light * share, tint = colour * part + kLeastColour;
  const float centre = luminance(mean), grey = luminance(tint);
  const float spread = std::max(0.0f, squares * share - centre * centre) / static_cast<float>(std::max(1, samples - 1));
  const size_t i = planes.index(x, y);
  planes.colours[i] = {colour * part};
  planes.normals[i] = {normal * part};
  planes.places[i] = {place * part};
  planes.light[0][i] = {mean / tint, spread / (grey * grey)};
}

// An edge-avoiding à-trous filter, its sense of edges scaled by the pixel's own noise (Dammertz 2010, Schied 2017).
void denoise_pixel(const Planes &planes, Vec3 camera, int step, int x, int y) {
  const Texel *from = planes.light[step % 2];
  planes.light[(step + 1) % 2][planes.index(x, y)] = denoised(planes, from, camera, x, y, 1 << step);
}
