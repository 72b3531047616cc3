// The memory that all passes share: the scene, and the pixels of one frame. scene_buffers.cpp and frame_buffers.cpp are the
// other side of it.

// As the enumeration Finish of renderer/scene.hpp.
const int kMatte = 0, kChecker = 1, kGloss = 2, kMetal = 3, kGlass = 4, kLight = 5;

struct Material {
  vec3 colour;
  int finish;
  vec3 second;
  float number;
};

struct Sphere {
  vec3 centre;
  float radius;
  int material;
};

struct Plane {
  vec3 normal;
  float distance;
  int material;
};

struct Box {
  vec3 centre;
  float cosine;
  vec3 half_size;
  float sine;
  int material;
};

layout(set = 0, binding = 0, std430) readonly buffer Scene {
  vec3 zenith;
  int sphere_count;
  vec3 horizon;
  int plane_count;
  vec3 camera;
  int box_count;
  int lamp_count;
  float exposure;
} scene;
layout(set = 0, binding = 1, std430) readonly buffer Materials { Material materials[]; };
layout(set = 0, binding = 2, std430) readonly buffer Spheres { Sphere spheres[]; };
layout(set = 0, binding = 3, std430) readonly buffer Planes { Plane planes[]; };
layout(set = 0, binding = 4, std430) readonly buffer Boxes { Box boxes[]; };
layout(set = 0, binding = 5, std430) readonly buffer Lamps { int lamps[]; };

// What the denoiser is told of each pixel's surface. Its normal is 0 where there is none.
layout(set = 1, binding = 0, std430) buffer Colours { vec4 colours[]; };
layout(set = 1, binding = 1, std430) buffer Normals { vec4 normals[]; };
layout(set = 1, binding = 2, std430) buffer Places { vec4 places[]; };
// Light, and in w the variance of its luminance. Each step reads one and writes the other.
layout(set = 1, binding = 3, std430) readonly buffer From { vec4 from_pixels[]; };
layout(set = 1, binding = 4, std430) writeonly buffer To { vec4 to_pixels[]; };
// A sum for each square of kSquare by kSquare pixels.
layout(set = 1, binding = 5, std430) buffer Sums { float log_luminance[]; };
layout(set = 1, binding = 6, std430) writeonly buffer Picture { uint picture[]; };

layout(push_constant, std430) uniform Step {
  vec3 from; // the camera's place in this frame
  int samples;
  vec3 corner;
  int frame;
  vec3 right;
  int level; // of the denoiser
  vec3 down;
  int unused;
  ivec2 first; // the tile's left upper corner, and
  ivec2 end;   // where it ends
  ivec2 size;  // of the picture
} step;

const int kSquare = 32;
// Light is denoised without the surface's colour. A black surface must not divide by 0.
const vec3 kLeastColour = vec3(0.01);

float luminance(vec3 a) {
  return dot(a, vec3(0.2126, 0.7152, 0.0722));
}

int index_of(ivec2 at) {
  return at.y * step.size.x + at.x;
}
