// One level of the second pass: the edge-avoiding filter of renderer/frame.cpp.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "buffers.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

// One pixel's own variance comes from few samples and is itself noisy.
float blurred_variance(ivec2 at) {
  float variance = 0, sum = 0;
  for (int v = max(0, at.y - 1); v <= min(step.size.y - 1, at.y + 1); v++) {
    for (int u = max(0, at.x - 1); u <= min(step.size.x - 1, at.x + 1); u++) {
      const float weight = (u == at.x ? 2.0 : 1.0) * (v == at.y ? 2.0 : 1.0);
      variance += from_pixels[index_of(ivec2(u, v))].w * weight;
      sum += weight;
    }
  }
  return variance / sum;
}

vec4 denoised(ivec2 at, int spread) {
  const float kernel[3] = {1, 2.0 / 3, 1.0 / 6};
  const int here = index_of(at);
  const vec3 normal = normals[here].xyz, place = places[here].xyz;
  const vec4 centre = from_pixels[here];
  if (dot(normal, normal) < 0.1) {
    return centre; // sky and lights have no noise
  }
  const float bright = luminance(centre.rgb);
  const float noise = 1 / (4 * sqrt(blurred_variance(at)) + 1e-3);
  const float flatness = 1 / (0.01 * float(spread) * (1 + 0.1 * length(place - scene.camera)));
  vec3 light = centre.rgb;
  float variance = centre.w, sum = 1;
  for (int dy = -2; dy <= 2; dy++) {
    for (int dx = -2; dx <= 2; dx++) {
      const ivec2 other = at + ivec2(dx, dy) * spread;
      if ((dx == 0 && dy == 0) || any(lessThan(other, ivec2(0))) || any(greaterThanEqual(other, step.size))) {
        continue;
      }
      const int there = index_of(other);
      const float facing = dot(normal, normals[there].xyz);
      if (facing < 0.5) {
        continue;
      }
      const vec4 pixel = from_pixels[there];
      const float off_plane = abs(dot(normal, places[there].xyz - place)) * flatness;
      const float unlike = abs(luminance(pixel.rgb) - bright) * noise;
      const float facing2 = facing * facing, facing4 = facing2 * facing2, facing8 = facing4 * facing4;
      const float weight = kernel[abs(dx)] * kernel[abs(dy)] * facing8 * facing8 * exp(-off_plane - unlike);
      light += pixel.rgb * weight;
      variance += pixel.w * weight * weight;
      sum += weight;
    }
  }
  return vec4(light / sum, variance / (sum * sum));
}

void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (all(lessThan(at, step.size))) {
    to_pixels[index_of(at)] = denoised(at, 1 << step.level);
  }
}
