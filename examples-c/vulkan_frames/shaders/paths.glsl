// The light that reaches the camera along one random path, as renderer/tracer.cpp follows it: the same steps, which use the same
// random numbers, so that both pictures have the same noise.
const float kPi = 3.14159265358979;
const int kLongestPath = 12, kSureBounces = 3;
const float kBrightest = 6;

struct Sample {
  vec3 light;
  vec3 colour, normal, place; // of the surface that the pixel shows
  bool shows_surface;
};

float sine_for(float cosine) {
  return sqrt(max(0, 1 - cosine * cosine));
}

// A direction given by its parts along the normal and across it.
vec3 along(vec3 normal, float across1, float across2, float up) {
  const vec3 helper = abs(normal.x) > 0.9 ? vec3(0, 1, 0) : vec3(1, 0, 0);
  const vec3 tangent = normalize(cross(helper, normal));
  return tangent * across1 + cross(normal, tangent) * across2 + normal * up;
}

vec3 in_cone(vec3 axis, float least_cosine) {
  const float cosine = 1 - next_random() * (1 - least_cosine), sine = sine_for(cosine);
  const float turn = 2 * kPi * next_random();
  return along(axis, cos(turn) * sine, sin(turn) * sine, cosine);
}

vec3 above(vec3 normal) {
  const float cosine = sqrt(1 - next_random()), sine = sine_for(cosine);
  const float turn = 2 * kPi * next_random();
  return along(normal, cos(turn) * sine, sin(turn) * sine, cosine);
}

// Schlick's approximation of what part of the light a clear surface mirrors.
float mirrored(float cosine, float index) {
  const float straight = (1 - index) / (1 + index), base = straight * straight;
  const float rest = 1 - cosine, rest_squared = rest * rest;
  return base + (1 - base) * rest_squared * rest_squared * rest;
}

float largest(vec3 a) {
  return max(a.x, max(a.y, a.z));
}

vec3 colour_at(Material material, vec3 place) {
  if (material.finish != kChecker) {
    return material.colour;
  }
  const float squares = floor(place.x / material.number) + floor(place.z / material.number);
  return squares - 2 * floor(squares / 2) < 0.5 ? material.colour : material.second;
}

float lamp_weight(int lamp, vec3 place, vec3 normal) {
  const Sphere sphere = spheres[lamp];
  const vec3 to_lamp = sphere.centre - place;
  const float above_surface = dot(to_lamp, normal) + sphere.radius;
  const float power = luminance(materials[sphere.material].colour) * sphere.radius * sphere.radius;
  return above_surface > 0 ? power / dot(to_lamp, to_lamp) : 0;
}

// The light that one lamp, picked by how bright it is from here, throws on a matte surface.
vec3 lamp_light(vec3 place, vec3 normal) {
  float sum = 0;
  for (int i = 0; i < scene.lamp_count; i++) {
    sum += lamp_weight(lamps[i], place, normal);
  }
  float pick = next_random() * sum, chance = 0;
  int picked = -1;
  for (int i = 0; i < scene.lamp_count; i++) {
    const float share = lamp_weight(lamps[i], place, normal);
    if (share > 0) {
      picked = lamps[i];
      chance = share / sum;
      pick -= share;
      if (pick < 0) {
        break;
      }
    }
  }
  if (picked < 0) {
    return vec3(0);
  }

  const Sphere sphere = spheres[picked];
  const vec3 to_lamp = sphere.centre - place;
  const float away = length(to_lamp);
  if (away <= sphere.radius) {
    return vec3(0);
  }
  const float widest = sphere.radius / away, least_cosine = sqrt(1 - widest * widest);
  const Ray ray = Ray(place, in_cone(to_lamp * (1 / away), least_cosine));
  const float cosine = dot(ray.direction, normal);
  if (cosine <= 0) {
    return vec3(0);
  }
  // The ray stops at the lamp's near side: the lamp itself does not stand in its own light.
  const float middle = dot(to_lamp, ray.direction);
  const float half_squared = sphere.radius * sphere.radius - (away * away - middle * middle);
  const float reach = middle - sqrt(max(0, half_squared));
  const float solid_angle = 2 * kPi * (1 - least_cosine);
  return materials[sphere.material].colour * light_through(ray, reach * 0.999) * (cosine * solid_angle / (kPi * chance));
}

