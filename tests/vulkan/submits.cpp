// gevt/vulkan.hpp without exceptions: batches in vkQueueSubmit and vkQueueSubmit2, beside the program's own waits and signals.
#include "program.h"

#include <gevt.hpp>
#include <gevt/vulkan.hpp>

#include <optional>
#include <type_traits>
#include <vector>

namespace {

using gevt::vulkan::batch;
using gevt::vulkan::semaphores;

static_assert(!std::is_copy_constructible_v<batch> && !std::is_copy_assignable_v<batch>);
static_assert(std::is_nothrow_move_constructible_v<batch> && std::is_nothrow_move_assignable_v<batch>);

// A semaphore that the program owns, released when the value goes out of scope.
class semaphore {
public:
  explicit semaphore(VkSemaphoreType kind) {
    VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr, kind, 0};
    VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
    VK_MUST(vk.CreateSemaphore(vk.device, &info, nullptr, &handle));
  }
  ~semaphore() { vk.DestroySemaphore(vk.device, handle, nullptr); }
  semaphore(const semaphore &) = delete;
  semaphore &operator=(const semaphore &) = delete;

  VkSemaphore handle = VK_NULL_HANDLE;
};

gevt::stream own_stream() {
  return gevt::stream::from_handle(vk_stream(context, GEVT_VULKAN_COLLECT_WAITS));
}

gevt::event event() {
  gevt_event_t event = nullptr;
  CHECK_OK(gevt_create_in(&event, context, GEVT_EVENT_DISABLE_TIMING));
  return gevt::event::from_handle(event);
}

// A batch or semaphores, in vkQueueSubmit.
template <class Filling>
VkResult pass_on_old(const Filling &filling) {
  VkSubmitInfo info = {};
  VkTimelineSemaphoreSubmitInfo values;
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  filling.fill(info, values);
  return vk.QueueSubmit(vk.queues[0], 1, &info, VK_NULL_HANDLE);
}

VkResult pass_on(const batch &open) {
  VkSubmitInfo2 info = {};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  open.fill(info);
  return vk.QueueSubmit2(vk.queues[0], 1, &info, VK_NULL_HANDLE);
}

void end(batch &open, VkResult result) {
  std::error_code ec = gevt::errc::unknown;
  CHECK_VK(result);
  open.end(result, ec);
  CHECK(!ec && !open.is_open());
}

// Each form holds the batch's work until the waits are over, and signals its value.
template <class Submit>
void waits_and_signals(Submit make) {
  const gevt::stream stream = own_stream();
  const semaphore gate(VK_SEMAPHORE_TYPE_TIMELINE);
  const gevt::event done = event();
  std::error_code ec;
  const gevt::event open = gevt::vulkan::wrap_point(gevt::context_ref{context}, {gate.handle, 1}, ec);
  CHECK_OK(gevt_stream_wait(stream.get(), open.get(), GEVT_WAIT_DEFAULT));
  batch recording(stream, {done}, ec);
  CHECK(!ec && recording.wait_count() == 1 && recording.waits()->semaphore == gate.handle);
  const gevt::vulkan::point at = gevt::vulkan::point_of(done, ec);
  CHECK(!ec && recording.signal()->semaphore == at.semaphore && recording.signal()->value == at.value);
  end(recording, make(recording));
  CHECK_NOT_READY(gevt_query(done.get()));
  vk_signal(gate.handle, 1);
  CHECK_OK(gevt_sync(done.get()));
}

void in_a_submit_without_others() {
  waits_and_signals(pass_on_old<batch>);
  waits_and_signals(pass_on);
}

