/* GEVT_TRACE: traces a whole program, however it ends. Each case is a separate process.
   usage: trace_variable [host|cuda]
   trace_variable [host|cuda] CASE FOLDER     the children */
#include "child.h"
#include "objects.h"

#include <sys/stat.h>

static char folder[SCRATCH_SIZE];

static const char *path_of(const char *name) {
  static char path[600];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static int exists(const char *name) {
  return access(path_of(name), F_OK) == 0;
}

/* Whether the file is whole and holds the text. */
static int file_holds(const char *name, const char *what) {
  FILE *file = fopen(path_of(name), "r");
  struct stat about;
  char *text;
  int holds;
  if (!CHECK(file != NULL) || !CHECK(fstat(fileno(file), &about) == 0)) return 0;
  text = (char *)calloc(1, (size_t)about.st_size + 1);
  CHECK_EQUAL(fread(text, 1, (size_t)about.st_size, file), about.st_size);
  fclose(file);
  holds = about.st_size > 10 && strncmp(text, "{\"displayTimeUnit\"", 18) == 0 &&
          strcmp(text + about.st_size - 5, "}\n]}\n") == 0 && strstr(text, what) != NULL;
  free(text);
  return holds;
}

static void work(const char *name) {
  gevt_event_t event = event_new();
  CHECK_OK(gevt_set_name(event, name));
  CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
}

static void *exit_body(void *user) {
  (void)user;
  exit(check_failures() ? 1 : 0);
}

static void await_file(const char *name, const char *what) {
  long long deadline = now_ns() + HANG_LIMIT;
  while (!(exists(name) && file_holds(name, what)) && now_ns() < deadline) sleep_ns(10 * MILLISECOND);
}

/* The children. */
static int run(const char *how) {
  int fork_child = strcmp(how, "forks") == 0 || strcmp(how, "raw") == 0;
  work(how);
  if (strcmp(how, "thread") == 0) {
    thread_start(exit_body, NULL);
    for (;;) pause();
  }
  if (strcmp(how, "quick") == 0) quick_exit(check_failures() ? 1 : 0);
  if (strcmp(how, "at_once") == 0) _exit(check_failures() ? 1 : 0);
  if (strcmp(how, "waits") == 0) {
    /* The file is written within two seconds; a reader may take longer. */
    while (!exists("go")) sleep_ns(MILLISECOND);
    work("went");
  }
  if (strcmp(how, "stops") == 0) {
    CHECK_FAILS(gevt_trace_start(path_of("own.json")), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_TRACING);
    CHECK_OK(gevt_trace_stop());
    CHECK_OK(gevt_trace_start(path_of("own.json")));
    work("in its own");
  }
  if (fork_child) {
    /* The child has no handler where the call that makes it is the system's own. */
    pid_t child = strcmp(how, "raw") == 0 ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
    if (child == 0) {
      int code = gevt_trace_stop() == GEVT_ERROR_NOT_INITIALIZED ? 0 : 1;
      /* Exit handlers of NVIDIA's Vulkan driver end a forked child with SIGSEGV. */
      if (strcmp(how, "forks") == 0 && !subject_is_vulkan()) exit(code);
      if (strcmp(how, "forks") == 0) _exit(code);
      _exit(0);
    }
    CHECK_EQUAL(child_end(child), 0);
    work("after the fork");
  }
  return check_failures() ? 1 : 0;
}

/* Starts a child with the variable, which names a file in the folder unless it begins with a slash. */
static pid_t start(const char *how, const char *variable) {
  char program[PATH_MAX] = "", value[300];
  const char *backend = subject_name();
  pid_t child;
  CHECK(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
  snprintf(value, sizeof value, "%s%s%s", variable[0] == '/' ? "" : folder, variable[0] == '/' ? "" : "/", variable);
  fflush(stdout);
  child = fork();
  if (child == 0) {
    setenv("GEVT_TRACE", value, 1);
    if (strcmp(how, "closed") == 0) close(0), close(1), close(2);
    execl(program, program, backend, how, folder, (char *)NULL);
    _exit(127);
  }
  return child;
}

static void traced(const char *how) {
  char name[64], what[64];
  snprintf(name, sizeof name, "%s.json", how);
  snprintf(what, sizeof what, "record %s", how);
  CHECK_EQUAL(child_end(start(how, name)), 0);
  CHECK(file_holds(name, what));
}

static void whole_programs(void) {
  traced("returns");
  traced("thread");
  traced("quick");
}

/* A program that exits within 50 ms may lose events, but its file is well-formed. */
static void left_at_once(void) {
  CHECK_EQUAL(child_end(start("at_once", "at_once.json")), 0);
  CHECK(file_holds("at_once.json", "threads of"));
}

static void programs_that_trace_themselves(void) {
  CHECK_EQUAL(child_end(start("stops", "stops.json")), 0);
  CHECK(file_holds("stops.json", "record stops"));
  CHECK(file_holds("own.json", "record in its own"));
}

static void forked_children_write_nothing(void) {
  static const char *const ways[] = {"forks", "raw"};
  char name[64];
  size_t i;
  for (i = 0; i < 2; i++) {
    traced(ways[i]);
    snprintf(name, sizeof name, "%s.json", ways[i]);
    CHECK(file_holds(name, "record after the fork"));
  }
}

static void process_numbers(void) {
  char name[64];
  pid_t child = start("returns", "of-%p-100%%.json");
  snprintf(name, sizeof name, "of-%d-100%%.json", (int)child);
  CHECK_EQUAL(child_end(child), 0);
  CHECK(file_holds(name, "record returns"));
}

/* Two programs at once have a file each, and a third that comes later overwrites the first one's. On the host only, as a driver of
   gevt's own writes files of those names, too. */
static void several_at_once(void) {
  FILE *go;
  pid_t first = start("waits", "same.json"), second;
  await_file("same.json", "record waits");
  second = start("waits", "same.json");
  await_file("same.2.json", "record waits");
  CHECK((go = fopen(path_of("go"), "w")) != NULL && fclose(go) == 0);
  CHECK_EQUAL(child_end(first), 0);
  CHECK_EQUAL(child_end(second), 0);
  CHECK(file_holds("same.json", "record went"));
  CHECK(file_holds("same.2.json", "record went"));
  CHECK_EQUAL(child_end(start("returns", "same.json")), 0);
  CHECK(file_holds("same.json", "record returns") && !file_holds("same.json", "record went"));
  CHECK(!exists("same.3.json"));
}

/* A running trace is not overwritten by the program's own either. */
static void taken_by_another_process(void) {
  pid_t child;
  CHECK_EQUAL(unlink(path_of("go")), 0);
  child = start("waits", "taken.json");
  await_file("taken.json", "record waits");
  CHECK_FAILS(gevt_trace_start(path_of("taken.json")), GEVT_ERROR_OPERATING_SYSTEM, GEVT_DETAIL_FILE);
  CHECK(file_holds("taken.json", "record waits"));
  {
    FILE *go = fopen(path_of("go"), "w");
    CHECK(go != NULL && fclose(go) == 0);
  }
  CHECK_EQUAL(child_end(child), 0);
}

/* The program runs as it would without the variable. */
static void files_that_cannot_be(void) {
  CHECK_EQUAL(child_end(start("returns", "/no/such/folder/trace.json")), 0);
  CHECK_EQUAL(child_end(start("returns", "/dev/full")), 0);
  CHECK_EQUAL(child_end(start("returns", "/")), 0);
  CHECK_EQUAL(child_end(start("returns", "/dev/null")), 0);
}

/* What the program prints does not go into the file, which would else get a descriptor of the standard streams. */
static void closed_streams(void) {
  CHECK_EQUAL(child_end(start("closed", "closed.json")), 0);
  CHECK(file_holds("closed.json", "record closed"));
  CHECK(!file_holds("closed.json", "printed by the program"));
}

static void folder_remove(void) {
  DIR *files = opendir(folder);
  struct dirent *entry;
  while (files && (entry = readdir(files)) != NULL) {
    if (entry->d_name[0] != '.') unlink(path_of(entry->d_name));
  }
  if (files) closedir(files);
  CHECK_EQUAL(rmdir(folder), 0);
}

int main(int argc, char **argv) {
  if (argc > 3) {
    snprintf(folder, sizeof folder, "%s", argv[3]);
    if (strcmp(argv[2], "closed") == 0) {
      subject_choose(argc, argv);
      work("closed");
      printf("printed by the program\n");
      fflush(stdout);
      return 0;
    }
    subject_begin(argc, argv);
    return run(argv[2]);
  }
  subject_begin(argc, argv);
  CHECK(mkdtemp(scratch_path(folder, "trace-variable")) != NULL);
  RUN(whole_programs);
  RUN(left_at_once);
  RUN(programs_that_trace_themselves);
  RUN(forked_children_write_nothing);
  RUN(process_numbers);
  RUN_ON_HOST(several_at_once);
  RUN_ON_HOST(taken_by_another_process);
  RUN(files_that_cannot_be);
  RUN(closed_streams);
  folder_remove();
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
