#!/usr/bin/env bash
# The Vulkan backend, on Mesa's lavapipe, under the validation layers with synchronization validation: the C tests that have the subject
# vulkan, and tests/vulkan. Any message of the layers is a failure; two planted misuses prove that a message is seen.
#
# usage: ci/vulkan.sh [OPTION...]     options go to ctest, such as -R batches
. "$(dirname "$0")/lib.sh"

c_build
[ -n "$lavapipe" ] || skip "there is no lavapipe here (mesa-vulkan-drivers)"
# Lavapipe alone, and twice: there are two devices.
cp "$lavapipe" build/tests/vulkan/second_icd.json
export VK_DRIVER_FILES=$lavapipe:$PWD/build/tests/vulkan/second_icd.json
layer=/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json
tests() { quietly c_tests vulkan --parallel $((2 * $(nproc))) -L vulkan "$@"; }
if [ ! -e "$layer" ] || [ ! -x build/tests/vulkan/test_vulkan_planted ]; then
  skipped "there are no validation layers or no Vulkan headers here"
  tests "$@"
  exit
fi

# On the standard output ctest sees the messages, each one however often it was said before.
settings=$PWD/build/tests/vulkan/vk_layer_settings.txt
cat >"$settings" <<'END'
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn,perf
khronos_validation.log_filename = stdout
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
khronos_validation.enable_message_limit = false
END
# These run without layers. vulkan.again measures the heap, and ThreadSanitizer does not see what orders the layers' threads. Layers of 1.3.239
# block themselves for up to ten seconds if the host and a queue signal one semaphore on two threads, and say "most likely a validation bug".
# That message is ignored. Afterwards they may report that a later signal has too low a value. Programs and cases that mostly do this run without
# layers.
plain='^(vulkan\.again|sanitized'
if grep -q '"api_version": *"1\.3\.239"' "$layer"; then
  echo 'khronos_validation.message_id_filter = UNASSIGNED-VkSemaphore-state-timeout' >>"$settings"
  plain+='|c\.threads|c\.races|c\.(hpp\.)?(wait\.|large|host_signaled|sync_helping)|vulkan\.faults|vulkan\.waits'
fi
plain+=')'
(
  export VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation VK_LAYER_SETTINGS_PATH=$settings
  for misuse in vuid hazard; do
    said=$(build/tests/vulkan/test_vulkan_planted $misuse)
    [[ $said == *"Validation Error"* ]] || fail "the validation layers did not report $misuse: $said"
  done
  tests -E "$plain" "$@"
)
[ $# -gt 0 ] || tests -R "${plain%)}|vulkan\.batches)"
