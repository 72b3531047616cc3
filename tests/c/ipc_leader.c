/* Events between processes when one of them is unusual: its first thread has ended, or it is in a separate time
   namespace.
   usage: ipc_leader [host|cuda] */
#include "child.h"
#include "objects.h"

#include <fcntl.h>
#include <sched.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

enum { FLAGS = GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS, TO_EXPORTER = 200, TO_IMPORTER = 201 };

/* Waits until the kernel says that the process's first thread has ended. */
static void await_end_of_first_thread(void) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)getpid());
  for (;;) {
    FILE *file = fopen(path, "r");
    char *state = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    if (file) fclose(file);
    if (state && state[2] == 'Z') return;
    sleep_ns(MILLISECOND / 10);
  }
}

/* The exporter: sends a handle of a pending event, and finishes its record on request. */
static void *serve(void *user) {
  gate_t gate = GATE_CLOSED;
  gevt_ipc_handle_t handle;
  gevt_stream_t stream;
  gevt_event_t event;
  char byte = 0;
  if (user) await_end_of_first_thread();
  subject_open();
  stream = stream_new();
  event = event_with(FLAGS);
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_ipc_export(&handle, event));
  CHECK_EQUAL(write(TO_IMPORTER, &handle, sizeof handle), sizeof handle);
  CHECK_EQUAL(read(TO_EXPORTER, &byte, 1), 1);
  gate_open(&gate);
  CHECK_OK(gevt_sync(event));
  /* Until the importer has seen it. */
  CHECK_EQUAL(read(TO_EXPORTER, &byte, 1), 1);
  exit(check_failures() ? 1 : 0);
}

/* Runs this program as an exporter. In a child of `prepare`'s process where that makes a namespace. */
static pid_t exporter_start(const char *mode, int (*prepare)(void), int *to_exporter, int *to_importer) {
  int down[2], up[2];
  pid_t child;
  if (!CHECK(pipe(down) == 0 && pipe(up) == 0)) return -1;
  fflush(stdout);
  child = fork();
  if (child == 0) {
    char program[PATH_MAX] = "", subject[] = "host", argument[16];
    char *arguments[4];
    dup2(down[0], TO_EXPORTER);
    dup2(up[1], TO_IMPORTER);
    close(down[1]);
    close(up[0]);
    if (prepare && !prepare()) _exit(SUBJECT_SKIPPED);
    if (prepare) {
      pid_t inner = fork();
      if (inner != 0) {
        close(TO_EXPORTER);
        close(TO_IMPORTER);
        close(down[0]);
        close(up[1]);
        _exit(inner < 0 ? 1 : child_end(inner));
      }
    }
    snprintf(argument, sizeof argument, "%s", mode);
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) _exit(127);
    arguments[0] = program;
    arguments[1] = subject;
    arguments[2] = argument;
    arguments[3] = NULL;
    execv(program, arguments);
    _exit(127);
  }
  close(down[0]);
  close(up[1]);
  *to_exporter = down[1];
  *to_importer = up[0];
  return child;
}

static void check_exporter(const char *mode, int (*prepare)(void)) {
  gevt_ipc_handle_t handle;
  gevt_event_t event = NULL;
  int to_exporter = -1, to_importer = -1, ended;
  pid_t child = exporter_start(mode, prepare, &to_exporter, &to_importer);
  if (read(to_importer, &handle, sizeof handle) == (ssize_t)sizeof handle) {
    CHECK_OK(gevt_ipc_import(&event, NULL, &handle));
    CHECK_NOT_READY(gevt_query(event));
    /* Long enough for several checks whether the exporter lives. */
    CHECK_STATUS(gevt_sync_timeout(event, 100 * MILLISECOND), GEVT_ERROR_TIMEOUT);
    CHECK_EQUAL(write(to_exporter, "x", 1), 1);
    CHECK_OK(gevt_sync(event));
    CHECK_EQUAL(write(to_exporter, "x", 1), 1);
    CHECK_OK(gevt_destroy(event));
  }
  ended = child_end(child);
  if (ended == SUBJECT_SKIPPED)
    printf("SKIPPED: this user may not make such a namespace\n");
  else
    CHECK_EQUAL(ended, 0);
  close(to_exporter);
  close(to_importer);
}

static int enter_time_namespace(void) {
  static const char offset[] = "boottime 1000 0";
  int file, written;
  if (unshare(CLONE_NEWTIME) != 0) return 0;
  file = open("/proc/self/timens_offsets", O_WRONLY);
  if (file < 0) return 0;
  written = write(file, offset, sizeof offset - 1) == (ssize_t)sizeof offset - 1;
  close(file);
  return written;
}

static void an_exporter_whose_first_thread_has_ended(void) {
  check_exporter("ended", NULL);
}

static void an_exporter_in_a_time_namespace(void) {
  check_exporter("plain", enter_time_namespace);
}

int main(int argc, char **argv) {
  if (argc > 2) {
    subject_choose_backend(argc, argv);
    if (strcmp(argv[2], "plain") == 0) serve(NULL);
    thread_start(serve, argv);
    pthread_exit(NULL);
  }
  subject_begin(argc, argv);
  RUN_ON_HOST(an_exporter_whose_first_thread_has_ended);
  RUN_ON_HOST(an_exporter_in_a_time_namespace);
  return subject_end();
}
