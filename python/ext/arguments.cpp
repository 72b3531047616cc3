#include "arguments.hpp"

#include "errors.hpp"

#include <cmath>
#include <mutex>
#include <unordered_map>

namespace gevt_py {

std::chrono::nanoseconds timeout_of(timeout given) {
  using std::chrono::nanoseconds;
  const nb::handle timeout = given.value;
  if (timeout.is_none()) return nanoseconds::max();
  nb::object seconds = nb::borrow(timeout);
  if (nb::hasattr(timeout, "total_seconds")) seconds = timeout.attr("total_seconds")();
  const double value = PyFloat_AsDouble(seconds.ptr());
  if (value == -1.0 && PyErr_Occurred()) throw nb::python_error();
  if (std::isnan(value)) throw nb::value_error("a timeout cannot be NaN");
  if (value <= 0) return nanoseconds::zero();
  // Parts of a nanosecond count as a whole one: only 0 looks without waiting.
  const double ns = std::ceil(value * 1e9);
  return ns >= static_cast<double>(nanoseconds::max().count()) ? nanoseconds::max()
                                                               : nanoseconds(static_cast<std::int64_t>(ns));
}

namespace {

// The context of a device, opened once in the process's life.
gevt_context_t context_of(gevt::backend backend, int device) {
  static std::mutex mutex;
  static std::unordered_map<int, gevt_context_t> contexts;
  const int key = device * 4 + static_cast<int>(backend);
  {
    std::lock_guard lock(mutex);
    if (const auto found = contexts.find(key); found != contexts.end()) return found->second;
  }
  gevt_context_t opened;
  {
    unlocked released;
    opened = gevt::context(backend, device).release();
  }
  std::lock_guard lock(mutex);
  const auto [place, is_new] = contexts.emplace(key, opened);
  if (!is_new) static_cast<void>(gevt_context_close(opened));
  return place->second;
}

struct stream_key {
  gevt::backend backend;
  int device;
  std::uintptr_t native;
  bool operator==(const stream_key &other) const noexcept {
    return backend == other.backend && device == other.device && native == other.native;
  }
};

struct stream_hash {
  std::size_t operator()(const stream_key &key) const noexcept {
    return std::hash<std::uintptr_t>()(key.native) ^ (static_cast<std::size_t>(key.device) << 4);
  }
};

// The handle of a stream that its library never destroys, or of a device's default stream. Wrapped once.
gevt_stream_t kept_stream(const stream_key &key) {
  static std::mutex mutex;
  static std::unordered_map<stream_key, gevt_stream_t, stream_hash> streams;
  // A thread mostly asks for the stream that it asked for before.
  thread_local std::pair<stream_key, gevt_stream_t> last{{}, nullptr};
  if (last.second != nullptr && last.first == key) return last.second;
  {
    std::lock_guard lock(mutex);
    if (const auto found = streams.find(key); found != streams.end()) {
      last = *found;
      return found->second;
    }
  }
  const gevt_context_t context = context_of(key.backend, key.device);
  gevt_stream_t wrapped;
  {
    unlocked released;
    wrapped = gevt::stream::wrap(context, reinterpret_cast<void *>(key.native)).release();
  }
  std::lock_guard lock(mutex);
  const auto [place, is_new] = streams.emplace(key, wrapped);
  if (!is_new) static_cast<void>(gevt_stream_destroy(wrapped));
  return place->second;
}

// A Python int; `value` is null after an error.
long long integer(PyObject *value) {
  const long long result = value == nullptr ? -1 : PyLong_AsLongLong(value);
  if (result == -1 && PyErr_Occurred()) throw nb::python_error();
  return result;
}

std::uintptr_t number(nb::handle value) {
  const std::size_t result = PyLong_AsSize_t(value.ptr());
  if (result == static_cast<std::size_t>(-1) && PyErr_Occurred()) throw nb::python_error();
  return result;
}

// The name of an attribute that is asked for often, kept for the process's life.
struct attribute_name {
  explicit attribute_name(const char *text) : value(PyUnicode_InternFromString(text)) {
    if (value == nullptr) throw nb::python_error();
  }
  PyObject *const value;
};

// An attribute, or nothing where the object has none.
nb::object attribute(nb::handle object, const attribute_name &name) {
  PyObject *value = PyObject_GetAttr(object.ptr(), name.value);
  if (value == nullptr) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw nb::python_error();
    PyErr_Clear();
  }
  return nb::steal(value);
}

// The device that a stream says it is of; -1 where it says none.
int device_of(nb::handle stream) {
  static const attribute_name torchs("device_index"), cupys("device_id"), cores("device");
  nb::object device = attribute(stream, torchs);
  if (!device.is_valid()) device = attribute(stream, cupys);
  if (!device.is_valid()) {
    device = attribute(stream, cores);
    if (device.is_valid() && !device.is_none()) device = attribute(device, cupys);
  }
  return device.is_valid() && PyLong_Check(device.ptr()) ? nb::cast<int>(device) : -1;
}

// torch.cuda, once it has been initialised in this process.
struct torch_cuda {
  // The number of the current device.
  nb::object device;
  // Of a device: the CUstream of its current stream.
  nb::object native_stream;
};

const torch_cuda *find_torch() {
  static std::atomic<const torch_cuda *> found{nullptr};
  if (const torch_cuda *torch = found.load(std::memory_order_acquire)) return torch;
  static PyObject *const name = PyUnicode_InternFromString("torch.cuda");
  const nb::object cuda = nb::steal(PyImport_GetModule(name));
  if (!cuda.is_valid()) return nullptr;
  static const attribute_name is_initialized_name("is_initialized");
  const nb::object is_initialized = attribute(cuda, is_initialized_name);
  if (!is_initialized.is_valid() || !nb::cast<bool>(is_initialized())) return nullptr;
  const nb::object native = nb::module_::import_("torch._C");
  // Kept for the process's life, as torch is.
  const torch_cuda *torch = new torch_cuda{native.attr("_cuda_getDevice"), native.attr("_cuda_getCurrentRawStream")};
  const torch_cuda *before = nullptr;
  if (!found.compare_exchange_strong(before, torch)) {
    delete torch;
    return before;
  }
  return torch;
}

} // namespace

