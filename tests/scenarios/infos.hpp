// Structures of information: their fields, and their sizes.
#pragma once

#include "arguments.hpp"

// A structure's size: the word, where +N and -N mean more and less than what is known.
static size_t size_of(const std::string &word, size_t known) {
  return (size_t)atoll(word.c_str()) + (isdigit((unsigned char)word[0]) ? 0 : known);
}

// Asks for a structure of its size, or of the size after "with": the call writes nothing past that size.
template <class Info, class F>
static answer described(arguments &a, Info &info, F call) {
  struct {
    Info info;
    char later[64];
  } given;
  pattern_fill(&given, sizeof given);
  size_t known = sizeof info, size = a.flags ? size_of(*a.flags, known) : known;
  given.info.size = size;
  answer told = call(a.nothing ? nullptr : &given.info);
  if (told.status == GEVT_SUCCESS) size = known = std::min(size, known);
  if (told.status != GEVT_SUCCESS) known = sizeof given.info.size;
  told.touched =
      given.info.size != size || !pattern_intact(reinterpret_cast<char *>(&given) + known, sizeof given - known);
  told.is_call = told.status != GEVT_SUCCESS || told.touched || !a.more();
  info = given.info;
  return told;
}

// A name, which has no end where a shorter structure was asked for.
template <size_t Size>
static answer of_text(const char (&text)[Size]) {
  return answer::of(std::string(text, strnlen(text, Size)));
}

static answer field_of(arguments &a, const std::map<std::string, answer> &fields) {
  const auto found = fields.find(a.word());
  if (found == fields.end()) throw mistake("no field of that name");
  return found->second;
}

// info EVENT FIELD
static answer info(arguments &a) {
  gevt_event_info_t info;
  gevt_event_t event = a.event();
  answer told = described(a, info, [&](gevt_event_info_t *out) { return api::get_info(out, event); });
  told.function = "gevt_get_info";
  if (told.is_call) return told;
  CHECK_EQUAL(info.reserved, 0);
  return field_of(a, {{"state", answer::of(info.state)},
                      {"flags", answer::of(info.flags)},
                      {"backend", answer::of(info.backend)},
                      {"device", answer::of(info.device)},
                      {"context", answer::of(objects.name_of(bits(info.context)))},
                      {"imported", answer::of(info.imported)},
                      {"records", answer::of((long long)info.record_count)},
                      {"name", of_text(info.name)}});
}

// context_get_info CONTEXT FIELD
static answer context_info(arguments &a) {
  gevt_context_info_t info;
  gevt_context_t context = a.context();
  answer told = described(a, info, [&](gevt_context_info_t *out) { return api::context_get_info(out, context); });
  if (told.is_call) return told;
  const uint8_t none[16] = {};
  bool has_uuid = info.known & GEVT_CONTEXT_HAS_UUID, has_luid = info.known & GEVT_CONTEXT_HAS_LUID;
  bool has_pci = info.known & GEVT_CONTEXT_HAS_PCI;
  // Unknown fields are 0.
  CHECK(has_uuid != !memcmp(info.uuid, none, sizeof info.uuid));
  CHECK(has_luid || (!memcmp(info.luid, none, sizeof info.luid) && !info.luid_node_mask));
  CHECK(has_pci || (!info.pci_domain && !info.pci_bus && !info.pci_device));
  return field_of(a, {{"backend", answer::of(info.backend)},
                      {"device", answer::of(info.device)},
                      {"known", answer::of(info.known)},
                      {"uuid", answer::of(has_uuid ? "known" : "unknown")},
                      {"name", of_text(info.name)}});
}

// stream_get_info STREAM FIELD
static answer stream_info(arguments &a) {
  gevt_stream_info_t info;
  gevt_stream_t stream = a.stream();
  answer told = described(a, info, [&](gevt_stream_info_t *out) { return api::stream_get_info(out, stream); });
  if (told.is_call) return told;
  return field_of(a, {{"context", answer::of(objects.name_of(bits(info.context)))},
                      {"backend", answer::of(info.backend)},
                      {"device", answer::of(info.device)},
                      {"flags", answer::of(info.flags)},
                      {"name", of_text(info.name)},
                      {"family", answer::of(info.queue_family)},
                      {"queue", answer::of(info.queue_family == GEVT_NO_QUEUE_FAMILY ? "none" : "one")}});
}
