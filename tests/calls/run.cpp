// Makes the calls of a case, to the driver and the runtime that the loader finds. README.md describes the files.
// usage: run [12|13] FILE... list | run [12|13] FILE... CASE
#include "lines.hpp"

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstdint>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using word = uint64_t;
using texts = std::map<std::string, std::string>;

struct field {
  size_t offset, size;
};
using layout = std::map<std::string, field>;

// A number, the driver's handle or an address, which may be that of a structure.
struct variable {
  word value = 0;
  size_t size = sizeof(word);
  const layout *type = nullptr;
};

struct definition {
  words parameters;
  body what;
  bool has_answer;
};

static int major_version;
static std::map<std::string, definition> definitions;
static std::map<std::string, layout> layouts;
static std::map<std::string, variable> variables;
static std::mutex variables_lock;
static std::vector<std::thread> threads;
static std::vector<std::pair<pid_t, size_t>> children;
static std::string noted;

[[noreturn]] static void fail(size_t at, const std::string &step, const std::string &why) {
  fprintf(stderr, "%s:%d: %s: %s\n", lines[at].file, lines[at].number, step.c_str(), why.c_str());
  _exit(1);
}

static std::string substitute(const std::string &text, const texts &known) {
  std::string out;
  for (size_t i = 0, to; i < text.size(); i = to) {
    to = i + 1;
    if (text[i] != '$') {
      out += text[i];
      continue;
    }
    while (to < text.size() && (isalnum((unsigned char)text[to]) || text[to] == '_')) to++;
    const std::string name = text.substr(i + 1, to - i - 1);
    const auto found = known.find(name);
    const char *of_environment = getenv(name.c_str());
    out += found != known.end() ? found->second : of_environment ? of_environment : text.substr(i, to - i);
  }
  return out;
}

// The functions that a stream can call. `user` is the address of a variable, or a text.
static void count(void *user) {
  ++*static_cast<std::atomic<word> *>(user);
}
static void wait(void *user) {
  while (*static_cast<std::atomic<word> *>(user) == 0) usleep(100);
}
static void sleep_and_count(void *user) {
  usleep(100000);
  count(user);
}
static void note(void *user) {
  noted += static_cast<const char *>(user);
}
// Until its thread is cancelled.
static std::atomic<bool> is_blocked{false};
static void block(void *) {
  is_blocked = true;
  for (;;) pause();
}
static const std::map<std::string, void (*)(void *)> functions = {
    {"count", count}, {"wait", wait}, {"sleep", sleep_and_count}, {"note", note}, {"block", block}};

// A variable, which may be a new one.
static variable &variable_of(const std::string &name, bool may_be_new = true) {
  std::lock_guard<std::mutex> guard(variables_lock);
  if (!may_be_new && !variables.count(name)) throw std::out_of_range("nothing is called " + name);
  return variables[name];
}

static word value_of(const std::string &text);

// NAME, NAME.FIELD of a structure, or NAME[INDEX] of an array of words.
static std::pair<word, size_t> place_of(const std::string &text, bool may_be_new = true) {
  const size_t end = text.find_first_of(".[");
  variable &of = variable_of(text.substr(0, end), may_be_new);
  if (end == std::string::npos) return {reinterpret_cast<word>(&of.value), of.size};
  if (text[end] == '[')
    return {of.value + sizeof(word) * value_of(text.substr(end + 1, text.size() - end - 2)), sizeof(word)};
  const field &found = of.type->at(text.substr(end + 1));
  return {of.value + found.offset, found.size};
}

static word load(word address, size_t size) {
  if (size == sizeof(word)) return reinterpret_cast<std::atomic<word> *>(address)->load();
  const int64_t value = reinterpret_cast<std::atomic<int32_t> *>(address)->load();
  return (word)value;
}

static void store(word address, size_t size, word value) {
  if (size == sizeof(word))
    reinterpret_cast<std::atomic<word> *>(address)->store(value);
  else
    reinterpret_cast<std::atomic<int32_t> *>(address)->store((int32_t)value);
}

static const char *text_of(const std::string &quoted) {
  std::string text = unquoted(quoted);
  // That of a field still has its second quote.
  if (!text.empty() && text.back() == '"') text.pop_back();
  for (size_t i; (i = text.find("\\n")) != std::string::npos;) text.replace(i, 2, "\n");
  return strdup(text.c_str());
}

