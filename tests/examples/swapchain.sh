#!/usr/bin/env bash
# Runs the example swapchain, in a window or on a headless surface. Its swapchain, surface and device are lost in turn. Where the validation layers
# are installed it runs under them, with synchronization validation: a message is a failure.
#
# usage: tests/vulkan/swapchain.sh PROGRAM LAYERS CASE     LAYERS is the folder of the fault layer's description
set -euo pipefail
program=$1 layers=$2 name=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' HUP INT TERM

# skip REASON: for ctest, see tests/run.sh.
skip() {
  echo "SKIPPED: $1" | tee "${GEVT_SKIP_FILE:-/dev/null}"
  exit 77
}

# Each case: the call that fails, and how many devices, swapchains and lost surfaces and devices the program reports. One swapchain is
# the first one, and one is due to the change of the window's size.
fault='' devices=1 swapchains=2 surfaces=0 losses=0
case $name in
  window | headless) ;;
  out_of_date_at_acquire) fault='vkAcquireNextImageKHR 20 -1000001004' swapchains=3 ;;
  out_of_date_at_present) fault='vkQueuePresentKHR 20 -1000001004' swapchains=3 ;;
  suboptimal_at_acquire) fault='vkAcquireNextImageKHR 20 1000001003' ;;
  suboptimal_at_present) fault='vkQueuePresentKHR 20 1000001003' swapchains=3 ;;
  surface_lost_at_acquire) fault='vkAcquireNextImageKHR 20 -1000000000' swapchains=3 surfaces=1 ;;
  surface_lost_at_present) fault='vkQueuePresentKHR 20 -1000000000' swapchains=3 surfaces=1 ;;
  device_lost_at_submit) fault='vkQueueSubmit2 20 -4' devices=2 swapchains=3 losses=1 ;;
  device_lost_at_present) fault='vkQueuePresentKHR 20 -4' devices=2 swapchains=3 losses=1 ;;
  *) echo "FAILED: there is no case $name" && exit 1 ;;
esac

display=()
unset DISPLAY
if [ "$name" != headless ]; then
  command -v xvfb-run >/dev/null || skip "there is no xvfb-run here"
  display=(xvfb-run --auto-servernum)
fi
chosen='' path=$layers
if [ -e /usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json ]; then
  cat >"$scratch/vk_layer_settings.txt" <<'END'
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn,perf
khronos_validation.log_filename = stdout
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
END
  chosen=VK_LAYER_KHRONOS_validation:
  path+=:/usr/share/vulkan/explicit_layer.d
fi
# Mesa's device selection layer dereferences a null pointer if it finds no device.
env NODEVICE_SELECT=1 VK_LAYER_SETTINGS_PATH="$scratch/vk_layer_settings.txt" VK_LAYER_PATH="$path" VK_INSTANCE_LAYERS="${chosen}VK_LAYER_GEVT_fault" \
  ${fault:+"TEST_FAULT=$fault"} "${display[@]}" "$program" 60 >"$scratch/output" || { cat "$scratch/output" && echo "FAILED: $name" && exit 1; }
cat "$scratch/output"
reason=$(sed -n 's/^SKIPPED: //p' "$scratch/output")
[ -z "$reason" ] || skip "$reason"

failures=0
# reports COUNT PATTERN: that many lines match.
reports() {
  local count
  count=$(grep -cE "$2" "$scratch/output" || true)
  [ "$count" -eq "$1" ] || { echo "FAILED: $count lines match \"$2\", not $1" && failures=1; }
}
reports "$devices" '^device: '
reports "$swapchains" '^swapchain: '
reports 1 '^swapchain: 480 x 270$'
reports "$surfaces" '^the surface was lost$'
reports "$losses" '^the device was lost$'
reports 1 '^60 frames$'
reports 3 ' ms on average'
reports 0 'Validation|VUID|SYNC-|UNASSIGNED'
exit "$failures"
