#include <cstring>
#include <cstdio>

#include "../cuda_frames/gpu.hpp"
#include "device.hpp"
#include "ptx.hpp"

namespace {

using namespace cuda;

// Memory of the device.
class CudaMemory {
public:
  explicit CudaMemory(size_t bytes) { CUDA(driver.allocate(&address_, bytes)); }
  ~CudaMemory() { CUDA(driver.free(address_)); }
  CudaMemory(const CudaMemory &) = delete;
  CudaMemory &operator=(const CudaMemory &) = delete;

  CUdeviceptr address() const { return address_; }

private:
  CUdeviceptr address_ = 0;
};

// The scene as its kernel reads it: the lists lie one behind another in one piece of memory.
class CudaScene {
public:
  CudaScene(const Scene &scene, CUstream stream) : view_(scene.view()) {
    for_each_list([&](const auto &list) { put(nullptr, list); });
    memory_ = std::make_unique<CudaMemory>(bytes_ + 1);
    bytes_ = 0;
    for_each_list([&](auto &list) { put(stream, list); });
    CUDA(driver.context_sync());
  }

  const SceneView &view() const { return view_; }

private:
  template <class Function>
  void for_each_list(Function &&function) {
    function(view_.materials);
    function(view_.spheres);
    function(view_.planes);
    function(view_.boxes);
    function(view_.lamps);
  }

  template <class Item>
  void put(std::nullptr_t, const List<Item> &list) {
    bytes_ += list.count * sizeof(Item);
  }

  template <class Item>
  void put(CUstream stream, List<Item> &list) {
    const CUdeviceptr address = memory_->address() + bytes_;
    const size_t size = list.count * sizeof(Item);
    if (size > 0) {
      CUDA(driver.copy_to_device(address, list.items, size, stream));
    }
    list.items = reinterpret_cast<const Item *>(address);
    bytes_ += size;
  }

  SceneView view_;
  size_t bytes_ = 0;
  std::unique_ptr<CudaMemory> memory_;
};

// Every slot's pixels on the device. The host's memory of the slots becomes memory that the device reaches by itself.
class CudaFrames {
public:
  explicit CudaFrames(const Work &work) : slots_(work.slots) {
    for (const auto &slot : slots_) {
      const CUresult code = driver.register_host(slot->memory.data(), slot->memory.bytes(), 0);
      if (code == 0) {
        registered_++;
      } else {
        // A copy of such memory is right, but the caller waits for it.
        std::printf("slot %d's memory is not the device's: %s\n", slot->number, describe(code).c_str());
        break;
      }
    }
    for (const auto &slot : slots_) {
      memory_.push_back(std::make_unique<CudaMemory>(slot->memory.bytes()));
    }
  }

  ~CudaFrames() {
    for (size_t i = 0; i < registered_; i++) {
      CUDA(driver.unregister_host(slots_[i]->memory.data()));
    }
  }

  Planes planes(const Slot &slot) const {
    const CUdeviceptr memory = memory_[static_cast<size_t>(slot.number)]->address();
    const Planes &host = slot.frame.planes();
    return Planes::at(reinterpret_cast<Texel *>(memory), host.width, host.height);
  }

private:
  const Slots &slots_;
  size_t registered_ = 0;
  std::vector<std::unique_ptr<CudaMemory>> memory_;
};

class CudaStream {
public:
  CudaStream(gevt::context_ref context, const char *name) {
    CUDA(driver.stream_create(&native_, Driver::kStreamNonBlocking));
    wrapped_ = gevt::stream::wrap(context, native_);
    wrapped_.set_name(name);
  }
  ~CudaStream() {
    std::error_code ec;
    wrapped_.sync(ec);
    wrapped_ = gevt::stream::none();
    CUDA(driver.stream_destroy(native_));
  }
  CudaStream(const CudaStream &) = delete;
  CudaStream &operator=(const CudaStream &) = delete;

  CUstream native() const { return native_; }
  gevt::stream_ref wrapped() const { return wrapped_; }

  // One thread for each pixel.
  void launch(CUfunction kernel, const Planes &planes, void **arguments) const {
    constexpr unsigned kBlock = 8;
    const auto blocks = [](int length) { return (static_cast<unsigned>(length) + kBlock - 1) / kBlock; };
    CUDA(driver.launch(kernel, blocks(planes.width), blocks(planes.height), 1, kBlock, kBlock, 1, 0, native_, arguments,
                       nullptr));
  }

private:
  CUstream native_ = nullptr;
  gevt::stream wrapped_ = gevt::stream::none();
};

class CudaTrace : public Stage {
public:
  CudaTrace(CUfunction kernel, gevt::context_ref context, std::shared_ptr<CudaFrames> frames, const Work &work)
      : kernel_(kernel), samples_(work.options.samples), frames_(std::move(frames)), stream_(context, "trace"),
        scene_(work.scene, stream_.native()) {}

