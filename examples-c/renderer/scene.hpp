// The materials and shapes of a scene, its sky and its camera.
#pragma once

#include <vector>

#include "vec.hpp"

enum class Finish { Matte, Checker, Gloss, Metal, Glass, Light };

struct Material {
  Finish finish = Finish::Matte;
  Vec3 colour;      // reflected, let through (glass) or sent out (light)
  Vec3 second;      // the other colour of a checker board
  float number = 0; // metal: roughness; glass: index of refraction; checker: the length of a square's side
};

struct Sphere {
  Vec3 centre;
  float radius = 1;
  int material = 0;
};

// The points p with dot(normal, p) == distance.
struct Plane {
  Vec3 normal;
  float distance = 0;
  int material = 0;
};

// A box turned about the vertical axis.
struct Box {
  Vec3 centre, half;
  float cosine = 1, sine = 0;
  int material = 0;
};

struct Camera {
  Vec3 from{0, 1, 5}, target;
  float view_degrees = 40; // the vertical angle of view
  float orbit_degrees = 1; // how far it moves round its target from one frame to the next
};

struct Scene {
  Camera camera;
  Vec3 zenith, horizon; // the colors of the sky overhead and at the horizon
  float exposure = 1;   // brighter or darker than the automatic exposure
  std::vector<Material> materials;
  std::vector<Sphere> spheres;
  std::vector<Plane> planes;
  std::vector<Box> boxes;
  std::vector<int> lamps; // the spheres that are lights
};

// A gallery at dusk: the scene that the program renders.
Scene gallery();
