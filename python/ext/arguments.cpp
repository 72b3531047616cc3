#include "arguments.hpp"

#include "errors.hpp"

#include <cmath>
#include <dlfcn.h>
#include <mutex>
#include <unordered_map>

namespace gevt_py {

std::chrono::nanoseconds timeout_of(nb::handle timeout) {
  using std::chrono::nanoseconds;
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

// The handle of a stream that its library never destroys, or of a device's default stream. Adopted once.
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
  gevt_stream_t adopted;
  {
    unlocked released;
    adopted = gevt::stream::from_native_handle(context, reinterpret_cast<void *>(key.native)).release();
  }
  std::lock_guard lock(mutex);
  const auto [place, is_new] = streams.emplace(key, adopted);
  if (!is_new) static_cast<void>(gevt_stream_destroy(adopted));
  return place->second;
}

nb::object call(nb::handle function, nb::handle argument) {
  PyObject *arguments[] = {argument.ptr()};
  PyObject *result = PyObject_Vectorcall(function.ptr(), arguments, 1, nullptr);
  if (result == nullptr) throw nb::python_error();
  return nb::steal(result);
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

stream_use adopt_number(std::uintptr_t native, gevt_context_t context) {
  unlocked released;
  return stream_use(gevt::stream::from_native_handle(context, reinterpret_cast<void *>(native)).release(), true);
}

// A function of torch's stable C interface: the CUstream of a device's current stream, of the current device for -1. Answers 0.
using native_stream_of = std::int32_t (*)(std::int32_t device, void **stream);

native_stream_of find_native_stream_of() {
  void *const library = dlopen("libtorch_cuda.so", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  return reinterpret_cast<native_stream_of>(dlsym(library, "aoti_torch_get_current_cuda_stream"));
}

// torch.cuda, once it has been initialised in this process.
struct torch_cuda {
  // Of the current device where the argument is -1: (the stream's number in torch, device, kind of device).
  nb::object current_stream;
  // Of a device: the CUstream.
  nb::object current_native_stream;
  nb::object minus_one;
  // Null in a torch that has none.
  native_stream_of native_stream;
  bool has_one_device;
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
  const torch_cuda *torch =
      new torch_cuda{native.attr("_cuda_getCurrentStream"), native.attr("_cuda_getCurrentRawStream"), nb::int_(-1),
                     find_native_stream_of(), nb::cast<int>(cuda.attr("device_count")()) == 1};
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

stream_use current_stream() {
  const torch_cuda *torch = find_torch();
  if (torch == nullptr) return stream_use(nullptr);
  // The last one whose CUstream says which it is.
  struct {
    void *native = nullptr;
    gevt_stream_t handle = nullptr;
  } thread_local quick;
  void *native = nullptr;
  const bool has_native = torch->native_stream != nullptr && torch->native_stream(-1, &native) == 0;
  if (has_native && quick.handle != nullptr && quick.native == native) return stream_use(quick.handle);
  // One call that asks the runtime for the device only; the CUstream that belongs to the answer is remembered. Torch numbers a
  // stream of another library by its CUstream.
  struct {
    long long number = 0;
    int device = -1;
    gevt_stream_t handle = nullptr;
  } thread_local last;
  const nb::object current = call(torch->current_stream, torch->minus_one);
  const long long number = integer(PyTuple_GetItem(current.ptr(), 0));
  const int device = static_cast<int>(integer(PyTuple_GetItem(current.ptr(), 1)));
  if (last.handle == nullptr || number != last.number || device != last.device) {
    const nb::object of_device = call(torch->current_native_stream, nb::int_(device));
    last = {number, device, kept_stream({gevt::backend::cuda, device, gevt_py::number(of_device)})};
  }
  // Torch destroys none of its own streams, so that a CUstream of theirs stays what it is. Default streams have no other than 0.
  const bool is_torchs = number != static_cast<long long>(reinterpret_cast<std::intptr_t>(native));
  if (has_native && (native == nullptr ? torch->has_one_device : is_torchs)) quick = {native, last.handle};
  return stream_use(last.handle);
}

stream_use adopt(nb::handle source, lifetime kind, gevt_context_t context) {
  if (PyLong_Check(source.ptr())) return adopt_number(number(source), context);
  static const attribute_name cuda_stream("cuda_stream"), stream_id("stream_id"), protocol("__cuda_stream__"),
      ptr("ptr");
  nb::object native = attribute(source, cuda_stream);
  const bool is_torch = native.is_valid();
  if (!is_torch && attribute(source, stream_id).is_valid()) {
    // A torch.Stream names torch's stream by a number of torch's own, which torch.cuda.Stream can read.
    nb::dict arguments;
    for (const char *name : {"stream_id", "device_index", "device_type"}) arguments[name] = source.attr(name);
    return adopt(nb::module_::import_("torch.cuda").attr("Stream")(**arguments), kind, context);
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
    throw nb::type_error("expected a stream: a gevt.Stream, an object with __cuda_stream__ or cuda_stream, or an int");
  }
  const int device = device_of(source);
  if (device < 0 || context != nullptr) return adopt_number(number(native), context);
  if (is_torch && kind == lifetime::may_be_kept) {
    return stream_use(kept_stream({gevt::backend::cuda, device, number(native)}));
  }
  try {
    return adopt_number(number(native), context_of(gevt::backend::cuda, device));
  } catch (const gevt::error &error) {
    // It may be of another context of its device, which is then the current one.
    if (error.detail() != GEVT_DETAIL_CONTEXT_MISMATCH) throw;
  }
  return adopt_number(number(native), nullptr);
}

stream_use stream_of(nb::handle source) {
  if (source.is_none()) return stream_use(nullptr);
  stream *own = nullptr;
  if (nb::try_cast<stream *>(source, own) && own != nullptr) return stream_use(own->get());
  return adopt(source, lifetime::may_be_kept);
}

} // namespace gevt_py
