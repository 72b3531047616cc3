# Runs the port without vcpkg: stands in for the functions that it calls, which do what vcpkg documents of them.
# usage: cmake -DCURRENT_PACKAGES_DIR=FOLDER -DCURRENT_BUILDTREES_DIR=FOLDER -P stand_in.cmake
set(build ${CURRENT_BUILDTREES_DIR}/build)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(failed)
    message(FATAL_ERROR "${ARGN}: ${failed}\n${output}")
  endif()
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
  run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${build} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}
    ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
  run(${CMAKE_COMMAND} --build ${build} --target install)
endfunction()

# The package's files go to share/NAME, two folders below the prefix and not three.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PACKAGE_NAME;CONFIG_PATH" "")
  file(MAKE_DIRECTORY ${CURRENT_PACKAGES_DIR}/share)
  file(RENAME ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH} ${CURRENT_PACKAGES_DIR}/share/${arg_PACKAGE_NAME})
  set(config ${CURRENT_PACKAGES_DIR}/share/${arg_PACKAGE_NAME}/${arg_PACKAGE_NAME}Config.cmake)
  file(READ ${config} text)
  string(REPLACE "/../../../\" ABSOLUTE" "/../../\" ABSOLUTE" moved "${text}")
  if(moved STREQUAL text)
    message(FATAL_ERROR "${config} does not look for its prefix as vcpkg expects it")
  endif()
  file(WRITE ${config} "${moved}")
endfunction()

function(vcpkg_fixup_pkgconfig)
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
  file(INSTALL ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/gevt)
endfunction()

include(${CMAKE_CURRENT_LIST_DIR}/ports/gevt/portfile.cmake)
