// Runs the cases of a scenario file on a backend. README.md describes the files.
// usage: run [host|cuda|vulkan] FILE [CASE]
#ifdef TEST_HPP
#include "gevt_as_hpp.hpp"
#elif defined TEST_PYTHON
#include "gevt_as_python.hpp"
#endif
#include "tasks.hpp"

struct skipped {
  std::string reason;
};

// The lines of each "define NAME", which "use NAME" runs, and of "every case:", which each case under it begins with.
static auto &blocks = *new std::map<std::string, body>;
static body every_case;
// A case with "one of" is run once for each line under it: the one of this run, and how many there are.
static size_t alternative, alternatives;

static void needs(const words &head, const std::string &reason) {
  int32_t count = 0;
  if (!objects.empty()) throw mistake("this belongs at the top of a case");
  for (size_t i = 1; i < head.size(); i++) {
    gevt_context_t context;
    bool is_count = isdigit((unsigned char)head[i][0]);
    const auto backend = is_count ? subject_backend : (gevt_backend_t)arguments::number(head[i]);
    gevt_status_t status = api::device_count(&count, backend);
    if (is_count ? count < atoi(head[i].c_str()) : status != GEVT_SUCCESS || count == 0) throw skipped{reason};
    if (is_count) continue;
    if (api::context_open(&context, backend, 0) != GEVT_SUCCESS) throw skipped{reason};
    CHECK_OK(gevt_context_close(context));
  }
}

// One of the lines under a line; a line with "for" is as many as it has values.
static void run_alternative(const body &what, variables &known) {
  size_t count = 0;
  for (size_t at = what.from; at < what.to; at = end_of(at)) {
    const std::string &text = lines[at].text;
    const words head = split(text.substr(0, text.find(": ")));
    const bool repeats = head[0] == "for" && head.size() > 3;
    for (const std::string &value : repeats ? values_of(head, 3) : words{""}) {
      if (count++ != alternative) continue;
      printf("  %s %s\n", text.c_str(), value.c_str());
      if (repeats) known[head[1]] = value;
      run_body(repeats ? body{text.substr(text.find(": ") + 2), at, at + 1, end_of(at)} : body{"", at, at, end_of(at)},
               known);
    }
  }
  alternatives = count;
}

// A line that has others under it or behind its colon.
static void run_head(const words &head, const body &what, variables &known, [[maybe_unused]] task *work) {
  const std::string &first = head[0];
  bool here = std::find(head.begin() + 1, head.end(), subject_name()) != head.end();
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
  } else if (first == "beside" && head.size() == 2) {
    run *made = run_new(head[1], what, known, false);
    made->work->is_thread = true;
    made->work->thread = thread_start(run_again, made);
  } else if (first == "at_once" && head.size() <= 3) {
    run_at_once(objects.work(head[1]), head.size() == 3 ? atoi(head[2].c_str()) : 1, what, known);
  } else if (first == "elsewhere") {
    task work;
    run made{what, known, &work};
    thread_join(thread_start(run_thread, &made));
  } else if (first == "stream_launch" && head.size() == 3) {
    arguments a(head);
    check_taken(api::stream_launch(a.stream(), run_launched, run_new(head[2], what, known)));
  } else if (first == "stream_launch_n" && head.size() == 4) {
    arguments a(head);
    gevt_stream_t stream = a.stream();
    size_t count = (size_t)a.number();
    run *made = run_new(head[3], what, known, false);
    check_taken(launch_items(stream, count, run_item, made, *made->work).status);
  } else if (first == "on_complete" && head.size() == 3) {
    arguments a(head);
    check_taken(api::on_complete(a.event(), run_called, run_new(head[2], what, known)));
  } else if (first == "log" && head.size() == 3) {
    run *made = run_new(head[1], what, known, false);
    if (!CHECK_OK(log_begin(*made->work, run_logged, made, (gevt_log_level_t)arguments::number(head[2]))))
      throw failed();
  } else if (first == "one" && head.size() == 2 && head[1] == "of") {
    run_alternative(what, known);
  } else if (first == "let" && head.size() == 2) {
    task asked;
    asked.keeps = true;
    run_body(what, known, &asked);
    if (asked.last.status != GEVT_SUCCESS || asked.last.value.empty()) fail(what.at, what.step, "it has no value");
    known[head[1]] = asked.last.value;
#ifndef _WIN32
  } else if (first == "forked" && (head.size() == 1 || head[1] == "bare")) {
    run_forked(what, known, head.size() > 1);
  } else if (first == "at_exit" && head.size() == 1) {
    run_at_exit(run_new("at_exit" + std::to_string(late_expected), what, known, false));
  } else if (first == "begin" && head.size() == 2) {
    remote_begin(peer_of(head[1]), substitute(what.step, known));
  } else if (first == "after_check" && head.size() == 2) {
    after_check = run_new(head[1], what, known, false);
    auto *set = stand_in<void(void (*)())>("strict_after_id");
    set ? set(run_after_check) : run_after_check();
  } else if (head.size() == 1 && objects.find(first)) {
    struct restored {
      peer *before = remote;
      ~restored() { remote = before; }
    } restored;
    remote = &peer_of(first);
    run_body(what, known, work);
#endif
  } else {
    throw mistake("no step is called " + first + " ...:");
  }
}

