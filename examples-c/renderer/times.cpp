#include "times.hpp"

#include <cstdio>

namespace {

double ms(int64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

} // namespace

void TimesTable::print_header() const {
  std::printf("frame   trace ms  denoise ms  tone map ms   frame ms  finished at ms\n");
}

void TimesTable::print(const FrameTimes &times) {
  if (frames_ == 0) {
    print_header();
  }
  std::printf("%5d", times.frame);
  constexpr int kWidths[] = {11, 12, 13};
  for (int pass = 0; pass < Frame::kPasses; pass++) {
    const int64_t ns = times.passes[pass].end - times.passes[pass].start;
    sums_[pass] += ns;
    std::printf("%*.2f", kWidths[pass], ms(ns));
  }
  last_end_ = times.passes[Frame::kToneMap].end;
  const int64_t whole = last_end_ - times.passes[Frame::kTrace].start;
  sums_[Frame::kPasses] += whole;
  std::printf("%11.2f%16.2f\n", ms(whole), ms(last_end_));
  frames_++;
}

void TimesTable::print_means() const {
  const double share = 1.0 / std::max(1, frames_);
  std::printf(" mean%11.2f%12.2f%13.2f%11.2f\n", ms(sums_[0]) * share, ms(sums_[1]) * share, ms(sums_[2]) * share,
              ms(sums_[3]) * share);
  std::printf("%d frames in %.0f ms, one every %.2f ms\n", frames_, ms(last_end_), ms(last_end_) * share);
}
