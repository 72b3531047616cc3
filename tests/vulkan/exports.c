/* GEVT_VULKAN_EXPORTABLE: a stream's semaphore goes to another process and to CUDA, which wait for a point that
   gevt signals. lavapipe 22.3 cannot export.
   usage: exports [vulkan] [in another process: the descriptor, the value and the pipe] */
#include "vk.h"

#include "child.h"

#define FD_EXTENSION "VK_KHR_external_semaphore_fd"

static PFN_vkGetSemaphoreFdKHR get_fd;
static gevt_context_t context;

/* A batch that waits for `held`, on a stream whose semaphore is exported. */
typedef struct exported {
  gevt_stream_t stream;
  gevt_event_t event;
  VkSemaphore held;
  uint64_t value;
  int fd;
} exported_t;

static exported_t exported_new(void) {
  VkSemaphoreGetFdInfoKHR info = {VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, NULL, VK_NULL_HANDLE,
                                  VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
  gevt_vulkan_batch_t batch = batch_empty();
  exported_t it;
  uint64_t bits = 0;
  memset(&it, 0, sizeof it);
  it.fd = -1;
  it.held = vk_timeline();
  it.event = event_new();
  it.stream = vk_stream(context, GEVT_VULKAN_EXPORTABLE | GEVT_VULKAN_COLLECT_WAITS);
  vk_hold(it.held, 1);
  CHECK_OK(gevt_vulkan_submit_begin(&batch, it.stream, &it.event, 1));
  CHECK_OK(gevt_vulkan_submit_end(it.stream, &batch, batch_pass_on(&batch, NULL)));
  CHECK_OK(gevt_vulkan_point(&bits, &it.value, it.event));
  memcpy(&info.semaphore, &bits, sizeof info.semaphore);
  CHECK_VK(get_fd(vk.device, &info, &it.fd));
  return it;
}

static void exported_end(exported_t *it) {
  CHECK_OK(gevt_sync_timeout(it->event, HANG_LIMIT));
  CHECK_OK(gevt_destroy(it->event));
  stream_finish(it->stream);
  vk.DestroySemaphore(vk.device, it->held, NULL);
}

static void another_process(void) {
  exported_t it = exported_new();
  char argument[64], byte = 0;
  int pending[2];
  pid_t child;
  if (!CHECK(pipe(pending) == 0)) return;
  /* Vulkan's descriptor is closed by an exec. */
  snprintf(argument, sizeof argument, "%d,%llu,%d", dup(it.fd), (unsigned long long)it.value, pending[1]);
  child = child_start_self(subject_name(), argument);
  close(pending[1]);
  CHECK(read(pending[0], &byte, 1) == 1 && byte == 'p');
  CHECK_NOT_READY(gevt_query(it.event));
  vk_signal(it.held, 1);
  CHECK_EQUAL(child_end(child), 0);
  close(pending[0]);
  close(it.fd);
  exported_end(&it);
}

/* The other process: reports that the point is pending, and waits for it. */
static void import(const char *what) {
  VkImportSemaphoreFdInfoKHR info = {VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,  NULL, VK_NULL_HANDLE, 0,
                                     VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT, -1};
  VkSemaphoreWaitInfo wait = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, 0, 1, NULL, NULL};
  PFN_vkImportSemaphoreFdKHR import_fd;
  unsigned long long value = 0;
  uint64_t counter = 0, wanted;
  int pending = -1;
  CHECK_EQUAL(sscanf(what, "%d,%llu,%d", &info.fd, &value, &pending), 3);
  wanted = value;
  import_fd = (PFN_vkImportSemaphoreFdKHR)vk_loaded(vk.GetDeviceProcAddr(vk.device, "vkImportSemaphoreFdKHR"),
                                                    "vkImportSemaphoreFdKHR");
  info.semaphore = vk_timeline();
  CHECK_VK(import_fd(vk.device, &info));
  CHECK_VK(vk.GetSemaphoreCounterValue(vk.device, info.semaphore, &counter));
  CHECK(counter < wanted);
  CHECK_EQUAL(write(pending, "p", 1), 1);
  wait.pSemaphores = &info.semaphore;
  wait.pValues = &wanted;
  CHECK_VK(vk.WaitSemaphores(vk.device, &wait, (uint64_t)HANG_LIMIT));
  vk.DestroySemaphore(vk.device, info.semaphore, NULL);
}

