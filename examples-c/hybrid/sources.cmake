# Fails if kernels.ptx is older than what it was made of.
# usage: cmake -P sources.cmake
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/kernels.ptx lines REGEX "^// source ")
if(NOT lines)
  message(FATAL_ERROR "kernels.ptx does not say what it was made of")
endif()
foreach(line IN LISTS lines)
  string(REGEX MATCH "^// source ([0-9a-f]+)  (.+)$" line "${line}")
  file(SHA256 ${CMAKE_CURRENT_LIST_DIR}/${CMAKE_MATCH_2} hash)
  if(NOT hash STREQUAL CMAKE_MATCH_1)
    message(FATAL_ERROR "kernels.ptx is older than ${CMAKE_MATCH_2}: run examples-c/hybrid/ptx.sh")
  endif()
endforeach()
