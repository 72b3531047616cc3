# Renders a few small frames serially and on a stream a pass, and compares every picture byte for byte.
#   cmake -DRENDERER=program -DSCENE=file -DFOLDER=where-the-pictures-go -P compare.cmake
set(frames 7)   # more than twice the frames in flight: every buffer is used again
set(size --frames ${frames} --width 150 --height 100 --samples 2)

function(render name)
  execute_process(
    COMMAND ${RENDERER} ${SCENE} ${size} --out "${FOLDER}/${name}-#.png" ${ARGN}
    RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${name}: the renderer ended with ${result}")
  endif()
endfunction()

function(compare name other expected)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E compare_files ${FOLDER}/${name} ${FOLDER}/${other}
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(NOT result EQUAL expected)
    message(FATAL_ERROR "comparing ${name} with ${other} gave ${result}, not ${expected}")
  endif()
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
render(serial --serial)
# One thread, a few, and more than there are tiles.
foreach(threads 1 3 32)
  render(threads${threads} --threads ${threads})
endforeach()

math(EXPR last "${frames} - 1")
foreach(frame RANGE ${last})
  foreach(threads 1 3 32)
    compare(serial-${frame}.png threads${threads}-${frame}.png 0)
  endforeach()
endforeach()
# The camera moves, so a picture that equals the one before it was not drawn anew.
foreach(frame RANGE 1 ${last})
  math(EXPR before "${frame} - 1")
  compare(serial-${frame}.png serial-${before}.png 1)
endforeach()

# A trace changes nothing in the picture, and has a frame's steps by name.
render(traced --threads 3 --trace ${FOLDER}/trace.json)
compare(serial-${last}.png traced-${last}.png 0)
file(READ ${FOLDER}/trace.json trace)
string(FIND "${trace}" "slot 2 step 4 begins to slot 2 step 4 ends" found)
if(found EQUAL -1)
  message(FATAL_ERROR "the trace does not show the stretch of a step")
endif()

execute_process(COMMAND ${RENDERER} ${FOLDER}/no-such.scene RESULT_VARIABLE result ERROR_QUIET)
if(NOT result EQUAL 1)
  message(FATAL_ERROR "a scene file that does not exist gave ${result}, not 1")
endif()