gevt_stream_t default_stream_of(gevt::backend backend, int device) {
  return kept_stream({backend, device, 0});
}

namespace {

// The device and the CUstream of torch's current stream. Torch destroys none of its own streams.
stream_key current_of(const torch_cuda &torch) {
  const nb::object device = torch.device();
  return {gevt::backend::cuda, static_cast<int>(integer(device.ptr())), number(torch.native_stream(device))};
}

} // namespace

stream_use current_stream() {
  if (const torch_cuda *torch = find_torch()) return stream_use(kept_stream(current_of(*torch)));
  apply_context();
  return stream_use(nullptr);
}

std::uintptr_t current_native_stream() {
  const torch_cuda *torch = find_torch();
  return torch == nullptr ? 0 : current_of(*torch).native;
}

stream_use wrap_number(std::uintptr_t native, gevt_context_t context) {
  if (context == nullptr) apply_context();
  unlocked released;
  return stream_use(gevt::stream::wrap(context, reinterpret_cast<void *>(native)).release(), true);
}

stream_use wrap(nb::handle source, lifetime kind, gevt_context_t context) {
  static const attribute_name cuda_stream("cuda_stream"), stream_id("stream_id"), protocol("__cuda_stream__"),
      ptr("ptr");
  nb::object native = attribute(source, cuda_stream);
  const bool is_torch = native.is_valid();
  if (!is_torch && attribute(source, stream_id).is_valid()) {
    // A torch.Stream names torch's stream by a number of torch's own, which torch.cuda.Stream can read.
    nb::dict arguments;
    for (const char *name : {"stream_id", "device_index", "device_type"}) arguments[name] = source.attr(name);
    return wrap(nb::module_::import_("torch.cuda").attr("Stream")(**arguments), kind, context);
  }
  if (!is_torch) {
    native = attribute(source, protocol);
    if (native.is_valid()) {
      if (PyCallable_Check(native.ptr())) native = native();
      native = native[1];
    } else {
      native = attribute(source, ptr); // CuPy before 14
    }
  }
  if (!native.is_valid()) {
    throw nb::type_error("expected a stream: a gevt.Stream, an object with __cuda_stream__ or cuda_stream, or a "
                         "CUstream's number as native=");
  }
  const int device = device_of(source);
  if (device < 0 || context != nullptr) return wrap_number(number(native), context);
  if (is_torch && kind == lifetime::may_be_kept) {
    return stream_use(kept_stream({gevt::backend::cuda, device, number(native)}));
  }
  try {
    return wrap_number(number(native), context_of(gevt::backend::cuda, device));
  } catch (const gevt::error &error) {
    // It may be of another context of its device, which is then the current one.
    if (error.detail() != GEVT_DETAIL_CONTEXT_MISMATCH) throw;
  }
  return wrap_number(number(native), nullptr);
}

stream_use stream_of(nb::handle source) {
  if (source.is_none()) {
    apply_context();
    return stream_use(nullptr);
  }
  stream *own = nullptr;
  if (nb::try_cast<stream *>(source, own) && own != nullptr) return stream_use(own->get());
  return wrap(source, lifetime::may_be_kept);
}

stream_use stream_of(nb::handle source, std::optional<std::uintptr_t> native) {
  if (!native) return stream_of(source);
  if (!source.is_none()) throw nb::type_error("a stream and native= were given: one of them is enough");
  return wrap_number(*native, nullptr);
}

} // namespace gevt_py
