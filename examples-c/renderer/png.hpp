// Pictures as PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// The bytes of a PNG file. `rgb` holds three bytes a pixel, row by row from the top.
std::vector<uint8_t> encode_png(int width, int height, const std::vector<uint8_t> &rgb);

// Throws std::runtime_error if the file cannot be written.
void write_file(const std::string &path, const std::vector<uint8_t> &bytes);

// Both.
void write_png(const std::string &path, int width, int height, const std::vector<uint8_t> &rgb);
