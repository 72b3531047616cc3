// Runs the cases of a scenario file on a backend. README.md describes the files.
// usage: run [host|cuda|vulkan] FILE [CASE]
#include "natives.hpp"
#include "peers.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

struct line {
  int number;
  size_t indent;
  std::string text;
};

// What stands under a line or behind its colon.
struct body {
  std::string step;
  size_t at, from, to;
};

struct skipped {
  std::string reason;
};

// A step that failed has been reported; its case ends there.
struct failed {};

static const char *path;
static std::vector<line> lines;

[[noreturn]] static void fail(size_t at, const std::string &text, const std::string &why) {
  check_failed(path, lines[at].number, text.c_str());
  printf("    %s\n", why.c_str());
  throw failed();
}

static void run_body(const body &what, variables &known, task *work = nullptr);

// The value of $NAME, or a sum of names and numbers, as $(LAST-N+1).
static std::string substitute(const std::string &text, const variables &known) {
  if (text.find('$') == std::string::npos) return text;
  auto value = [&](const std::string &name) {
    auto found = known.find(name);
    if (found == known.end()) throw mistake("nothing is called $" + name);
    return found->second;
  };
  auto word_from = [&](size_t from) {
    size_t to = from;
    while (to < text.size() && isalnum((unsigned char)text[to])) to++;
    return text.substr(from, to - from);
  };
  std::string out;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] != '$') {
      out += text[i];
    } else if (text.compare(i, 2, "$(") != 0) {
      std::string name = word_from(i + 1);
      out += value(name);
      i += name.size();
    } else {
      long long sum = 0;
      for (i++; i < text.size() && text[i] != ')';) {
        std::string term = word_from(i + 1);
        long long number = atoll((term.empty() || isdigit((unsigned char)term[0]) ? term : value(term)).c_str());
        sum += text[i] == '-' ? -number : number;
        i += term.size() + 1;
      }
      if (i == text.size()) throw mistake("a bracket is not closed");
      out += std::to_string(sum);
    }
  }
  return out;
}

// The words of a text; those in quotes keep their first one, and may have bytes as \xFF.
static words split(const std::string &text) {
  words out;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] == ' ') continue;
    size_t to = text[i] == '"' ? text.find('"', i + 1) : std::min(text.find(' ', i), text.size());
    if (to == std::string::npos) throw mistake("a quote is not closed");
    std::string word = text.substr(i, to - i);
    for (size_t at = word.find("\\x"); at != std::string::npos && at + 3 < word.size(); at = word.find("\\x", at + 1))
      word.replace(at, 4, 1, (char)strtol(word.substr(at + 2, 2).c_str(), nullptr, 16));
    out.push_back(word);
    i = to;
  }
  return out;
}

// The values behind "in": words, or numbers A..B. A tool that watches the program sees no more in many rounds than in a thousand.
static words values_of(const words &all, size_t from) {
  words out;
  for (size_t i = from; i < all.size() && all[i] != "for"; i++) {
    size_t dots = all[i].find("..");
    if (dots == std::string::npos) {
      out.push_back(all[i]);
      continue;
    }
    long long first = atoll(all[i].c_str()), last = atoll(all[i].c_str() + dots + 2);
    if (subject_tool()) last = std::min(last, first + 999);
    for (long long number = first; number <= last; number++) out.push_back(std::to_string(number));
  }
  return out;
}

static const step_function &find_step(const std::string &name) {
  const std::map<std::string, step_function> *const tables[] = {&steps,
#ifndef _WIN32
                                                                &peer_steps, &native_steps
#endif
  };
  for (const auto *table : tables) {
    auto found = table->find(name);
    if (found != table->end()) return found->second;
  }
  throw mistake("no step is called " + name);
}

