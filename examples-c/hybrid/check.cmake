# Renders small frames on the devices that there are, each compared with the renderer's picture.
#   cmake -DPROGRAM=hybrid -DSCENE=file -DFOLDER=where-the-pictures-go -DCUDA=ON|OFF -P check.cmake
# CUDA: there is a CUDA device that runs the kernels, and the program has to find it. Vulkan is used where it is there.
set(size --width 150 --height 100 --samples 2)

# renders(NAME=VALUE... -- OPTION...): every run has to succeed.
function(renders)
  list(FIND ARGN -- at)
  list(SUBLIST ARGN 0 ${at} variables)
  math(EXPR at "${at} + 1")
  list(SUBLIST ARGN ${at} -1 options)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env ${variables} ${PROGRAM} ${SCENE} --out ${FOLDER}/picture.png ${options}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(JOIN " " words ${variables} ${options})
  message("-- ${words}\n${output}")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "hybrid ended with ${result}")
  endif()
  if(CUDA AND NOT output MATCHES "denoised on CUDA")
    message(FATAL_ERROR "hybrid did not denoise on CUDA")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# fails(OPTION...): the program ends with code 1.
function(fails)
  execute_process(COMMAND ${PROGRAM} ${ARGN} RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(NOT result EQUAL 1)
    message(FATAL_ERROR "hybrid ${ARGN} gave ${result}, not 1")
  endif()
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

# More than twice the frames in flight: every slot is used again. The trace shows all passes.
renders(-- ${size} --frames 7 --compare 30 --trace ${FOLDER}/trace.json)
file(READ ${FOLDER}/trace.json trace)
foreach(pass trace denoise "tone map")
  string(FIND "${trace}" "slot 2 ${pass} begins to slot 2 ${pass} ends" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "the trace does not show the pass \"${pass}\"")
  endif()
endforeach()
if(CUDA)
  renders(-- ${size} --frames 4 --compare 30 --trace-on cuda)
endif()
renders(-- ${size} --frames 4 --compare 30 --trace-on host)
# One frame at a time, on one thread; more frames in flight than there are frames; a single pixel.
renders(GEVT_HOST_THREADS=1 -- ${size} --frames 3 --compare 30 --in-flight 1)
renders(-- --width 33 --height 70 --samples 1 --frames 3 --compare 30 --in-flight 16)
renders(-- --width 1 --height 1 --samples 1 --frames 2)
# Without a Vulkan driver the program says so, and takes the next device.
execute_process(COMMAND ${CMAKE_COMMAND} -E env VK_DRIVER_FILES=/dev/null VK_ICD_FILENAMES=/dev/null ${PROGRAM} ${SCENE} ${size}
  --frames 3 --compare 30 --out ${FOLDER}/picture.png RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0 OR NOT output MATCHES "no Vulkan: " OR output MATCHES "traced on Vulkan")
  message(FATAL_ERROR "without a Vulkan driver hybrid ended with ${result}: ${output}")
endif()

fails(${FOLDER}/no-such.scene)
fails(${SCENE} ${size} --out ${FOLDER}/no-such-folder/picture.png)
fails(${SCENE} ${size} --trace ${FOLDER}/no-such-folder/trace.json)
fails(${SCENE} ${size} --trace-on paper)
fails(--frames none)
if(NOT CUDA)
  # On the host alone the picture is the renderer's own, byte for byte.
  renders(CUDA_VISIBLE_DEVICES= -- ${size} --frames 2 --trace-on host --compare 100)
endif()
