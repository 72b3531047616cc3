// The groups of rows that a benchmark has, and those of them that its command line chooses.
#ifndef GEVT_BENCH_GROUPS_HPP
#define GEVT_BENCH_GROUPS_HPP

#include "bench.hpp"

#include <string>
#include <utility>
#include <vector>

namespace bench {

struct Group {
  const char *name;
  void (*run)(Table &);
};

class Groups {
public:
  // `options` are those of the program besides --rows and --check, for its usage.
  Groups(const char *program, const char *options, std::vector<Group> groups)
      : program_(program), options_(options), groups_(std::move(groups)) {}

  // Takes "--rows NAME,..." or "--check" at argv[i]; false if it is neither, or if there is no such group.
  bool take(int argc, char **argv, int &i);

  // Prints how the program is called; returns the exit code for that.
  int usage() const;

  void run(Table &table) const;

  // The exit code: 1 if --check was given and a bound is missed.
  int exit_code(const Table &table) const { return check_ && table.missed() > 0 ? 1 : 0; }

private:
  bool has(const std::string &name) const;

  const char *program_, *options_;
  std::vector<Group> groups_;
  std::vector<std::string> chosen_; // all where it is empty
  bool check_ = false;
};

} // namespace bench

#endif
