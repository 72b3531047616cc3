#include "hops.hpp"

#include "vulkan.hpp"
#include "yardsticks.hpp"

#include <atomic>
#include <thread>

namespace bench {

namespace {

// The work is a submit that waits for a timeline of the host's and signals another; a thread in vkWaitSemaphores reports its end to the host.
class VulkanLane : public Lane {
public:
  explicit VulkanLane(VulkanLane *after) : after_(after) {}

  ~VulkanLane() override {
    if (!thread_.joinable()) return;
    is_over_ = true;
    armed_ = 1;
    futex_wake(armed_);
    thread_.join();
  }

  void prepare() override {
    round_++;
    const VkSemaphoreSubmitInfo begin = after_ != nullptr ? after_->end_.at(after_->round_) : begin_.at(round_),
                                end = end_.at(round_);
    check_vulkan(submit(&begin, 1, nullptr, &end), "vkQueueSubmit2");
    if (thread_.joinable()) {
      armed_ = 1;
      futex_wake(armed_);
    }
  }

  void go() override { begin_.signal(round_); }

  void wait() override {
    if (!end_.wait(round_, UINT64_MAX)) fail("vkWaitSemaphores", "no success");
  }

  void at_end(std::function<void()> then) override {
    thread_ = std::thread([this, then = std::move(then)] {
      for (;;) {
        futex_wait(armed_, 0);
        armed_ = 0;
        if (is_over_) return;
        wait();
        then();
      }
    });
  }

private:
  VulkanLane *const after_;
  Timeline begin_, end_;
  std::atomic<std::uint64_t> round_{0};
  std::atomic<std::uint32_t> armed_{0};
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

} // namespace

std::unique_ptr<Lane> vulkan_lane(Lane *after, std::string &trouble) {
  static std::string reason = load_vulkan();
  trouble = reason;
  if (!trouble.empty()) return nullptr;
  static const VulkanDevice *const device = new VulkanDevice; // lives as long as the process
  static_cast<void>(device);
  return std::make_unique<VulkanLane>(static_cast<VulkanLane *>(after));
}

} // namespace bench
