/* A second process for tests of interprocess events: this program run anew, which does what it is told, one order at a time,
   and answers with what came of it. Its events and streams have small numbers, by which the orders name them.

   A program that has peers calls peer_serve first thing in main. */
#ifndef GEVT_TESTS_PEER_H
#define GEVT_TESTS_PEER_H

#include "child.h"
#include "objects.h"

#include <poll.h>

enum { PEER_EVENTS = 64, PEER_STREAMS = 4 };

/* Of an event that processes share. */
enum { SHARED_FLAGS = GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS };

/* The orders to a peer; each comment says what `value` is. */
enum {
  PEER_CREATE, /* an event, with these flags */
  PEER_EXPORT, /* the event: the answer has the handle */
  PEER_IMPORT, /* the handle, as the event */
  PEER_RECORD, /* the event on this stream */
  PEER_WAIT,   /* this stream waits for the event */
  PEER_QUERY,
  PEER_SYNC,
  PEER_DESTROY,
  PEER_BLOCK,        /* this stream, by a closed gate */
  PEER_UNBLOCK,      /* this stream */
  PEER_STREAM_QUERY, /* this stream */
  PEER_STREAM_SYNC,  /* this stream */
  PEER_LIVE,         /* the answer's value is the number of live events */
  PEER_USER,         /* becomes the user of this number */
  PEER_EXIT,         /* ends by exit, with this code and without an answer */
  PEER_OWN           /* and further ones of the program's own, by peer_own */
};

typedef struct peer_letter {
  int order, event;
  uint64_t value;
  gevt_ipc_handle_t handle;
} peer_letter_t;

typedef struct peer_answer {
  gevt_status_t status;
  gevt_detail_t detail;
  long long value;
  gevt_ipc_handle_t handle;
} peer_answer_t;

typedef struct peer {
  pid_t process;
  int channel;
  int mortal;               /* it may be killed at any time: that it does not answer is no failure */
  peer_answer_t answer;     /* the last one */
  gevt_ipc_handle_t handle; /* what the next PEER_IMPORT is about: the last PEER_EXPORT's, or peer_import's */
} peer_t;

/* What the peer's process holds. */
static struct peer_self {
  gevt_event_t events[PEER_EVENTS];
  gevt_stream_t streams[PEER_STREAMS];
  gate_t gates[PEER_STREAMS];
} peer_self;

/* Runs the orders from PEER_OWN on; the programs that have some set it. */
static void (*peer_own)(const peer_letter_t *letter, peer_answer_t *answer);

static inline gevt_stream_t peer_stream(uint64_t number) {
  gevt_stream_t *stream = &peer_self.streams[number % PEER_STREAMS];
  if (!*stream) *stream = stream_new();
  return *stream;
}

static inline gevt_status_t peer_block(uint64_t number) {
  gate_t *gate = &peer_self.gates[number % PEER_STREAMS];
  pthread_mutex_lock(&gate->mutex);
  /* The function that was let through may still be inside. */
  while (gate->entered && !gate->passed) pthread_cond_wait(&gate->changed, &gate->mutex);
  gate->entered = gate->open = gate->passed = 0;
  pthread_mutex_unlock(&gate->mutex);
  return gevt_stream_launch(peer_stream(number), gate_pass, gate);
}

static inline gevt_status_t peer_unblock(uint64_t number) {
  gate_open(&peer_self.gates[number % PEER_STREAMS]);
  return GEVT_SUCCESS;
}

static inline void peer_obey(const peer_letter_t *letter, peer_answer_t *answer) {
  gevt_event_t *event = &peer_self.events[letter->event % PEER_EVENTS];
  gevt_stream_t stream = NULL;
  switch (letter->order) {
  case PEER_RECORD:
  case PEER_WAIT:
  case PEER_STREAM_QUERY:
  case PEER_STREAM_SYNC:
    stream = peer_stream(letter->value);
    break;
  default:
    break;
  }
  switch (letter->order) {
  case PEER_CREATE:
    answer->status = gevt_create(event, (uint32_t)letter->value);
    break;
  case PEER_EXPORT:
    answer->status = gevt_ipc_export(&answer->handle, *event);
    break;
  case PEER_IMPORT:
    answer->status = gevt_ipc_import(event, NULL, &letter->handle);
    break;
  case PEER_RECORD:
    answer->status = gevt_record(*event, stream);
    break;
  case PEER_WAIT:
    answer->status = gevt_stream_wait(stream, *event, GEVT_WAIT_DEFAULT);
    break;
  case PEER_QUERY:
    answer->status = gevt_query(*event);
    break;
  case PEER_SYNC:
    answer->status = gevt_sync(*event);
    break;
  case PEER_DESTROY:
    answer->status = gevt_destroy(*event);
    break;
  case PEER_BLOCK:
    answer->status = peer_block(letter->value);
    break;
  case PEER_UNBLOCK:
    answer->status = peer_unblock(letter->value);
    break;
  case PEER_STREAM_QUERY:
    answer->status = gevt_stream_query(stream);
    break;
  case PEER_STREAM_SYNC:
    answer->status = gevt_stream_sync(stream);
    break;
  case PEER_LIVE:
    answer->value = (long long)gevt_live_events();
    break;
  case PEER_USER:
    answer->status = setuid((uid_t)letter->value) ? GEVT_ERROR_UNKNOWN : GEVT_SUCCESS;
    break;
  case PEER_EXIT:
    exit((int)letter->value);
  default:
    if (peer_own) peer_own(letter, answer);
  }
  answer->detail = gevt_last_detail();
}

