#include "png.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>

namespace {

using Bytes = std::vector<uint8_t>;

void append_u32(Bytes &to, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    to.push_back(static_cast<uint8_t>(value >> shift));
  }
}

uint32_t crc32(const uint8_t *data, size_t size) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> made{};
    for (uint32_t i = 0; i < 256; i++) {
      uint32_t crc = i;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc >> 1) ^ ((crc & 1) ? 0xedb88320u : 0u);
      }
      made[i] = crc;
    }
    return made;
  }();
  uint32_t crc = ~0u;
  for (size_t i = 0; i < size; i++) {
    crc = (crc >> 8) ^ table[(crc ^ data[i]) & 0xff];
  }
  return ~crc;
}

uint32_t adler32(const Bytes &data) {
  uint32_t low = 1, high = 0;
  for (const uint8_t byte : data) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  return (high << 16) | low;
}

void append_chunk(Bytes &to, const char *type, const Bytes &data) {
  append_u32(to, static_cast<uint32_t>(data.size()));
  const size_t start = to.size();
  to.insert(to.end(), type, type + 4);
  to.insert(to.end(), data.begin(), data.end());
  append_u32(to, crc32(to.data() + start, to.size() - start));
}

// A zlib stream whose blocks are stored, not compressed: every viewer reads it, and it needs no compressor.
Bytes stored(const Bytes &data) {
  constexpr size_t kLongestBlock = 65535;
  Bytes out = {0x78, 0x01};
  for (size_t at = 0; at < data.size();) {
    const size_t size = std::min(kLongestBlock, data.size() - at);
    const bool last = at + size == data.size();
    const uint8_t low = static_cast<uint8_t>(size), high = static_cast<uint8_t>(size >> 8);
    const Bytes head = {static_cast<uint8_t>(last), low, high, static_cast<uint8_t>(~low), static_cast<uint8_t>(~high)};
    out.insert(out.end(), head.begin(), head.end());
    const auto from = data.begin() + static_cast<std::ptrdiff_t>(at);
    out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(size));
    at += size;
  }
  append_u32(out, adler32(data));
  return out;
}

} // namespace

Bytes encode_png(int width, int height, const Bytes &rgb) {
  const std::ptrdiff_t row_size = static_cast<std::ptrdiff_t>(width) * 3;
  Bytes rows;
  rows.reserve(rgb.size() + static_cast<size_t>(height));
  for (int y = 0; y < height; y++) {
    rows.push_back(0); // the row's filter: none
    rows.insert(rows.end(), rgb.begin() + y * row_size, rgb.begin() + (y + 1) * row_size);
  }

  Bytes header;
  append_u32(header, static_cast<uint32_t>(width));
  append_u32(header, static_cast<uint32_t>(height));
  const Bytes format = {8, 2, 0, 0, 0}; // 8 bits a channel, RGB, not interlaced
  header.insert(header.end(), format.begin(), format.end());

  Bytes file = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  append_chunk(file, "IHDR", header);
  append_chunk(file, "sRGB", {0});
  append_chunk(file, "IDAT", stored(rows));
  append_chunk(file, "IEND", {});
  return file;
}

void write_file(const std::string &path, const Bytes &bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) {
    throw std::runtime_error(path + ": cannot be written");
  }
}

void write_png(const std::string &path, int width, int height, const Bytes &rgb) {
  write_file(path, encode_png(width, height, rgb));
}
