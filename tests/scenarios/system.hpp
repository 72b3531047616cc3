// What the system gives a process, and what it may take away: descriptors, system calls, a folder, a core, the standard error.
#pragma once

#include "memory.hpp"
#include "stub.hpp"
#include "threads.hpp"

#ifndef _WIN32
#include "../c/child.h"
#include "../c/held.h"
#include "../c/idle.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <fstream>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

// forbid EPERM|ENOSYS CALL [CALL]: the system refuses them from now on, as in a sandbox or an older kernel.
static long long forbid(arguments &a) {
  // Not every header knows futex_waitv, which has one number everywhere.
  static const std::map<std::string, unsigned> known = {
      {"memfd_create", SYS_memfd_create}, {"membarrier", SYS_membarrier}, {"futex_waitv", 449}};
  const unsigned refused = a.word() == "EPERM" ? EPERM : ENOSYS;
  const unsigned first = known.at(a.word()), second = a.more() ? known.at(a.word()) : first;
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | refused),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof code / sizeof *code, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

// limit descriptors|file_size NUMBER|back
static void limit(const std::string &what, arguments &a) {
  static std::map<std::string, rlimit> before;
  const auto resource = what == "descriptors" ? RLIMIT_NOFILE : RLIMIT_FSIZE;
  rlimit now;
  if (getrlimit(resource, &now) != 0) throw mistake("no limit");
  if (a.is("back")) {
    a.word();
    now.rlim_cur = before[what].rlim_cur;
  } else {
    before[what] = now;
    now.rlim_cur = std::min((rlim_t)a.number(), now.rlim_max);
  }
  fflush(stdout);
  if (setrlimit(resource, &now) != 0) throw mistake("no limit can be set");
}

// The disk takes nothing while it is held, and it is known how often it refused. The library's writes come here, as a program's own functions
// come first.
static int disk_held, disk_failed;

extern "C" ssize_t write(int file, const void *bytes, size_t count) {
  while (count_of(&disk_held)) sleep_ns(MILLISECOND);
  const ssize_t written = syscall(SYS_write, file, bytes, count);
  if (written < 0) count_up(&disk_failed);
  return written;
}

// Whether the system refuses new threads, and how many it has refused since. A sanitizer has its own pthread_create, as it has its own malloc.
static int are_threads_refused, threads_refused;

#ifndef NO_MALLOC_OF_ITS_OWN
extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *user) {
  decltype(&pthread_create) next;
  void *found = dlsym(RTLD_NEXT, "pthread_create");
  if (count_of(&are_threads_refused)) {
    count_up(&threads_refused);
    return EAGAIN;
  }
  memcpy(&next, &found, sizeof next);
  return next(thread, attributes, body, user);
}
#endif

// new_threads refuse|allow|refused
static answer new_threads(const std::string &what) {
  if (what == "refused") return answer::of((long long)count_of(&threads_refused));
  __atomic_store_n(&threads_refused, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&are_threads_refused, what == "refuse", __ATOMIC_SEQ_CST);
#ifdef NO_MALLOC_OF_ITS_OWN
  return can(false);
#endif
  return can(true);
}

// disk hold|go|failed
static answer disk(const std::string &what) {
  if (what == "failed") return answer::of((long long)count_of(&disk_failed));
  __atomic_store_n(&disk_held, what == "hold", __ATOMIC_SEQ_CST);
  return answer();
}

// confine: sees only an empty folder, and no /proc, until confine back.
static void confine(arguments &a) {
  static int root = -1;
  static char folder[SCRATCH_SIZE];
  if (!a.more()) {
    root = open("/", O_PATH | O_CLOEXEC);
    CHECK(root >= 0 && mkdtemp(scratch_path(folder, "confined")) != nullptr && chroot(folder) == 0);
    return;
  }
  CHECK(a.word() == "back" && fchdir(root) == 0 && chroot(".") == 0 && rmdir(folder) == 0);
  close(root);
}

// printed [TEXT]: how many lines with the text gevt has printed to stderr since the first time that this was asked.
static long long printed(arguments &a) {
  static FILE *file;
  char line[1000];
  long long lines = 0;
  if (!file) {
    file = tmpfile();
    if (!file || dup2(fileno(file), 2) != 2) throw mistake("no stderr");
  }
  const std::string text = a.more() ? a.word() : "";
  rewind(file);
  while (fgets(line, sizeof line, file)) lines += strncmp(line, "gevt: ", 6) == 0 && strstr(line, text.c_str());
  return lines;
}

// How often this process's threads go to sleep in a second.
static long long switches() {
  rusage before, after;
  long long began = now_ns();
  getrusage(RUSAGE_SELF, &before);
  sleep_ns(SECOND);
  getrusage(RUSAGE_SELF, &after);
  return (after.ru_nvcsw - before.ru_nvcsw) * SECOND / (now_ns() - began);
}