// A step and its answer, which a task of one step leaves to "join".
static void run_step(const std::string &text, size_t at, task *work) {
  size_t arrow = text.find("->");
  words all = unquoted(split(text.substr(0, arrow))), expected;
  if (all.empty()) throw mistake("no step");
  if (arrow != std::string::npos) expected = split(text.substr(arrow + 2));
  answer told;
  if (all[0] == "until") {
    all.erase(all.begin());
    const std::string repeated = text.substr(text.find("until ") + 6);
    const long long deadline = now_ns() + HANG_LIMIT;
    while (!difference(told = call(all, expected, at, repeated), expected).empty() && now_ns() < deadline)
      sleep_ns(MILLISECOND / 10);
  } else if (all[0] == "join") {
    if (all.size() != 2) throw mistake("join TASK");
    task &joined = *objects.of(all[1], kind::task).work;
    join(joined);
    told = joined.last;
  } else {
    told = call(all, expected, at, text);
    if (work && work->keeps && arrow == std::string::npos) {
      static spin_lock held;
      std::lock_guard<spin_lock> guard(held);
      work->last = told;
      return;
    }
  }
  std::string why = difference(told, expected);
  if (!why.empty()) fail(at, text, why);
}

#ifndef _WIN32
// The steps as another process gets them: a line with others under it has all that come after it.
static std::string in_one_line(const body &what) {
  std::string all = what.step;
  for (size_t at = what.from; at < what.to; at++)
    all += (all.empty() ? "" : all.back() == ':' ? " " : " ; ") + lines[at].text;
  return all;
}
#endif

// NAME [VARIABLE=VALUE...]
static void use(const words &all, variables &known) {
  auto found = all.empty() ? blocks.end() : blocks.find(all[0]);
  if (found == blocks.end()) throw mistake("nothing of that name is defined");
  for (size_t i = 1; i < all.size(); i++) {
    const size_t begin = all[i][0] == '"' ? 1 : 0, equals = all[i].find('=');
    if (equals == std::string::npos) throw mistake("use NAME VARIABLE=VALUE...");
    known[all[i].substr(begin, equals - begin)] = all[i].substr(equals + 1);
  }
  run_body(found->second, known);
}

// Makes steps that a semicolon divides, or a step that is the head of other steps.
static void run_text(const std::string &text, const body &under, variables &known, task *work) {
  size_t colon = std::min(find_unquoted(text, ": "), text.back() == ':' ? text.size() - 1 : std::string::npos);
  size_t divided = find_unquoted(text, " ; ");
  if (divided < colon && divided != std::string::npos) {
    run_text(text.substr(0, divided), body{"", under.at, under.from, under.from}, known, nullptr);
    run_text(text.substr(divided + 3), under, known, nullptr);
    return;
  }
  if (colon == std::string::npos) {
    if (under.from != under.to) throw mistake("lines under a step");
    if (text.compare(0, 4, "use ") == 0) {
      use(split(substitute(text.substr(4), known)), known);
      return;
    }
    run_step(substitute(text, known), under.at, work);
    return;
  }
  body what = under;
  what.step = colon + 1 < text.size() ? text.substr(colon + 2) : "";
  if (what.step.empty() == (what.from == what.to)) throw mistake("nothing, or two things, belong to " + text);
  const std::string before = substitute(text.substr(0, colon), known);
  words head = split(before);
#ifndef _WIN32
  static const words for_all = {"on", "not", "if", "for"};
  if (remote && !std::count(for_all.begin(), for_all.end(), head[0])) {
    remote_call(before + ": " + substitute(in_one_line(what), known));
    return;
  }
#endif
  run_head(head[0] == "for" ? head : unquoted(head), what, known, work);
}

static void run_body(const body &what, variables &known, task *work) {
  if (!what.step.empty()) {
    run_text(what.step, body{"", what.at, what.from, what.from}, known, work);
    return;
  }
  for (size_t at = what.from; at < what.to; at = end_of(at)) {
    try {
      run_text(lines[at].text, body{"", at, at + 1, end_of(at)}, known, nullptr);
    } catch (const mistake &wrong) {
      fail(at, lines[at].text, wrong.what());
    }
  }
}

