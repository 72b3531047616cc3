// A scene: materials, shapes, sky and camera, as read from a text file. scenes/gallery.scene documents the format.
#pragma once

#include <string>
#include <vector>

#include "scene_view.hpp"

struct Scene {
  Camera camera;
  Vec3 zenith{0.3f, 0.5f, 0.9f}, horizon{0.9f, 0.9f, 0.9f};
  float exposure = 1;
  std::vector<Material> materials;
  std::vector<Sphere> spheres;
  std::vector<Plane> planes;
  std::vector<Box> boxes;
  std::vector<int> lamps; // the spheres that are lights

  // Holds as long as the scene lives and stays as it is.
  SceneView view() const;
};

// Throws std::runtime_error, with file and line, if the file cannot be read or says something that the format lacks.
Scene read_scene(const std::string &path);
