/* The part of POSIX's dlfcn.h that the tests use, over Windows's modules. */
#ifndef GEVT_TESTS_WINDOWS_DLFCN_H
#define GEVT_TESTS_WINDOWS_DLFCN_H

#include <stdio.h>
#include <string.h>
#include <windows.h>

#define RTLD_NOW 0
#define RTLD_LAZY 0
#define RTLD_LOCAL 0
#define RTLD_NOLOAD 1
#define RTLD_DEFAULT NULL

typedef struct Dl_info {
  const char *dli_fname;
} Dl_info;

/* Drivers have other names here. */
static inline void *dlopen(const char *name, int flags) {
  if (strcmp(name, "libvulkan.so.1") == 0) name = "vulkan-1.dll";
  if (strcmp(name, "libcuda.so.1") == 0) name = "nvcuda.dll";
  return flags & RTLD_NOLOAD ? GetModuleHandleA(name) : LoadLibraryA(name);
}

static inline int dlclose(void *library) {
  return FreeLibrary((HMODULE)library) ? 0 : -1;
}

static inline const char *dlerror(void) {
  static char text[32];
  snprintf(text, sizeof text, "error %lu", (unsigned long)GetLastError());
  return text;
}

static inline void *dlsym(void *library, const char *name) {
  FARPROC function = GetProcAddress((HMODULE)library, name);
  void *symbol = NULL;
  if (library) memcpy(&symbol, &function, sizeof symbol);
  return symbol;
}

/* The file that has the code at the address. An imported function's address is that of a jump, which is followed. */
static inline int dladdr(const void *address, Dl_info *info) {
  static char file[MAX_PATH];
  const unsigned char *code = (const unsigned char *)address;
  HMODULE module;
  if (code[0] == 0xff && code[1] == 0x25) {
    int offset;
    memcpy(&offset, code + 2, sizeof offset);
    memcpy(&address, code + 6 + offset, sizeof address);
  }
  if (!GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                          (const char *)address, &module)) {
    return 0;
  }
  info->dli_fname = file;
  return GetModuleFileNameA(module, file, sizeof file) != 0;
}

#endif
