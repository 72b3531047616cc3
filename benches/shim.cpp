// gevt_bench_shim: what the event calls of a CUDA program cost with the drop-in in front of the driver, each figure beside the
// same call without it, in one run and one process.
//
//   LD_PRELOAD=libgevt_cuda.so gevt_bench_shim [--check]
//
// The driver's own functions are read from its symbol table: a look-up by another dlsym, or an object that is opened past the
// drop-in, would make it ask the driver always. --check makes the exit code 1 if a bound is missed. Without a device there is
// nothing to measure: the program says so, and that is no failure.
#include "shim.hpp"

#include "cuda.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

using bench::Api;
using bench::fail;
using LookUp = void *(*)(void *, const char *);

// The function of that name in a library's own symbol table, which the GNU hash table counts.
void *in_symbol_table(void *library, const char *name) {
  link_map *map = nullptr;
  if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return nullptr;
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  const std::uint32_t *hashes = nullptr;
  for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
    const auto *at = reinterpret_cast<const void *>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB) symbols = static_cast<const ElfW(Sym) *>(at);
    if (entry->d_tag == DT_STRTAB) names = static_cast<const char *>(at);
    if (entry->d_tag == DT_GNU_HASH) hashes = static_cast<const std::uint32_t *>(at);
  }
  if (symbols == nullptr || names == nullptr || hashes == nullptr) return nullptr;
  const std::uint32_t buckets = hashes[0], first = hashes[1], words = hashes[2];
  const std::uint32_t *bucket = hashes + 4 + words * (sizeof(ElfW(Addr)) / sizeof(std::uint32_t));
  const std::uint32_t *chain = bucket + buckets;
  for (std::uint32_t i = 0; i < buckets; i++) {
    for (std::uint32_t at = bucket[i]; at >= first; at++) {
      if (std::strcmp(names + symbols[at].st_name, name) == 0) {
        return reinterpret_cast<void *>(map->l_addr + symbols[at].st_value);
      }
      if ((chain[at - first] & 1) != 0) break;
    }
  }
  return nullptr;
}

template <class Function>
void look_up(LookUp by, void *library, const char *name, Function &function) {
  // POSIX lets the address of a function pass through a pointer to an object.
  function = reinterpret_cast<Function>(by(library, name));
  if (function == nullptr) fail(name, "there is no such function");
}

std::string library_of(const void *address) {
  Dl_info info;
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

bool is_in_drop_in(const Api &api) {
  return library_of(reinterpret_cast<const void *>(api.query)).find("libgevt_cuda.so") != std::string::npos;
}

Api driver_api(LookUp by) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  Api api;
  look_up(by, library, "cuEventCreate", api.create);
  look_up(by, library, "cuEventDestroy_v2", api.destroy);
  look_up(by, library, "cuEventQuery", api.query);
  look_up(by, library, "cuEventSynchronize", api.sync);
  look_up(by, library, "cuEventRecord", api.record);
  look_up(by, library, "cuStreamWaitEvent", api.wait);
  look_up(by, library, "cuEventElapsedTime", api.elapsed);
  return api;
}

} // namespace

int main(int argc, char **argv) {
  bool check = false;
  for (int i = 1; i < argc; i++) {
    if (std::strcmp(argv[i], "--check") == 0) {
      check = true;
    } else {
      std::fprintf(stderr, "usage: gevt_bench_shim [--check]\n");
      return 2;
    }
  }
  if (const std::string reason = bench::load_driver(); !reason.empty()) {
    std::printf("SKIPPED: no CUDA device (%s)\n", reason.c_str());
    return 0;
  }
  const bench::Device device;
  const bench::Apis driver{
      "driver API", driver_api(dlsym), driver_api(in_symbol_table), {bench::Bound::at_most, 0, 30}};
  if (!is_in_drop_in(driver.ours)) fail("LD_PRELOAD", "libgevt_cuda.so is not in front of the driver");
  if (is_in_drop_in(driver.plain)) fail("dlsym", "there is no way around libgevt_cuda.so");

  std::printf("gpu       %s\n", device.name().c_str());
  std::printf("driver    %s\n", bench::driver_version().c_str());
  std::printf("drop-in   %s\n", library_of(reinterpret_cast<const void *>(driver.ours.query)).c_str());
  bench::Table table;
  table.print_head();
  shim_call_rows(table, driver);
  shim_threads_rows(table, driver, 300);
  table.print_foot();
  return check && table.missed() > 0 ? 1 : 0;
}
