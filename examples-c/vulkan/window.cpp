#include "window.hpp"

#include <cstdlib>

#include <dlfcn.h>

// The few declarations of Xlib that the program needs. The library is loaded when the program runs.
using Display = struct XDisplay;
using XWindow = unsigned long;
using VisualID = unsigned long;
#define Window XWindow
#include <vulkan/vulkan_xlib.h>
#undef Window

namespace {

class Headless : public Window {
public:
  explicit Headless(VkExtent2D size) : size_(size) {}
  const char *extension() const override { return VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME; }
  VkExtent2D size() const override { return size_; }
  void resize(VkExtent2D size) override { size_ = size; }

  VkSurfaceKHR create_surface(VkInstance instance) const override {
    const auto create =
        reinterpret_cast<PFN_vkCreateHeadlessSurfaceEXT>(vkGetInstanceProcAddr(instance, "vkCreateHeadlessSurfaceEXT"));
    VkHeadlessSurfaceCreateInfoEXT info = {};
    info.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT;
    VkSurfaceKHR surface = VK_NULL_HANDLE;
    check(create(instance, &info, nullptr, &surface), "vkCreateHeadlessSurfaceEXT");
    return surface;
  }

private:
  VkExtent2D size_;
};

// A function of libX11.so.6. The library stays loaded, as Vulkan's driver uses it as well.
template <class Function>
Function *x11(const char *name) {
  static void *const library = dlopen("libX11.so.6", RTLD_NOW);
  void *const symbol = library == nullptr ? nullptr : dlsym(library, name);
  if (symbol == nullptr) throw Unsupported("there is no libX11.so.6");
  return reinterpret_cast<Function *>(symbol);
}

class X11 : public Window {
public:
  explicit X11(VkExtent2D size) : display_(x11<Display *(const char *)>("XOpenDisplay")(nullptr)) {
    if (display_ == nullptr) throw Unsupported("the display cannot be opened");
    const XWindow root = x11<XWindow(Display *)>("XDefaultRootWindow")(display_);
    window_ = x11<XWindow(Display *, XWindow, int, int, unsigned, unsigned, unsigned, unsigned long, unsigned long)>(
        "XCreateSimpleWindow")(display_, root, 0, 0, size.width, size.height, 0, 0, 0);
    x11<int(Display *, XWindow)>("XMapWindow")(display_, window_);
    x11<int(Display *, int)>("XSync")(display_, 0);
  }
  ~X11() override { x11<int(Display *)>("XCloseDisplay")(display_); }
  const char *extension() const override { return VK_KHR_XLIB_SURFACE_EXTENSION_NAME; }

  VkExtent2D size() const override {
    XWindow root = 0;
    int x = 0, y = 0;
    unsigned width = 0, height = 0, border = 0, depth = 0;
    x11<int(Display *, XWindow, XWindow *, int *, int *, unsigned *, unsigned *, unsigned *, unsigned *)>(
        "XGetGeometry")(display_, window_, &root, &x, &y, &width, &height, &border, &depth);
    return {width, height};
  }

  void resize(VkExtent2D size) override {
    x11<int(Display *, XWindow, unsigned, unsigned)>("XResizeWindow")(display_, window_, size.width, size.height);
    x11<int(Display *, int)>("XSync")(display_, 0);
  }

  VkSurfaceKHR create_surface(VkInstance instance) const override {
    const auto create =
        reinterpret_cast<PFN_vkCreateXlibSurfaceKHR>(vkGetInstanceProcAddr(instance, "vkCreateXlibSurfaceKHR"));
    VkXlibSurfaceCreateInfoKHR info = {};
    info.sType = VK_STRUCTURE_TYPE_XLIB_SURFACE_CREATE_INFO_KHR;
    info.dpy = display_;
    info.window = window_;
    VkSurfaceKHR surface = VK_NULL_HANDLE;
    check(create(instance, &info, nullptr, &surface), "vkCreateXlibSurfaceKHR");
    return surface;
  }

private:
  Display *const display_;
  XWindow window_ = 0;
};

} // namespace

std::unique_ptr<Window> Window::open(VkExtent2D size) {
  if (std::getenv("DISPLAY") == nullptr) return std::make_unique<Headless>(size);
  return std::make_unique<X11>(size);
}
