// Where a ray meets the shapes of a scene.
#pragma once

#include "scene.hpp"

struct Ray {
  Vec3 origin, direction; // the direction's length is 1

  Vec3 at(float distance) const { return origin + direction * distance; }
};

struct Hit {
  float distance = 0;
  Vec3 normal;         // points against the ray
  bool inside = false; // the ray comes from within the shape
  int material = -1;   // -1: the ray meets nothing
  int sphere = -1;     // which sphere it is, if it is one
};

// The nearest hit in front of the ray's origin.
Hit nearest_hit(const Scene &scene, const Ray &ray);

// What part of the light gets through from the ray's origin to a point that far away, per colour. Glass lets light through
// straight on and tinted: the shadow it then casts is the one an eye expects, without a sample for every bent path.
Vec3 light_through(const Scene &scene, const Ray &ray, float distance);
