// Writes a picture as a PNG file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// `rgb` holds three bytes a pixel, row by row from the top. Throws std::runtime_error if the file cannot be written.
void write_png(const std::string &path, int width, int height, const std::vector<uint8_t> &rgb);
