// The application's own clock on the device: a query pool. It is here to be compared with gevt's times.
#pragma once

#include "application.hpp"

// Readings stand on both sides of each of gevt's time stamps, so gevt's stretch is longer than the inner one and shorter than the
// outer one, however busy the machine is.
struct Stretch {
  double inner_ns = 0, outer_ns = 0;
};

class Stopwatch {
public:
  Stopwatch(const Application &application, int stretches);
  ~Stopwatch();
  Stopwatch(const Stopwatch &) = delete;
  Stopwatch &operator=(const Stopwatch &) = delete;

  // Makes all readings anew; the device must be done with them.
  void reset() const;

  // A stretch has four readings: before and after gevt's start, before and after gevt's end.
  enum Reading { kBeforeStart, kAfterStart, kBeforeEnd, kAfterEnd, kReadings };
  void read(VkCommandBuffer to, int stretch, Reading reading) const;

  // The device must be done with the stretch.
  Stretch stretch(int number) const;

private:
  const Application &application_;
  const uint32_t count_;
  VkQueryPool pool_ = VK_NULL_HANDLE;
};
