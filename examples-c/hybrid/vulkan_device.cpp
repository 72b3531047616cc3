#include <algorithm>
#include <cstring>

#include "../vulkan_frames/wrapped.hpp"
#include "../vulkan_frames/command_buffers.hpp"
#include "../vulkan_frames/commands.hpp"
#include "device.hpp"
#include "gevt/vulkan.hpp"
#include "imported_buffer.hpp"

namespace {

// Traces into the device's own memory, and copies to the slot's.
class VulkanTrace : public Stage {
public:
  VulkanTrace(Application &application, gevt::context_ref context, const Work &work)
      : application_(application), context_(context), kernels_(application), scene_(application, kernels_, work.scene),
        commands_(kernels_, scene_, work.scene.camera, work.options.width, work.options.height, work.options.samples),
        picture_({0, 0, work.options.width, work.options.height}), stream_(wrap_queue(context, application, 0)) {
    stream_.set_name("trace");
    for (const auto &slot : work.slots) {
      frames_.push_back(std::make_unique<Buffers>(application, kernels_, work.options, slot->memory));
    }
  }

  ~VulkanTrace() override {
    std::error_code ec;
    context_.sync(ec);
    if (ec) {
      // The device is lost. Only Vulkan can say when it has let go of the memory.
      driver.DeviceWaitIdle(application_.device());
    }
  }

  gevt::stream_ref stream() const override { return stream_; }

  // The events go with the application's own submit.
  void issue(Slot &slot) override {
    constexpr VkPipelineStageFlags2 kAll = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    const Buffers &buffers = *frames_[static_cast<size_t>(slot.number)];
    const Marks &marks = slot.marks[Frame::kTrace];
    buffers.commands.reset();
    const VkCommandBuffer to = buffers.commands.begin(0);
    gevt::vulkan::write_time(marks.start, to, kAll);
    commands_.trace(to, buffers.frame, slot.frame.number(), picture_);
    commands_.hand_over(to, buffers.frame, buffers.shared.handle());
    gevt::vulkan::write_time(marks.end, to, kAll);
    VULKAN(driver.EndCommandBuffer(to));
    submit_recording(application_.queue(0), stream_, to, {marks.start.get(), marks.end.get()});
  }

private:
  struct Buffers {
    Buffers(const Application &application, const Kernels &kernels, const Options &options, const SharedMemory &memory)
        : frame(application, kernels, options.width, options.height), shared(application, memory),
          commands(application, 1) {}

    const FrameBuffers frame;
    const ImportedBuffer shared;
    const CommandBuffers commands;
  };

  const Application &application_;
  const gevt::context_ref context_;
  const Kernels kernels_;
  const SceneBuffers scene_;
  const Commands commands_;
  const Tile picture_;
  const gevt::stream stream_;
  std::vector<std::unique_ptr<Buffers>> frames_;
};

class VulkanDevice : public Device {
public:
  VulkanDevice(int number, int *complaints) : application_(number, 1, complaints) {
    trouble_ = application_.trouble();
    const auto &extensions = application_.extensions();
    if (trouble_.empty() && std::none_of(extensions.begin(), extensions.end(), [](const char *name) {
          return std::strcmp(name, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) == 0;
        })) {
      trouble_ = application_.name() + " has no " + VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
    }
    if (trouble_.empty()) {
      context_ = wrap_device(application_);
    }
  }

  const std::string &trouble() const { return trouble_; }
  std::string name() const override { return "Vulkan (" + application_.name() + ")"; }
  gevt::context_ref context() const override { return context_; }
  std::unique_ptr<Stage> stage(Frame::Pass, const Work &work, const Device *) override {
    return std::make_unique<VulkanTrace>(application_, context_, work);
  }

private:
  Application application_;
  std::string trouble_;
  gevt::context context_ = gevt::context::none();
};

} // namespace

std::unique_ptr<Device> open_vulkan(int number, int *complaints, std::string &trouble) {
  trouble = load_driver();
  if (!trouble.empty()) {
    return nullptr;
  }
  auto device = std::make_unique<VulkanDevice>(number, complaints);
  trouble = device->trouble();
  if (!trouble.empty()) {
    return nullptr;
  }
  return device;
}