/* In a peer's process: obeys until no process is left to give orders, and does not return. Does nothing in any other
   process. */
static inline void peer_serve(int argc, char **argv) {
  peer_letter_t letter;
  int channel;
  if (argc < 4 || strcmp(argv[2], "--peer") != 0) return;
  channel = atoi(argv[3]);
  /* Silently: the process that began this one has checked the library, and this one's output has another use. */
  subject_choose_backend(argc, argv);
  while (recv(channel, &letter, sizeof letter, 0) == (ssize_t)sizeof letter) {
    peer_answer_t answer;
    memset(&answer, 0, sizeof answer);
    if (!subject_context) subject_open();
    peer_obey(&letter, &answer);
    if (send(channel, &answer, sizeof answer, MSG_NOSIGNAL) != (ssize_t)sizeof answer) break;
  }
  /* Without the exit handlers: what is left behind is the test's affair, which asks for PEER_EXIT where it means it. */
  fflush(stdout);
  _exit(check_failures() ? 1 : 0);
}

static inline peer_t peer_start(void) {
  peer_t peer;
  memset(&peer, 0, sizeof peer);
  peer.process = child_start_peer(&peer.channel);
  if (peer.process < 0) {
    printf("FAILED: no process for a peer\n");
    exit(1);
  }
  return peer;
}

/* Gives an order; peer_hear takes the answer. */
static inline void peer_tell(peer_t *peer, int order, int event, uint64_t value) {
  peer_letter_t letter;
  memset(&letter, 0, sizeof letter);
  letter.order = order;
  letter.event = event;
  letter.value = value;
  letter.handle = peer->handle;
  if (send(peer->channel, &letter, sizeof letter, MSG_NOSIGNAL) != (ssize_t)sizeof letter && !peer->mortal) {
    check_failed(__FILE__, __LINE__, "a peer does not listen");
  }
}

/* Within HANG_LIMIT, or the answer is TIMEOUT, which no order gives. */
static inline gevt_status_t peer_hear(peer_t *peer) {
  struct pollfd ready;
  ready.fd = peer->channel;
  ready.events = POLLIN;
  memset(&peer->answer, 0, sizeof peer->answer);
  peer->answer.status = GEVT_ERROR_TIMEOUT;
  if (poll(&ready, 1, (int)(HANG_LIMIT / MILLISECOND)) <= 0 ||
      recv(peer->channel, &peer->answer, sizeof peer->answer, 0) != (ssize_t)sizeof peer->answer) {
    if (!peer->mortal) check_failed(__FILE__, __LINE__, "a peer did not answer");
  }
  return peer->answer.status;
}

static inline gevt_status_t peer_ask(peer_t *peer, int order, int event, uint64_t value) {
  peer_tell(peer, order, event, value);
  return peer_hear(peer);
}

/* The peer imports what this process has exported. */
static inline gevt_status_t peer_import(peer_t *peer, int event, const gevt_ipc_handle_t *handle) {
  peer->handle = *handle;
  return peer_ask(peer, PEER_IMPORT, event, 0);
}

/* This process imports what the peer has made and exports. */
static inline gevt_event_t event_imported(peer_t *peer, int event) {
  gevt_event_t imported = NULL;
  CHECK_OK(peer_ask(peer, PEER_CREATE, event, SHARED_FLAGS));
  CHECK_OK(peer_ask(peer, PEER_EXPORT, event, 0));
  peer->handle = peer->answer.handle;
  CHECK_OK(gevt_ipc_import(&imported, NULL, &peer->handle));
  return imported;
}

/* Ends the peer as the test wants it; gives what child_end gives. */
static inline int peer_end(peer_t *peer) {
  close(peer->channel);
  return child_end(peer->process);
}

/* Ends a peer that has nothing more to do, as the last thing of a test. */
static inline void peer_finish(peer_t *peer) {
  CHECK_EQUAL(peer_end(peer), 0);
  CHECK_EQUAL(gevt_live_events(), 0);
}

static inline int peer_exit(peer_t *peer, int code) {
  peer_tell(peer, PEER_EXIT, 0, (uint64_t)code);
  return peer_end(peer);
}

static inline void peer_kill(peer_t *peer) {
  kill(peer->process, SIGKILL);
  CHECK_EQUAL(peer_end(peer), CHILD_SIGNALLED + SIGKILL);
}

/* An event of this process's that others may import, and its handle. */
static inline gevt_event_t event_exported(gevt_ipc_handle_t *handle) {
  gevt_event_t event = event_with(SHARED_FLAGS);
  CHECK_OK(gevt_ipc_export(handle, event));
  return event;
}

/* A peer, and an event of this process that it has imported as its event 0. */
static inline peer_t peer_sharing(gevt_event_t *event) {
  peer_t peer = peer_start();
  gevt_ipc_handle_t handle;
  *event = event_exported(&handle);
  CHECK_OK(peer_import(&peer, 0, &handle));
  return peer;
}

#endif
