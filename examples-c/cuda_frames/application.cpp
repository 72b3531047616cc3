#include "application.hpp"

#include <cmath>
#include <cstdio>

#include "kernels.hpp"

Application::Application() : gpu_(kernels_ptx) {
  std::printf("%s\n", gpu_.name().c_str());
  if (!trouble().empty()) {
    return;
  }
  kernels_[kDraw] = gpu_.kernel("draw");
  kernels_[kDevelop] = gpu_.kernel("develop");
  for (CUstream &stream : streams_) {
    CUDA(driver.stream_create(&stream, Driver::kStreamNonBlocking));
  }
}

Application::~Application() {
  for (CUstream stream : streams_) {
    if (stream != nullptr) {
      CUDA(driver.stream_destroy(stream));
    }
  }
}

Application::Buffers Application::make_buffers() const {
  Buffers buffers;
  CUDA(driver.allocate(&buffers.light, kLightBytes));
  CUDA(driver.allocate(&buffers.rgb, kPictureBytes));
  // Memory that the device reaches by itself: a copy to other memory would make the caller wait.
  void *picture = nullptr;
  CUDA(driver.allocate_host(&picture, kPictureBytes));
  buffers.picture = static_cast<uint8_t *>(picture);
  return buffers;
}

void Application::free_buffers(const Buffers &buffers) const {
  CUDA(driver.free(buffers.light));
  CUDA(driver.free(buffers.rgb));
  CUDA(driver.free_host(buffers.picture));
}

void Application::launch(CUfunction kernel, Pass pass, void **arguments) const {
  constexpr unsigned kBlock = 16;
  constexpr unsigned kAcross = (kWidth + kBlock - 1) / kBlock, kDown = (kHeight + kBlock - 1) / kBlock;
  CUDA(driver.launch(kernel, kAcross, kDown, 1, kBlock, kBlock, 1, 0, streams_[pass], arguments, nullptr));
}

void Application::clear(const Buffers &buffers) const {
  CUDA(driver.fill(buffers.light, 0, kLightBytes / 4, streams_[kDraw]));
}

void Application::draw(const Buffers &buffers, int frame) const {
  // A walk through the neighbourhood of one Julia set with fine spirals.
  const float turn = 0.05f * static_cast<float>(frame);
  CUdeviceptr light = buffers.light;
  int width = kWidth, height = kHeight;
  float real = -0.79f + 0.012f * std::cos(turn), imaginary = 0.15f + 0.012f * std::sin(turn), span = 1.7f;
  for (int sample = 0; sample < kSamples; sample++) {
    constexpr int kSide = 4;
    static_assert(kSide * kSide == kSamples, "the samples lie on a grid");
    float across = (static_cast<float>(sample % kSide) + 0.5f) / kSide,
          down = (static_cast<float>(sample / kSide) + 0.5f) / kSide;
    // The driver copies the arguments before the call returns.
    void *arguments[] = {&light, &width, &height, &real, &imaginary, &span, &across, &down};
    launch(kernels_[kDraw], kDraw, arguments);
  }
}

void Application::develop(const Buffers &buffers) const {
  CUdeviceptr rgb = buffers.rgb, light = buffers.light;
  int width = kWidth, height = kHeight;
  void *arguments[] = {&rgb, &light, &width, &height};
  launch(kernels_[kDevelop], kDevelop, arguments);
}

void Application::fetch(const Buffers &buffers) const {
  CUDA(driver.copy_to_host(buffers.picture, buffers.rgb, kPictureBytes, streams_[kDevelop]));
}
