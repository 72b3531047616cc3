// The yardsticks of gevt_bench_hops: the same hops as a program would write them by hand.
#ifndef GEVT_BENCH_HOPS_HPP
#define GEVT_BENCH_HOPS_HPP

#include <functional>
#include <memory>
#include <string>

namespace bench {

// One device's part of a hop by hand: work that is held back until go(), and whose end the host learns of. Each round begins with prepare().
class Lane {
public:
  virtual ~Lane() = default;
  // Gives the device the round's work.
  virtual void prepare() = 0;
  // Lets the work begin. Any thread may call it.
  virtual void go() = 0;
  // Returns when the work has ended.
  virtual void wait() = 0;
  // From the next round on the host calls `then` at the work's end, on another thread, and nobody calls wait().
  virtual void at_end(std::function<void()> then) = 0;
};

// The host's work is done by a thread that sleeps, or by whichever thread calls go().
enum class HostWork { on_own_thread, on_callers_thread };
std::unique_ptr<Lane> host_lane(HostWork work);
// The others return nothing, and say why, where the device or what the lane needs of it is missing. One with `after` begins behind that lane of
// the same device, which then needs no wait() nor at_end().
std::unique_ptr<Lane> cuda_lane(Lane *after, std::string &trouble);
std::unique_ptr<Lane> vulkan_lane(Lane *after, std::string &trouble);

} // namespace bench

#endif
