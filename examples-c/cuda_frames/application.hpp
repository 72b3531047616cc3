// What a renderer on CUDA has before it hears of gevt: a context, streams, kernels, and memory for each frame.
#pragma once

#include "gpu.hpp"

using namespace cuda; // this program has no other driver

// The kernels, and the stream for each of the two passes.
class Application {
public:
  enum Pass { kDraw, kDevelop, kPasses };

  static constexpr int kWidth = 1280, kHeight = 720;
  static constexpr int kSamples = 16; // of each pixel

  Application();
  ~Application();
  Application(const Application &) = delete;
  Application &operator=(const Application &) = delete;

  // Why this driver cannot run the program; nothing where it can.
  const std::string &trouble() const { return gpu_.trouble(); }

  CUcontext context() const { return gpu_.context(); }
  CUstream stream(Pass pass) const { return streams_[pass]; }

  // Where a frame's samples are summed up, and where its picture goes, on the device and on the host.
  struct Buffers {
    CUdeviceptr light = 0, rgb = 0;
    uint8_t *picture = nullptr;
  };
  static constexpr size_t kLightBytes = size_t{kWidth} * kHeight * 4 * sizeof(float);
  static constexpr size_t kPictureBytes = size_t{kWidth} * kHeight * 3;
  Buffers make_buffers() const;
  void free_buffers(const Buffers &buffers) const;

  // Each pass goes to its stream, and returns before it has run.
  void clear(const Buffers &buffers) const;
  void draw(const Buffers &buffers, int frame) const;
  void develop(const Buffers &buffers) const;
  void fetch(const Buffers &buffers) const;

private:
  void launch(CUfunction kernel, Pass pass, void **arguments) const;

  const cuda::Gpu gpu_;
  CUfunction kernels_[kPasses] = {};
  CUstream streams_[kPasses] = {};
};
