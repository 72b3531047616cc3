#include "shapes.hpp"

#include <limits>
#include <utility>

namespace {

// Hits nearer than this are the surface that the ray has just left.
constexpr float kNearest = 1e-3f;

// Each function below returns the distance of the nearest hit between kNearest and `limit`, or `limit` without a hit.

float meet(const Sphere &sphere, const Ray &ray, float limit) {
  const Vec3 to_centre = sphere.centre - ray.origin;
  const float middle = dot(to_centre, ray.direction);
  const Vec3 off_axis = to_centre - ray.direction * middle;
  const float half_squared = sphere.radius * sphere.radius - dot(off_axis, off_axis);
  if (half_squared <= 0) {
    return limit;
  }
  const float half = std::sqrt(half_squared);
  const float enter = middle - half, leave = middle + half;
  const float distance = enter > kNearest ? enter : leave;
  return distance > kNearest && distance < limit ? distance : limit;
}

float meet(const Plane &plane, const Ray &ray, float limit) {
  const float distance = (plane.distance - dot(plane.normal, ray.origin)) / dot(plane.normal, ray.direction);
  return distance > kNearest && distance < limit ? distance : limit; // false for a ray along the plane
}

Vec3 into_box(const Box &box, Vec3 v) {
  return {box.cosine * v.x - box.sine * v.z, v.y, box.sine * v.x + box.cosine * v.z};
}

Vec3 out_of_box(const Box &box, Vec3 v) {
  return {box.cosine * v.x + box.sine * v.z, v.y, box.cosine * v.z - box.sine * v.x};
}

float meet(const Box &box, const Ray &ray, float limit) {
  const Vec3 origin = into_box(box, ray.origin - box.centre), direction = into_box(box, ray.direction);
  const Vec3 inverse = Vec3{1, 1, 1} / direction;
  const Vec3 one = (-box.half - origin) * inverse, two = (box.half - origin) * inverse;
  const float enter = largest({std::min(one.x, two.x), std::min(one.y, two.y), std::min(one.z, two.z)});
  const float leave = smallest({std::max(one.x, two.x), std::max(one.y, two.y), std::max(one.z, two.z)});
  if (!(enter < leave)) {
    return limit;
  }
  const float distance = enter > kNearest ? enter : leave;
  return distance > kNearest && distance < limit ? distance : limit;
}

// The outward normal of the side that the point lies on.
Vec3 normal_of(const Box &box, Vec3 point) {
  const Vec3 place = into_box(box, point - box.centre) / box.half;
  const Vec3 size = {std::fabs(place.x), std::fabs(place.y), std::fabs(place.z)};
  Vec3 normal;
  if (size.x >= size.y && size.x >= size.z) {
    normal.x = std::copysign(1.0f, place.x);
  } else if (size.y >= size.z) {
    normal.y = std::copysign(1.0f, place.y);
  } else {
    normal.z = std::copysign(1.0f, place.z);
  }
  return out_of_box(box, normal);
}

// The first shape of the list that is nearer than `limit`, which becomes its distance.
template <typename Shape>
int nearest(const std::vector<Shape> &shapes, const Ray &ray, float &limit) {
  int found = -1;
  for (size_t i = 0; i < shapes.size(); i++) {
    const float distance = meet(shapes[i], ray, limit);
    if (distance < limit) {
      limit = distance;
      found = static_cast<int>(i);
    }
  }
  return found;
}

// Multiplies `light` by what each of the shapes between the ray's origin and `distance` lets through.
template <typename Shape>
void shade(const Scene &scene, const std::vector<Shape> &shapes, const Ray &ray, float distance, Vec3 &light) {
  for (const Shape &shape : shapes) {
    if (meet(shape, ray, distance) < distance) {
      const Material &material = scene.materials[static_cast<size_t>(shape.material)];
      light = light * (material.finish == Finish::Glass ? material.colour * 0.9f : Vec3{});
      if (largest(light) <= 0) {
        return;
      }
    }
  }
}

} // namespace

Hit nearest_hit(const Scene &scene, const Ray &ray) {
  Hit hit;
  hit.distance = std::numeric_limits<float>::max();
  const int plane = nearest(scene.planes, ray, hit.distance);
  const int box = nearest(scene.boxes, ray, hit.distance);
  const int sphere = nearest(scene.spheres, ray, hit.distance);
  if (sphere >= 0) {
    const Sphere &shape = scene.spheres[static_cast<size_t>(sphere)];
    hit.normal = (ray.at(hit.distance) - shape.centre) * (1.0f / shape.radius);
    hit.material = shape.material;
    hit.sphere = sphere;
  } else if (box >= 0) {
    const Box &shape = scene.boxes[static_cast<size_t>(box)];
    hit.normal = normal_of(shape, ray.at(hit.distance));
    hit.material = shape.material;
  } else if (plane >= 0) {
    const Plane &shape = scene.planes[static_cast<size_t>(plane)];
    hit.normal = shape.normal;
    hit.material = shape.material;
  }
  if (dot(hit.normal, ray.direction) > 0) {
    hit.normal = -hit.normal;
    hit.inside = true;
  }
  return hit;
}

Vec3 light_through(const Scene &scene, const Ray &ray, float distance) {
  Vec3 light = {1, 1, 1};
  shade(scene, scene.boxes, ray, distance, light);
  if (largest(light) > 0) {
    shade(scene, scene.spheres, ray, distance, light);
  }
  if (largest(light) > 0) {
    shade(scene, scene.planes, ray, distance, light);
  }
  return light;
}
