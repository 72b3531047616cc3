# Renders small frames on the first Vulkan device, each compared with the host renderer's picture.
#   cmake -DPROGRAM=vulkan_frames -DSCENE=file -DFOLDER=where-the-pictures-go -P check.cmake
include(${CMAKE_CURRENT_LIST_DIR}/../renders.cmake)
set(size --width 150 --height 100 --samples 2)

# A machine without Vulkan skips all of it by the program's own word, with which the output begins (run.sh).
execute_process(COMMAND ${PROGRAM} ${SCENE} ${size} --frames 1 --out ${FOLDER}/picture.png
  RESULT_VARIABLE result OUTPUT_VARIABLE output)
if(result EQUAL 0 AND output MATCHES "^SKIPPED: ")
  # To the standard output, of which run.sh reads it; message() writes to the other.
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${output}")
  return()
endif()

# More than twice the frames in flight: every buffer is used again. Tiles that do not divide the picture.
renders(-- ${size} --compare 30 --frames 7 --tile 64 --queues 3 --trace ${FOLDER}/trace.json)
traces("slot 2: tile 5 begins" "slot 0: denoising ends" "slot 1: tone map begins to slot 1: tone map ends")
# One tile and one frame at a time; one queue; more frames in flight than there are frames; a single pixel.
renders(-- ${size} --compare 30 --frames 3 --in-flight 1 --queues 1)
renders(-- --compare 30 --width 33 --height 70 --samples 1 --frames 3 --tile 8 --in-flight 16)
renders(-- --compare 30 --width 1 --height 1 --samples 1 --frames 2)

refuses()
fails(${SCENE} ${size} --device 200)
# A bar that no other program's picture clears: the comparison can fail.
fails(${SCENE} ${size} --frames 1 --samples 3 --compare 100)
# Without a driver the program says so, and that is no failure.
renders(VK_DRIVER_FILES=/dev/null VK_ICD_FILENAMES=/dev/null -- ${size})
says("SKIPPED: ")