/* CUDA's structures, by the driver's documentation. */
typedef struct cuda_semaphore {
  int type;
  union {
    int fd;
    void *pointers[2];
  } handle;
  unsigned flags, reserved[16];
} cuda_semaphore_t;

typedef struct cuda_wait {
  unsigned long long value, pointer, key;
  unsigned timeout_ms, padding, reserved[10];
  unsigned flags, reserved_too[16];
} cuda_wait_t;

enum { TIMELINE_SEMAPHORE_FD = 9 };

static void *cuda;

/* The driver's function of that name, in `field`. */
static void cuda_function(void *field, const char *name) {
  void *found = dlsym(cuda, name);
  if (!CHECK(found != NULL)) printf("    libcuda.so.1 has no %s\n", name);
  memcpy(field, &found, sizeof found);
}

static void in_cuda(void) {
  exported_t it = exported_new();
  int (*import_semaphore)(void **, const cuda_semaphore_t *);
  int (*await)(void *const *, const cuda_wait_t *, unsigned, void *);
  int (*query)(void *), (*sync)(void *), (*drop)(void *), (*set_current)(void *);
  cuda_semaphore_t semaphore;
  cuda_wait_t wait;
  gevt_context_t device = NULL;
  gevt_stream_t waiting = NULL;
  void *native = NULL, *native_context = NULL, *imported = NULL;
  cuda_function(&import_semaphore, "cuImportExternalSemaphore");
  cuda_function(&await, "cuWaitExternalSemaphoresAsync");
  cuda_function(&query, "cuStreamQuery");
  cuda_function(&sync, "cuStreamSynchronize");
  cuda_function(&drop, "cuDestroyExternalSemaphore");
  cuda_function(&set_current, "cuCtxSetCurrent");
  memset(&semaphore, 0, sizeof semaphore);
  memset(&wait, 0, sizeof wait);
  semaphore.type = TIMELINE_SEMAPHORE_FD;
  semaphore.handle.fd = it.fd;
  wait.value = it.value;
  CHECK_OK(gevt_context_open(&device, GEVT_BACKEND_CUDA, 0));
  CHECK_OK(gevt_stream_create(&waiting, device, GEVT_STREAM_NON_BLOCKING));
  CHECK_OK(gevt_stream_native(&native, waiting));
  CHECK_OK(gevt_context_native(&native_context, device));
  CHECK_EQUAL(set_current(native_context), 0);
  CHECK_EQUAL(import_semaphore(&imported, &semaphore), 0);
  CHECK_EQUAL(await(&imported, &wait, 1, native), 0);
  CHECK_EQUAL(query(native), 600);
  CHECK_NOT_READY(gevt_query(it.event));
  vk_signal(it.held, 1);
  CHECK_EQUAL(sync(native), 0);
  CHECK_OK(gevt_query(it.event));
  CHECK_EQUAL(drop(imported), 0);
  CHECK_EQUAL(set_current(NULL), 0);
  CHECK_OK(gevt_stream_destroy(waiting));
  CHECK_OK(gevt_context_close(device));
  exported_end(&it);
}

static int has_cuda(void) {
  int32_t devices = 0;
  cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return cuda && dlsym(cuda, "cuImportExternalSemaphore") &&
         gevt_device_count(&devices, GEVT_BACKEND_CUDA) == GEVT_SUCCESS;
}

int main(int argc, char **argv) {
  subject_choose(argc, argv);
  vk_wanted_extension = FD_EXTENSION;
  vk_open();
  if (argc > 2) {
    subject_case("import");
    import(argv[2]);
    vk_close();
    return subject_end();
  }
  if (!vk_has_extension(FD_EXTENSION)) return subject_skip("%s: the device has no " FD_EXTENSION, subject_program);
  get_fd =
      (PFN_vkGetSemaphoreFdKHR)vk_loaded(vk.GetDeviceProcAddr(vk.device, "vkGetSemaphoreFdKHR"), "vkGetSemaphoreFdKHR");
  context = vk_wrap();
  RUN(another_process);
  if (has_cuda())
    RUN(in_cuda);
  else
    printf("SKIPPED: case in_cuda: there is no CUDA with external semaphores here\n");
  CHECK_OK(gevt_context_close(context));
  CHECK_EQUAL(gevt_live_events(), 0);
  vk_close();
  return subject_end();
}