static word value_of(const std::string &text) {
  if (text[0] == '"') return reinterpret_cast<word>(text_of(text));
  const size_t sign = text.find_last_of("+-^");
  if (sign != std::string::npos && sign > 0) {
    const word left = value_of(text.substr(0, sign)), right = value_of(text.substr(sign + 1));
    return text[sign] == '+' ? left + right : text[sign] == '-' ? left - right : left ^ right;
  }
  if (text == "null" || text == "edges") return 0;
  if (text[0] == '@') return reinterpret_cast<word>(functions.at(text.substr(1)));
  if (text[0] == '&') return place_of(text.substr(1)).first;
  if (isdigit((unsigned char)text[0]) || text[0] == '-') return strtoull(text.c_str(), nullptr, 0);
  const auto place = place_of(text, false);
  return load(place.first, place.second);
}

// The function of that exported name. For a release of CUDA it is the one that a program of that release gets for the name, if there is one.
static void *function_of(const std::string &name) {
  if (!major_version || name.find("cu") > 2) return dlsym(RTLD_DEFAULT, name.c_str());
  if (name.find("cuda") != std::string::npos) {
    const std::string runtime = "libcudart.so." + std::to_string(major_version);
    return dlsym(dlopen(runtime.c_str(), RTLD_NOW | RTLD_GLOBAL), name.c_str());
  }
  void *function = nullptr, *const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  using look_up = int (*)(const char *, void **, int, word, int *);
  const auto find = reinterpret_cast<look_up>(dlsym(driver, "cuGetProcAddress_v2"));
  find(name.c_str(), &function, major_version == 12 ? 12090 : 13000, 0, nullptr);
  return function ? function : dlsym(driver, name.c_str());
}

struct ipc_handle {
  char bytes[64];
};

// Calls a function with words, as the calling conventions of x86-64 and arm64 pass integers and pointers. It ignores those it does not take.
static word call(size_t at, const words &all) {
  const bool is_through = all[0] == "through";
  void *found = is_through ? reinterpret_cast<void *>(value_of(all[1])) : function_of(all[0]);
  if (!found) fail(at, all[0], "there is no such function");
  std::array<word, 12> given = {};
  size_t count = 0;
  for (size_t i = is_through ? 2 : 1; i < all.size(); i++) {
    if (all[i] != "edges" || major_version != 12) given.at(count++) = value_of(all[i]);
  }
  if (all[0].find("IpcOpen") != std::string::npos) {
    using open = int (*)(word, ipc_handle, word);
    return reinterpret_cast<open>(found)(given[0], *reinterpret_cast<ipc_handle *>(given[1]), given[2]);
  }
  using function = word (*)(word, word, word, word, word, word, word, word, word, word, word, word);
  return reinterpret_cast<function>(found)(given[0], given[1], given[2], given[3], given[4], given[5], given[6],
                                           given[7], given[8], given[9], given[10], given[11]);
}

static void crashed(int) {
  _exit(0);
}

// Checks an answer, which may be one of several.
static void check_answer(size_t at, const std::string &step, word answer, const std::string &expected) {
  for (size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
    to = expected.find('|', from);
    const std::string one = expected.substr(from, to - from);
    if (one != "crash" && (int)value_of(one) == (int)answer) return;
  }
  fail(at, step, expected + " expected, " + std::to_string((int)answer) + " found");
}

static bool holds(word left, const std::string &how, word right) {
  return how == "==" ? left == right : how == "!=" ? left != right : how == ">=" ? left >= right : left <= right;
}

static void run_body(const body &what, const texts &known);

static void run_definition(const definition &of, words given, const std::string &answer, texts known) {
  const size_t each = std::max<size_t>(of.parameters.size(), 1);
  for (size_t from = 0; from == 0 || from + each <= given.size(); from += each) {
    for (size_t i = 0; i < of.parameters.size(); i++) {
      known[of.parameters[i]] = unquoted(given.at(from + i));
    }
    known["answer"] = answer;
    run_body(of.what, known);
  }
}

static void set_fields(const variable &of, const words &all, size_t from) {
  for (size_t i = from; i < all.size(); i++) {
    const size_t equals = all[i].find('=');
    const field &one = of.type->at(all[i].substr(0, equals));
    store(of.value + one.offset, one.size, value_of(all[i].substr(equals + 1)));
  }
}

