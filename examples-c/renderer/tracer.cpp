#include "tracer.hpp"

namespace {

constexpr int kLongestPath = 12;
constexpr int kSureBounces = 3;
// A path that meets a light by luck counts at most this much: the rest would show as specks, not as light.
constexpr float kBrightest = 6;

float sine_for(float cosine) {
  return std::sqrt(std::max(0.0f, 1 - cosine * cosine));
}

// A direction at most acos(least_cosine) away from the axis.
Vec3 in_cone(Vec3 axis, float least_cosine, Random &random) {
  const float cosine = 1 - random.next() * (1 - least_cosine), sine = sine_for(cosine);
  const float turn = 2 * kPi * random.next();
  return along(axis, std::cos(turn) * sine, std::sin(turn) * sine, cosine);
}

// A direction above a surface, in proportion to the cosine of its angle to the normal.
Vec3 above(Vec3 normal, Random &random) {
  const float cosine = std::sqrt(1 - random.next()), sine = sine_for(cosine);
  const float turn = 2 * kPi * random.next();
  return along(normal, std::cos(turn) * sine, std::sin(turn) * sine, cosine);
}

// Schlick's approximation of what part of the light a clear surface mirrors.
float mirrored(float cosine, float index) {
  const float straight = (1 - index) / (1 + index), base = straight * straight;
  const float rest = 1 - cosine, rest_squared = rest * rest;
  return base + (1 - base) * rest_squared * rest_squared * rest;
}

Vec3 sky(const Scene &scene, Vec3 direction) {
  return mix(scene.horizon, scene.zenith, std::sqrt(std::max(0.0f, direction.y)));
}

Vec3 colour_at(const Material &material, Vec3 place) {
  if (material.finish != Finish::Checker) {
    return material.colour;
  }
  const float squares = std::floor(place.x / material.number) + std::floor(place.z / material.number);
  return squares - 2 * std::floor(squares / 2) < 0.5f ? material.colour : material.second;
}

// The light that one lamp, picked by how bright it is from here, throws on a matte surface.
Vec3 lamp_light(const Scene &scene, Vec3 place, Vec3 normal, Random &random) {
  const auto weight = [&](int lamp) {
    const Sphere &sphere = scene.spheres[static_cast<size_t>(lamp)];
    const Vec3 to_lamp = sphere.centre - place;
    const float above_surface = dot(to_lamp, normal) + sphere.radius;
    const float power =
        luminance(scene.materials[static_cast<size_t>(sphere.material)].colour) * sphere.radius * sphere.radius;
    return above_surface > 0 ? power / dot(to_lamp, to_lamp) : 0.0f;
  };
  float sum = 0;
  for (const int lamp : scene.lamps) {
    sum += weight(lamp);
  }
  float pick = random.next() * sum, chance = 0;
  const Sphere *sphere = nullptr;
  for (const int lamp : scene.lamps) {
    const float share = weight(lamp);
    if (share > 0) {
      sphere = &scene.spheres[static_cast<size_t>(lamp)];
      chance = share / sum;
      pick -= share;
      if (pick < 0) {
        break;
      }
    }
  }
  if (sphere == nullptr) {
    return {};
  }

  const Vec3 to_lamp = sphere->centre - place;
  const float away = length(to_lamp);
  if (away <= sphere->radius) {
    return {};
  }
  const float widest = sphere->radius / away, least_cosine = std::sqrt(1 - widest * widest);
  const Ray ray = {place, in_cone(to_lamp * (1 / away), least_cosine, random)};
  const float cosine = dot(ray.direction, normal);
  if (cosine <= 0) {
    return {};
  }
  // The ray stops at the lamp's near side: the lamp does not shade itself.
  const float middle = dot(to_lamp, ray.direction);
  const float half_squared = sphere->radius * sphere->radius - (away * away - middle * middle);
  const float reach = middle - std::sqrt(std::max(0.0f, half_squared));
  const Vec3 colour = scene.materials[static_cast<size_t>(sphere->material)].colour;
  const float solid_angle = 2 * kPi * (1 - least_cosine);
  return colour * light_through(scene, ray, reach * 0.999f) * (cosine * solid_angle / (kPi * chance));
}

struct GlassWay {
  Vec3 direction;
  float chance; // of going this way
};

// The direction in which a ray continues from a glass surface: mirrored, or bent on its way through.
GlassWay through_glass(const Hit &hit, Vec3 direction, float index, Random &random) {
  const float ratio = hit.inside ? index : 1 / index;
  const float cosine = std::min(1.0f, -dot(hit.normal, direction));
  const float bent_sine_squared = ratio * ratio * (1 - cosine * cosine);
  if (bent_sine_squared >= 1) {
    return {reflect(direction, hit.normal), 1};
  }
  const float bent_cosine = std::sqrt(1 - bent_sine_squared);
  // Inside, the angle that counts is the wider one, outside the glass.
  const float chance = mirrored(hit.inside ? bent_cosine : cosine, index);
  if (random.next() < chance) {
    return {reflect(direction, hit.normal), chance};
  }
  return {normalize(direction * ratio + hit.normal * (ratio * cosine - bent_cosine)), 1 - chance};
}

} // namespace

