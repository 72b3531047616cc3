// A hostile process: it writes anything at all into the memory that it shares.
#pragma once

#include "arguments.hpp"

#ifndef _WIN32
#include <cinttypes>
#include <fstream>

static uint64_t random_next() {
  static uint64_t state = 0x2545f4914f6cdd1du;
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

// What it writes over a word.
static const auto &manners = *new std::map<std::string, uint64_t (*)(uint64_t)>{
    {"zeros", [](uint64_t) { return (uint64_t)0; }},
    {"ones", [](uint64_t) { return UINT64_MAX; }},
    {"random", [](uint64_t) { return random_next(); }},
    {"small", [](uint64_t) { return random_next() % 8; }},
    {"flips", [](uint64_t old) { return old ^ (uint64_t)1 << random_next() % 64; }},
    {"forwards", [](uint64_t old) { return old + 1; }}};

// Writes over every anonymous file that this process has mapped: what gevt shares is among them. Gives how many words.
static long long scribble(const std::string &manner) {
  std::ifstream maps("/proc/self/maps");
  auto *const next = manners.at(manner);
  long long count = 0;
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin, end;
    char access[8];
    if (line.find("/memfd:") == std::string::npos ||
        sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %7s", &begin, &end, access) != 3 || access[1] != 'w')
      continue;
    for (; begin < end; begin += sizeof(uint64_t), count++) {
      auto *word = reinterpret_cast<volatile uint64_t *>(begin);
      // Sometimes a part of a word, as other processes need not write whole ones.
      if (manner == "random" && random_next() % 16 == 0)
        *reinterpret_cast<volatile uint16_t *>(begin) = (uint16_t)random_next();
      else
        *word = next(*word);
    }
  }
  return count;
}

// Until the process is killed.
static void scribble_on() {
  thread_start(
      [](void *) -> void * {
        for (int round = 0;; round++) scribble(std::next(manners.begin(), round / 64 % 6)->first);
      },
      nullptr);
}
#endif
