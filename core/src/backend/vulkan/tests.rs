//! Tests of the backend on whatever Vulkan device is there.
