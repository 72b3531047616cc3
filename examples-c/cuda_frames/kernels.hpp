// The kernels `draw` and `develop` of kernels.cu, as PTX text.
#pragma once

extern const char kernels_ptx[];