static void run_words(const std::string &step, size_t at, const texts &known) {
  const size_t arrow = find_unquoted(step, " -> ");
  words all = split(step.substr(0, arrow));
  const std::string expected = arrow == std::string::npos ? "0" : step.substr(arrow + 4);
  const auto defined = definitions.find(all[0]);
  if (defined != definitions.end()) {
    if (arrow != std::string::npos && !defined->second.has_answer) fail(at, step, "it has no answer");
    run_definition(defined->second, words(all.begin() + 1, all.end()), expected, known);
  } else if (all[0] == "let" || all[0] == "int") {
    variable &made = variable_of(all[1]);
    if (all[0] == "int") made.size = sizeof(int);
    const auto place = place_of(all[1]);
    store(place.first, place.second, value_of(all[2]));
  } else if (all[0] == "get") {
    variable_of(all[1]).value = call(at, words(all.begin() + 2, all.end()));
  } else if (all[0] == "structure") {
    variable &made = variable_of(all[1]);
    made.type = &layouts.at(all[2]);
    made.value = reinterpret_cast<word>(calloc(1, 512));
    set_fields(made, all, 3);
  } else if (all[0] == "with") {
    set_fields(variable_of(all[1]), all, 2);
  } else if (all[0] == "bytes") {
    const size_t len = value_of(all[2]), page = 4096;
    void *memory = aligned_alloc(page, (len + page - 1) / page * page);
    memset(memory, all.size() > 3 ? (int)value_of(all[3]) : 0, len);
    variable_of(all[1]).value = reinterpret_cast<word>(memory);
  } else if (all[0] == "fill") {
    memset(reinterpret_cast<void *>(value_of(all[1])), (int)value_of(all[3]), value_of(all[2]));
  } else if (all[0] == "filled") {
    const char *bytes = reinterpret_cast<const char *>(value_of(all[1]));
    const word len = value_of(all[2]), wrong = len - std::count(bytes, bytes + len, (char)value_of(all[3]));
    check_answer(at, step, wrong, expected);
  } else if (all[0] == "check") {
    if (!holds(value_of(all[1]), all[2], value_of(all[3])))
      fail(at, step, std::to_string(value_of(all[1])) + " and " + std::to_string(value_of(all[3])));
  } else if (all[0] == "until") {
    all.erase(all.begin());
    while ((int)call(at, all) != (int)value_of(expected)) usleep(100);
  } else if (all[0] == "await") {
    while (value_of(all[1]) != value_of(all[2])) usleep(100);
  } else if (all[0] == "noted") {
    if (noted != unquoted(all[1])) fail(at, step, noted);
    noted.clear();
  } else if (all[0] == "sleep") {
    usleep(1000 * (useconds_t)value_of(all[1]));
  } else if (all[0] == "environment") {
    setenv(all[1].c_str(), unquoted(all[2]).c_str(), 1);
  } else {
    // A crash at any other step is a failure.
    const bool may_crash = expected.find("crash") != std::string::npos;
    const std::array<int, 3> crashes = {SIGSEGV, SIGILL, SIGTRAP};
    if (may_crash) std::for_each(crashes.begin(), crashes.end(), [](int number) { signal(number, crashed); });
    const word answer = call(at, all);
    if (may_crash) std::for_each(crashes.begin(), crashes.end(), [](int number) { signal(number, SIG_DFL); });
    check_answer(at, step, answer, expected);
  }
}

// A word that means nothing is a mistake of the file.
static void run_step(const std::string &step, size_t at, const texts &known) {
  try {
    run_words(step, at, known);
  } catch (const std::out_of_range &mistake) {
    fail(at, step, mistake.what());
  }
}

static void must_end_well(pid_t child, size_t at) {
  int status = -1;
  if (waitpid(child, &status, 0) != child || status != 0) fail(at, "a child", "it failed");
}

struct queued {
  body what;
  texts known;
};

static void run_queued(void *user) {
  queued *made = static_cast<queued *>(user);
  run_body(made->what, made->known);
}

