#include "frame_buffers.hpp"

namespace {

VkDeviceSize squares(int length) {
  return static_cast<VkDeviceSize>((length + FrameBuffers::kSquare - 1) / FrameBuffers::kSquare);
}

constexpr VkDeviceSize kVector = 4 * sizeof(float);

} // namespace

FrameBuffers::FrameBuffers(const Application &application, const Kernels &kernels, int width, int height)
    : pixels_(static_cast<VkDeviceSize>(width) * static_cast<VkDeviceSize>(height)),
      colours_(application, Buffer::kDevice, pixels_ * kVector),
      normals_(application, Buffer::kDevice, pixels_ * kVector),
      places_(application, Buffer::kDevice, pixels_ * kVector), first_(application, Buffer::kDevice, pixels_ * kVector),
      second_(application, Buffer::kDevice, pixels_ * kVector),
      sums_(application, Buffer::kDevice, squares(width) * squares(height) * sizeof(float)),
      picture_(application, Buffer::kDevice, pixels_ * 4), readback_(application, Buffer::kReadback, pixels_ * 4),
      descriptors_(application, kernels, Kernels::kFrame,
                   {{&colours_, &normals_, &places_, &second_, &first_, &sums_, &picture_},
                    {&colours_, &normals_, &places_, &first_, &second_, &sums_, &picture_}}) {}

const Buffer &FrameBuffers::traced(int plane) const {
  const Buffer *const planes[kTraced] = {&colours_, &normals_, &places_, &first_};
  return *planes[plane];
}
