// The steps of a program that owns its Vulkan device: queues, timeline semaphores, command buffers, and submits that carry events.
#pragma once

#include "../scenarios/steps.hpp"

#ifndef TEST_VULKAN
// Without the headers of Vulkan 1.3.
static const std::map<std::string, step_function> vulkan_steps, layer_steps;
static void vulkan_open_all() {}
static void vulkan_clean_up() {}
static void vulkan_close() {}
#else
#include "layered.hpp"

#include <set>

static std::map<std::string, gevt_vulkan_batch_t> vulkan_batches;
static std::map<std::string, VkCommandBuffer> vulkan_commands;
static std::set<uintptr_t> vulkan_unlocked; // streams whose queue has no lock functions

// A semaphore, and the largest value that the case waits for.
struct timeline {
  VkSemaphore semaphore;
  uint64_t most;
  bool is_own;
};
static std::map<std::string, timeline> timelines;

template <class T>
static T &vulkan_of(std::map<std::string, T> &all, const std::string &name) {
  auto found = all.find(name);
  if (found == all.end()) throw mistake("nothing of Vulkan's is called " + name);
  return found->second;
}

static uint64_t value_of(timeline &one, arguments &a) {
  uint64_t value = a.number();
  one.most = std::max(one.most, value);
  return value;
}

// Threads may begin batches at once.
static gevt_vulkan_batch_t &batch_named(const std::string &name) {
  static spin_lock held;
  std::lock_guard<spin_lock> guard(held);
  return vulkan_batches.emplace(name, batch_empty()).first->second;
}

// EVENT...: begins a batch. With a size nothing is written past that.
static answer vulkan_begin(gevt_vulkan_batch_t &begun, gevt_stream_t stream, arguments &a) {
  event_array events(a);
  gevt_vulkan_batch_t batch = batch_empty();
  const size_t size = a.flags ? a.flags_or(0) : sizeof batch;
  if (a.flags) pattern_fill(&batch, sizeof batch);
  batch.size = size;
  answer told = gevt_vulkan_submit_begin(a.nothing ? nullptr : &batch, stream, events.array, events.count);
  told.function = "gevt_vulkan_submit_begin";
  const size_t known = std::min(std::max(size, sizeof batch.size), sizeof batch);
  told.touched = events.touched() || batch.size != size ||
                 !pattern_intact(reinterpret_cast<char *>(&batch) + known, sizeof batch - known);
  if (told.status == GEVT_SUCCESS) begun = batch;
  return told;
}

static answer vulkan_end(gevt_vulkan_batch_t &batch, gevt_stream_t stream, int32_t result) {
  answer told = gevt_vulkan_submit_end(stream, &batch, result);
  told.function = "gevt_vulkan_submit_end";
  return told;
}

// No thread of a scenario is cancelled. The layer reports calls that gevt makes on a thread that can be.
static VkResult vulkan_submit(const gevt_vulkan_batch_t &batch, arguments &a) {
  VkCommandBuffer commands = a.within ? vulkan_of(vulkan_commands, *a.within) : nullptr;
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  const VkResult result =
      vk_version < VK_API_VERSION_1_3 ? old_submit(batch, commands) : batch_pass_on(&batch, commands);
  pthread_setcancelstate(before, &before);
  return result;
}

// A case leaves nothing behind: what a queue waits for is signaled.
static void vulkan_open_all() {
  for (auto &one : timelines) {
    uint64_t value = 0;
    if (!one.second.is_own) continue;
    CHECK_VK(vk.GetSemaphoreCounterValue(vk.device, one.second.semaphore, &value));
    if (value < one.second.most) vk_signal(one.second.semaphore, one.second.most);
  }
}

static void vulkan_close() {
  if (vk.device) vk_close_device();
  if (vk.instance) vk.DestroyInstance(vk.instance, nullptr);
  vk.instance = nullptr;
}

