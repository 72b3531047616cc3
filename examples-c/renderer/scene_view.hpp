// What a scene is made of, and a view of one: what a ray needs, wherever the memory is. On a GPU there are no vectors.
#pragma once

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

// Items that somebody else owns.
template <class Item>
struct List {
  const Item *items = nullptr;
  size_t count = 0;

  const Item &operator[](size_t i) const { return items[i]; }
  size_t size() const { return count; }
  const Item *begin() const { return items; }
  const Item *end() const { return items + count; }
};

struct SceneView {
  Camera camera;
  Vec3 zenith, horizon;
  float exposure = 1;
  List<Material> materials;
  List<Sphere> spheres;
  List<Plane> planes;
  List<Box> boxes;
  List<int> lamps; // the spheres that are lights
};
