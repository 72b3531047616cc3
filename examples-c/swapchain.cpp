// Frames on a swapchain, ordered and timed by gevt's events: in an X11 window, or on a headless surface without the environment
// variable DISPLAY. The host is at most two frames ahead of the device. Half way the window changes its size.
//
// One event per frame replaces a fence. It goes into the program's own vkQueueSubmit2, beside the binary semaphores of acquire
// and present. A swapchain that is out of date, a lost surface and a lost device are replaced, and the program continues.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "gevt/timer.hpp"
#include "gevt/vulkan.hpp"
#include "vulkan/screen.hpp"

namespace {

constexpr int kInFlight = 2;
constexpr VkPipelineStageFlags2 kDrawing = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;

VkSemaphoreSubmitInfo semaphore_info(VkSemaphore semaphore, VkPipelineStageFlags2 stage) {
  VkSemaphoreSubmitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
  info.semaphore = semaphore;
  info.stageMask = stage;
  return info;
}

class Frames {
public:
  Frames(const Instance &instance, Window &window)
      : screen_(instance, window), context_(screen_.device().wrap()), stream_(screen_.device().wrap_queue(context_)),
        timer_(context_, {kInFlight + 1, 8, 60}) {
    for (Slot &slot : slots_) slot = {gevt::event(context_), screen_.create_commands(), screen_.create_semaphore()};
  }
  // The device may still be drawing. vkQueueWaitIdle waits for the presentation as well.
  ~Frames() { vkQueueWaitIdle(screen_.device().queue()); }

  // Draws and presents a frame. Returns false if the swapchain had to be replaced.
  bool draw(int number) {
    const Slot &slot = slots_[static_cast<size_t>(number % kInFlight)];
    slot.done.sync(); // the slot's last frame; an event that was never recorded is complete
    const std::optional<uint32_t> image = screen_.acquire(slot.acquired);
    if (!image) return false;

    timer_.begin_frame();
    screen_.begin(slot.commands, *image);
    {
      const auto frame = timer_.zone("frame", slot.commands, kDrawing);
      {
        const auto zone = timer_.zone("bars", slot.commands, kDrawing);
        for (int bar = 0; bar < 16; bar++) {
          const float phase = 0.05f * static_cast<float>(number) + 0.4f * static_cast<float>(bar);
          screen_.fill(slot.commands, static_cast<float>(bar) / 16, 0.5f - 0.4f * std::sin(phase), 0.05f, 0.1f, phase);
        }
      }
      const auto zone = timer_.zone("progress", slot.commands, kDrawing);
      screen_.fill(slot.commands, 0, 0.96f, static_cast<float>(number % 60) / 60, 0.04f, 0);
    }
    screen_.end(slot.commands, *image);
    submit(slot, screen_.rendered(*image));
    timer_.end_frame();
    screen_.present(*image);
    return true;
  }

  void print_times() {
    std::vector<gevt::zone_average> zones;
    timer_.averages(zones);
    for (const gevt::zone_average &zone : zones) {
      std::printf("%*s%-*s %8.4f ms on average, %8.4f at most, in %u frames\n", 2 * static_cast<int>(zone.depth), "",
                  12 - 2 * static_cast<int>(zone.depth), zone.name, static_cast<double>(zone.mean.count()) / 1e6,
                  static_cast<double>(zone.most.count()) / 1e6, zone.frames);
    }
  }

private:
  struct Slot {
    gevt::event done = gevt::event::none();
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkSemaphore acquired = VK_NULL_HANDLE;
  };

  // gevt's waits and signal go beside the program's own.
  void submit(const Slot &slot, VkSemaphore rendered) {
    const gevt::event_list zones = timer_.records(slot.commands);
    std::vector<gevt_event_t> records(zones.begin(), zones.end());
    records.push_back(slot.done.get());
    gevt::vulkan::batch batch(stream_, records.data(), records.size());

    std::vector<VkSemaphoreSubmitInfo> waits = {semaphore_info(slot.acquired, kDrawing)};
    std::vector<VkSemaphoreSubmitInfo> signals = {semaphore_info(rendered, kDrawing)};
    batch.append(waits, signals);
    VkCommandBufferSubmitInfo commands = {};
    commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
    commands.commandBuffer = slot.commands;
    VkSubmitInfo2 info = {};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
    info.waitSemaphoreInfoCount = static_cast<uint32_t>(waits.size());
    info.pWaitSemaphoreInfos = waits.data();
    info.commandBufferInfoCount = 1;
    info.pCommandBufferInfos = &commands;
    info.signalSemaphoreInfoCount = static_cast<uint32_t>(signals.size());
    info.pSignalSemaphoreInfos = signals.data();
    const VkResult result = vkQueueSubmit2(screen_.device().queue(), 1, &info, VK_NULL_HANDLE);
    batch.end(result); // after a failure as well, so that nothing waits for these records
    check(result, "vkQueueSubmit2");
  }

  Screen screen_;
  const gevt::context context_; // closed before the device is destroyed
  const gevt::stream stream_;
  gevt::frame_timer timer_;
  std::array<Slot, kInFlight> slots_;
};

// A lost device is reported by Vulkan, or by gevt if one of its calls is the first to notice.
bool is_lost_device(const std::exception &error) {
  const auto *vulkan = dynamic_cast<const VulkanError *>(&error);
  const auto *events = dynamic_cast<const gevt::error *>(&error);
  return (vulkan && vulkan->result == VK_ERROR_DEVICE_LOST) || (events && events->code() == gevt::errc::launch_failed);
}

} // namespace

int main(int count, char **words) {
  const int frames = count > 1 ? std::atoi(words[1]) : 240;
  try {
    const auto window = Window::open({640, 360});
    const Instance instance({VK_KHR_SURFACE_EXTENSION_NAME, window->extension()});
    for (int number = 0; number < frames;) {
      try {
        Frames running(instance, *window);
        while (number < frames) {
          if (number == frames / 2) window->resize({480, 270});
          if (running.draw(number)) number++;
        }
        running.print_times();
      } catch (const std::exception &error) {
        if (!is_lost_device(error)) throw;
        std::printf("the device was lost\n");
      }
    }
    std::printf("%d frames\n", frames);
  } catch (const Unsupported &reason) {
    std::printf("SKIPPED: %s\n", reason.what());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "swapchain: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
