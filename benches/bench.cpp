#include "bench.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

namespace bench {

void fail(const char *what, const char *why) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, why);
  std::_Exit(2);
}

Spread spread(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double quantile) {
    return samples[static_cast<std::size_t>(std::lround(quantile * static_cast<double>(samples.size() - 1)))];
  };
  return {at(0.1), at(0.5), at(0.9)};
}

// The cores that this process may use: a container's share counts, not the machine.
double cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) fail("sched_getaffinity", "no answer");
  return CPU_COUNT(&set);
}

void use_host_backend() {
  gevt_context_t context;
  check(gevt_context_open(&context, GEVT_BACKEND_HOST, 0), "gevt_context_open");
  check(gevt_context_set_current(context), "gevt_context_set_current");
}

namespace {

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(std::min(line.size(), line.find(':') + 2));
  }
  return "unknown CPU";
}

double seconds(const timeval &time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// The processor time that the machine has spent on anything but this process and its children.
double seconds_of_others() {
  std::ifstream file("/proc/stat");
  std::string name;
  double user, nice, system, idle, wait, irq, softirq, steal;
  file >> name >> user >> nice >> system >> idle >> wait >> irq >> softirq >> steal;
  if (!file) fail("/proc/stat", "not readable");
  double total = (user + nice + system + irq + softirq + steal) / static_cast<double>(sysconf(_SC_CLK_TCK));
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage;
    if (getrusage(who, &usage) != 0) fail("getrusage", "no answer");
    total -= seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  return total;
}

std::string figure(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 100 ? "%.1f" : "%.0f", value);
  return text;
}

std::string figures(const Spread &spread, const char *unit) {
  std::string text = figure(spread.median) + " " + unit;
  if (spread.p10 != spread.p90) text += " (" + figure(spread.p10) + ".." + figure(spread.p90) + ")";
  return text;
}

std::string describe(const Bound &bound, const char *unit) {
  char text[64] = "";
  switch (bound.kind) {
  case Bound::at_least:
    if (bound.factor == 0) {
      std::snprintf(text, sizeof text, ">= %g %s", bound.plus, unit);
    } else {
      std::snprintf(text, sizeof text, ">= %g x", bound.factor);
    }
    break;
  case Bound::faster:
    std::snprintf(text, sizeof text, ">= %g x faster", bound.factor);
    break;
  case Bound::at_most:
    if (bound.factor == 0) {
      std::snprintf(text, sizeof text, "<= %g %s", bound.plus, unit);
    } else if (bound.plus == 0) {
      std::snprintf(text, sizeof text, "<= %g x", bound.factor);
    } else if (bound.factor == 1) {
      std::snprintf(text, sizeof text, "<= + %g %s", bound.plus, unit);
    } else {
      std::snprintf(text, sizeof text, "<= %g x + %g %s", bound.factor, bound.plus, unit);
    }
    break;
  }
  return text;
}

// What the row measured beyond what its bound compares it with.
double excess(const Row &row) {
  const double measured = row.figures.measured.median;
  const double yardstick = row.figures.yardstick.median;
  return row.bound.kind == Bound::faster ? measured * row.bound.factor - yardstick
                                         : measured - row.bound.factor * yardstick;
}

bool is_met(const Row &row) {
  const double measured = row.figures.measured.median;
  const double yardstick = row.figures.yardstick.median;
  switch (row.bound.kind) {
  case Bound::at_most:
    return measured <= row.bound.factor * yardstick + row.bound.plus;
  case Bound::at_least:
    return measured >= row.bound.factor * yardstick + row.bound.plus;
  case Bound::faster:
    return measured * row.bound.factor <= yardstick;
  }
  return false;
}

const char *const line = "%-50s  %-28s  %-42s  %9s  %-15s  %s\n";

} // namespace

void Table::print_head() {
  utsname kernel;
  if (uname(&kernel) != 0) fail("uname", "no answer");
  std::printf("machine   %s, %g cores, %s %s\n", cpu_model().c_str(), cores(), kernel.sysname, kernel.release);
#ifdef __clang__
  std::printf("compiler  clang %s\n", __clang_version__);
#else
  std::printf("compiler  gcc %s\n", __VERSION__);
#endif
  Dl_info info;
  const void *symbol = dlsym(RTLD_DEFAULT, "gevt_version");
  const bool shared = symbol != nullptr && dladdr(symbol, &info) != 0;
  std::printf("library   gevt %s, %s\n", gevt_version_string(), shared ? info.dli_fname : "linked statically");
  char today[16];
  const std::time_t now = std::time(nullptr);
  std::strftime(today, sizeof today, "%F", std::gmtime(&now));
  std::printf("date      %s\n", today);
  std::printf("figures   median (p10..p90) of batches that alternate with the yardstick's\n\n");
  std::printf(line, "row", "measured", "yardstick", "ratio", "bound", "");
  std::fflush(stdout);
  start_ = Clock::now();
  others_at_start_ = seconds_of_others();
}

void Table::print_foot() {
  if (runs_ > 1) {
    for (auto &runs : rows_) {
      std::sort(runs.begin(), runs.end(), [](const Row &a, const Row &b) { return excess(a) < excess(b); });
      print(runs[runs.size() / 2]);
    }
    std::printf("\nEach row is the median of %d runs.", runs_);
  }
  // Two threads that share a core, or wait for one, cost something else than two that have a core each.
  const double seconds = ns_between(start_, Clock::now()) / 1e9;
  const double share = std::max(0.0, seconds_of_others() - others_at_start_) / seconds;
  std::printf("\n%d missed; other processes used %.2f of %g cores during %.0f s%s\n", missed_, share, cores(), seconds,
              share > 0.1 ? ": too much for figures to rely on" : "");
}

void Table::add(const Row &row) {
  if (runs_ == 1) return print(row);
  if (at_ == rows_.size()) rows_.emplace_back();
  rows_[at_++].push_back(row);
}

void Table::print(const Row &row) {
  const double measured = row.figures.measured.median;
  const double yardstick = row.figures.yardstick.median;
  char ratio[32] = "";
  if (row.bound.kind == Bound::at_most && row.bound.factor == 1 && row.bound.plus != 0) {
    // What a call adds to the one that it makes says more than the ratio of both.
    std::snprintf(ratio, sizeof ratio, "%+.1f %s", measured - yardstick, row.unit);
  } else if (yardstick > 0) {
    const bool inverse = row.bound.kind == Bound::faster;
    if (row.bound.kind == Bound::at_most && row.bound.factor == 0 && measured > 0 && measured < yardstick) {
      std::snprintf(ratio, sizeof ratio, "1/%.1f x", yardstick / measured);
    } else {
      std::snprintf(ratio, sizeof ratio, "%.2f x", inverse ? yardstick / measured : measured / yardstick);
    }
  }
  const bool met = is_met(row);
  missed_ += row.judged && !met ? 1 : 0;
  std::string beside = row.yardstick;
  if (yardstick > 0) beside += (beside.empty() ? "" : " ") + figures(row.figures.yardstick, row.unit);
  std::printf(line, row.what.c_str(), figures(row.figures.measured, row.unit).c_str(), beside.c_str(), ratio,
              row.judged ? describe(row.bound, row.unit).c_str() : "",
              !row.judged ? ""
              : met       ? "met"
                          : "MISSED");
  std::fflush(stdout);
}

} // namespace bench
