// The words of a step, and the calls that they make.
#pragma once

#include "names.hpp"

#include <algorithm>
#include <functional>
#include <optional>

template <class T>
static uintptr_t bits(T handle) {
  return reinterpret_cast<uintptr_t>(handle);
}

// The words of a step. "with FLAGS", "in CONTEXT", "within TIME" and "to nothing" may follow the others.
class arguments {
public:
  explicit arguments(words all) : all(std::move(all)) {
    nothing = option("to").has_value();
    context_name = option("in");
    flags = option("with");
    within = option("within");
  }
  bool nothing;
  std::optional<std::string> context_name, flags, within;

  // The first word alone, which names what is made; the others are left.
  arguments first() {
    arguments one({all[0], word()});
    one.nothing = nothing;
    return one;
  }
  bool more() const { return next < all.size(); }
  const std::string &word() {
    if (!more()) throw mistake("a word is missing");
    return all[next++];
  }
  // "null", "made-up", or the name of an object of any kind.
  uintptr_t handle() { return handle_of(word()); }
  gevt_event_t event() { return reinterpret_cast<gevt_event_t>(handle()); }
  gevt_stream_t stream() { return reinterpret_cast<gevt_stream_t>(handle()); }
  gevt_context_t context() { return reinterpret_cast<gevt_context_t>(handle()); }
  gevt_context_t in(gevt_context_t otherwise) const {
    return context_name ? reinterpret_cast<gevt_context_t>(handle_of(*context_name)) : otherwise;
  }
  // The rest: names, and NAME1..9 for several.
  std::vector<gevt_event_t> events() {
    std::vector<gevt_event_t> found;
    while (more()) {
      std::string word = this->word(), name = word;
      size_t dots = word.find("..");
      if (dots == std::string::npos) {
        found.push_back(reinterpret_cast<gevt_event_t>(handle_of(word)));
        continue;
      }
      name.resize(word.find_last_not_of("0123456789", dots - 1) + 1);
      for (long long i = atoll(word.c_str() + name.size()); i <= atoll(word.c_str() + dots + 2); i++)
        found.push_back(reinterpret_cast<gevt_event_t>(handle_of(name + std::to_string(i))));
    }
    return found;
  }
  static unsigned long long number(const std::string &word) {
    unsigned long long number;
    if (!number_of(word, number)) throw mistake("not a number: " + word);
    return number;
  }
  unsigned long long number() { return number(word()); }
  uint32_t flags_or(uint32_t otherwise) const { return flags ? (uint32_t)number(*flags) : otherwise; }
  unsigned long long within_or(unsigned long long otherwise) const { return within ? number(*within) : otherwise; }

  bool is(const char *word) const { return more() && all[next] == word; }

private:
  std::optional<std::string> option(const char *name) {
    auto found = std::find(all.begin() + 1, all.end(), name);
    if (found == all.end() || found + 1 == all.end()) return std::nullopt;
    std::string value = found[1];
    all.erase(found, found + 2);
    return value;
  }
  static uintptr_t handle_of(const std::string &name) {
    if (name == "null") return 0;
    if (name == "made-up") return 0x10;
    const uintptr_t handle = objects.handle(name);
    if (!handle) throw mistake("no object is called " + name);
    return handle;
  }
  words all;
  size_t next = 1;
};

// A native object by its name, and what ends it where the case made it.
struct native_object {
  void *handle, *context;
  std::function<int()> end;
};

static std::map<std::string, native_object> natives;

static native_object &native_of(const std::string &name) {
  auto found = natives.find(name);
  if (found == natives.end()) throw mistake("no native object is called " + name);
  return found->second;
}

// NULL, a number such as that of a default stream, or a native object.
static void *native_pointer(const std::string &word) {
  unsigned long long number = 0;
  if (word == "null" || number_of(word, number)) return reinterpret_cast<void *>((uintptr_t)number);
  return native_of(word).handle;
}

// A step that reads its words itself.
using step_body = std::function<answer(arguments &)>;

