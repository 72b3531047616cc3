// Vectors of three floats, and the random numbers of one sample.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

constexpr float kPi = 3.14159265358979f;

struct Vec3 {
  float x = 0, y = 0, z = 0;
};

inline Vec3 operator+(Vec3 a, Vec3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec3 operator-(Vec3 a, Vec3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec3 operator*(Vec3 a, Vec3 b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
inline Vec3 operator/(Vec3 a, Vec3 b) {
  return {a.x / b.x, a.y / b.y, a.z / b.z};
}
inline Vec3 operator*(Vec3 a, float k) {
  return {a.x * k, a.y * k, a.z * k};
}
inline Vec3 operator-(Vec3 a) {
  return {-a.x, -a.y, -a.z};
}
inline Vec3 &operator+=(Vec3 &a, Vec3 b) {
  return a = a + b;
}

inline float dot(Vec3 a, Vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float length(Vec3 a) {
  return std::sqrt(dot(a, a));
}
inline Vec3 normalize(Vec3 a) {
  return a * (1.0f / length(a));
}
inline Vec3 mix(Vec3 a, Vec3 b, float t) {
  return a * (1.0f - t) + b * t;
}
inline Vec3 reflect(Vec3 direction, Vec3 normal) {
  return direction - normal * (2.0f * dot(direction, normal));
}
inline float largest(Vec3 a) {
  return std::max(a.x, std::max(a.y, a.z));
}
inline float smallest(Vec3 a) {
  return std::min(a.x, std::min(a.y, a.z));
}
inline float luminance(Vec3 a) {
  return 0.2126f * a.x + 0.7152f * a.y + 0.0722f * a.z;
}

// A direction given by its parts along the normal and across it.
inline Vec3 along(Vec3 normal, float across1, float across2, float up) {
  const Vec3 helper = std::fabs(normal.x) > 0.9f ? Vec3{0, 1, 0} : Vec3{1, 0, 0};
  const Vec3 tangent = normalize(cross(helper, normal));
  return tangent * across1 + cross(normal, tangent) * across2 + normal * up;
}

// A PCG generator. Its seed is a hash of what the sample is for, so a picture does not depend on who draws which part when.
class Random {
public:
  Random(uint32_t x, uint32_t y, uint32_t sample, uint32_t frame)
      : state_(hash(x + hash(y + hash(sample + hash(frame))))) {}

  // In [0, 1).
  float next() {
    state_ = state_ * 747796405u + 2891336453u;
    const uint32_t word = ((state_ >> ((state_ >> 28) + 4)) ^ state_) * 277803737u;
    return static_cast<float>(((word >> 22) ^ word) >> 8) * (1.0f / 16777216.0f);
  }

private:
  static uint32_t hash(uint32_t x) {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
  }

  uint32_t state_;
};
