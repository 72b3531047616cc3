// The other process of the interprocess rows, and what both do in step.
#ifndef GEVT_BENCH_IPC_PEER_HPP
#define GEVT_BENCH_IPC_PEER_HPP

#include "bench.hpp"

#include <sys/types.h>

#include <atomic>
#include <vector>

namespace bench {

constexpr std::size_t chain_length = 100;
constexpr std::uint32_t futex_rounds = 200;

enum class PeerPart : char { by_sync = 1, by_streams, futex, to_own_core, to_first_core, stop };

// What the two say to each other besides events, in shared memory.
struct Board {
  std::atomic<std::uint32_t> issued[2];
  std::atomic<std::uint32_t> word;
};

gevt_event_t event_to_share();
void await_issued(std::atomic<std::uint32_t> &issued, std::size_t least);

// Issues one side's part of a chain: a wait for each record of the other side's, and a record behind it. The first side begins
// with a record. It is a function in the stream that waits in gevt_sync, or the stream itself.
void issue_chain(std::atomic<std::uint32_t> &mine_issued, std::atomic<std::uint32_t> &theirs_issued,
                 const std::vector<gevt_event_t> &mine, const std::vector<gevt_event_t> &theirs, gevt_stream_t stream,
                 PeerPart part, bool first);

// One side's part of the yardstick: a turn that two threads hand to each other by a bare shared futex.
void play_futex(std::atomic<std::uint32_t> &word, std::uint32_t side);

// Keeps all threads of this process on one of the cores that it may use, or lets them go anywhere again.
enum class Place { first_core, last_core, anywhere };
void keep_to(Place place);

class Peer {
public:
  Peer();
  ~Peer();
  Peer(const Peer &) = delete;
  Peer &operator=(const Peer &) = delete;

  // Lets it do its part of a batch, and waits until it is through.
  void begin(PeerPart part);
  void end();

  Board &board() const { return *board_; }
  const std::vector<gevt_event_t> &mine() const { return mine_; }
  const std::vector<gevt_event_t> &theirs() const { return theirs_; }
  const std::vector<gevt_ipc_handle_t> &handles() const { return handles_; }
  pid_t process() const { return process_; }
  // The board's file, by the peer's number for it.
  int board_file() const { return file_; }

private:
  Board *board_;
  int file_, channel_;
  pid_t process_;
  std::vector<gevt_event_t> mine_, theirs_;
  std::vector<gevt_ipc_handle_t> handles_;
};

// Runs the peer's side. The argument is "FILE,CHANNEL", the two descriptors that it was given.
int serve_as_peer(const char *descriptors);

} // namespace bench

#endif