// Where a ray goes on from a glass surface: mirrored, or bent on its way through; w is the chance of going this way.
vec4 through_glass(Hit hit, vec3 direction, float index) {
  const float ratio = hit.inside ? index : 1 / index;
  const float cosine = min(1, -dot(hit.normal, direction));
  const float bent_sine_squared = ratio * ratio * (1 - cosine * cosine);
  if (bent_sine_squared >= 1) {
    return vec4(reflect(direction, hit.normal), 1);
  }
  const float bent_cosine = sqrt(1 - bent_sine_squared);
  const float chance = mirrored(hit.inside ? bent_cosine : cosine, index);
  if (next_random() < chance) {
    return vec4(reflect(direction, hit.normal), chance);
  }
  return vec4(normalize(direction * ratio + hit.normal * (ratio * cosine - bent_cosine)), 1 - chance);
}

Sample trace_path(Ray ray) {
  Sample result = Sample(vec3(0), vec3(1), vec3(0), vec3(0), true);
  vec3 carried = vec3(1);
  bool surface_known = false, lamps_counted = false;
  for (int bounce = 0; bounce < kLongestPath; bounce++) {
    const Hit hit = nearest_hit(ray);
    if (hit.material < 0) {
      result.light += carried * mix(scene.horizon, scene.zenith, sqrt(max(0, ray.direction.y)));
      break;
    }
    const Material material = materials[hit.material];
    const vec3 place = ray.origin + ray.direction * hit.distance;
    vec3 colour = material.colour;
    bool shows = false; // the surface is one that the denoiser goes by

    if (material.finish == kLight) {
      if (!lamps_counted || hit.sphere < 0) {
        const vec3 light = carried * material.colour;
        const float brightest = largest(light);
        result.light += brightest > kBrightest ? light * (kBrightest / brightest) : light;
      }
      break;
    }
    bool mirrors = false;
    if (material.finish == kGloss) {
      mirrors = next_random() < mirrored(min(1, -dot(hit.normal, ray.direction)), 1.5);
    } else if (material.finish == kMetal) {
      shows = material.number > 0.1;
    } else if (material.finish != kGlass) {
      colour = colour_at(material, place);
    }
    shows = shows || (material.finish != kGlass && material.finish != kMetal);
    if (shows && !surface_known) {
      result.colour = carried * colour;
      result.normal = hit.normal;
      result.place = place;
      surface_known = true;
    }

    if (material.finish == kGlass) {
      if (hit.inside) {
        carried *= material.colour;
      }
      const vec4 way = through_glass(hit, ray.direction, material.number);
      ray = Ray(place, way.xyz);
      if (way.w < 0.5 && !surface_known) {
        result.shows_surface = false;
      }
    } else if (material.finish == kMetal) {
      carried *= material.colour;
      const vec3 blur = in_cone(vec3(0, 1, 0), -1) * material.number;
      ray = Ray(place, normalize(reflect(ray.direction, hit.normal) + blur));
      if (dot(ray.direction, hit.normal) <= 0) {
        break;
      }
    } else if (mirrors) {
      ray = Ray(place, reflect(ray.direction, hit.normal));
    } else {
      carried *= colour;
      result.light += carried * lamp_light(place, hit.normal);
      ray = Ray(place, above(hit.normal));
      lamps_counted = true;
    }

    if (bounce >= kSureBounces) {
      const float chance = min(0.95, largest(carried));
      if (next_random() >= chance) {
        break;
      }
      carried *= 1 / chance;
    }
  }
  return result;
}
