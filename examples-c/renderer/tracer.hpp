// The light that reaches the camera along one ray, found by following one random path back to the lights.
#pragma once

#include "shapes.hpp"

// The surface that a pixel shows, also through glass and in mirrors. The denoiser uses it.
struct Surface {
  Vec3 colour{1, 1, 1};
  Vec3 normal; // 0 where there is no surface: the sky, or a light
  Vec3 place;
};

struct Sample {
  Vec3 light;
  Surface surface;
  bool shows_surface = true; // false: the path took the rarer way at a glass, and its surface is not the one to go by
};

// The ray through a point of the picture; x and y are pixels from the top left corner. The camera's place depends on the frame.
class Lens {
public:
  Lens() = default;
  Lens(const Camera &camera, int width, int height, int frame);

  Ray ray(float x, float y) const;

private:
  Vec3 from_, corner_, right_, down_;
};

Sample trace_path(const Scene &scene, Ray ray, Random &random);