// As a frame of a swapchain has: it waits for the image, and what presents it waits for the frame, by binary semaphores.
void beside_binary_semaphores() {
  const semaphore acquired(VK_SEMAPHORE_TYPE_BINARY), rendered(VK_SEMAPHORE_TYPE_BINARY);
  semaphores first, own, last;
  first.signal(acquired.handle);
  last.wait(rendered.handle, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  const auto alone = [&](const semaphores &all) {
    vk_lock(&vk);
    CHECK_VK(pass_on_old(all));
    vk_unlock(&vk);
  };
  for (int i = 0; i < 3; i++) {
    alone(first);
    waits_and_signals([&](const batch &open) {
      own.clear();
      own.wait(acquired.handle, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
      own.signal(rendered.handle);
      open.append(own);
      return pass_on_old(own);
    });
    alone(last);
    alone(first);
    waits_and_signals([&](const batch &open) {
      std::vector<VkSemaphoreSubmitInfo> waits = {vk_point(acquired.handle, 0)},
                                         signals = {vk_point(rendered.handle, 0)};
      open.append(waits, signals);
      CHECK(waits.size() == 2 && signals.size() == 2);
      // The caller's copy may wait with fewer stages.
      waits[1].stageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
      return vk_submit(vk.queues[0], nullptr, waits.data(), 2, signals.data(), 2);
    });
    alone(last);
  }
  vk_lock(&vk);
  CHECK_VK(vk.QueueWaitIdle(vk.queues[0]));
  vk_unlock(&vk);
}

// Every list of events: each one is recorded.
void lists_of_events() {
  const gevt::stream stream = own_stream();
  std::vector<gevt::event> owners;
  for (int i = 0; i < 3; i++) owners.push_back(event());
  const std::vector<gevt::event_ref> refs(owners.begin(), owners.end());
  const std::initializer_list<gevt::event_ref> list = {owners[0], owners[1], owners[2]};
  const std::vector<gevt_event_t> handles = {owners[0].get(), owners[1].get(), owners[2].get()};
  std::uint64_t records = 0;
  const auto check = [&](std::optional<batch> open, const std::error_code &ec) {
    CHECK(!ec && open->is_open());
    end(*open, pass_on(*open));
    records++;
    for (const auto &each : owners) {
      CHECK_OK(gevt_sync(each.get()));
      CHECK_EQUAL(event_info(each.get()).record_count, records);
    }
  };
  std::error_code ec = gevt::errc::unknown;
  check(batch(stream, owners, ec), ec);
  check(batch(stream, refs, ec), ec);
  check(batch(stream, list, ec), ec);
  check(batch(stream, handles, ec), ec);
  check(batch(stream, handles.data(), handles.size(), ec), ec);
  check(batch(stream, {owners[0], owners[1], owners[2]}, ec), ec);
  check(batch(stream, owners), {});
  check(batch(stream, {owners[0], owners[1], owners[2]}), {});
}

void moved() {
  const gevt::stream stream = own_stream();
  const gevt::event first = event(), second = event();
  std::error_code ec;
  batch from(stream, {first}, ec);
  batch to(std::move(from));
  CHECK(!from.is_open() && to.is_open());
  end(to, pass_on(to));
  CHECK_OK(gevt_sync(first.get()));
  // Assignment cancels the batch that is assigned to, as destruction does.
  const gevt::stream other = own_stream();
  to = batch(stream, {second}, ec);
  CHECK(to.is_open());
  to.cancel(ec);
  CHECK(!ec);
  CHECK_FAILS(gevt_query(second.get()), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_SUBMIT_FAILED);
  { const batch dropped(stream, {first}, ec); }
  CHECK_FAILS(gevt_query(first.get()), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_SUBMIT_FAILED);
  CHECK_EQUAL(vk.locked, 0);
}

void errors() {
  std::error_code ec;
  const gevt::event done = event();
  gevt::stream none = gevt::stream::none();
  batch refused(none, {done}, ec);
  CHECK(ec == gevt::errc::invalid_handle && !refused.is_open());
  refused.end(VK_SUCCESS, ec);
  CHECK(ec == gevt::errc::invalid_handle);
  refused.cancel(ec);
  CHECK(ec == gevt::errc::invalid_handle);
  CHECK(!gevt::vulkan::wrap_device({}, ec) && ec == gevt::errc::invalid_value);
  CHECK(!gevt::vulkan::wrap_queue(gevt::context_ref{context}, {}, ec) && ec == gevt::errc::invalid_value);
  CHECK(!gevt::vulkan::wrap_point(gevt::context_ref{context}, {}, ec) && ec == gevt::errc::invalid_value);
  gevt::vulkan::write_time(done, nullptr, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, ec);
  CHECK(ec == gevt::errc::invalid_handle);
  CHECK(gevt::vulkan::point_of(gevt::event::none(), ec).semaphore == VK_NULL_HANDLE &&
        ec == gevt::errc::invalid_handle);
}

} // namespace

int main(int argc, char **argv) {
  subject_choose(argc, argv);
  vk_open();
  RUN_WRAPPED(in_a_submit_without_others);
  RUN_WRAPPED(beside_binary_semaphores);
  RUN_WRAPPED(lists_of_events);
  RUN_WRAPPED(moved);
  RUN_WRAPPED(errors);
  vk_close();
  return subject_end();
}
