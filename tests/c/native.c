/* What is behind streams and contexts, and the sizes of all structures of information. */
#include "driver.h"
#include "objects.h"

#include <stddef.h>

static gevt_context_info_t context_info(gevt_context_t context) {
  gevt_context_info_t info;
  pattern_fill(&info, sizeof info);
  info.size = sizeof info;
  CHECK_OK(gevt_context_get_info(&info, context));
  CHECK_EQUAL(info.size, sizeof info);
  return info;
}

static gevt_stream_info_t stream_info(gevt_stream_t stream) {
  gevt_stream_info_t info;
  pattern_fill(&info, sizeof info);
  info.size = sizeof info;
  CHECK_OK(gevt_stream_get_info(&info, stream));
  CHECK_EQUAL(info.size, sizeof info);
  return info;
}

static int is_zero(const void *bytes, size_t size) {
  const unsigned char *byte = (const unsigned char *)bytes;
  while (size > 0 && byte[size - 1] == 0) size--;
  return size == 0;
}

static void contexts_are_described(void) {
  gevt_context_info_t info = context_info(subject_context), current = context_info(NULL);
  CHECK_EQUAL(info.backend, subject_backend);
  CHECK_EQUAL(info.device, 0);
  CHECK(memcmp(&info, &current, sizeof info) == 0);
  CHECK(*info.name != 0 && memchr(info.name, 0, sizeof info.name) != NULL);
  printf("device: %s\n", info.name);
  /* Unknown fields are 0; the host has no identifiers. */
  CHECK_EQUAL(info.known & ~(uint32_t)(GEVT_CONTEXT_HAS_UUID | GEVT_CONTEXT_HAS_LUID | GEVT_CONTEXT_HAS_PCI), 0);
  if (subject_is_host()) CHECK_EQUAL(info.known, 0);
  if (!subject_is_host()) CHECK(info.known & GEVT_CONTEXT_HAS_UUID);
  CHECK_EQUAL((info.known & GEVT_CONTEXT_HAS_UUID) == 0, is_zero(info.uuid, sizeof info.uuid));
  if (!(info.known & GEVT_CONTEXT_HAS_LUID)) CHECK(is_zero(info.luid, sizeof info.luid) && info.luid_node_mask == 0);
  if (!(info.known & GEVT_CONTEXT_HAS_PCI)) CHECK(info.pci_domain == 0 && info.pci_bus == 0 && info.pci_device == 0);
}

static void streams_are_described(void) {
  gevt_stream_t ordered = stream_in(subject_context, GEVT_STREAM_DEFAULT), stream = stream_new();
  gevt_stream_info_t info;
  CHECK_OK(gevt_stream_set_name(stream, "shadows"));
  info = stream_info(stream);
  CHECK(info.context == subject_context);
  CHECK_EQUAL(info.backend, subject_backend);
  CHECK_EQUAL(info.device, 0);
  CHECK_EQUAL(info.flags, GEVT_STREAM_NON_BLOCKING);
  CHECK(strcmp(info.name, "shadows") == 0);
  CHECK((info.queue_family == GEVT_NO_QUEUE_FAMILY) == !subject_is_vulkan());
  info = stream_info(ordered);
  CHECK_EQUAL(info.flags, GEVT_STREAM_DEFAULT);
  CHECK_EQUAL(*info.name, 0);
  info = stream_info(NULL);
  CHECK(info.context == subject_context);
  CHECK_EQUAL(info.flags, GEVT_STREAM_DEFAULT);
  stream_finish(ordered);
  stream_finish(stream);
}

