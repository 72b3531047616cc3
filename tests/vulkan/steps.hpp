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

// STREAM EVENT...: begins a batch of that name. With a size nothing is written past that.
static answer vulkan_begin(const std::string &name, gevt_stream_t stream, arguments &a) {
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
  if (told.status == GEVT_SUCCESS) vulkan_batches[name] = batch;
  return told;
}

static answer vulkan_end(gevt_vulkan_batch_t &batch, gevt_stream_t stream, int32_t result) {
  answer told = gevt_vulkan_submit_end(stream, &batch, result);
  told.function = "gevt_vulkan_submit_end";
  return told;
}

static VkResult vulkan_submit(const gevt_vulkan_batch_t &batch, arguments &a) {
  VkCommandBuffer commands = a.within ? vulkan_of(vulkan_commands, *a.within) : nullptr;
  return vk_version < VK_API_VERSION_1_3 ? old_submit(batch, commands) : batch_pass_on(&batch, vk.queues[0], commands);
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
  layer_clean_up();
  answers_reads = false;
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
  if (vk_version < VK_API_VERSION_1_3) vulkan_close();
  vk_version = VK_API_VERSION_1_3;
}

static const std::map<std::string, step_function> vulkan_steps = {
    {"vulkan_wrap_device", // NAME [WRONG] [with FEATURES] [within SIZE]
     [](arguments &a) {
       if (!vk.instance)
         vk_open();
       else if (!vk.device)
         vk_open_device();
       gevt_vulkan_device_t told = vk_told_device();
       told.get_instance_proc_addr = instance_function;
       told.features = a.flags_or(told.features);
       arguments one = a.first();
       const auto *given = with_wrong(told, a.more() ? a.word() : "");
       return make<gevt_context_t>(one, kind::context, "gevt_vulkan_wrap_device", [&](gevt_context_t *out) {
         return gevt_vulkan_wrap_device(out, given ? sized(a, told).get() : nullptr);
       });
     }},
    {"vulkan_wrap_queue", // NAME CONTEXT locked|unlocked|second [WRONG] [with FLAGS] [within SIZE]
     [](arguments &a) {
       std::string name = a.word();
       arguments one({"", name});
       one.nothing = a.nothing;
       gevt_context_t context = a.context();
       const bool is_second = a.is("second"), is_locked = a.word() != "unlocked";
       gevt_vulkan_queue_t told = vk_told_queue(is_second ? 1 : 0, is_locked);
       told.flags = a.flags_or(0);
       const auto *given = with_wrong(told, a.more() ? a.word() : "");
       answer made = make<gevt_stream_t>(one, kind::stream, "gevt_vulkan_wrap_queue", [&](gevt_stream_t *out) {
         return gevt_vulkan_wrap_queue(out, context, given ? sized(a, told).get() : nullptr);
       });
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
       if (a.more()) memcpy(&(timelines[a.word()] = {}).semaphore, &semaphore, sizeof semaphore);
       return told;
     }},
    {"vulkan_submit_begin", // BATCH STREAM EVENT... [with SIZE]
     [](arguments &a) {
       std::string name = a.word();
       gevt_stream_t stream = a.stream();
       return vulkan_begin(name, stream, a);
     }},
    {"vulkan_submit_end", // BATCH STREAM [RESULT]: submits it, unless there is a result
     [](arguments &a) {
       std::string name = a.word();
       gevt_stream_t stream = a.stream();
       if (name == "null") return answer(gevt_vulkan_submit_end(stream, nullptr, 0));
       gevt_vulkan_batch_t &batch = vulkan_batches[name];
       if (batch.size == 0) batch = batch_empty();
       return vulkan_end(batch, stream, a.more() ? atoi(a.word().c_str()) : vulkan_submit(batch, a));
     }},
    {"pass_on", // BATCH: submits it; the value is the driver's result
     [](arguments &a) {
       std::string name = a.word();
       return answer::of((long long)vulkan_submit(vulkan_of(vulkan_batches, name), a));
     }},
    {"vulkan_submit_cancel", // BATCH STREAM
     [](arguments &a) {
       std::string name = a.word();
       gevt_vulkan_batch_t &batch = vulkan_batches[name];
       if (batch.size == 0) batch = batch_empty();
       return answer(gevt_vulkan_submit_cancel(a.stream(), name == "null" ? nullptr : &batch));
     }},
    {"submit", // STREAM EVENT... [within COMMANDS]: a batch, from its begin to its end
     [](arguments &a) {
       gevt_stream_t stream = a.stream();
       const bool is_unlocked = vulkan_unlocked.count(bits(stream)) != 0;
       if (is_unlocked) vk_lock(&vk);
       answer told = vulkan_begin("", stream, a);
       if (told.status == GEVT_SUCCESS) {
         gevt_vulkan_batch_t &batch = vulkan_batches[""];
         CHECK_EQUAL(vk.locked, 1);
         told = vulkan_end(batch, stream, vulkan_submit(batch, a));
       }
       if (is_unlocked) vk_unlock(&vk);
       return told;
     }},
    {"vulkan_stream_wait", // STREAM EVENT STAGES
     [](arguments &a) {
       gevt_stream_t stream = a.stream();
       gevt_event_t event = a.event();
       return answer(gevt_vulkan_stream_wait(stream, event, a.number()));
     }},
    {"waits", // BATCH: how many, and the value and the stages of each
     [](arguments &a) {
       const std::string name = a.word();
       const gevt_vulkan_batch_t &batch = vulkan_of(vulkan_batches, name);
       const auto *waits = static_cast<const VkSemaphoreSubmitInfo *>(batch.waits);
       std::string all;
       for (uint32_t i = 0; i < batch.wait_count; i++) {
         CHECK(static_cast<const VkSemaphore *>(batch.wait_semaphores)[i] == waits[i].semaphore);
         CHECK_EQUAL(batch.wait_values[i], waits[i].value);
         for (auto &one : timelines) all += one.second.semaphore == waits[i].semaphore ? one.first : "";
         all += " " + std::to_string(waits[i].value) + " " + std::to_string(waits[i].stageMask) + " " +
                std::to_string(batch.wait_stages[i]) + ";";
       }
       return answer::of(all);
     }},
    {"vulkan_write_time", // EVENT COMMANDS STAGE
     [](arguments &a) {
       gevt_event_t event = a.event();
       std::string name = a.word();
       return answer(
           gevt_vulkan_write_time(event, name == "null" ? nullptr : vulkan_of(vulkan_commands, name), a.number()));
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
    {"commands", // NAME EVENT...
     [](arguments &a) {
       std::string name = a.word();
       VkCommandBuffer commands = vk_commands_begin();
       vulkan_commands[name] = commands;
       for (gevt_event_t event : a.events())
         CHECK_OK(gevt_vulkan_write_time(event, commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));
       CHECK_VK(vk.EndCommandBuffer(commands));
       return answer();
     }},
    {"commands_free",
     [](arguments &a) {
       std::string name = a.word();
       vk.FreeCommandBuffers(vk.device, vk.pool, 1, &vulkan_of(vulkan_commands, name));
       vulkan_commands.erase(name);
       return answer();
     }},
    {"timeline",
     [](arguments &a) {
       timelines[a.word()] = {vk_timeline(), 0, true};
       return answer();
     }},
    {"timeline_signal", // NAME VALUE
     [](arguments &a) {
       VkSemaphore semaphore = vulkan_of(timelines, a.word()).semaphore;
       vk_signal(semaphore, a.number());
       return answer();
     }},
    {"timeline_wait", // NAME VALUE [within TIME]
     [](arguments &a) {
       VkSemaphoreWaitInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, nullptr, nullptr};
       VkSemaphore semaphore = vulkan_of(timelines, a.word()).semaphore;
       uint64_t value = a.number();
       info.pSemaphores = &semaphore;
       info.pValues = &value;
       return answer::of((long long)vk.WaitSemaphores(vk.device, &info, a.within_or(HANG_LIMIT)));
     }},
    {"queue_wait", // NAME VALUE [SIGNALED VALUE]: the queue stands still until then
     [](arguments &a) {
       timeline &one = vulkan_of(timelines, a.word());
       VkSemaphoreSubmitInfo wait = vk_point(one.semaphore, value_of(one, a)), signal{};
       const bool signals = a.more();
       if (signals) {
         VkSemaphore semaphore = vulkan_of(timelines, a.word()).semaphore;
         signal = vk_point(semaphore, a.number());
       }
       vk_lock(&vk);
       CHECK_VK(vk_submit(vk.queues[0], nullptr, &wait, 1, &signal, signals ? 1 : 0));
       vk_unlock(&vk);
       return answer();
     }},
    // How often the driver has read or reset queries since this was asked last; whether reads are answered in its place.
    {"query_reads", [](arguments &) { return answer::of(query_reads.exchange(0)); }},
    {"query_resets", [](arguments &) { return answer::of(query_resets.exchange(0)); }},
    {"query_answers",
     [](arguments &a) {
       answers_reads = a.word() == "yes";
       return answer();
     }},
    {"vulkan_1_1", // the case's device is of Vulkan 1.1 [with 1: and lacks the functions of its extensions]
     [](arguments &a) {
       vulkan_close();
       vk_version = VK_API_VERSION_1_1;
       hides_extensions = a.flags_or(0) != 0;
       return answer();
     }},
    {"device_destroy", // the program's, with its semaphores; the next wrap makes another one
     [](arguments &) {
       vulkan_clean_up();
       vk_close_device();
       return answer();
     }},
    {"queue_family", [](arguments &) { return answer::of((long long)vk.family); }},
    {"other_device", other_device},
    {"is_own_device", // CONTEXT: whether its device is the one that the program wraps now
     [](arguments &a) {
       void *native = nullptr;
       CHECK_OK(gevt_context_native(&native, a.context()));
       return answer::of(native == vk.device ? "yes" : "no");
     }},
    {"second_queue", // for "can"
     [](arguments &) {
       answer told = answer::of("");
       if (vk.queue_count < 2) told.status = GEVT_ERROR_NOT_SUPPORTED;
       return told;
     }},
    {"heap", [](arguments &) { return answer::of(vk_heap()); }},
    {"locked", [](arguments &) { return answer::of(vk.locked ? "yes" : "no"); }},
};
#endif
