# Renders small frames on the first Vulkan device, each compared with the host renderer's picture.
#   cmake -DPROGRAM=vulkan_frames -DSCENE=file -DFOLDER=where-the-pictures-go -P check.cmake
set(size --width 150 --height 100 --samples 2)

# Every run has to succeed, and a machine without Vulkan skips all of them by the program's own word.
function(render)
  execute_process(COMMAND ${PROGRAM} ${SCENE} --compare 30 --out ${FOLDER}/picture.png ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(JOIN " " options ${ARGN})
  message("-- ${options}\n${output}")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "vulkan_frames ended with ${result}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# fails(what OPTION...): the program refuses the options with code 1.
function(fails)
  execute_process(COMMAND ${PROGRAM} ${ARGN} RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(NOT result EQUAL 1)
    message(FATAL_ERROR "vulkan_frames ${ARGN} gave ${result}, not 1")
  endif()
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

execute_process(COMMAND ${PROGRAM} ${SCENE} ${size} --frames 1 --out ${FOLDER}/picture.png
  RESULT_VARIABLE result OUTPUT_VARIABLE output)
if(result EQUAL 0 AND output MATCHES "^SKIPPED: ")
  message("${output}")
  return()
endif()

# More than twice the frames in flight: every buffer is used again. Tiles that do not divide the picture.
render(${size} --frames 7 --tile 64 --queues 3 --trace ${FOLDER}/trace.json)
file(READ ${FOLDER}/trace.json trace)
foreach(name "slot 2: tile 5 begins" "slot 0: denoising ends" "slot 1: tone map begins to slot 1: tone map ends")
  string(FIND "${trace}" "${name}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "the trace does not show \"${name}\"")
  endif()
endforeach()
# One tile and one frame at a time; one queue; more frames in flight than there are frames; a single pixel.
render(${size} --frames 3 --in-flight 1 --queues 1)
render(--width 33 --height 70 --samples 1 --frames 3 --tile 8 --in-flight 16)
render(--width 1 --height 1 --samples 1 --frames 2)

fails(${FOLDER}/no-such.scene)
fails(${SCENE} ${size} --device 200)
fails(${SCENE} ${size} --out ${FOLDER}/no-such-folder/picture.png)
fails(${SCENE} ${size} --trace ${FOLDER}/no-such-folder/trace.json)
fails(--frames none)
# A bar that no other program's picture clears: the comparison can fail.
fails(${SCENE} ${size} --frames 1 --samples 3 --compare 100)

# Without a driver the program says so, and that is no failure.
execute_process(COMMAND ${CMAKE_COMMAND} -E env VK_DRIVER_FILES=/dev/null VK_ICD_FILENAMES=/dev/null ${PROGRAM} ${SCENE} ${size}
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_QUIET)
if(NOT result EQUAL 0 OR NOT output MATCHES "^SKIPPED: ")
  message(FATAL_ERROR "without a driver vulkan_frames ended with ${result}: ${output}")
endif()