// The state of the process's first thread: Z once it has ended.
static std::string first_thread() {
  return std::string(1, thread_state(getpid()));
}

// folder: a new one, which goes with the case; TEST_FOLDER names one that stays.
static std::vector<std::string> folders;

static std::string folder() {
  char path[SCRATCH_SIZE];
  const char *stays = getenv("TEST_FOLDER");
  if (stays) return stays;
  if (!mkdtemp(scratch_path(path, "scenario"))) throw mistake("no folder");
  folders.push_back(path);
  return path;
}

static void folders_end() {
  for (const std::string &path : folders) CHECK_EQUAL(system(("rm -r " + path).c_str()), 0);
  folders.clear();
}

// trace_file PATH TEXT: whether a trace has it; a trace is whole at any time.
static std::string trace_file(const std::string &path, const std::string &text) {
  std::ifstream file(path);
  const std::string begin = "{\"displayTimeUnit\"", end = "}\n]}\n";
  if (!file) return "missing";
  const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  bool is_whole = all.size() > begin.size() + end.size() && all.compare(0, begin.size(), begin) == 0 &&
                  all.compare(all.size() - end.size(), end.size(), end) == 0;
  return !is_whole ? "broken" : all.find(text) == std::string::npos ? "no" : "yes";
}

static const auto &system_steps = *new std::map<std::string, step_function>{
    {"folder", folder},
    {"trace_file", trace_file},
    {"pid", [] { return (long long)getpid(); }},
    {"root", [] { return can(geteuid() == 0); }},
    {"time_namespace",
     [] {
       fflush(stdout);
       pid_t child = fork();
       if (child == 0) _exit(child_in_time_namespace("1") ? 0 : 1);
       return can(child_end(child) == 0);
     }},
    {"driver_missing", [] { return can(!dlopen("libcuda.so.1", RTLD_NOW)); }},
    {"barrier", // MEMBARRIER_CMD_PRIVATE_EXPEDITED
     [] {
       long commands = syscall(SYS_membarrier, 0, 0, 0);
       return can(commands > 0 && (commands & 1 << 3) != 0);
     }},
    {"driver", stub_step},
    // Over the strict driver: how many calls have named an event since the driver issued it; else the number that is expected.
    {"native_calls",
     [](native_object &event, long long otherwise) {
       auto *calls = stand_in<int(void *)>("strict_calls");
       return calls ? calls(event.handle) : otherwise;
     }},
    {"native_words", // the same of the streams' waits for words that have begun
     [](long long otherwise) {
       auto *begun = stand_in<int()>("strict_words_begun");
       return !begun || begun() < 0 ? otherwise : begun();
     }},
    {"native_break", // CODE: breaks all contexts, over the strict driver; 0 asks whether that is there
     [](int code) {
       auto *break_driver = stand_in<void(int)>("strict_break");
       if (break_driver && code) break_driver(code);
       return can(break_driver);
     }},
    {"forbid", forbid},
    {"limit", limit},
    {"disk", disk},
    {"new_threads", new_threads},
    {"memory", memory},
    {"cancel", cancel},
    {"last_message", [] { return std::string(gevt_last_message()); }},
    {"testcancel", pthread_testcancel},
    {"guarded_write", guarded_write},
    {"yield_to_all", yield_to_all},
    {"cores", [] { return (long long)sysconf(_SC_NPROCESSORS_ONLN); }},
    {"confine", confine},
    {"one_core",
     [] {
       cpu_set_t cores;
       int core = 0;
       CHECK(sched_getaffinity(0, sizeof cores, &cores) == 0);
       while (!CPU_ISSET(core, &cores)) core++;
       CPU_ZERO(&cores);
       CPU_SET(core, &cores);
       CHECK_EQUAL(sched_setaffinity(0, sizeof cores, &cores), 0);
     }},
    {"make_pool", [] { pool_of_main(); }}, // of main's, before gevt's first call
    // threads_of_gevt: the limit, which streams do not change. named_threads: the threads whose names begin with the word.
    {"threads_of_gevt", [] { return (long long)threads_of_gevt(); }},
    {"named_threads", [](const char *name) { return (long long)held_threads(name); }},
    {"printed", printed},
    {"switches", switches},
    {"first_thread", first_thread},
    {"descriptors", [] { return (long long)held_descriptors(); }},
    {"mappings", [] { return (long long)held_mappings(); }},
    // idle [N]: whether all threads come to sleep, at most N of them for a limited time.
    {"idle", [](arguments &a) { return process_await_idle("idle", a.more() ? (int)a.number() : 0) != 0; }},
    {"user", [](uid_t number) { return (long long)setuid(number); }},
    {"shell", [](const char *command) { return (long long)WEXITSTATUS(system(command)); }}, // its exit code
};
#else
static const auto &system_steps = *new std::map<std::string, step_function>{
    {"driver", stub_step},
    // idle: whether all threads come to use no time.
    {"idle", [] { return process_await_idle() != 0; }},
};
#endif
