/* A program that is linked to nothing of CUDA's and looks the driver's functions up.

     look_up handle | default | next      dlsym by the exported names: in the driver, in all objects, behind this program
     look_up versioned                    dlvsym with a version that nothing has: the driver has to be one without versions
     look_up proc VERSION FLAGS           cuGetProcAddress, as it was before CUDA 12
     look_up proc2 VERSION FLAGS          cuGetProcAddress_v2
     look_up cudart FLAGS                 as NVIDIA's runtime does, which is in most programs as a static library: one dlsym,
                                          for cuGetProcAddress_v2, which is asked for cuGetProcAddress and that for the rest

   It prints the form of each function that it got, by the name that the loader knows it by. */
#include "exercise.h"

#include "../driver/cuda.h"

static void *driver;
static const char *way;
static int version;
static unsigned long long flags;
static int (*proc)(const char *name, void **function, int version, unsigned long long flags);
static int (*proc2)(const char *name, void **function, int version, unsigned long long flags, int *found);

static void *by_name(const char *name) {
  void *where = strcmp(way, "handle") == 0 ? driver : strcmp(way, "next") == 0 ? RTLD_NEXT : RTLD_DEFAULT;
  return strcmp(way, "versioned") == 0 ? dlvsym(driver, name, "CUDA_1") : dlsym(where, name);
}

/* `exported` is the name of the wanted form. `name` is what cuGetProcAddress is asked for. `since` is the version that first had
   it. */
static void get(void *field, const char *exported, const char *name, int since) {
  void *function = NULL;
  Dl_info info;
  int found = -1, asked = version > since ? version : since;
  /* Other functions are called in the form of the prototypes here. */
  if (!strstr(name, "Event") && asked > 12080) asked = 12080;
  if (proc2) {
    OK(proc2(name, &function, asked, flags, &found));
    GIVES(0, found);
  } else if (proc) {
    OK(proc(name, &function, asked, flags));
  } else {
    function = by_name(exported);
  }
  CHECK(function);
  if (strstr(name, "Event")) expect_library(name, function);
  CHECK(dladdr(function, &info));
  /* The driver's lookup also returns functions that NVIDIA's library does not export. */
  if (!getenv("SHIM_HIDES_NAMES")) printf("%s: %s\n", name, info.dli_sname ? info.dli_sname : "?");
  set_function(field, function);
}

static void absent(const char *name) {
  void *function = &driver;
  int found = -1, code = -1;
  if (proc2)
    code = proc2(name, &function, version, flags, &found);
  else if (proc)
    code = proc(name, &function, version, flags);
  else
    function = by_name(name);
  printf("%s: %d, %d, %s\n", name, code, found, function ? "something" : "nothing");
}

int main(int argc, char **argv) {
  struct api api;
  int (*init)(unsigned), (*device_get)(int *, int), (*retain)(void **, int), (*set_current)(void *);
  int device;
  void *context;
  CHECK(argc >= 2);
  way = argv[1];
  driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  CHECK(driver);
  if (strcmp(way, "proc") == 0) {
    set_function(&proc, dlsym(driver, "cuGetProcAddress"));
    version = atoi(argv[2]), flags = (unsigned long long)atoi(argv[3]);
  } else if (strcmp(way, "proc2") == 0) {
    set_function(&proc2, dlsym(driver, "cuGetProcAddress_v2"));
    version = atoi(argv[2]), flags = (unsigned long long)atoi(argv[3]);
  } else if (strcmp(way, "cudart") == 0) {
    version = 12080;
    set_function(&proc2, dlsym(driver, "cuGetProcAddress_v2"));
    get(&proc2, NULL, "cuGetProcAddress", 12000);
    flags = (unsigned long long)atoi(argv[2]);
  }
  get(&init, "cuInit", "cuInit", 2000);
  get(&device_get, "cuDeviceGet", "cuDeviceGet", 2000);
  get(&retain, "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRetain", 7000);
  get(&set_current, "cuCtxSetCurrent", "cuCtxSetCurrent", 4000);
#define GET(field, parameters, name, since, exported, per_thread, runtime) get(&api.field, #exported, #name, since);
  FUNCTIONS(GET)
  absent("cuEventNothing");
  absent("cuEventDestroy_v9");
  OK(init(0));
  OK(device_get(&device, 0));
  OK(retain(&context, device));
  OK(set_current(context));
  exercise(&api);
  return 0;
}