// The next word, as a parameter of that type: an object, a text or a number.
template <class T>
static T take(arguments &a) {
  if constexpr (std::is_same_v<T, arguments &>) {
    return a;
  } else if constexpr (std::is_same_v<T, const std::string &>) {
    return a.word();
  } else if constexpr (std::is_same_v<T, const char *>) {
    const std::string &word = a.word();
    return word == "null" ? nullptr : word.c_str();
  } else if constexpr (std::is_same_v<T, gate_t *>) {
    return &objects.gate(a.word());
  } else if constexpr (std::is_same_v<T, task &>) {
    return *objects.of(a.word(), kind::task).work;
  } else if constexpr (std::is_same_v<T, native_object &>) {
    return native_of(a.word());
  } else if constexpr (std::is_same_v<T, void *>) {
    return native_pointer(a.word());
  } else if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(a.handle());
  } else {
    return static_cast<T>(a.number());
  }
}

// A function as a step: its parameters are the words in their order. A status that it returns is a call's, and true and false are yes and no.
template <class Result, class... T>
static step_body step_of(Result (*call)(T...)) {
  return [call](arguments &a) {
    std::tuple<T...> words{take<T>(a)...};
    if constexpr (std::is_void_v<Result>) {
      std::apply(call, words);
      return answer();
    } else if constexpr (std::is_same_v<Result, answer> || std::is_same_v<Result, gevt_status_t>) {
      return answer(std::apply(call, words));
    } else if constexpr (std::is_same_v<Result, bool>) {
      return answer::of(std::apply(call, words) ? "yes" : "no");
    } else {
      return answer::of(std::apply(call, words));
    }
  };
}

class step_function : public step_body {
public:
  step_function(step_body body) : step_body(std::move(body)) {}
  template <class Function>
  step_function(Function call) : step_body(step_of(+call)) {}
};

// For "can": a call without an answer that it can be compared with.
[[maybe_unused]] static answer can(bool holds) {
  answer told = answer::of("");
  if (!holds) told.status = GEVT_ERROR_NOT_SUPPORTED;
  return told;
}

// Makes a call with an output, which only a success may write.
template <class T, class F>
static answer into(arguments &a, T &out, F call) {
  pattern_fill(&out, sizeof out);
  answer told = call(a.nothing ? nullptr : &out);
  told.touched = !pattern_intact(&out, sizeof out);
  return told;
}

// Makes an object for each name. The call may take more words.
template <class T, class F>
static answer make(arguments &a, kind is, const char *function, F call) {
  answer told;
  do {
    std::string name = a.word();
    T out;
    told = into(a, out, call);
    told.function = function;
    if (told.status == GEVT_SUCCESS) objects.bind(name, {is, bits(out)});
    told.touched = told.touched && told.status != GEVT_SUCCESS;
  } while (a.more() && told.status == GEVT_SUCCESS);
  return told;
}

// An array of events as a call takes it. It is not aligned: programs that pack their structures pass such ones. In the place of all events
// "nothing" is a NULL array, and "too-many" one of SIZE_MAX.
class event_array {
public:
  explicit event_array(arguments &a) {
    bool nothing = a.is("nothing"), too_many = a.is("too-many");
    if (nothing || too_many) a.word();
    std::vector<gevt_event_t> events = a.events();
    bytes.resize(events.size() * sizeof(gevt_event_t) + 2);
    size_t skip = bits(bytes.data()) % sizeof(gevt_event_t) ? 0 : 1;
    if (!events.empty()) memcpy(bytes.data() + skip, events.data(), events.size() * sizeof(gevt_event_t));
    before = bytes;
    array = nothing ? nullptr : reinterpret_cast<const gevt_event_t *>(bytes.data() + skip);
    count = nothing ? 1 : too_many ? SIZE_MAX : events.size();
  }
  bool touched() const { return bytes != before; }
  const gevt_event_t *array;
  size_t count;

private:
  std::vector<char> bytes, before;
};

// Makes a call that answers with a native object. Its value is the name of that; a last word names it.
template <class F>
static answer native_out(arguments &a, F call) {
  void *native;
  answer told = into(a, native, call);
  told.touched = told.touched && told.status != GEVT_SUCCESS;
  if (told.status != GEVT_SUCCESS) return told;
  if (a.more()) natives[a.word()] = native_object{native, nullptr, nullptr};
  for (const auto &one : natives) {
    if (one.second.handle == native) told.value = one.first;
  }
  return told;
}