// Makes a step's call, after a failure of another one: a success leaves the detail and the message as they are.
static answer call(const words &all, const words &expected, size_t at, const std::string &text) {
#ifndef _WIN32
  if (remote) return remote_call(text.substr(0, text.find("->")));
#endif
  const step_function &step = find_step(all[0]);
  arguments a(all);
  bool null_pointer = std::find(expected.begin(), expected.end(), "NULL_POINTER") != expected.end();
  // The failure before the call, once: another one would be the same.
  static thread_local std::string spoiled;
  gevt_detail_t detail = null_pointer ? GEVT_DETAIL_NULL_HANDLE : GEVT_DETAIL_NULL_POINTER;
  if (gevt_last_detail() != detail || spoiled != gevt_last_message()) {
    check_spoil_detail(null_pointer ? GEVT_DETAIL_NULL_POINTER : GEVT_DETAIL_NONE);
    spoiled = gevt_last_message();
  }
  void *current = natives_current();
  long long began = now_ns();
  answer told = step(a);
  if (steps.count(all[0]) && natives_current() != current) fail(at, text, "it changed the driver's current context");
  if (a.more()) throw mistake("too many words");
  if (!told.is_call) return told;
  long long took = now_ns() - began;
  if (told.function.empty()) told.function = "gevt_" + all[0];
  if (told.status == GEVT_SUCCESS || told.status == GEVT_ERROR_NOT_READY) {
    // Functions that run inside of this wait may fail calls on its thread.
    if (all[0] != "sync_helping" && (gevt_last_detail() != detail || spoiled != gevt_last_message()))
      fail(at, text, std::string("the last failure has changed: ") + gevt_last_message());
  } else {
    told.detail = gevt_last_detail();
    told.message = gevt_last_message();
    if (told.message.find(told.function) == std::string::npos)
      fail(at, text, "the message does not name " + told.function + ": " + told.message);
  }
  if (told.least && (unsigned long long)took < told.least) fail(at, text, "it timed out early");
  return told;
}

// Functions, callbacks and threads that run steps.
struct run {
  body what;
  variables known;
  task *work;
};

static void run_task(run *made) {
  try {
    run_body(made->what, made->known, made->work);
  } catch (const failed &) {
  } catch (const mistake &wrong) {
    check_failed(path, lines[made->what.at].number, wrong.what());
  }
  count_up(&made->work->done);
}

static void run_called(void *user, gevt_status_t status) {
  run *made = static_cast<run *>(user);
  made->known["status"] = status_name(status);
  note_call(made->work, status);
  run_task(made);
}

static void run_launched(void *user) {
  run_called(user, GEVT_SUCCESS);
}

static void *run_thread(void *user) {
  run *made = static_cast<run *>(user);
  thread_publish(&made->work->tid);
  run_task(made);
  return nullptr;
}

static run *run_new(const std::string &name, const body &what, const variables &known) {
  static std::deque<run> all;
  static std::mutex held;
  std::lock_guard<std::mutex> guard(held);
  all.push_back(run{what, known, &objects.work(name)});
  all.back().work->has_steps = true;
  all.back().work->keeps =
      !what.step.empty() && what.step.find(" ; ") == std::string::npos && what.step.find("->") == std::string::npos;
  return &all.back();
}

static void join(task &work) {
  if (work.is_thread && !work.joined)
    thread_join(work.thread);
  else if (!count_await(&work.done, 1))
    throw mistake("it never ended");
  work.joined = true;
}

static void needs(const words &head, const std::string &reason) {
  int32_t count = 0;
  if (!objects.empty()) throw mistake("this belongs at the top of a case");
  for (size_t i = 1; i < head.size(); i++) {
    gevt_context_t context;
    bool is_count = isdigit((unsigned char)head[i][0]);
    gevt_backend_t backend = is_count ? subject_backend : backend_of(head[i]);
    gevt_status_t status = gevt_device_count(&count, backend);
    if (is_count ? count < atoi(head[i].c_str()) : status != GEVT_SUCCESS || count == 0) throw skipped{reason};
    if (is_count) continue;
    if (gevt_context_open(&context, backend, 0) != GEVT_SUCCESS) throw skipped{reason};
    CHECK_OK(gevt_context_close(context));
  }
}