  gevt::stream_ref stream() const override { return stream_.wrapped(); }

  void issue(Slot &slot) override {
    slot.marks[Frame::kTrace].start.record(stream());
    SceneView scene = scene_.view();
    Lens lens = slot.frame.lens();
    Planes planes = frames_->planes(slot);
    int samples = samples_, frame = slot.frame.number();
    void *arguments[] = {&scene, &lens, &planes, &samples, &frame}; // the driver copies them before the call returns
    stream_.launch(kernel_, planes, arguments);
    // The tone map wants the colours, on the host.
    const Planes &host = slot.frame.planes();
    const size_t bytes = host.index(0, host.height) * sizeof(Texel);
    CUDA(driver.copy_to_host(host.colours, reinterpret_cast<CUdeviceptr>(planes.colours), bytes, stream_.native()));
    slot.marks[Frame::kTrace].end.record(stream());
  }

private:
  const CUfunction kernel_;
  const int samples_;
  const std::shared_ptr<CudaFrames> frames_;
  const CudaStream stream_;
  const CudaScene scene_;
};

class CudaDenoise : public Stage {
public:
  CudaDenoise(CUfunction kernel, gevt::context_ref context, std::shared_ptr<CudaFrames> frames, const Work &work,
              bool is_traced_here)
      : kernel_(kernel), camera_(work.scene.camera.from), is_traced_here_(is_traced_here), frames_(std::move(frames)),
        stream_(context, "denoise") {}

  gevt::stream_ref stream() const override { return stream_.wrapped(); }

  void issue(Slot &slot) override {
    slot.marks[Frame::kDenoise].start.record(stream());
    const Planes &host = slot.frame.planes();
    Planes planes = frames_->planes(slot);
    const size_t plane = host.index(0, host.height) * sizeof(Texel);
    if (!is_traced_here_) {
      constexpr size_t kTraced = Planes::kCount - 1; // all but the light that the denoiser writes first
      CUDA(driver.copy_to_device(reinterpret_cast<CUdeviceptr>(planes.colours), host.colours, kTraced * plane,
                                 stream_.native()));
    }
    Vec3 camera = camera_;
    for (int step = 0; step < kDenoiseSteps; step++) {
      void *arguments[] = {&planes, &camera, &step};
      stream_.launch(kernel_, planes, arguments);
    }
    CUDA(driver.copy_to_host(host.light[kDenoiseSteps % 2],
                             reinterpret_cast<CUdeviceptr>(planes.light[kDenoiseSteps % 2]), plane, stream_.native()));
    slot.marks[Frame::kDenoise].end.record(stream());
  }

private:
  const CUfunction kernel_;
  const Vec3 camera_;
  const bool is_traced_here_;
  const std::shared_ptr<CudaFrames> frames_;
  const CudaStream stream_;
};

class CudaDevice : public Device {
public:
  CudaDevice() : gpu_(hybrid_ptx) {
    if (trouble().empty()) {
      context_ = gevt::context::wrap(gevt::backend::cuda, gpu_.context());
    }
  }

  const std::string &trouble() const { return gpu_.trouble(); }
  std::string name() const override { return "CUDA (" + gpu_.name() + ")"; }
  gevt::context_ref context() const override { return context_; }

  std::unique_ptr<Stage> stage(Frame::Pass pass, const Work &work, const Device *before) override {
    std::shared_ptr<CudaFrames> frames = frames_.lock();
    if (frames == nullptr) {
      frames = std::make_shared<CudaFrames>(work);
      frames_ = frames;
    }
    if (pass == Frame::kTrace) {
      return std::make_unique<CudaTrace>(gpu_.kernel("trace"), context_, frames, work);
    }
    return std::make_unique<CudaDenoise>(gpu_.kernel("denoise"), context_, frames, work, before == this);
  }

private:
  const Gpu gpu_;
  gevt::context context_ = gevt::context::none();
  std::weak_ptr<CudaFrames> frames_; // the stages share them
};

} // namespace

std::unique_ptr<Device> open_cuda(std::string &trouble) {
  trouble = load_driver();
  if (!trouble.empty()) {
    return nullptr;
  }
  auto device = std::make_unique<CudaDevice>();
  trouble = device->trouble();
  if (!trouble.empty()) {
    return nullptr;
  }
  return device;
}
