// The last pass: exposure, and the curves from light to bytes.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "buffers.glsl"

const int kSide = 8;
layout(local_size_x = kSide, local_size_y = kSide) in;

shared float parts[kSide * kSide];

// Makes the picture's geometric mean a middle grey. Each invocation adds up some of the squares' sums.
float exposure() {
  const int squares = ((step.size.x + kSquare - 1) / kSquare) * ((step.size.y + kSquare - 1) / kSquare);
  float sum = 0;
  for (int i = int(gl_LocalInvocationIndex); i < squares; i += kSide * kSide) {
    sum += log_luminance[i];
  }
  parts[gl_LocalInvocationIndex] = sum;
  barrier();
  sum = 0;
  for (int i = 0; i < kSide * kSide; i++) {
    sum += parts[i];
  }
  return scene.exposure * 0.18 / exp(sum / float(step.size.x * step.size.y));
}

// A filmic curve (Narkowicz's fit of ACES), then the sRGB one.
uvec3 to_bytes(vec3 light) {
  const vec3 film = light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14);
  const vec3 clear = clamp(film, 0, 1);
  const vec3 curve = mix(1.055 * pow(clear, vec3(1 / 2.4)) - 0.055, 12.92 * clear, lessThanEqual(clear, vec3(0.0031308)));
  return uvec3(curve * 255 + 0.5);
}

void main() {
  const float factor = exposure();
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (all(lessThan(at, step.size))) {
    const int i = index_of(at);
    const uvec3 rgb = to_bytes(from_pixels[i].rgb * (colours[i].rgb + kLeastColour) * factor);
    picture[i] = rgb.r | rgb.g << 8 | rgb.b << 16;
  }
}
