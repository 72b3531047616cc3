#include "scene.hpp"

namespace {

enum Name {
  Floor,
  Plinth,
  Wall,
  Gold,
  Steel,
  Clear,
  Amber,
  Red,
  Teal,
  Violet,
  Lime,
  Cream,
  Navy,
  Moon,
  Ember,
  Frost,
  Neon
};

const Material kMaterials[] = {
    {Finish::Checker, {0.56f, 0.52f, 0.48f}, {0.13f, 0.12f, 0.13f}, 0.8f}, // floor
    {Finish::Matte, {0.62f, 0.60f, 0.58f}, {}, 0},                         // plinth
    {Finish::Matte, {0.07f, 0.20f, 0.26f}, {}, 0},                         // wall
    {Finish::Metal, {0.95f, 0.70f, 0.32f}, {}, 0.02f},                     // gold
    {Finish::Metal, {0.72f, 0.75f, 0.80f}, {}, 0.16f},                     // steel
    {Finish::Glass, {0.97f, 0.99f, 0.98f}, {}, 1.5f},                      // clear
    {Finish::Glass, {0.98f, 0.66f, 0.25f}, {}, 1.5f},                      // amber
    {Finish::Gloss, {0.72f, 0.07f, 0.06f}, {}, 0},                         // red
    {Finish::Gloss, {0.04f, 0.42f, 0.44f}, {}, 0},                         // teal
    {Finish::Gloss, {0.32f, 0.12f, 0.52f}, {}, 0},                         // violet
    {Finish::Gloss, {0.42f, 0.60f, 0.08f}, {}, 0},                         // lime
    {Finish::Gloss, {0.80f, 0.72f, 0.56f}, {}, 0},                         // cream
    {Finish::Gloss, {0.05f, 0.09f, 0.34f}, {}, 0},                         // navy
    {Finish::Light, {7.5f, 7.2f, 7.0f}, {}, 0},                            // moon
    {Finish::Light, {16, 6.4f, 1.8f}, {}, 0},                              // ember
    {Finish::Light, {2.6f, 6.6f, 13}, {}, 0},                              // frost
    {Finish::Light, {0.9f, 0.16f, 0.42f}, {}, 0},                          // neon
};

Box box(Vec3 centre, Vec3 size, float degrees, int material) {
  const float turn = degrees * kPi / 180;
  return {centre, size * 0.5f, std::cos(turn), std::sin(turn), material};
}

} // namespace

Scene gallery() {
  Scene scene;
  scene.camera = {{-0.5f, 2.1f, 7.4f}, {0.1f, 0.95f, 0}, 33, 1.5f};
  scene.zenith = {0.01f, 0.03f, 0.12f};
  scene.horizon = {0.22f, 0.085f, 0.07f};
  scene.exposure = 0.8f;
  scene.materials.assign(std::begin(kMaterials), std::end(kMaterials));
  scene.planes = {{{0, 1, 0}, 0, Floor}};
  scene.boxes = {
      box({0, 0.25f, 0}, {1.7f, 0.5f, 1.7f}, 20, Plinth),
      box({2.45f, 0.55f, -0.5f}, {1.0f, 1.1f, 1.0f}, -28, Steel),
      box({0, 1.2f, -4.6f}, {40, 2.4f, 0.3f}, 0, Wall),
      box({-1.2f, 0.9f, -2.7f}, {0.5f, 1.8f, 0.5f}, 35, Plinth),
      box({1.1f, 1.25f, -3.0f}, {0.5f, 2.5f, 0.5f}, 10, Plinth),
      box({0, 2.43f, -4.6f}, {40, 0.06f, 0.4f}, 0, Neon),
  };
  scene.spheres = {
      {{0, 1.3f, 0}, 0.8f, Clear},
      {{1.25f, 0.17f, 1.05f}, 0.17f, Red},
      {{0.75f, 0.15f, 1.45f}, 0.15f, Teal},
      {{0.15f, 0.17f, 1.65f}, 0.17f, Cream},
      {{-0.50f, 0.14f, 1.58f}, 0.14f, Violet},
      {{-1.05f, 0.17f, 1.28f}, 0.17f, Lime},
      {{-1.45f, 0.15f, 0.80f}, 0.15f, Navy},
      {{1.55f, 0.14f, 0.45f}, 0.14f, Amber},
      {{-2.35f, 0.85f, -0.7f}, 0.85f, Gold},
      {{2.45f, 1.48f, -0.5f}, 0.38f, Red},
      {{3.25f, 0.36f, 0.75f}, 0.36f, Teal},
      {{-2.95f, 0.42f, 0.95f}, 0.42f, Violet},
      {{-1.2f, 2.1f, -2.7f}, 0.30f, Cream},
      {{1.1f, 2.8f, -3.0f}, 0.30f, Amber},
      {{3.5f, 7.5f, 3.0f}, 1.3f, Moon},
      {{-1.7f, 0.16f, 1.75f}, 0.16f, Ember},
      {{1.9f, 0.16f, 1.55f}, 0.16f, Frost},
  };
  for (size_t i = 0; i < scene.spheres.size(); i++) {
    const Material &material = scene.materials[static_cast<size_t>(scene.spheres[i].material)];
    if (material.finish == Finish::Light) scene.lamps.push_back(static_cast<int>(i));
  }
  return scene;
}