// A line that has others under it or behind its colon.
static void run_head(const words &head, const body &what, variables &known, [[maybe_unused]] task *work) {
  const std::string &first = head[0];
  bool here = std::find(head.begin() + 1, head.end(), subject_name()) != head.end();
#ifndef _WIN32
  if (remote && first != "on" && first != "not" && first != "if" && first != "for")
    throw mistake("another process makes no " + first);
#endif
  if (first == "on" || first == "not") {
    if (here == (first == "on")) run_body(what, known);
  } else if (first == "if" && head.size() == 4 && (head[2] == "is" || head[2] == "not")) {
    if ((head[1] == head[3]) == (head[2] == "is")) run_body(what, known);
  } else if (first == "only") {
    if (!objects.empty()) throw mistake("this belongs at the top of a case");
    if (!here) throw skipped{what.step};
  } else if (first == "needs") {
    needs(head, what.step);
  } else if (first == "can") {
    if (call(words(head.begin() + 1, head.end()), {}, what.at, head[1]).status == GEVT_ERROR_NOT_SUPPORTED)
      throw skipped{what.step};
  } else if (first == "for" && head.size() > 3 && head[2] == "in") {
    for (const std::string &value : values_of(head, 3)) {
      known[head[1]] = value;
      run_body(what, known);
    }
  } else if (first == "start" && head.size() == 2) {
    run *made = run_new(head[1], what, known);
    made->work->is_thread = true;
    made->work->thread = thread_start(run_thread, made);
    if (!(subject_is_host() ? thread_await_parked(&made->work->tid)
                            : thread_await_inside(&made->work->tid, made->work->thread)) ||
        count_of(&made->work->done))
      fail(what.at, what.step, "it did not wait");
  } else if (first == "elsewhere") {
    task work;
    run made{what, known, &work};
    thread_join(thread_start(run_thread, &made));
  } else if (first == "stream_launch" && head.size() == 3) {
    arguments a(head);
    if (!CHECK_OK(gevt_stream_launch(a.stream(), run_launched, run_new(head[2], what, known)))) throw failed();
  } else if (first == "on_complete" && head.size() == 3) {
    arguments a(head);
    if (!CHECK_OK(gevt_on_complete(a.event(), run_called, run_new(head[2], what, known)))) throw failed();
  } else if (first == "let" && head.size() == 2) {
    task asked;
    asked.keeps = true;
    run_body(what, known, &asked);
    if (asked.last.status != GEVT_SUCCESS || asked.last.value.empty()) fail(what.at, what.step, "it has no value");
    known[head[1]] = asked.last.value;
#ifndef _WIN32
  } else if (head.size() == 1 && objects.find(first)) {
    peer *before = remote;
    remote = &peer_of(first);
    try {
      run_body(what, known, work);
    } catch (...) {
      remote = before;
      throw;
    }
    remote = before;
#endif
  } else {
    throw mistake("no step is called " + first + " ...:");
  }
}

// A step and its answer, which a task of one step leaves to "join".
static void run_step(const std::string &text, size_t at, task *work) {
  size_t arrow = text.find("->");
  words all = split(text.substr(0, arrow)), expected;
  if (all.empty()) throw mistake("no step");
  if (arrow != std::string::npos) expected = split(text.substr(arrow + 2));
  for (std::string &word : all) {
    if (word[0] == '"') word.erase(0, 1);
  }
  if (all[0] == "join") {
    if (all.size() != 2) throw mistake("join TASK");
    task &joined = *objects.of(all[1], kind::task).work;
    join(joined);
    std::string why = difference(joined.last, expected);
    if (!why.empty()) fail(at, text, why);
    return;
  }
  answer told = call(all, expected, at, text);
  if (work && work->keeps && arrow == std::string::npos) {
    work->last = told;
    return;
  }
  std::string why = difference(told, expected);
  if (!why.empty()) fail(at, text, why);
}

// Steps that a semicolon divides, or the head of others.
static void run_text(const std::string &text, const body &under, variables &known, task *work) {
  size_t colon = std::min(text.find(": "), text.back() == ':' ? text.size() - 1 : std::string::npos);
  size_t divided = text.find(" ; "), quote = text.find('"');
  if (divided < colon && divided != std::string::npos) {
    run_text(text.substr(0, divided), body{"", under.at, under.from, under.from}, known, nullptr);
    run_text(text.substr(divided + 3), under, known, nullptr);
    return;
  }
  if (colon == std::string::npos || quote < colon) {
    if (under.from != under.to) throw mistake("lines under a step");
    run_step(substitute(text, known), under.at, work);
    return;
  }
  body what = under;
  what.step = colon + 1 < text.size() ? text.substr(colon + 2) : "";
  if (what.step.empty() == (what.from == what.to)) throw mistake("nothing, or two things, belong to " + text);
  run_head(split(substitute(text.substr(0, colon), known)), what, known, work);
}

static void run_body(const body &what, variables &known, task *work) {
  if (!what.step.empty()) {
    run_text(what.step, body{"", what.at, what.from, what.from}, known, work);
    return;
  }
  for (size_t at = what.from, next; at < what.to; at = next) {
    next = at + 1;
    while (next < what.to && lines[next].indent > lines[at].indent) next++;
    try {
      run_text(lines[at].text, body{"", at, at + 1, next}, known, nullptr);
    } catch (const mistake &wrong) {
      fail(at, lines[at].text, wrong.what());
    }
  }
}

