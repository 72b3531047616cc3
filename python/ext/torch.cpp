// gevt.torch.Event, gevt.cuda.Event and gevt.mps.Event: the shapes of PyTorch's events.
#include "errors.hpp"
#include "event.hpp"
#include "gpu_trace.hpp"
#include "module.hpp"

#include <nanobind/stl/string.h>

#include <string>

namespace gevt_py {

using namespace nb::literals;

namespace {

// What an event of torch's shape adds to a handle.
struct torch_event : event {
  torch_event(gevt_event_t handle, bool is_bound, bool timing, gevt::backend backend, bool external = false) noexcept
      : event(handle, is_bound), timing(timing), external(external), backend(backend) {}

  const bool timing;
  // Whether a record and a wait in a capture become nodes of its graph.
  const bool external;
  // The backend that it was made for; automatic where its first stream decides.
  const gevt::backend backend;
  const traced_event traced;
};
struct cuda_event : torch_event {
  using torch_event::torch_event;
};
struct mps_event : event {
  using event::event;
};

const char *device_type(gevt::backend backend) {
  return backend == gevt::backend::host ? "cpu" : backend == gevt::backend::vulkan ? "vulkan" : "cuda";
}

// The CUevent, or on the host gevt's handle; 0 before the first record, as PyTorch makes its event there.
std::uintptr_t event_id(const torch_event &self) {
  const gevt_event_info_t info = self.info();
  if (info.backend == GEVT_BACKEND_AUTO) return 0;
  if (info.backend != GEVT_BACKEND_CUDA) return reinterpret_cast<std::uintptr_t>(self.get());
  unlocked released;
  return reinterpret_cast<std::uintptr_t>(self.ref().native_handle());
}

// The CUstream of an argument, or the handle of a gevt stream, for PyTorch's trace.
std::uintptr_t traced_stream(nb::handle stream) {
  if (stream.is_none()) return current_native_stream();
  if (nb::isinstance<gevt_py::stream>(stream)) {
    return reinterpret_cast<std::uintptr_t>(nb::cast<const gevt_py::stream &>(stream).get());
  }
  return nb::hasattr(stream, "cuda_stream") ? nb::cast<std::uintptr_t>(stream.attr("cuda_stream")) : 0;
}

// Whether PyTorch's trace hooks fire: the event has a CUevent, as PyTorch's event has after its first record.
bool is_traced(const torch_event &self) {
  if (!is_tracing()) return false;
  const gevt_event_info_t info = self.info();
  return info.backend == GEVT_BACKEND_CUDA && (info.record_count > 0 || info.imported != 0);
}

// The stream of an argument, as PyTorch has it: None is torch's current stream.
stream_use torch_stream(const torch_event &self, nb::handle stream) {
  if (!stream.is_none()) return stream_of(stream);
  if (self.backend == gevt::backend::host) return stream_use(default_stream_of(gevt::backend::host, 0));
  return current_stream();
}

// True for a call that is to be made again without the EXTERNAL flag, which a stream that is not captured refuses.
template <class Call>
void with_external(const torch_event &self, Call call) {
  if (self.external) {
    try {
      return call(true);
    } catch (const gevt::error &error) {
      if (error.detail() != GEVT_DETAIL_NOT_CAPTURING && error.code() != gevt::errc::not_supported) throw;
    }
  }
  call(false);
}

void torch_record(const torch_event &self, any_stream on) {
  const nb::handle stream = on.value;
  const stream_use used = torch_stream(self, stream);
  try {
    with_external(self, [&](bool external) { record(self, used, external); });
  } catch (const gevt::error &error) {
    if (error.detail() != GEVT_DETAIL_CONTEXT_MISMATCH) throw;
    const int device = self.info().device;
    // Where the stream is of: an event that is recorded on it is bound to that.
    const event probe(create(GEVT_EVENT_DISABLE_TIMING));
    record(probe, used, false);
    const int other = probe.info().device;
    if (device == other) throw;
    const std::string message = "Event device " + std::to_string(device) +
                                " does not match recording stream's device " + std::to_string(other) + ".";
    throw gevt::error(gevt::errc::invalid_handle, GEVT_DETAIL_CONTEXT_MISMATCH, message.c_str());
  }
  if (is_traced(self)) self.traced.recorded(event_id(self), traced_stream(stream), self.info().record_count == 1);
}

void torch_wait(const torch_event &self, any_stream stream) {
  const stream_use used = torch_stream(self, stream.value);
  with_external(self, [&](bool external) {
    unlocked released;
    used.ref().wait(self.ref(), external ? gevt::wait_flags::external : gevt::wait_flags::none);
  });
  if (is_traced(self)) self.traced.awaited(event_id(self), traced_stream(stream.value));
}

float torch_elapsed(const torch_event &self, const torch_event &end) {
  float ms = 0;
  const gevt_status_t status = gevt_elapsed(&ms, self.get(), end.get());
  if (status == GEVT_SUCCESS) return ms;
  if (status == GEVT_ERROR_NOT_READY) {
    throw std::runtime_error("Both events must be completed before calculating elapsed time.");
  }
  // Of several mistakes PyTorch names these first.
  if (status == GEVT_ERROR_INVALID_HANDLE && !self.is_closed() && !end.is_closed()) {
    if (!self.timing || !end.timing) {
      throw nb::value_error("Both events must be created with argument 'enable_timing=True'.");
    }
    if (gevt_last_detail() == GEVT_DETAIL_NOT_RECORDED) {
      throw nb::value_error("Both events must be recorded before calculating elapsed time.");
    }
  }
  fail(status);
}

nb::bytes ipc_handle(const torch_event &self) {
  try {
    return ipc_export(self);
  } catch (const gevt::error &error) {
    if (error.detail() != GEVT_DETAIL_NOT_EXPORTABLE) throw;
    // The first line is PyTorch's.
    const std::string message = std::string("CUDA error: invalid resource handle\n") + gevt_last_message();
    throw gevt::error(gevt::errc{error.code().value()}, error.detail(), message.c_str());
  }
}

void synchronize(const event &self) {
  unlocked released;
  self.ref().sync();
}

void torch_synchronize(const torch_event &self) {
  synchronize(self);
  if (is_traced(self)) self.traced.synchronized(event_id(self));
}

void torch_close(torch_event &self) {
  self.traced.ended();
  self.close();
}

// What repr() shows for it. Giving the CUevent out makes later queries dearer, so that is not it.
std::uintptr_t shown_id(const torch_event &self, const gevt_event_info_t &info) {
  return info.backend == GEVT_BACKEND_AUTO ? 0 : reinterpret_cast<std::uintptr_t>(self.get());
}

nb::object device_object(const char *type, int index) {
  return nb::module_::import_("gevt._device").attr("device")(type, index);
}

nb::object torch_device(const torch_event &self) {
  const gevt_event_info_t info = self.info();
  const auto backend = info.backend == GEVT_BACKEND_AUTO ? self.backend : gevt::backend{info.backend};
  return device_object(device_type(backend), backend == gevt::backend::host ? -1 : info.device);
}

nb::object cuda_device(const cuda_event &self) {
  const gevt_event_info_t info = self.info();
  return info.backend == GEVT_BACKEND_AUTO ? nb::none() : device_object("cuda", info.device);
}

nb::str torch_repr(const torch_event &self) {
  const gevt_event_info_t info = self.info();
  const auto backend = info.backend == GEVT_BACKEND_AUTO ? self.backend : gevt::backend{info.backend};
  return nb::str("torch.Event device_type={}, device_index={}, event_flag={}, event_id={}")
      .format(device_type(backend), info.device, self.timing ? 1 : 0, shown_id(self, info));
}

nb::str cuda_repr(const cuda_event &self) {
  const std::uintptr_t id = shown_id(self, self.info());
  return id == 0 ? nb::str("<torch.cuda.Event uninitialized>") : nb::str("<torch.cuda.Event {:#x}>").format(id);
}

// The backend and the number of what PyTorch takes for a device: None, "cuda:1", a torch.device, a number.
std::pair<gevt::backend, int> parse_device(nb::handle device) {
  const nb::object pair = nb::module_::import_("gevt._device").attr("parse")(device);
  return {static_cast<gevt::backend>(nb::cast<int>(pair[0])), nb::cast<int>(pair[1])};
}

// A new object of a class, or of one that a program derives from it. Like PyTorch's events it is whole once __new__ has returned, so
// that a derived class may have an __init__ with other arguments, and need not call this one's. `make` gives the handle.
template <class Event, class Make, class... Rest>
nb::object make_event(nb::handle type, Make make, Rest... rest) {
  // Kept for the process's life, as the class is.
  static const nb::handle own = nb::type<Event>();
  const bool is_derived = type.is(own) || (nb::type_check(type) && nb::type_info(type) == typeid(Event));
  if (!is_derived) throw nb::type_error("Event.__new__(): the first argument is not this class or one derived from it");
  nb::object self = nb::inst_alloc(type);
  new (nb::inst_ptr<Event>(self)) Event(make(), rest...);
  nb::inst_mark_ready(self);
  return self;
}

// Like object.__init__ of a class that defines __new__: the arguments were for __new__. Arguments that a derived class passes on
// come too late.
template <class Event>
void initialize(nb::handle self, nb::args arguments, nb::kwargs named) {
  if (arguments.size() + named.size() == 0) return;
  if (self.type().attr("__init__").is(nb::type<Event>().attr("__init__"))) return;
  throw nb::type_error("Event.__init__() takes no arguments: give them to Event.__new__()");
}

template <class Event>
nb::object from_ipc_handle(nb::handle type, nb::handle device, nb::bytes bytes) {
  if (bytes.size() != sizeof(gevt_ipc_handle_t)) {
    throw std::runtime_error("cudaIpcEventHandle_t expects byte-like object of size 64, but got " +
                             std::to_string(bytes.size()));
  }
  const auto [backend, index] = parse_device(device);
  const context context(
      [backend = backend, index = index] {
        unlocked released;
        return gevt::context(backend, index).release();
      }(),
      backend, index);
  return make_event<Event>(
      type, [&] { return ipc_import(std::move(bytes), context.get()); }, true, false, backend);
}

nb::object create_torch(nb::handle type, nb::handle device, truth enable_timing, truth blocking, truth interprocess) {
  gevt::backend backend = gevt::backend::automatic;
  if (!device.is_none()) backend = parse_device(device).first;
  const std::uint32_t flags = flags_of(enable_timing, blocking, interprocess);
  return make_event<torch_event>(
      type, [flags] { return create(flags); }, false, enable_timing, backend);
}

nb::object create_cuda(nb::handle type, truth enable_timing, truth blocking, truth interprocess, truth external) {
  const std::uint32_t flags = flags_of(enable_timing, blocking, interprocess);
  return make_event<cuda_event>(
      type, [flags] { return create(flags); }, false, enable_timing, gevt::backend::automatic, external);
}

// None is the default stream. PyTorch has streams of Macs only for the others.
stream_use mps_stream(nb::handle stream) {
  if (stream.is_none() || nb::isinstance<gevt_py::stream>(stream)) return stream_of(stream);
  const std::string type = nb::cast<std::string>(nb::str(stream.attr("device").attr("type")));
  throw std::runtime_error("expected an MPS stream, but got " + type);
}

void create_mps(mps_event *self, truth enable_timing) {
  new (self) mps_event(create(flags_of(enable_timing, false, false)));
}

double mps_elapsed(const mps_event &self, const mps_event &end) {
  {
    unlocked released;
    self.ref().sync();
    end.ref().sync();
  }
  std::int64_t ns = 0;
  if (const gevt_status_t status = gevt_elapsed_ns(&ns, self.get(), end.get())) fail(status);
  return static_cast<double>(ns) / 1e6;
}

template <class Event, class Class>
void define_from_ipc_handle(Class &type) {
  const nb::object function =
      nb::cpp_function(from_ipc_handle<Event>, nb::name("from_ipc_handle"), "cls"_a, "device"_a, "handle"_a,
                       nb::sig("def from_ipc_handle(cls, device: typing.Any, handle: bytes) -> typing_extensions.Self"),
                       "Opens an event of another process on a device.");
  type.attr("from_ipc_handle") = nb::module_::import_("builtins").attr("classmethod")(function);
}

} // namespace

void add_torch(nb::module_ &module) {
  nb::class_<torch_event, event> torch(module, "TorchEvent", nb::pooled(), "An event in the shape of torch.Event.");
  torch
      .def_static("__new__", create_torch, "cls"_a, "device"_a = nb::none(), nb::kw_only(), "enable_timing"_a = truth{},
                  "blocking"_a = truth{}, "interprocess"_a = truth{})
      .def("__init__", initialize<torch_event>,
           nb::sig("def __init__(self, *arguments: object, **named: object) -> None"))
      .def("record", torch_record, "stream"_a = nb::none(),
           "Records the event on a stream; None is PyTorch's current stream.")
      .def("wait", torch_wait, "stream"_a = nb::none(),
           "Makes all work that is submitted to the stream from now on wait for the event; None is PyTorch's current "
           "stream.")
      .def("elapsed_time", torch_elapsed, "end_event"_a,
           "Returns the milliseconds from this event's record to that of ``end_event``.")
      .def("synchronize", torch_synchronize, "Blocks until the last record is complete.")
      .def("ipc_handle", ipc_handle, "Returns the bytes with which other processes can open the event.")
      .def("close", torch_close, "Destroys the event. Waits for it are not disturbed.")
      .def_prop_ro("event_id", event_id, "The CUevent, on the host gevt's handle; 0 before the first record.")
      .def_prop_ro("device", torch_device, nb::for_getter(nb::sig("def device(self) -> typing.Any")),
                   "The device of the event: a torch.device if PyTorch is imported.")
      .def("__repr__", torch_repr);
  define_from_ipc_handle<torch_event>(torch);

  // PyTorch's class is Python code, and its objects take any attribute.
  nb::class_<cuda_event, torch_event> cuda(module, "CudaEvent", nb::dynamic_attr(), nb::pooled(),
                                           "An event in the shape of torch.cuda.Event.");
  cuda.def_static("__new__", create_cuda, "cls"_a, "enable_timing"_a = truth{}, "blocking"_a = truth{},
                  "interprocess"_a = truth{}, "external"_a = truth{})
      .def("__init__", initialize<cuda_event>,
           nb::sig("def __init__(self, *arguments: object, **named: object) -> None"))
      .def_prop_ro("cuda_event", event_id, "The CUevent, on the host gevt's handle; 0 before the first record.")
      .def_prop_ro(
          "_as_parameter_",
          [](const cuda_event &self) { return nb::module_::import_("ctypes").attr("c_void_p")(event_id(self)); },
          nb::for_getter(nb::sig("def _as_parameter_(self) -> typing.Any")))
      .def_prop_ro("device", cuda_device, nb::for_getter(nb::sig("def device(self) -> typing.Any")),
                   "The device of the event; None before the first record.")
      .def(
          "__reduce__",
          [](nb::handle self) {
            if ((nb::cast<const event &>(self).info().flags & GEVT_EVENT_INTERPROCESS) == 0) {
              throw nb::type_error("cannot pickle 'Event' object: it was created without interprocess=True");
            }
            // The export binds an event that was never recorded, and so comes before the device.
            const nb::object handle = self.attr("ipc_handle")();
            const gevt_event_info_t info = nb::cast<const event &>(self).info();
            // Also on the host, in a process for which "cuda" is the GPU.
            nb::object device = self.attr("device");
            if (info.backend == GEVT_BACKEND_HOST) device = nb::str("cpu:{}").format(info.device);
            return nb::make_tuple(nb::module_::import_("gevt._device").attr("rebuild"),
                                  nb::make_tuple(self.type(), device, handle));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
      .def("__repr__", cuda_repr);
  define_from_ipc_handle<cuda_event>(cuda);

  nb::class_<mps_event, event> mps(
      module, "MpsEvent", "An event in the shape of torch.mps.Event, on the default stream of the current context.");
  mps.def("__init__", create_mps, "enable_timing"_a = truth{})
      .def(
          "record", [](const mps_event &self, any_stream stream) { record(self, mps_stream(stream.value), false); },
          "stream"_a = nb::none(), "Records the event on a stream; None is the default stream.")
      .def(
          "wait",
          [](const mps_event &self, any_stream stream) {
            const stream_use used = mps_stream(stream.value);
            unlocked released;
            used.ref().wait(self.ref());
          },
          "stream"_a = nb::none(), "Makes all work that is submitted to the stream from now on wait for the event.")
      .def("synchronize", synchronize, "Blocks until the last record is complete.")
      .def("elapsed_time", mps_elapsed, "end_event"_a,
           "Waits for both events, and returns the milliseconds from this event's record to that of ``end_event``.");
}

} // namespace gevt_py
