#include "stopwatch.hpp"

Stopwatch::Stopwatch(const Application &application, int stretches)
    : application_(application), count_(static_cast<uint32_t>(stretches) * kReadings) {
  VkQueryPoolCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  create.queryType = VK_QUERY_TYPE_TIMESTAMP;
  create.queryCount = count_;
  VULKAN(driver.CreateQueryPool(application_.device(), &create, nullptr, &pool_));
}

Stopwatch::~Stopwatch() {
  driver.DestroyQueryPool(application_.device(), pool_, nullptr);
}

void Stopwatch::reset() const {
  driver.ResetQueryPool(application_.device(), pool_, 0, count_);
}

void Stopwatch::read(VkCommandBuffer to, int stretch, Reading reading) const {
  driver.CmdWriteTimestamp2(to, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, pool_,
                            static_cast<uint32_t>(stretch) * kReadings + reading);
}

Stretch Stopwatch::stretch(int number) const {
  uint64_t ticks[kReadings];
  VULKAN(driver.GetQueryPoolResults(application_.device(), pool_, static_cast<uint32_t>(number) * kReadings, kReadings,
                                    sizeof ticks, ticks, sizeof ticks[0], VK_QUERY_RESULT_64_BIT));
  const auto ns = [&](Reading from, Reading to) {
    return static_cast<double>((ticks[to] - ticks[from]) & application_.time_mask()) * application_.tick_ns();
  };
  return {ns(kAfterStart, kBeforeEnd), ns(kBeforeStart, kAfterEnd)};
}
