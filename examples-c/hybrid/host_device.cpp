#include "device.hpp"

#include <functional>

#include "../renderer/png.hpp"

namespace {

// The steps of a pass, in the stream's order; a step's tiles run in parallel.
class HostStage : public Stage {
public:
  HostStage(gevt::context_ref context, Frame::Pass pass, const Work &work)
      : work_(work), pass_(pass), stream_(context, gevt::non_blocking) {
    const char *const names[Frame::kPasses] = {"trace", "denoise", "tone map and PNG"};
    stream_.set_name(names[pass]);
  }

  ~HostStage() override {
    std::error_code ec;
    stream_.sync(ec);
  }

  gevt::stream_ref stream() const override { return stream_; }

  void issue(Slot &slot) override {
    slot.marks[pass_].start.record(stream_);
    for (int step = 0; step < Frame::kSteps; step++) {
      if (Frame::pass_of(step) == pass_) {
        stream_.launch_n(
            static_cast<size_t>(slot.frame.tile_count()),
            [&frame = slot.frame, step](size_t tile, uint32_t) { frame.run(step, static_cast<int>(tile)); });
      }
    }
    if (pass_ == Frame::kToneMap) {
      stream_.launch([&slot, &options = work_.options] {
        slot.png = encode_png(options.width, options.height, slot.frame.rgb());
      });
    }
    slot.marks[pass_].end.record(stream_);
  }

private:
  const Work work_;
  const Frame::Pass pass_;
  const gevt::stream stream_;
};

class Host : public Device {
public:
  std::string name() const override { return "the host"; }
  gevt::context_ref context() const override { return context_; }
  std::unique_ptr<Stage> stage(Frame::Pass pass, const Work &work, const Device *) override {
    return std::make_unique<HostStage>(context_, pass, work);
  }

private:
  const gevt::context context_{gevt::backend::host};
};

} // namespace

std::unique_ptr<Device> open_host() {
  return std::make_unique<Host>();
}
