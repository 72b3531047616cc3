# The two libraries that carry CUDA's names: gevt::cuda, the drop-in, and CUDA without a GPU, which no program links.

# Each in a cargo call of its own: together with the core's C functions they would export those, too. In a folder of their
# own, or they and libgevt.so would each build the core anew after the other. They are built with everything else where they are
# going to be installed, and on demand elsewhere.
set(gevt_cuda_directory ${gevt_target_directory}/cuda)
set(gevt_all)
if(GEVT_INSTALL)
  set(gevt_all ALL)
endif()
set(gevt_previous gevt_library)
foreach(name cuda hostcuda)
  set(package gevt-${name})
  if(name STREQUAL cuda)
    set(package gevt-shim)
  endif()
  add_custom_target(gevt_${name}_library ${gevt_all}
    COMMAND ${GEVT_CARGO} build --release --locked --package ${package} --target-dir ${gevt_cuda_directory}
    BYPRODUCTS ${gevt_cuda_directory}/release/libgevt_${name}.so
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    VERBATIM)
  # One after the other, as cargo would have them wait in any case.
  add_dependencies(gevt_${name}_library ${gevt_previous})
  set(gevt_previous gevt_${name}_library)
endforeach()
set(gevt_cuda_file ${gevt_cuda_directory}/release/libgevt_cuda.so)
set(gevt_hostcuda_file ${gevt_cuda_directory}/release/libgevt_hostcuda.so)

# A program of the CUDA runtime has no reference to the drop-in, and a linker with --as-needed would leave it out. Link
# options stand before all libraries, CUDA's too.
add_library(gevt::cuda SHARED IMPORTED GLOBAL)
add_dependencies(gevt::cuda gevt_cuda_library)
set_target_properties(gevt::cuda PROPERTIES
  IMPORTED_LOCATION ${gevt_cuda_file}
  IMPORTED_SONAME libgevt_cuda.so
  INTERFACE_LINK_OPTIONS "LINKER:--push-state,--no-as-needed,${gevt_cuda_file},--pop-state")
