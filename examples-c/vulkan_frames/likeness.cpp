#include "likeness.hpp"

#include <cmath>
#include <limits>

double likeness(const std::vector<uint8_t> &one, const std::vector<uint8_t> &two) {
  if (one.size() != two.size() || one.empty()) {
    return 0;
  }
  double squares = 0;
  for (size_t i = 0; i < one.size(); i++) {
    const double apart = static_cast<double>(one[i]) - static_cast<double>(two[i]);
    squares += apart * apart;
  }
  if (squares <= 0) {
    return std::numeric_limits<double>::infinity();
  }
  return 10 * std::log10(255.0 * 255.0 * static_cast<double>(one.size()) / squares);
}