/* A structure of a later version is larger, and one that is smaller than the first version is refused. */
static void sizes(void) {
  struct {
    gevt_context_info_t info;
    char later[64];
  } context;
  struct {
    gevt_stream_info_t info;
    char later[64];
  } stream;
  pattern_fill(&context, sizeof context);
  context.info.size = sizeof context;
  CHECK_OK(gevt_context_get_info(&context.info, NULL));
  CHECK_EQUAL(context.info.size, sizeof context.info);
  CHECK(pattern_intact(context.later, sizeof context.later));
  pattern_fill(&stream, sizeof stream);
  stream.info.size = sizeof stream;
  CHECK_OK(gevt_stream_get_info(&stream.info, NULL));
  CHECK_EQUAL(stream.info.size, sizeof stream.info);
  CHECK(pattern_intact(stream.later, sizeof stream.later));
  context.info.size = sizeof context.info - 1;
  CHECK_FAILS(gevt_context_get_info(&context.info, NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  stream.info.size = sizeof stream.info - 1;
  CHECK_FAILS(gevt_stream_get_info(&stream.info, NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  CHECK_FAILS(gevt_context_get_info(NULL, NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_stream_get_info(NULL, NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
}

/* A smaller structure (an older header's) gets what fits; a larger one (a newer header's) also gets the size that is
   known. */
static void sizes_of_events(void) {
  struct {
    gevt_event_info_t info;
    unsigned char more[64];
  } large;
  gevt_event_t event = event_new();
  gevt_event_info_t whole, part;
  static const size_t too_small[] = {0, 1, sizeof(size_t) - 1, sizeof(size_t), sizeof(size_t) + 3};
  size_t part_size = offsetof(gevt_event_info_t, name), i;
  CHECK_OK(gevt_set_name(event, "sized"));
  whole = event_info(event);

  for (i = 0; i < sizeof too_small / sizeof *too_small; i++) {
    pattern_fill(&part, sizeof part);
    part.size = too_small[i];
    CHECK_FAILS(gevt_get_info(&part, event), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
    CHECK_EQUAL(part.size, too_small[i]);
    CHECK(pattern_intact((char *)&part + sizeof part.size, sizeof part - sizeof part.size));
  }

  pattern_fill(&part, sizeof part);
  part.size = part_size;
  CHECK_OK(gevt_get_info(&part, event));
  CHECK_EQUAL(part.size, part_size);
  CHECK_EQUAL(part.device, whole.device);
  CHECK_EQUAL(part.record_count, whole.record_count);
  CHECK(pattern_intact(part.name, sizeof part.name));

  pattern_fill(&large, sizeof large);
  large.info.size = sizeof large;
  CHECK_OK(gevt_get_info(&large.info, event));
  CHECK_EQUAL(large.info.size, sizeof large.info);
  CHECK(strcmp(large.info.name, "sized") == 0);
  CHECK(pattern_intact(large.more, sizeof large.more));
  CHECK_OK(gevt_destroy(event));
}

static void the_host_has_no_native_objects(void) {
  void *native = &native;
  CHECK_FAILS(gevt_context_native(&native, NULL), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_NO_NATIVE);
  CHECK_FAILS(gevt_stream_native(&native, NULL), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_NO_NATIVE);
  CHECK(native == &native);
}

/* The driver takes them for what they are, and work that the caller puts on the stream is part of it. */
static void the_driver_takes_them(void) {
  gevt_stream_t stream = stream_new();
  gevt_event_t gate = event_with(GEVT_EVENT_HOST_SIGNALED), before = event_new(), after = event_new();
  void *context = NULL, *native = NULL, *found = NULL;
  char name[256] = "";
  int ran = 0;
  int64_t ns = -1;
  CHECK_OK(gevt_context_native(&context, subject_context));
  CHECK_OK(gevt_stream_native(&native, stream));
  CHECK_EQUAL(driver.stream_context(native, &found), 0);
  CHECK(found == context);
  CHECK_EQUAL(driver.device_name(name, sizeof name, 0), 0);
  CHECK(strcmp(name, context_info(subject_context).name) == 0);
  CHECK_OK(gevt_record(before, stream));
  CHECK_OK(gevt_stream_wait(stream, gate, GEVT_WAIT_DEFAULT));
  CHECK_EQUAL(driver.launch_host(native, count_up, &ran), 0);
  CHECK_OK(gevt_record(after, stream));
  CHECK_NOT_READY(gevt_query(after));
  CHECK_EQUAL(count_of(&ran), 0);
  CHECK_OK(gevt_signal(gate, GEVT_SUCCESS));
  CHECK_OK(gevt_sync(after));
  CHECK_EQUAL(count_of(&ran), 1);
  CHECK_OK(gevt_elapsed_ns(&ns, before, after));
  CHECK(ns >= 0);
  CHECK_OK(gevt_destroy(before));
  CHECK_OK(gevt_destroy(after));
  CHECK_OK(gevt_destroy(gate));
  stream_finish(stream);
}

/* The caller may capture the stream: a record there is then one of the capture, and a query asks the driver nothing. */
static void a_stream_of_gevt_is_captured(void) {
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  void *native = NULL, *graph = NULL, *context = NULL;
  CHECK_OK(gevt_context_native(&context, subject_context));
  CHECK_OK(gevt_stream_native(&native, stream));
  CHECK_EQUAL(driver.context_set_current(context), 0);
  CHECK_EQUAL(driver.capture_begin(native, 0), 0);
  CHECK_OK(gevt_record(event, stream));
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_CAPTURED);
  CHECK_STATUS(gevt_query(event), GEVT_ERROR_CAPTURED_EVENT);
  CHECK_EQUAL(driver.capture_end(native, &graph), 0);
  if (graph) CHECK_EQUAL(driver.graph_destroy(graph), 0);
  CHECK_EQUAL(driver.context_set_current(NULL), 0);
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

/* A kernel on a stream that gevt made, where the driver compiles one. */
static void a_kernel_on_a_stream_of_gevt(void) {
  static const char ptx[] =
      ".version 6.0\n.target sm_50\n.address_size 64\n"
      ".visible .entry fill(.param .u64 to) {\n"
      "  .reg .b64 %p<4>;\n  .reg .b32 %i;\n"
      "  ld.param.u64 %p1, [to];\n  mov.u32 %i, %tid.x;\n"
      "  mul.wide.u32 %p2, %i, 4;\n  add.s64 %p3, %p1, %p2;\n  st.global.u32 [%p3], %i;\n  ret;\n}\n";
  enum { WORDS = 256 };
  gevt_stream_t stream = stream_new();
  gevt_event_t done = event_new();
  void *context = NULL, *native = NULL, *module = NULL, *kernel = NULL, *arguments[1];
  uint32_t words[WORDS];
  unsigned long long memory = 0;
  int i, code;
  CHECK_OK(gevt_context_native(&context, subject_context));
  CHECK_OK(gevt_stream_native(&native, stream));
  CHECK_EQUAL(driver.context_set_current(context), 0);
  code = driver.module_load(&module, ptx);
  if (code == 0 && driver.module_function(&kernel, module, "fill") == 0) {
    CHECK_EQUAL(driver.memory_allocate(&memory, sizeof words), 0);
    arguments[0] = &memory;
    code = driver.kernel_launch(kernel, 1, 1, 1, WORDS, 1, 1, 0, native, arguments, NULL);
  }
  /* CUDA without a GPU refuses kernels. */
  if (code == 0) {
    CHECK_OK(gevt_record(done, stream));
    CHECK_OK(gevt_sync(done));
    CHECK_EQUAL(driver.copy_to_host(words, memory, sizeof words), 0);
    for (i = 0; i < WORDS; i++) CHECK_EQUAL(words[i], i);
  } else {
    CHECK_EQUAL(code, GEVT_ERROR_NOT_SUPPORTED);
  }
  if (memory) CHECK_EQUAL(driver.memory_free(memory), 0);
  CHECK_EQUAL(driver.context_set_current(NULL), 0);
  CHECK_OK(gevt_destroy(done));
  stream_finish(stream);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(contexts_are_described);
  RUN(streams_are_described);
  RUN(sizes);
  RUN(sizes_of_events);
  if (subject_is_host()) RUN(the_host_has_no_native_objects);
  if (subject_is_cuda()) {
    driver_load();
    driver_load_streams();
    driver_load_kernels();
    driver_load_captures();
    RUN(the_driver_takes_them);
    RUN(a_stream_of_gevt_is_captured);
    RUN(a_kernel_on_a_stream_of_gevt);
  }
  return subject_end();
}
