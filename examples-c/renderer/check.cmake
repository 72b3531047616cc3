# Renders a few small frames serially and on a stream a pass, and compares every picture byte for byte.
#   cmake -DPROGRAM=renderer -DSCENE=file -DFOLDER=where-the-pictures-go -P check.cmake
include(${CMAKE_CURRENT_LIST_DIR}/../renders.cmake)
set(frames 7)   # more than twice the frames in flight: every buffer is used again
set(size --frames ${frames} --width 150 --height 100 --samples 2)

function(compare name other expected)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E compare_files ${FOLDER}/${name} ${FOLDER}/${other}
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(NOT result EQUAL expected)
    message(FATAL_ERROR "comparing ${name} with ${other} gave ${result}, not ${expected}")
  endif()
endfunction()

renders(-- ${size} --serial --out "${FOLDER}/serial-#.png")
# One thread, a few, and more than there are tiles.
foreach(threads 1 3 32)
  renders(-- ${size} --threads ${threads} --out "${FOLDER}/threads${threads}-#.png")
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
renders(-- ${size} --threads 3 --trace ${FOLDER}/trace.json)
compare(serial-${last}.png picture.png 0)
traces("slot 2 step 4 begins to slot 2 step 4 ends")
refuses()