static void run_head(const words &head, const body &what, texts known) {
  if (head[0] == "for") {
    for (const std::string &value : values_of(head, 3, LLONG_MAX)) {
      known[head[1]] = value;
      run_body(what, known);
    }
  } else if (head[0] == "cuda") {
    if (atoi(head[1].c_str()) == major_version) run_body(what, known);
  } else if (head[0] == "elsewhere") {
    std::thread([&] { run_body(what, known); }).join();
  } else if (head[0] == "cancelled") {
    std::thread thread([&] { run_body(what, known); });
    while (!is_blocked) usleep(100);
    pthread_cancel(thread.native_handle());
    thread.join();
  } else if (head[0] == "beside") {
    threads.emplace_back([what, known] { run_body(what, known); });
  } else if (head[0] == "at_exit") {
    static const queued *last;
    last = new queued{what, known};
    atexit([] { run_body(last->what, last->known); });
  } else if (head[0] == "inside") {
    void (*run)(void *) = run_queued;
    variable_of("run").value = reinterpret_cast<word>(run);
    variable_of("queued").value = reinterpret_cast<word>(new queued{what, known});
    check_answer(what.at, "inside", call(what.at, {"cuLaunchHostFunc", head[1], "run", "queued"}), "0");
  } else if (head[0] == "forked" || head[0] == "process") {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      run_body(what, known);
      _exit(0);
    }
    head[0] == "forked" ? must_end_well(child, what.at) : children.push_back({child, what.at});
  } else {
    fail(what.at, head[0], "there is no such line");
  }
}

// Makes steps that a semicolon divides, or a step that has others under it.
static void run_text(const std::string &text, const body &under, const texts &known) {
  const size_t colon = std::min(find_unquoted(text, ": "), text.back() == ':' ? text.size() - 1 : std::string::npos);
  const size_t divided = find_unquoted(text, " ; ");
  if (divided < colon && divided != std::string::npos) {
    run_step(substitute(text.substr(0, divided), known), under.at, known);
    run_text(text.substr(divided + 3), under, known);
  } else if (colon == std::string::npos) {
    run_step(substitute(text, known), under.at, known);
  } else {
    body what = under;
    if (colon + 1 < text.size()) what.step = text.substr(colon + 2);
    run_head(split(substitute(text.substr(0, colon), known)), what, known);
  }
}

static void run_body(const body &what, const texts &known) {
  if (!what.step.empty()) run_text(what.step, body{"", what.at, what.from, what.from}, known);
  for (size_t at = what.from; at < what.to; at = end_of(at))
    run_text(lines[at].text, body{"", at, at + 1, end_of(at)}, known);
}

// layout NAME FIELD:SIZE..., with more of them under it. No structure has more than 512 bytes.
static void read_layout(size_t at) {
  words all;
  for (size_t one = at; one < end_of(at); one++) {
    for (const std::string &text : split(lines[one].text)) all.push_back(text);
  }
  size_t offset = 0;
  for (size_t i = 2; i < all.size(); i++) {
    const size_t colon = all[i].find(':'), size = value_of(all[i].substr(colon + 1));
    if (size <= sizeof(word)) offset = (offset + size - 1) / size * size;
    layouts[all[1]][all[i].substr(0, colon)] = field{offset, size};
    offset += size;
  }
}

static definition definition_of(const words &head, const body &what) {
  bool has_answer = what.step.find("$answer") != std::string::npos;
  for (size_t at = what.from; at < what.to; at++)
    has_answer = has_answer || lines[at].text.find("$answer") != std::string::npos;
  return {words(head.begin() + 2, head.end()), what, has_answer};
}

static int run_case(const words &head, const body &what) {
  if (head.back() != "alone" && definitions.count("begin")) run_body(definitions["begin"].what, {});
  run_body(what, {});
  for (std::thread &thread : threads) thread.join();
  for (const auto &child : children) must_end_well(child.first, child.second);
  return 0;
}

int main(int argc, char **argv) {
  const std::string wanted = argv[argc - 1];
  bool has_cases = false;
  major_version = atoi(argv[1]);
  for (int i = major_version ? 2 : 1; i < argc - 1; i++) read_lines(argv[i]);
  for (size_t at = 0; at < lines.size(); at = end_of(at)) {
    const std::string &text = lines[at].text;
    const size_t colon = find_unquoted(text, ": ");
    const words head = split(text.substr(0, colon));
    const body what{colon == std::string::npos ? "" : text.substr(colon + 2), at, at + 1, end_of(at)};
    if (head[0] == "define")
      definitions[head[1]] = definition_of(head, what);
    else if (head[0] == "layout")
      read_layout(at);
    else if (head[0] != "case")
      fail(at, text, "a file has cases");
    else if (wanted == "list")
      has_cases = puts(head[1].c_str()) >= 0;
    else if (wanted == head[1])
      return run_case(head, what);
  }
  return has_cases ? 0 : 64;
}
