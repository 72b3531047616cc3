#include "groups.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sstream>

namespace bench {

bool Groups::take(int argc, char **argv, int &i) {
  if (std::strcmp(argv[i], "--check") == 0) {
    check_ = true;
    return true;
  }
  if (std::strcmp(argv[i], "--rows") != 0 || i + 1 == argc) return false;
  std::istringstream names(argv[++i]);
  for (std::string name; std::getline(names, name, ',');) {
    if (!has(name)) return false;
    chosen_.push_back(name);
  }
  return true;
}

int Groups::usage() const {
  std::fprintf(stderr, "usage: %s [--rows NAME,...] [--check]%s\nrows:", program_, options_);
  for (const Group &group : groups_) std::fprintf(stderr, " %s", group.name);
  std::fprintf(stderr, "\n");
  return 2;
}

void Groups::run(Table &table) const {
  for (const Group &group : groups_) {
    if (chosen_.empty() || std::find(chosen_.begin(), chosen_.end(), group.name) != chosen_.end()) group.run(table);
  }
}

bool Groups::has(const std::string &name) const {
  return std::any_of(groups_.begin(), groups_.end(), [&](const Group &group) { return name == group.name; });
}

} // namespace bench
