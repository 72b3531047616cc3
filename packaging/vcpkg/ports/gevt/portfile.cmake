# An overlay port: it builds the checkout that it is a part of, with the machine's own cargo.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

# cargo builds in one way, and makes the shared and the static library.
set(VCPKG_BUILD_TYPE release)

# The drop-in and CUDA without a GPU are programs' surroundings, and no libraries that one links.
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    "-DGEVT_TARGET_DIR=${CURRENT_BUILDTREES_DIR}/cargo"
    -DGEVT_BUILD_TESTS=OFF
    -DGEVT_BUILD_EXAMPLES=OFF
    -DGEVT_DROP_IN=OFF
    -DGEVT_HOSTCUDA=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME gevt CONFIG_PATH lib/cmake/gevt)
vcpkg_fixup_pkgconfig()
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE-MIT" "${SOURCE_PATH}/LICENSE-APACHE")
