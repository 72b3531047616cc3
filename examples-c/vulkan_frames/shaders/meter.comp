// How bright the picture is: a sum for each square, one work group a square.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "buffers.glsl"

layout(local_size_x = kSquare, local_size_y = 1) in;

shared float columns[kSquare];

void main() {
  const ivec2 top = ivec2(gl_WorkGroupID.xy) * kSquare;
  const int column = int(gl_LocalInvocationID.x), x = top.x + column;
  float sum = 0;
  if (x < step.size.x) {
    for (int y = top.y; y < min(top.y + kSquare, step.size.y); y++) {
      const int i = index_of(ivec2(x, y));
      sum += log(1e-3 + luminance(from_pixels[i].rgb * (colours[i].rgb + kLeastColour)));
    }
  }
  columns[column] = sum;
  barrier();
  if (column == 0) {
    for (int other = 1; other < kSquare; other++) {
      sum += columns[other];
    }
    log_luminance[gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x] = sum;
  }
}
