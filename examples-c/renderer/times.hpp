// When each pass of a frame ran, and the table of it.
#pragma once

#include <cstdint>

#include "frame.hpp"

// Nanoseconds since the rendering began.
struct Span {
  int64_t start = INT64_MAX, end = INT64_MIN;

  void cover(int64_t from, int64_t to) {
    start = std::min(start, from);
    end = std::max(end, to);
  }
};

struct FrameTimes {
  int frame = 0;
  Span passes[Frame::kPasses]; // from the first stream's start to the last stream's end
};

class TimesTable {
public:
  void print(const FrameTimes &times);
  void print_means() const;

private:
  void print_header() const;

  int frames_ = 0;
  int64_t sums_[Frame::kPasses + 1] = {};
  int64_t last_end_ = 0;
};