// Ends what the case has left: all streams must come to their ends without a failure.
static void clean_up(bool sound) {
  for (object *gate : objects.all(kind::gate)) gate_open(gate->gate);
  bool all_joined = true;
  for (object *one : objects.all(kind::task)) {
    all_joined = all_joined && (!one->work->keeps || one->work->joined);
    if (one->work->is_thread && !one->work->joined) join(*one->work);
    // A function is counted before it runs its steps.
    if (one->work->has_steps && !one->work->is_thread && !count_await(&one->work->done, count_of(&one->work->calls)))
      throw mistake("its steps never ended");
  }
  if (sound && !all_joined) throw mistake("the answer of a step was not asked for");
  bool closed = !objects.find("here")->live;
  if (!closed) CHECK_OK(gevt_context_set_current(subject_context));
  for (object *event : objects.all(kind::event)) CHECK_OK(gevt_destroy(reinterpret_cast<gevt_event_t>(event->handle)));
  for (object *one : objects.all(kind::stream)) {
    gevt_stream_t stream = reinterpret_cast<gevt_stream_t>(one->handle);
    gevt_status_t status = gevt_stream_sync(stream);
    if (sound) CHECK_OK(status);
    CHECK_OK(gevt_stream_destroy(stream));
  }
  for (object *one : objects.all(kind::context)) {
    if (one->handle != bits(subject_context))
      CHECK_OK(gevt_context_close(reinterpret_cast<gevt_context_t>(one->handle)));
  }
#ifndef _WIN32
  natives_end();
  for (object *one : objects.all(kind::process)) {
    peer &other = *reinterpret_cast<peer *>(one->handle);
    close(other.channel);
    CHECK_EQUAL(child_end(other.process), 0);
  }
#endif
#ifndef _WIN32
  // Nothing else of the case needed the device.
  if (closed && driver.library) CHECK(!primary_is_active());
#endif
  if (closed) subject_open();
  CHECK_EQUAL(gevt_live_events(), 0);
}

static void run_case(const std::string &name, size_t at, size_t to, variables known) {
  int before = check_failures();
  std::string with;
  for (const auto &one : known)
    with += one.first == "backend" || one.first == "devices" ? "" : " " + one.first + "=" + one.second;
  objects.clear();
  held.clear();
  objects.bind("here", kind::context, bits(subject_context));
  try {
    printf("case %s%s\n", name.c_str(), with.c_str());
    run_body(body{"", at, at + 1, to}, known);
    subject_cases++;
    clean_up(true);
  } catch (const skipped &why) {
    printf("SKIPPED: case %s on %s: %s\n", name.c_str(), subject_name(), why.reason.c_str());
    clean_up(false);
  } catch (const failed &) {
    subject_cases++;
    clean_up(false);
  } catch (const mistake &wrong) {
    check_failed(path, lines[at].number, wrong.what());
  }
  if (check_failures() != before) printf("case %s%s: FAILED\n", name.c_str(), with.c_str());
}

// case NAME [for VARIABLE in VALUES...]...
static void run_cases(const words &head, size_t next, size_t at, size_t to, const variables &known) {
  if (next == head.size()) {
    run_case(head[1], at, to, known);
    return;
  }
  if (next + 3 >= head.size() || head[next] != "for" || head[next + 2] != "in") {
    check_failed(path, lines[at].number, "case NAME for VARIABLE in VALUE...");
    return;
  }
  size_t last = next + 3;
  while (last < head.size() && head[last] != "for") last++;
  for (const std::string &value : values_of(head, next + 3)) {
    variables more = known;
    more[head[next + 1]] = value;
    run_cases(head, last, at, to, more);
  }
}

static void read_lines() {
  std::ifstream file(path);
  std::string text;
  if (!file) {
    printf("FAILED: %s cannot be read\n", path);
    exit(1);
  }
  for (int number = 1; std::getline(file, text); number++) {
    size_t indent = text.find_first_not_of(' ');
    if (indent != std::string::npos && text[indent] != '#') lines.push_back(line{number, indent, text.substr(indent)});
  }
}

int main(int argc, char **argv) {
  path = argc < 3 ? "" : argv[2];
#ifndef _WIN32
  if (strcmp(path, "--peer") == 0) {
    // Silently: the process that began this one has checked the library.
    subject_choose_backend(argc, argv);
    subject_open();
    objects.bind("here", kind::context, bits(subject_context));
    lines.push_back(line{0, 0, "a step of another process"});
    peer_serve(atoi(argv[3]), [](const std::string &text) {
      words all = split(text);
      for (std::string &word : all) {
        if (word[0] == '"') word.erase(0, 1);
      }
      try {
        return call(all, {}, 0, text);
      } catch (const failed &) {
        throw mistake("a check of every call failed");
      }
    });
  }
#endif
  read_lines();
  int32_t devices = 0;
  subject_begin(argc, argv);
  CHECK_OK(gevt_device_count(&devices, subject_backend));
  for (size_t at = 0, to; at < lines.size(); at = to) {
    to = at + 1;
    while (to < lines.size() && lines[to].indent > 0) to++;
    words head = split(lines[at].text);
    if (head.size() < 2 || head[0] != "case")
      check_failed(path, lines[at].number, "a file has cases");
    else if (argc < 4 || head[1] == argv[3])
      run_cases(head, 2, at, to, {{"backend", subject_name()}, {"devices", std::to_string(devices)}});
  }
  return subject_end();
}
