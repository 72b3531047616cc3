// Where a ray meets the shapes of the scene, as renderer/shapes.cpp has it.
const float kNearest = 1e-3;

struct Ray {
  vec3 origin, direction;
};

struct Hit {
  float distance;
  vec3 normal;
  bool inside;
  int material; // -1: the ray meets nothing
  int sphere;
};

float meet(Sphere sphere, Ray ray, float limit) {
  const vec3 to_centre = sphere.centre - ray.origin;
  const float middle = dot(to_centre, ray.direction);
  const vec3 off_axis = to_centre - ray.direction * middle;
  const float half_squared = sphere.radius * sphere.radius - dot(off_axis, off_axis);
  if (half_squared <= 0) {
    return limit;
  }
  const float half_way = sqrt(half_squared);
  const float enter = middle - half_way, leave = middle + half_way;
  const float away = enter > kNearest ? enter : leave;
  return away > kNearest && away < limit ? away : limit;
}

float meet(Plane plane, Ray ray, float limit) {
  const float away = (plane.distance - dot(plane.normal, ray.origin)) / dot(plane.normal, ray.direction);
  return away > kNearest && away < limit ? away : limit;
}

vec3 into_box(Box box, vec3 v) {
  return vec3(box.cosine * v.x - box.sine * v.z, v.y, box.sine * v.x + box.cosine * v.z);
}

vec3 out_of_box(Box box, vec3 v) {
  return vec3(box.cosine * v.x + box.sine * v.z, v.y, box.cosine * v.z - box.sine * v.x);
}

float meet(Box box, Ray ray, float limit) {
  const vec3 origin = into_box(box, ray.origin - box.centre), direction = into_box(box, ray.direction);
  const vec3 inverse_direction = vec3(1) / direction;
  const vec3 one = (-box.half_size - origin) * inverse_direction, two = (box.half_size - origin) * inverse_direction;
  const vec3 near = min(one, two), far = max(one, two);
  const float enter = max(max(near.x, near.y), near.z), leave = min(min(far.x, far.y), far.z);
  if (!(enter < leave)) {
    return limit;
  }
  const float away = enter > kNearest ? enter : leave;
  return away > kNearest && away < limit ? away : limit;
}

// The outward normal of the side that the point lies on.
vec3 normal_of(Box box, vec3 point) {
  const vec3 place = into_box(box, point - box.centre) / box.half_size, extent = abs(place);
  vec3 normal = vec3(0);
  if (extent.x >= extent.y && extent.x >= extent.z) {
    normal.x = place.x < 0 ? -1 : 1;
  } else if (extent.y >= extent.z) {
    normal.y = place.y < 0 ? -1 : 1;
  } else {
    normal.z = place.z < 0 ? -1 : 1;
  }
  return out_of_box(box, normal);
}

Hit nearest_hit(Ray ray) {
  Hit hit = Hit(3.402823e38, vec3(0), false, -1, -1);
  int plane = -1, box = -1;
  for (int i = 0; i < scene.plane_count; i++) {
    const float away = meet(planes[i], ray, hit.distance);
    if (away < hit.distance) {
      hit.distance = away;
      plane = i;
    }
  }
  for (int i = 0; i < scene.box_count; i++) {
    const float away = meet(boxes[i], ray, hit.distance);
    if (away < hit.distance) {
      hit.distance = away;
      box = i;
    }
  }
  for (int i = 0; i < scene.sphere_count; i++) {
    const float away = meet(spheres[i], ray, hit.distance);
    if (away < hit.distance) {
      hit.distance = away;
      hit.sphere = i;
    }
  }
  const vec3 point = ray.origin + ray.direction * hit.distance;
  if (hit.sphere >= 0) {
    hit.normal = (point - spheres[hit.sphere].centre) * (1 / spheres[hit.sphere].radius);
    hit.material = spheres[hit.sphere].material;
  } else if (box >= 0) {
    hit.normal = normal_of(boxes[box], point);
    hit.material = boxes[box].material;
  } else if (plane >= 0) {
    hit.normal = planes[plane].normal;
    hit.material = planes[plane].material;
  }
  if (dot(hit.normal, ray.direction) > 0) {
    hit.normal = -hit.normal;
    hit.inside = true;
  }
  return hit;
}

// What a shape of this material leaves of the light that goes through it.
vec3 let_through(int material) {
  return materials[material].finish == kGlass ? materials[material].colour * 0.9 : vec3(0);
}

// What part of the light gets through from the ray's origin to a point that far away, per colour.
vec3 light_through(Ray ray, float away) {
  vec3 light = vec3(1);
  for (int i = 0; i < scene.box_count; i++) {
    if (meet(boxes[i], ray, away) < away) {
      light *= let_through(boxes[i].material);
    }
  }
  for (int i = 0; i < scene.sphere_count && light != vec3(0); i++) {
    if (meet(spheres[i], ray, away) < away) {
      light *= let_through(spheres[i].material);
    }
  }
  for (int i = 0; i < scene.plane_count && light != vec3(0); i++) {
    if (meet(planes[i], ray, away) < away) {
      light *= let_through(planes[i].material);
    }
  }
  return light;
}
