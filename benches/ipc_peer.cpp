#include "ipc_peer.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

extern char **environ;

namespace bench {

namespace {

std::uint32_t *address_of(std::atomic<std::uint32_t> &word) {
  static_assert(sizeof word == sizeof(std::uint32_t), "the atomic is more than its word");
  return reinterpret_cast<std::uint32_t *>(&word);
}

void send_all(int channel, const void *data, std::size_t size) {
  if (write(channel, data, size) != static_cast<ssize_t>(size)) fail("write", "the other process is gone");
}

void receive_all(int channel, void *data, std::size_t size) {
  for (auto *to = static_cast<char *>(data); size > 0;) {
    const ssize_t got = read(channel, to, size);
    if (got <= 0) fail("read", "the other process is gone");
    to += got;
    size -= static_cast<std::size_t>(got);
  }
}

std::vector<gevt_event_t> export_events(int channel) {
  std::vector<gevt_event_t> events(chain_length);
  for (auto &event : events) {
    gevt_ipc_handle_t handle;
    event = event_to_share();
    check(gevt_ipc_export(&handle, event), "gevt_ipc_export");
    send_all(channel, &handle, sizeof handle);
  }
  return events;
}

std::vector<gevt_event_t> import_events(int channel, std::vector<gevt_ipc_handle_t> &handles) {
  std::vector<gevt_event_t> events(chain_length);
  handles.resize(chain_length);
  for (std::size_t i = 0; i < chain_length; i++) {
    receive_all(channel, &handles[i], sizeof handles[i]);
    check(gevt_ipc_import(&events[i], nullptr, &handles[i]), "gevt_ipc_import");
  }
  return events;
}

Board *map_board(int file) {
  void *memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) fail("mmap", "no shared memory");
  return static_cast<Board *>(memory);
}

} // namespace

gevt_event_t event_to_share() {
  gevt_event_t event = nullptr;
  check(gevt_create(&event, GEVT_EVENT_INTERPROCESS | GEVT_EVENT_DISABLE_TIMING), "gevt_create");
  return event;
}

void await_issued(std::atomic<std::uint32_t> &issued, std::size_t least) {
  while (issued.load(std::memory_order_acquire) < least) sched_yield();
}

namespace {

void sync_with(void *user) {
  check(gevt_sync(static_cast<gevt_event_t>(user)), "gevt_sync");
}

void futex_await(std::atomic<std::uint32_t> &word, std::uint32_t value) {
  for (std::uint32_t seen; (seen = word.load(std::memory_order_acquire)) != value;) {
    syscall(SYS_futex, address_of(word), FUTEX_WAIT, seen, nullptr, nullptr, 0);
  }
}

} // namespace

void issue_chain(std::atomic<std::uint32_t> &mine_issued, std::atomic<std::uint32_t> &theirs_issued,
                 const std::vector<gevt_event_t> &mine, const std::vector<gevt_event_t> &theirs, gevt_stream_t stream,
                 PeerPart part, bool first) {
  for (std::size_t i = 0; i < chain_length; i++) {
    const std::size_t awaited = first ? i : i + 1;
    if (awaited > 0) {
      await_issued(theirs_issued, awaited);
      const gevt_event_t event = theirs[awaited - 1];
      if (part == PeerPart::by_sync)
        check(gevt_stream_launch(stream, sync_with, event), "gevt_stream_launch");
      else
        check(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT), "gevt_stream_wait");
    }
    check(gevt_record(mine[i], stream), "gevt_record");
    mine_issued.store(static_cast<std::uint32_t>(i + 1), std::memory_order_release);
  }
}

void play_futex(std::atomic<std::uint32_t> &word, std::uint32_t side) {
  for (std::uint32_t turn = side; turn < 2 * futex_rounds; turn += 2) {
    futex_await(word, turn);
    word.store(turn + 1, std::memory_order_release);
    syscall(SYS_futex, address_of(word), FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
  // The first side hears of the last turn too.
  if (side == 0) futex_await(word, 2 * futex_rounds);
}

void keep_to(Place place) {
  static const cpu_set_t allowed = [] {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) fail("sched_getaffinity", "no answer");
    return set;
  }();
  cpu_set_t set = allowed;
  if (place != Place::anywhere) {
    int chosen = -1;
    for (int core = 0; core < CPU_SETSIZE; core++) {
      if (CPU_ISSET(core, &allowed) && (chosen < 0 || place == Place::last_core)) chosen = core;
    }
    CPU_ZERO(&set);
    CPU_SET(chosen, &set);
  }
  for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
    // One that has ended meanwhile needs no core.
    sched_setaffinity(std::atoi(task.path().filename().c_str()), sizeof set, &set);
  }
}

Peer::Peer() {
  int ends[2];
  file_ = memfd_create("gevt-bench", 0);
  if (file_ < 0 || ftruncate(file_, sizeof(Board)) != 0) fail("memfd_create", "no shared memory");
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) fail("socketpair", "no channel");
  if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) != 0) fail("fcntl", "no channel");
  board_ = map_board(file_);
  channel_ = ends[0];
  std::string name = "gevt_bench", option = "--ipc",
              descriptors = std::to_string(file_) + "," + std::to_string(ends[1]);
  char *const arguments[] = {name.data(), option.data(), descriptors.data(), nullptr};
  if (posix_spawn(&process_, "/proc/self/exe", nullptr, nullptr, arguments, environ) != 0)
    fail("posix_spawn", "no process");
  close(ends[1]);
  mine_ = export_events(channel_);
  theirs_ = import_events(channel_, handles_);
}

Peer::~Peer() {
  const auto part = PeerPart::stop;
  send_all(channel_, &part, sizeof part);
  close(channel_);
  int status = 0;
  if (waitpid(process_, &status, 0) != process_ || status != 0) fail("--ipc", "the other process failed");
  for (auto event : mine_) check(gevt_destroy(event), "gevt_destroy");
  for (auto event : theirs_) check(gevt_destroy(event), "gevt_destroy");
  munmap(board_, sizeof *board_);
  close(file_);
}

void Peer::begin(PeerPart part) {
  char ready;
  board_->issued[0] = board_->issued[1] = 0;
  board_->word = 0;
  send_all(channel_, &part, sizeof part);
  receive_all(channel_, &ready, sizeof ready);
}

void Peer::end() {
  char through;
  receive_all(channel_, &through, sizeof through);
}

int serve_as_peer(const char *descriptors) {
  int file = -1, channel = -1;
  if (std::sscanf(descriptors, "%d,%d", &file, &channel) != 2) return 2;
  use_host_backend();
  Stream stream;
  Board &board = *map_board(file);
  std::vector<gevt_ipc_handle_t> handles;
  const auto theirs = import_events(channel, handles);
  const auto mine = export_events(channel);
  for (;;) {
    PeerPart part;
    const char answer = 1;
    receive_all(channel, &part, sizeof part);
    if (part == PeerPart::stop) return 0;
    send_all(channel, &answer, sizeof answer);
    switch (part) {
    case PeerPart::futex:
      play_futex(board.word, 1);
      break;
    case PeerPart::to_own_core:
      keep_to(Place::last_core);
      break;
    case PeerPart::to_first_core:
      keep_to(Place::first_core);
      break;
    default:
      issue_chain(board.issued[1], board.issued[0], mine, theirs, stream, part, false);
      check(gevt_stream_sync(stream), "gevt_stream_sync");
    }
    send_all(channel, &answer, sizeof answer);
  }
}

} // namespace bench