// Ends what the case has left. All streams must finish without a failure.
static void clean_up(bool sound) {
  for (object *gate : objects.all(kind::gate)) gate_open(gate->gate);
  vulkan_open_all();
  log_end_all();
  bool all_joined = true;
  for (object *one : objects.all(kind::task)) {
    all_joined = all_joined && (!one->work->keeps || one->work->joined);
    if (one->work->is_thread && !one->work->joined) join(*one->work);
    // A function is counted before it runs its steps.
    if (one->work->has_steps && !one->work->is_thread && !count_await(&one->work->done, count_of(&one->work->calls)))
      throw mistake("its steps never ended");
  }
  if (sound && !all_joined) throw mistake("the answer of a step was not asked for");
  if (threads_are_set.exchange(false)) CHECK_OK(api::host_set_threads(0));
  bool closed = !objects.find("here")->live;
  if (!closed) CHECK_OK(api::context_set_current(subject_context));
  for (object *event : objects.all(kind::event)) CHECK_OK(gevt_destroy(reinterpret_cast<gevt_event_t>(event->handle)));
  for (object *one : objects.all(kind::stream)) {
    gevt_stream_t stream = reinterpret_cast<gevt_stream_t>(one->handle);
    gevt_status_t status = api::stream_sync(stream);
    if (sound) CHECK_OK(status);
    CHECK_OK(gevt_stream_destroy(stream));
  }
  for (object *one : objects.all(kind::context)) {
    if (one->handle != bits(subject_context))
      CHECK_OK(gevt_context_close(reinterpret_cast<gevt_context_t>(one->handle)));
  }
  vulkan_clean_up();
#ifndef _WIN32
  natives_end();
  folders_end();
  for (object *one : objects.all(kind::process)) {
    peer &other = *reinterpret_cast<peer *>(one->handle);
    close(other.channel);
    CHECK_EQUAL(child_end(other.process), 0);
  }
  // Nothing else of the case needed the device.
  if (closed && driver.library) CHECK(!primary_is_active(0));
#endif
  if (closed) subject_open();
  CHECK_EQUAL(gevt_live_events(), 0);
}

static void run_case(const std::string &name, size_t at, size_t to, variables known) {
  int before = check_failures();
  std::string with;
  for (const auto &one : known) with += isupper((unsigned char)one.first[0]) ? " " + one.first + "=" + one.second : "";
  objects.clear();
  held.clear();
  objects.bind("here", {kind::context, bits(subject_context)});
  try {
    printf("case %s%s\n", name.c_str(), with.c_str());
    run_body(every_case, known);
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
    alternative = 0;
    do {
      alternatives = 0;
      run_case(head[1], at, to, known);
    } while (++alternative < alternatives);
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

#ifndef _WIN32
// In another process: makes the steps that come.
[[noreturn]] static void serve(char **argv) {
  // Registered first, to run last, when everything that ends late has ended.
  if (atexit(end_checked) != 0 || at_quick_exit(end_checked) != 0) abort();
  // Silently: the process that began this one has checked the library.
  subject_choose_backend(2, argv);
  if (peer_variables()) {
    child_set_variables(peer_variables());
  } else {
    subject_open();
    objects.bind("here", {kind::context, bits(subject_context)});
  }
  lines.push_back(line{path, 0, 0, "a step of another process"});
  peer_serve(atoi(argv[3]), [](const std::string &text) {
    try {
      if (find_unquoted(text, ": ") != std::string::npos) {
        variables none;
        run_text(text, body{"", 0, 0, 0}, none, nullptr);
        return answer();
      }
      return call(unquoted(split(text)), {}, 0, text);
    } catch (const failed &) {
      throw mistake("a check of every call failed");
    }
  });
}
#endif

int main(int argc, char **argv) {
  path = argc < 3 ? "" : argv[2];
#ifndef _WIN32
  if (strcmp(path, "--peer") == 0) {
    // The process may lose its first thread.
    if (getenv("GEVT_TEST_FIRST_THREAD_ENDS")) {
      static char **const given = argv;
      thread_start([](void *) -> void * { serve(given); }, nullptr);
      pthread_exit(nullptr);
    }
    serve(argv);
  }
#endif
  read_lines(path);
  int32_t devices = 0;
  subject_begin(argc, argv);
  CHECK_OK(api::device_count(&devices, subject_backend));
  const char *rounds = getenv("GEVT_TEST_ROUNDS");
  const variables known = {{"backend", subject_name()},
                           {"devices", std::to_string(devices)},
                           {"rounds", rounds ? rounds : TEST_ROUNDS},
                           {"nowhere", NULL_DEVICE}};
  for (size_t at = 0, to; at < lines.size(); at = to) {
    to = end_of(at);
    words head = split(substitute(lines[at].text, known));
    if (head.size() == 2 && head[0] == "define")
      blocks[head[1]] = body{"", at, at + 1, to};
    else if (lines[at].text == "every case:")
      every_case = body{"", at, at + 1, to};
    else if (head.size() < 2 || head[0] != "case")
      check_failed(path, lines[at].number, "a file has cases");
    else if (argc < 4 || head[1] == argv[3])
      run_cases(head, 2, at, to, known);
  }
  vulkan_close();
  return subject_end();
}
