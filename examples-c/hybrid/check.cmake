# Renders small frames on the devices that there are, each compared with the renderer's picture.
#   cmake -DPROGRAM=hybrid -DSCENE=file -DFOLDER=where-the-pictures-go -DCUDA=ON|OFF -P check.cmake
# CUDA: there is a CUDA device that runs the kernels, and the program has to find it. Vulkan is used where it is there.
include(${CMAKE_CURRENT_LIST_DIR}/../renders.cmake)
set(size --width 105 --height 70 --samples 2)

# More than twice the frames in flight: every slot is used again. The trace shows all passes.
renders(-- ${size} --frames 7 --compare 30 --trace ${FOLDER}/trace.json)
foreach(pass trace denoise "tone map")
  traces("slot 2 ${pass} begins to slot 2 ${pass} ends")
endforeach()
if(CUDA)
  says("denoised on CUDA")
  renders(-- ${size} --frames 4 --compare 30 --trace-on cuda)
endif()
renders(-- ${size} --frames 4 --compare 30 --trace-on host)
# One frame at a time, on one thread; more frames in flight than there are frames; a single pixel.
renders(GEVT_HOST_THREADS=1 -- ${size} --frames 3 --compare 30 --in-flight 1)
renders(-- --width 33 --height 70 --samples 1 --frames 3 --compare 30 --in-flight 16)
renders(-- --width 1 --height 1 --samples 1 --frames 2)
# A bar that no other program's picture clears: the comparison can fail.
renders(-- ${size} --frames 1 --samples 3 --compare 30)
if(output MATCHES "traced on Vulkan")
  fails(${SCENE} ${size} --frames 1 --samples 3 --compare 100 --out ${FOLDER}/picture.png)
endif()
# Without a Vulkan driver the program says so, and takes the next device.
renders(VK_DRIVER_FILES=/dev/null VK_ICD_FILENAMES=/dev/null -- ${size} --frames 3 --compare 30)
says("no Vulkan: ")
says("traced on (CUDA|the host)")

refuses()
fails(${SCENE} ${size} --trace-on paper)
if(NOT CUDA)
  # On the host alone the picture is the renderer's own, byte for byte.
  renders(CUDA_VISIBLE_DEVICES= -- ${size} --frames 2 --trace-on host --compare 100)
endif()
