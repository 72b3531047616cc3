// The kernels of kernels.cpp as PTX text.
#pragma once

extern const char hybrid_ptx[];
