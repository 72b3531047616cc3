// How far two pictures agree.
#pragma once

#include <cstdint>
#include <vector>

// The peak signal-to-noise ratio in dB: 30 is hard to tell apart, infinity is the same picture.
double likeness(const std::vector<uint8_t> &one, const std::vector<uint8_t> &two);
