// Rows of events that two processes share. The other process is this program run anew, which does its part of each batch.
#include "bench.hpp"
#include "ipc_peer.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <future>
#include <string>

namespace bench {

namespace {

// The work that begins a chain: it holds the stream until the batch is opened, and sleeps meanwhile, as the core is needed.
struct Gate {
  std::promise<void> entered, open;
};

void hold(void *user) {
  auto &gate = *static_cast<Gate *>(user);
  gate.entered.set_value();
  gate.open.get_future().wait();
}

// Two processes that wait for each other's records in turn, all issued ahead: from the opening to the last record, for each hop.
double chain(Peer &peer, Stream &stream, PeerPart part) {
  Gate gate;
  peer.begin(part);
  check(gevt_stream_launch(stream, hold, &gate), "gevt_stream_launch");
  issue_chain(peer.board().issued[0], peer.board().issued[1], peer.mine(), peer.theirs(), stream, part, true);
  await_issued(peer.board().issued[1], chain_length);
  gate.entered.get_future().wait();
  const auto start = Clock::now();
  gate.open.set_value();
  check(gevt_sync(peer.theirs()[chain_length - 1]), "gevt_sync");
  const auto end = Clock::now();
  peer.end();
  return ns_between(start, end) / (2.0 * chain_length);
}

double futex(Peer &peer) {
  peer.begin(PeerPart::futex);
  const auto start = Clock::now();
  play_futex(peer.board().word, 0);
  const auto end = Clock::now();
  peer.end();
  return ns_between(start, end) / (2.0 * futex_rounds);
}

// What opening a page of another process's memory costs without gevt.
double open_and_map(Peer &peer, std::size_t count) {
  const std::string path = "/proc/" + std::to_string(peer.process()) + "/fd/" + std::to_string(peer.board_file());
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return per_call(count, [&](std::size_t) {
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    struct stat about;
    if (file < 0 || fstat(file, &about) != 0) fail("open", path.c_str());
    void *memory = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) fail("mmap", path.c_str());
    keep(*static_cast<std::uint64_t *>(memory));
    close(file);
    munmap(memory, page);
  });
}

double clock_read_again(std::size_t count) {
  return per_call(count,
                  [](std::size_t) { keep(static_cast<std::uint64_t>(Clock::now().time_since_epoch().count())); });
}

} // namespace

void ipc_rows(Table &table) {
  Stream stream;
  Peer peer;
  const auto bare = [&] { return futex(peer); };
  const auto by_sync = [&] { return chain(peer, stream, PeerPart::by_sync); };
  const auto by_streams = [&] { return chain(peer, stream, PeerPart::by_streams); };
  // Each process on a core of its own, as two that are busy are; and then both on one. Left to itself the kernel changes
  // between the two, and a bare futex costs several times as much in one as in the other.
  keep_to(Place::first_core);
  peer.begin(PeerPart::to_own_core);
  peer.end();
  table.add({"ipc: hop, waited for by gevt_sync",
             "shared futex",
             "ns",
             interleave(30, by_sync, bare),
             {Bound::at_most, 1.5}});
  table.add({"ipc: hop, waited for by a stream",
             "shared futex",
             "ns",
             interleave(30, by_streams, bare),
             {Bound::at_most, 1.5}});
  peer.begin(PeerPart::to_first_core);
  peer.end();
  table.add({"  by gevt_sync, both on one core",
             "shared futex",
             "ns",
             interleave(30, by_sync, bare),
             {Bound::at_most, 1.5},
             false});

  keep_to(Place::anywhere);

  constexpr std::size_t count = 500;
  std::vector<gevt_event_t> events(count);
  const auto exported = [&] {
    for (auto &event : events) event = event_to_share();
    gevt_ipc_handle_t handle;
    const double ns =
        per_call(count, [&](std::size_t i) { check(gevt_ipc_export(&handle, events[i]), "gevt_ipc_export"); });
    for (auto event : events) check(gevt_destroy(event), "gevt_destroy");
    return ns / 1e3;
  };
  const auto imported = [&] {
    const auto &handles = peer.handles();
    const double ns = per_call(count, [&](std::size_t i) {
      check(gevt_ipc_import(&events[i], nullptr, &handles[i % handles.size()]), "gevt_ipc_import");
    });
    for (auto event : events) check(gevt_destroy(event), "gevt_destroy");
    return ns / 1e3;
  };
  const auto opened = [&] { return open_and_map(peer, count) / 1e3; };
  table.add(
      {"ipc: export", "open + fstat + mmap + unmap", "us", interleave(30, exported, opened), {Bound::at_most, 0, 5}});
  table.add(
      {"ipc: import", "open + fstat + mmap + unmap", "us", interleave(30, imported, opened), {Bound::at_most, 0, 50}});

  const auto clock = [] { return clock_read_again(20000); };
  const auto query = [](const std::vector<gevt_event_t> &asked) {
    return per_call(20000, [&](std::size_t i) { check(gevt_query(asked[i % asked.size()]), "gevt_query"); });
  };
  table.add({"ipc: query of a finished event, exported",
             "clock read",
             "ns",
             interleave(
                 30, [&] { return query(peer.mine()); }, clock),
             {Bound::at_most, 1},
             false});
  table.add({"ipc: query of a finished event, imported",
             "clock read",
             "ns",
             interleave(
                 30, [&] { return query(peer.theirs()); }, clock),
             {Bound::at_most, 1},
             false});
}

} // namespace bench
