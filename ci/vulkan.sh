#!/usr/bin/env bash
# The Vulkan backend, on Mesa's lavapipe, under the validation layers with synchronization validation: the C tests that have the subject
# vulkan, and tests/vulkan. Any message of the layers is a failure; two planted misuses prove that a message is seen.
#
# usage: ci/vulkan.sh [OPTION...]     options go to ctest, such as -R batches
#
# VK_DRIVER_FILES         lavapipe alone, even if the machine has other drivers, and twice: there are two devices.
# VK_LAYER_SETTINGS_PATH  messages go to the standard output, where ctest sees them; each one, however often it was said before.
# message_id_filter       layers of 1.3.239 wait up to ten seconds for themselves, with their locks held, if the host and a queue signal one
#                         semaphore on two threads, and say "most likely a validation bug". The message is left out for that version, and
#                         the programs that do little else run without layers.
# vulkan.again            measures the heap, which would be the layers'; it runs without them.
# Skipped without a driver; without the layers or the headers the rest runs.
# Time: three minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

# It needs no driver, and where it fails there is nothing to skip.
ci/c-build.sh
driver=$(compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' | head -n 1) || true
[ -n "$driver" ] || skip "there is no lavapipe here (mesa-vulkan-drivers)"
cp "$driver" build/tests/vulkan/second_icd.json
export VK_DRIVER_FILES=$driver:$PWD/build/tests/vulkan/second_icd.json
settings=$PWD/build/tests/vulkan/vk_layer_settings.txt
layer=/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json
test_programs() { ci/ctest.sh "${CARGO_TARGET_DIR:-target}/vulkan" --parallel $((2 * $(nproc))) -L vulkan "$@"; }

if [ -e "$layer" ] && [ -x build/tests/vulkan/test_vulkan_planted ]; then
  cat >"$settings" <<'END'
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn,perf
khronos_validation.log_filename = stdout
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
khronos_validation.enable_message_limit = false
END
  plain='^(vulkan\.again'
  if grep -q '"api_version": *"1\.3\.239"' "$layer"; then
    echo 'khronos_validation.message_id_filter = UNASSIGNED-VkSemaphore-state-timeout' >>"$settings"
    plain+='|c\.threads|c\.races|c\.wait\.|c\.large|c\.host_signaled|vulkan\.faults\.wrapped'
  fi
  plain+=')'
  (
    export VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation VK_LAYER_SETTINGS_PATH=$settings
    for misuse in vuid hazard; do
      said=$(build/tests/vulkan/test_vulkan_planted $misuse)
      [[ $said == *"Validation Error"* ]] || { printf '%s\nFAILED: the validation layers did not report: %s\n' "$said" "$misuse" >&2 && exit 1; }
    done
    test_programs -E "$plain" "$@"
  )
  [ $# -gt 0 ] || test_programs -R "$plain"
else
  skipped "there are no validation layers or no Vulkan headers here"
  test_programs "$@"
fi
