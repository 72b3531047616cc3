#include "wrapped.hpp"

#include <string>

#include "gevt/vulkan.hpp"

gevt::context wrap_device(const Application &application) {
  gevt::vulkan::device_info device;
  device.instance = application.instance();
  device.physical_device = application.physical_device();
  device.device = application.device();
  device.get_instance_proc_addr = driver.GetInstanceProcAddr;
  device.api_version = Application::kVersion;
  device.features = GEVT_VULKAN_TIMELINE_SEMAPHORE | GEVT_VULKAN_SYNCHRONIZATION2 | GEVT_VULKAN_HOST_QUERY_RESET;
  device.extension_count = static_cast<uint32_t>(application.extensions().size());
  device.extensions = application.extensions().data();
  return gevt::vulkan::wrap_device(device);
}

gevt::stream wrap_queue(gevt::context_ref context, Application &application, int number) {
  gevt::stream stream = gevt::vulkan::wrap_queue(
      context, gevt::vulkan::locked_by(application.queue_mutex(number), application.queue(number), application.family(),
                                       GEVT_VULKAN_COLLECT_WAITS));
  stream.set_name(("queue " + std::to_string(number)).c_str());
  return stream;
}

void submit_recording(VkQueue queue, gevt::stream_ref stream, VkCommandBuffer commands,
                      std::initializer_list<gevt_event_t> records) {
  gevt::vulkan::batch batch(stream, records.begin(), records.size());

  VkCommandBufferSubmitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
  info.commandBuffer = commands;
  VkSubmitInfo2 submit = {};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  submit.commandBufferInfoCount = 1;
  submit.pCommandBufferInfos = &info;
  batch.fill(submit);
  const VkResult result = driver.QueueSubmit2(queue, 1, &submit, VK_NULL_HANDLE);

  // A submit that failed is taken back, so that nobody waits for its events for ever.
  batch.end(result);
  check_driver(result, "vkQueueSubmit2");
}
