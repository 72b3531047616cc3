// The renderer draws the same pictures on any number of threads as on the calling thread without gevt, byte for byte.
#include "gevt.hpp"
#include "renderer/pipeline.hpp"

#include <cstdio>
#include <thread>

namespace {

constexpr int frames = 7; // more than twice the frames in flight, so that each slot is used again
constexpr int width = 150, height = 100, samples = 2;

using picture = std::vector<uint8_t>;

std::vector<picture> serial(const Scene &scene) {
  std::vector<picture> pictures;
  Frame frame(scene, width, height, samples);
  for (int number = 0; number < frames; number++) {
    frame.start(number);
    for (int step = 0; step < Frame::kSteps; step++) {
      for (int tile = 0; tile < frame.tile_count(); tile++) frame.run(step, tile);
    }
    pictures.push_back(frame.rgb());
  }
  return pictures;
}

std::vector<picture> on_streams(const Scene &scene, uint32_t threads) {
  gevt::set_host_threads(threads);
  std::vector<picture> pictures;
  Pipeline pipeline(scene, width, height, samples);
  for (int submitted = 0; pictures.size() < frames;) {
    if (submitted < frames && pipeline.in_flight() < Pipeline::kInFlight) {
      pipeline.submit();
      submitted++;
    } else if (pipeline.oldest_complete()) {
      pictures.push_back(pipeline.collect().rgb());
    } else {
      std::this_thread::yield();
    }
  }
  return pictures;
}

} // namespace

int main() {
  const Scene scene = gallery();
  const std::vector<picture> expected = serial(scene);
  int failures = 0;
  // The camera moves, so a picture that equals the one before it was not drawn.
  for (size_t i = 1; i < expected.size(); i++) {
    if (expected[i] == expected[i - 1]) failures += std::printf("FAILED: frame %zu equals the frame before it\n", i);
  }
  // One thread, a few, and more than there are tiles.
  for (const uint32_t threads : {1u, 3u, 32u}) {
    const std::vector<picture> drawn = on_streams(scene, threads);
    for (size_t i = 0; i < expected.size(); i++) {
      if (drawn[i] != expected[i]) failures += std::printf("FAILED: frame %zu with %u threads\n", i, threads);
    }
  }
  if (gevt_live_events() != 0) failures += std::printf("FAILED: events are left\n");
  std::printf("%zu frames on 1, 3 and 32 threads\n", expected.size());
  return failures == 0 ? 0 : 1;
}
