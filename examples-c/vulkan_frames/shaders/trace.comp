// The first pass: the samples of each pixel of a tile, and what the denoiser is to know of the surface there.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "buffers.glsl"
#include "random.glsl"
#include "shapes.glsl"
#include "paths.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

void main() {
  const ivec2 at = step.first + ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, step.end))) {
    return;
  }
  vec3 light = vec3(0), colour = vec3(0), normal = vec3(0), place = vec3(0);
  float squares = 0, shown = 0;
  for (int number = 0; number < step.samples; number++) {
    seed(at.x, at.y, number, step.frame);
    const float right = next_random(), down = next_random();
    const vec2 point = vec2(at) + vec2(right, down);
    const Sample result =
        trace_path(Ray(step.from, normalize(step.corner + step.right * point.x + step.down * point.y)));
    light += result.light;
    squares += luminance(result.light) * luminance(result.light);
    if (result.shows_surface) {
      colour += result.colour;
      normal += result.normal;
      place += result.place;
      shown++;
    }
  }
  const float share = 1 / float(step.samples), part = shown > 0 ? 1 / shown : 0;
  const vec3 mean = light * share, tint = colour * part + kLeastColour;
  const float centre = luminance(mean), grey = luminance(tint);
  const float spread = max(0, squares * share - centre * centre) / float(max(1, step.samples - 1));
  const int i = index_of(at);
  colours[i] = vec4(colour * part, 0);
  normals[i] = vec4(normal * part, 0);
  places[i] = vec4(place * part, 0);
  to_pixels[i] = vec4(mean / tint, spread / (grey * grey));
}
