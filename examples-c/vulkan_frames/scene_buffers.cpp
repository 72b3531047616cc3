#include "scene_buffers.hpp"

#include <algorithm>

namespace {

// As in shaders/buffers.glsl, where a vec3 begins at a multiple of 16 bytes.

struct Head {
  float zenith[3];
  int32_t spheres;
  float horizon[3];
  int32_t planes;
  float camera[3];
  int32_t boxes, lamps;
  float exposure;
};

struct alignas(16) GpuMaterial {
  float colour[3];
  int32_t finish;
  float second[3];
  float number;
};

struct alignas(16) GpuSphere {
  float centre[3], radius;
  int32_t material;
};

struct alignas(16) GpuPlane {
  float normal[3], distance;
  int32_t material;
};

struct alignas(16) GpuBox {
  float centre[3], cosine, half[3], sine;
  int32_t material;
};

void copy(Vec3 from, float (&to)[3]) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
}

Head head_of(const Scene &scene) {
  Head head = {};
  copy(scene.zenith, head.zenith);
  copy(scene.horizon, head.horizon);
  copy(scene.camera.from, head.camera);
  head.spheres = static_cast<int32_t>(scene.spheres.size());
  head.planes = static_cast<int32_t>(scene.planes.size());
  head.boxes = static_cast<int32_t>(scene.boxes.size());
  head.lamps = static_cast<int32_t>(scene.lamps.size());
  head.exposure = scene.exposure;
  return head;
}

GpuMaterial convert(const Material &material) {
  GpuMaterial to = {};
  copy(material.colour, to.colour);
  to.finish = static_cast<int32_t>(material.finish);
  copy(material.second, to.second);
  to.number = material.number;
  return to;
}

GpuSphere convert(const Sphere &sphere) {
  GpuSphere to = {};
  copy(sphere.centre, to.centre);
  to.radius = sphere.radius;
  to.material = sphere.material;
  return to;
}

GpuPlane convert(const Plane &plane) {
  GpuPlane to = {};
  copy(plane.normal, to.normal);
  to.distance = plane.distance;
  to.material = plane.material;
  return to;
}

GpuBox convert(const Box &box) {
  GpuBox to = {};
  copy(box.centre, to.centre);
  to.cosine = box.cosine;
  copy(box.half, to.half);
  to.sine = box.sine;
  to.material = box.material;
  return to;
}

int32_t convert(int lamp) {
  return lamp;
}

template <class Item>
VkDeviceSize bytes_of(const std::vector<Item> &items) {
  // A buffer is never empty.
  return std::max<size_t>(1, items.size()) * sizeof(convert(items[0]));
}

template <class Item>
void fill(const Buffer &buffer, const std::vector<Item> &items) {
  auto *to = static_cast<decltype(convert(items[0])) *>(buffer.mapped());
  std::transform(items.begin(), items.end(), to, [](const Item &item) { return convert(item); });
}

} // namespace

SceneBuffers::SceneBuffers(const Application &application, const Kernels &kernels, const Scene &scene)
    : head_(application, Buffer::kUpload, sizeof(Head)),
      materials_(application, Buffer::kUpload, bytes_of(scene.materials)),
      spheres_(application, Buffer::kUpload, bytes_of(scene.spheres)),
      planes_(application, Buffer::kUpload, bytes_of(scene.planes)),
      boxes_(application, Buffer::kUpload, bytes_of(scene.boxes)),
      lamps_(application, Buffer::kUpload, bytes_of(scene.lamps)),
      descriptors_(application, kernels, Kernels::kScene,
                   {{&head_, &materials_, &spheres_, &planes_, &boxes_, &lamps_}}) {
  *static_cast<Head *>(head_.mapped()) = head_of(scene);
  fill(materials_, scene.materials);
  fill(spheres_, scene.spheres);
  fill(planes_, scene.planes);
  fill(boxes_, scene.boxes);
  fill(lamps_, scene.lamps);
}
