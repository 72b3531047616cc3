# What `cmake --install` lays out: the libraries, the launchers, the headers and the documents that they name, gevt.pc, the CMake
# package and the licences. Nothing in the installed files names the prefix, so that the tree can be moved.

include(CMakePackageConfigHelpers)

# Told outright: the default of a prefix that is only named at installation would be guessed.
# A STRING, since CMake takes a PATH from its command line for one below the current folder.
set(CMAKE_INSTALL_LIBDIR lib CACHE STRING "Where the libraries go, below the prefix")
include(GNUInstallDirs)
foreach(directory LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${directory}}")
    message(FATAL_ERROR "gevt: CMAKE_INSTALL_${directory} has to be below the prefix: ${CMAKE_INSTALL_${directory}}")
  endif()
endforeach()

set(gevt_package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/gevt)
set(gevt_generated ${CMAKE_CURRENT_BINARY_DIR}/install)

# gevt_install_stripped(FILE OPTION...): takes the debug information out of an installed library, into FILE.debug beside it, where debuggers
# look for it. The options are those of install().
function(gevt_install_stripped file)
  if(NOT CMAKE_OBJCOPY)
    message(STATUS "gevt: there is no objcopy: ${file} is installed with its debug information")
    return()
  endif()
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(name ${file} NAME)
  install(CODE "
    foreach(arguments \"--only-keep-debug;${name};${name}.debug\" \"--strip-unneeded;${name}\" \"--add-gnu-debuglink=${name}.debug;${name}\")
      execute_process(RESULT_VARIABLE failed COMMAND \"${CMAKE_OBJCOPY}\" \${arguments}
        WORKING_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}\")
      if(failed)
        message(FATAL_ERROR \"gevt: ${file} is not stripped: \${failed}\")
      endif()
    endforeach()" ${ARGN})
endfunction()

if(WIN32)
  set(gevt_location ${CMAKE_INSTALL_BINDIR}/gevt.dll)
  install(PROGRAMS ${GEVT_SHARED_FILE} DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${GEVT_IMPORT_FILE} ${gevt_msvc_import} DESTINATION ${CMAKE_INSTALL_LIBDIR})
else()
  # The loader takes the SONAME, the linker the bare name; both lead to the file with the version.
  set(gevt_real_name libgevt.so.${GEVT_VERSION})
  set(gevt_soname libgevt.so.${gevt_soversion})
  file(MAKE_DIRECTORY ${gevt_generated})
  file(CREATE_LINK ${gevt_real_name} ${gevt_generated}/${gevt_soname} SYMBOLIC)
  file(CREATE_LINK ${gevt_soname} ${gevt_generated}/libgevt.so SYMBOLIC)
  set(gevt_location ${CMAKE_INSTALL_LIBDIR}/${gevt_real_name})
  install(PROGRAMS ${GEVT_SHARED_FILE} DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME ${gevt_real_name})
  install(FILES ${gevt_generated}/${gevt_soname} ${gevt_generated}/libgevt.so DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
gevt_install_stripped(${gevt_location})
if(TARGET gevt::gevt_static)
  install(FILES ${gevt_static_file} DESTINATION ${CMAKE_INSTALL_LIBDIR})
  # Without debug information, and without the compiler's own form of the code, for another round of optimisation.
  if(CMAKE_OBJCOPY)
    install(CODE "
      execute_process(RESULT_VARIABLE failed COMMAND \"${CMAKE_OBJCOPY}\" --strip-debug --remove-section=.llvmbc
        --remove-section=.llvmcmd \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/libgevt.a\")
      if(failed)
        message(FATAL_ERROR \"gevt: libgevt.a is not stripped: \${failed}\")
      endif()")
  endif()
endif()

# The drop-in and its launcher.
if(gevt_cuda_file)
  install(PROGRAMS ${gevt_cuda_file} DESTINATION ${CMAKE_INSTALL_LIBDIR})
  gevt_install_stripped(${CMAKE_INSTALL_LIBDIR}/libgevt_cuda.so)
  install(PROGRAMS shim/gevt-run DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# CUDA without a GPU, by `cmake --install --component hostcuda` alone: its libraries are a program's only under its launcher.
if(gevt_hostcuda_file)
  install(CODE "
    execute_process(RESULT_VARIABLE failed COMMAND \"${CMAKE_CURRENT_SOURCE_DIR}/hostcuda/install.sh\"
      \"${gevt_hostcuda_file}\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
    if(failed)
      message(FATAL_ERROR \"hostcuda/install.sh: \${failed}\")
    endif()" COMPONENT hostcuda EXCLUDE_FROM_ALL)
  gevt_install_stripped(lib/gevt/hostcuda/libcuda.so.1 COMPONENT hostcuda EXCLUDE_FROM_ALL)
endif()

install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES LICENSE-MIT LICENSE-APACHE DESTINATION share/doc/gevt)
# The documents that the headers name.
file(GLOB headers include/*.h include/*.hpp include/gevt/*.hpp)
foreach(header IN LISTS headers)
  file(STRINGS ${header} lines REGEX "docs/[A-Z]+[.]md")
  string(REGEX MATCHALL "docs/[A-Z]+[.]md" documents "${lines}")
  install(FILES ${documents} DESTINATION share/doc/gevt)
endforeach()

# ${pcfiledir} is where pkg-config found the file.
file(RELATIVE_PATH gevt_prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" gevt_prefix_from_pc "${gevt_prefix_from_pc}")
configure_file(cmake/gevt.pc.in ${gevt_generated}/gevt.pc @ONLY)
install(FILES ${gevt_generated}/gevt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

configure_package_config_file(cmake/gevtConfig.cmake.in ${gevt_generated}/gevtConfig.cmake
  INSTALL_DESTINATION ${gevt_package_directory}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR gevt_location)
# Before 1.0.0 a new minor version may break the interface.
set(gevt_compatibility SameMajorVersion)
if(gevt_soversion EQUAL 0)
  set(gevt_compatibility SameMinorVersion)
endif()
write_basic_package_version_file(${gevt_generated}/gevtConfigVersion.cmake
  VERSION ${GEVT_VERSION} COMPATIBILITY ${gevt_compatibility})
install(FILES ${gevt_generated}/gevtConfig.cmake ${gevt_generated}/gevtConfigVersion.cmake
  DESTINATION ${gevt_package_directory})