static void vulkan_clean_up() {
  const spared calls;
  layer_clean_up();
  answers_reads = waits_for_idle = false;
  wrapped_with = 0;
  query_reads = query_resets = 0;
  if (!vk.device) return;
  CHECK(vk_is_given_back());
  CHECK_VK(vk.DeviceWaitIdle(vk.device));
  for (auto &one : timelines) {
    if (one.second.is_own) vk.DestroySemaphore(vk.device, one.second.semaphore, nullptr);
  }
  for (auto &one : vulkan_commands) vk.FreeCommandBuffers(vk.device, vk.pool, 1, &one.second);
  timelines.clear();
  vulkan_commands.clear();
  vulkan_batches.clear();
  vulkan_unlocked.clear();
  if (vk_version < VK_API_VERSION_1_3 || vk.is_adopted) vulkan_close();
  vk_version = VK_API_VERSION_1_3;
}

// NAME EVENT...
static answer commands_of(arguments &a) {
  std::string name = a.word();
  answer told;
  VkCommandBuffer commands = [] {
    const spared calls;
    return vk_commands_begin();
  }();
  vulkan_commands[name] = commands;
  for (gevt_event_t event : a.events()) {
    answer one = gevt_vulkan_write_time(event, commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
    if (one.status != GEVT_SUCCESS) told = one;
  }
  const spared calls;
  CHECK_VK(vk.EndCommandBuffer(commands));
  told.function = "gevt_vulkan_write_time";
  return told;
}

static const std::map<std::string, step_function> vulkan_steps = {
    {"vulkan_wrap_device", // NAME [WRONG] [with FEATURES] [within SIZE]
     [](arguments &a) {
       vulkan_open();
       gevt_vulkan_device_t told = vk_told_device();
       told.get_instance_proc_addr = instance_function;
       told.features = a.flags_or(told.features);
       arguments one = a.first();
       const auto *given = with_wrong(told, a.more() ? a.word() : "");
       return make<gevt_context_t>(one, kind::context, "gevt_vulkan_wrap_device", [&](gevt_context_t *out) {
         return gevt_vulkan_wrap_device(out, given ? sized(a, told).get() : nullptr);
       });
     }},
    {"vulkan_wrap_queue", // NAME CONTEXT locked|unlocked|second|one|other [WRONG] [with FLAGS] [within SIZE]
     [](arguments &a) {
       std::string name = a.word();
       arguments one({"", name});
       one.nothing = a.nothing;
       gevt_context_t context = a.context();
       const std::string lock = a.word();
       const bool is_locked = lock != "unlocked";
       gevt_vulkan_queue_t told = vk_told_queue(lock == "second" ? 1 : 0, is_locked);
       if (lock == "one") with_lock<1>(told);
       if (lock == "other") with_lock<2>(told);
       told.flags = a.flags_or(0);
       const auto *given = with_wrong(told, a.more() ? a.word() : "");
       answer made = make<gevt_stream_t>(one, kind::stream, "gevt_vulkan_wrap_queue", [&](gevt_stream_t *out) {
         return gevt_vulkan_wrap_queue(out, context, given ? sized(a, told).get() : nullptr);
       });
       wrapped_with = made.status != GEVT_SUCCESS ? 0 : lock == "one" ? 1 : lock == "other" ? 2 : 0;
       if (made.status == GEVT_SUCCESS && !is_locked) vulkan_unlocked.insert(objects.of(name, kind::stream).handle);
       return made;
     }},
    {"vulkan_wrap_point", // NAME TIMELINE VALUE in CONTEXT
     [](arguments &a) {
       arguments one = a.first();
       std::string name = a.word();
       uint64_t semaphore = 0, value = 0;
       if (name == "null") {
         value = a.number();
       } else {
         timeline &of = vulkan_of(timelines, name);
         semaphore = vk_bits(of.semaphore);
         value = value_of(of, a);
       }
       one.nothing = a.nothing;
       return make<gevt_event_t>(one, kind::event, "gevt_vulkan_wrap_point", [&](gevt_event_t *out) {
         return gevt_vulkan_wrap_point(out, a.in(subject_context), semaphore, value);
       });
     }},
    {"vulkan_point", // EVENT [NAME]: names the semaphore; the value is the point's
     [](arguments &a) {
       uint64_t semaphore, value;
       gevt_event_t event = a.event();
       pattern_fill(&value, sizeof value);
       answer told =
           into(a, semaphore, [&](uint64_t *out) { return gevt_vulkan_point(out, a.flags ? nullptr : &value, event); });
       told.touched = told.status != GEVT_SUCCESS && (told.touched || !pattern_intact(&value, sizeof value));
       if (told.status != GEVT_SUCCESS) return told;
       told.value = std::to_string(value);
       if (a.more())
         memcpy(&(timelines[a.word()] = {VK_NULL_HANDLE, value, false}).semaphore, &semaphore, sizeof semaphore);
       return told;
     }},
    {"vulkan_submit_begin", // BATCH STREAM EVENT... [with SIZE]
     [](const std::string &name, gevt_stream_t stream, arguments &a) {
       return vulkan_begin(batch_named(name), stream, a);
     }},
    {"vulkan_submit_end", // BATCH STREAM [RESULT]: submits it, unless there is a result
     [](const std::string &name, gevt_stream_t stream, arguments &a) {
       if (name == "null") return answer(gevt_vulkan_submit_end(stream, nullptr, 0));
       gevt_vulkan_batch_t &batch = batch_named(name);
       return vulkan_end(batch, stream, a.more() ? atoi(a.word().c_str()) : vulkan_submit(batch, a));
     }},
    {"pass_on", // BATCH: submits it; the value is the driver's result
     [](const std::string &name, arguments &a) { return (long long)vulkan_submit(batch_named(name), a); }},
    {"vulkan_submit_cancel", // BATCH STREAM
     [](const std::string &name, gevt_stream_t stream) {
       return gevt_vulkan_submit_cancel(stream, name == "null" ? nullptr : &batch_named(name));
     }},
    {"submit", // STREAM EVENT... [within COMMANDS]: a batch, from its begin to its end
     [](gevt_stream_t stream, arguments &a) {
       const bool is_unlocked = vulkan_unlocked.count(bits(stream)) != 0;
       if (is_unlocked) vk_lock(&vk);
       gevt_vulkan_batch_t batch;
       answer told = vulkan_begin(batch, stream, a);
       if (told.status == GEVT_SUCCESS) {
         CHECK_EQUAL(vk.locked, 1);
         told = vulkan_end(batch, stream, vulkan_submit(batch, a));
       }
       if (is_unlocked) vk_unlock(&vk);
       return told;
     }},
    {"vulkan_stream_wait", gevt_vulkan_stream_wait}, // STREAM EVENT STAGES
    {"waits",                                        // BATCH: how many, and the value and the stages of each
     [](const std::string &name) {
       const gevt_vulkan_batch_t &batch = batch_named(name);
       const auto *waits = static_cast<const VkSemaphoreSubmitInfo *>(batch.waits);
       std::string all;
       for (uint32_t i = 0; i < batch.wait_count; i++) {
         CHECK(static_cast<const VkSemaphore *>(batch.wait_semaphores)[i] == waits[i].semaphore);
         CHECK_EQUAL(batch.wait_values[i], waits[i].value);
         for (auto &one : timelines) all += one.second.semaphore == waits[i].semaphore ? one.first : "";
         all += " " + std::to_string(waits[i].value) + " " + std::to_string(waits[i].stageMask) + " " +
                std::to_string(batch.wait_stages[i]) + ";";
       }
       return all;
     }},
    {"vulkan_write_time", // EVENT COMMANDS STAGE
     [](gevt_event_t event, const std::string &name, uint64_t stage) {
       return gevt_vulkan_write_time(event, name == "null" ? nullptr : vulkan_of(vulkan_commands, name), stage);
     }},
    {"vulkan_ticks", // EVENT [with 1: no period]
     [](arguments &a) {
       uint64_t ticks;
       double period = 0;
       gevt_event_t event = a.event();
       answer told =
           into(a, ticks, [&](uint64_t *out) { return gevt_vulkan_ticks(out, a.flags ? nullptr : &period, event); });
       told.touched = told.status != GEVT_SUCCESS && (told.touched || period != 0);
       return told;
     }},
    // The program's own: command buffers that write the times of events, semaphores, and the lock of its queue.
    {"commands", commands_of},
    {"commands_free",
     [](const std::string &name) {
       vk.FreeCommandBuffers(vk.device, vk.pool, 1, &vulkan_of(vulkan_commands, name));
       vulkan_commands.erase(name);
     }},
    {"timeline",
     [](const std::string &name) {
       timelines[name] = {vk_timeline(), 0, true};
     }},
    {"timeline_signal", // NAME VALUE
     [](const std::string &name, uint64_t value) { vk_signal(vulkan_of(timelines, name).semaphore, value); }},
    {"timeline_wait", // NAME [VALUE] [within TIME]: of an event's, the event's value
     [](const std::string &name, arguments &a) {
       VkSemaphoreWaitInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, nullptr, nullptr};
       const timeline &one = vulkan_of(timelines, name);
       uint64_t value = a.more() ? a.number() : one.most;
       info.pSemaphores = &one.semaphore;
       info.pValues = &value;
       return (long long)vk.WaitSemaphores(vk.device, &info, a.within_or(HANG_LIMIT));
     }},
    {"queue_wait", // NAME VALUE [SIGNALED VALUE]: the queue stands still until then
     [](const std::string &name, arguments &a) {
       timeline &one = vulkan_of(timelines, name);
       VkSemaphoreSubmitInfo wait = vk_point(one.semaphore, value_of(one, a)), signal{};
       const bool signals = a.more();
       if (signals) {
         VkSemaphore semaphore = vulkan_of(timelines, a.word()).semaphore;
         signal = vk_point(semaphore, a.number());
       }
       vk_lock(&vk);
       CHECK_VK(vk_submit(vk.queues[0], nullptr, &wait, 1, &signal, signals ? 1 : 0));
       vk_unlock(&vk);
     }},
    // How often the driver has read or reset queries since this was asked last; whether reads are answered in its place.
    {"query_reads", [] { return query_reads.exchange(0); }},
    {"query_resets", [] { return query_resets.exchange(0); }},
    {"query_answers", [](const std::string &word) { answers_reads = word == "yes"; }},
    {"vulkan_1_1", // the case's device is of Vulkan 1.1 [with 1: and lacks the functions of its extensions]
     [](arguments &a) {
       vulkan_close();
       vk_version = VK_API_VERSION_1_1;
       hides_extensions = a.flags_or(0) != 0;
       return answer();
     }},
    {"device_destroy", // the program's, with its semaphores; the next wrap makes another one
     [] {
       vulkan_clean_up();
       const spared calls;
       vk_close_device();
     }},
    // As the program does around its own submits.
    {"queue_lock", [] { vk_lock(&vk); }},
    {"queue_unlock", [] { vk_unlock(&vk); }},
    {"any_lock", // the queue may have other lock functions from now on than those that it was wrapped with
     [] { wrapped_with = 0; }},
    {"idle_semaphores", // the queue is idle when gevt destroys one
     [] { waits_for_idle = true; }},
    {"queue_family", [] { return (long long)vk.family; }},
    {"adopt", adopt},
    {"other_device", other_device},
    {"is_own_device", // CONTEXT: whether its device is the one that the program wraps now
     [](gevt_context_t context) {
       void *native = nullptr;
       CHECK_OK(gevt_context_native(&native, context));
       return native == vk.device;
     }},
    {"second_queue", [] { return can(vk.queue_count > 1); }},
    {"heap", [] { return vk_heap(); }},
    {"locked", [] { return count_of(&vk.locked) != 0; }},
};
#endif