Lens::Lens(const Camera &camera, int width, int height, int frame) {
  const float turn = camera.orbit_degrees * static_cast<float>(frame) * (kPi / 180), cosine = std::cos(turn),
              sine = std::sin(turn);
  const Vec3 arm = camera.from - camera.target;
  from_ = camera.target + Vec3{cosine * arm.x + sine * arm.z, arm.y, cosine * arm.z - sine * arm.x};
  const Vec3 forward = normalize(camera.target - from_), right = normalize(cross(forward, {0, 1, 0})),
             up = cross(right, forward);
  const float pixel = 2 * std::tan(camera.view_degrees * (kPi / 360)) / static_cast<float>(height);
  right_ = right * pixel;
  down_ = up * -pixel;
  corner_ = forward - right_ * (0.5f * static_cast<float>(width)) - down_ * (0.5f * static_cast<float>(height));
}

Ray Lens::ray(float x, float y) const {
  return {from_, normalize(corner_ + right_ * x + down_ * y)};
}

Sample trace_path(const Scene &scene, Ray ray, Random &random) {
  Sample sample;
  Vec3 carried = {1, 1, 1};
  bool surface_known = false; // the surface that the denoiser is told of has been met
  bool lamps_counted = false; // lamp_light has counted the lamps: to meet one by luck must not count it again
  for (int bounce = 0; bounce < kLongestPath; bounce++) {
    const Hit hit = nearest_hit(scene, ray);
    if (hit.material < 0) {
      sample.light += carried * sky(scene, ray.direction);
      break;
    }
    const Material &material = scene.materials[static_cast<size_t>(hit.material)];
    const Vec3 place = ray.at(hit.distance);
    const auto show = [&](Vec3 colour) {
      if (!surface_known) {
        sample.surface = {carried * colour, hit.normal, place};
        surface_known = true;
      }
    };

    if (material.finish == Finish::Light) {
      if (!lamps_counted || hit.sphere < 0) {
        const Vec3 light = carried * material.colour;
        const float size = largest(light);
        sample.light += size > kBrightest ? light * (kBrightest / size) : light;
      }
      break;
    }
    if (material.finish == Finish::Glass) {
      if (hit.inside) {
        carried = carried * material.colour;
      }
      const GlassWay way = through_glass(hit, ray.direction, material.number, random);
      ray = {place, way.direction};
      if (way.chance < 0.5f && !surface_known) {
        sample.shows_surface = false;
      }
    } else if (material.finish == Finish::Metal) {
      if (material.number > 0.1f) {
        show(material.colour);
      }
      carried = carried * material.colour;
      const Vec3 blur = in_cone({0, 1, 0}, -1, random) * material.number;
      ray = {place, normalize(reflect(ray.direction, hit.normal) + blur)};
      if (dot(ray.direction, hit.normal) <= 0) {
        break;
      }
    } else if (material.finish == Finish::Gloss &&
               random.next() < mirrored(std::min(1.0f, -dot(hit.normal, ray.direction)), 1.5f)) {
      show(material.colour);
      ray = {place, reflect(ray.direction, hit.normal)};
    } else {
      const Vec3 colour = colour_at(material, place);
      show(colour);
      carried = carried * colour;
      sample.light += carried * lamp_light(scene, place, hit.normal, random);
      ray = {place, above(hit.normal, random)};
      lamps_counted = true;
    }

    if (bounce >= kSureBounces) {
      const float chance = std::min(0.95f, largest(carried));
      if (random.next() >= chance) {
        break;
      }
      carried = carried * (1 / chance);
    }
  }
  return sample;
}
