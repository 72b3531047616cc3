#include "scene.hpp"

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace {

constexpr float kRadians = kPi / 180.0f;

class Reader {
public:
  explicit Reader(const std::string &path) : path_(path), file_(path) {
    if (!file_) {
      throw std::runtime_error(path + ": cannot be read");
    }
  }

  Scene read() {
    std::string text;
    while (std::getline(file_, text)) {
      line_number_++;
      line_ = std::istringstream(text.substr(0, text.find('#')));
      std::string keyword;
      if (line_ >> keyword) {
        statement(keyword);
        if (line_ >> keyword) {
          fail("too much on the line: " + keyword);
        }
      }
    }
    for (size_t i = 0; i < scene_.spheres.size(); i++) {
      if (scene_.materials[static_cast<size_t>(scene_.spheres[i].material)].finish == Finish::Light) {
        scene_.lamps.push_back(static_cast<int>(i));
      }
    }
    return scene_;
  }

private:
  void statement(const std::string &keyword) {
    if (keyword == "camera") {
      scene_.camera.from = vector("position");
      scene_.camera.target = vector("target");
      scene_.camera.view_degrees = positive("angle of view");
    } else if (keyword == "orbit") {
      scene_.camera.orbit_degrees = number("angle");
    } else if (keyword == "sky") {
      scene_.zenith = vector("colour overhead");
      scene_.horizon = vector("colour at the horizon");
    } else if (keyword == "exposure") {
      scene_.exposure = positive("factor");
    } else if (keyword == "material") {
      material();
    } else if (keyword == "sphere") {
      Sphere sphere;
      sphere.centre = vector("centre");
      sphere.radius = positive("radius");
      sphere.material = material_named();
      scene_.spheres.push_back(sphere);
    } else if (keyword == "plane") {
      Plane plane;
      plane.normal = vector("normal");
      if (!(length(plane.normal) > 0)) {
        fail("the normal has no length");
      }
      plane.normal = normalize(plane.normal);
      plane.distance = number("distance");
      plane.material = material_named();
      scene_.planes.push_back(plane);
    } else if (keyword == "box") {
      box();
    } else {
      fail("unknown keyword " + keyword);
    }
  }

  void material() {
    const std::string name = word("name"), finish = word("finish");
    Material material;
    material.colour = vector("colour");
    if (finish == "matte") {
      material.finish = Finish::Matte;
    } else if (finish == "checker") {
      material.finish = Finish::Checker;
      material.second = vector("second colour");
      material.number = positive("side of a square");
    } else if (finish == "gloss") {
      material.finish = Finish::Gloss;
    } else if (finish == "metal") {
      material.finish = Finish::Metal;
      material.number = number("roughness");
    } else if (finish == "glass") {
      material.finish = Finish::Glass;
      material.number = positive("index of refraction");
    } else if (finish == "light") {
      material.finish = Finish::Light;
    } else {
      fail("unknown finish " + finish);
    }
    if (!names_.emplace(name, static_cast<int>(scene_.materials.size())).second) {
      fail("a second material named " + name);
    }
    scene_.materials.push_back(material);
  }

  void box() {
    Box box;
    box.centre = vector("centre");
    box.half = {positive("width") / 2, positive("height") / 2, positive("depth") / 2};
    const float turn = number("turn") * kRadians;
    box.cosine = std::cos(turn);
    box.sine = std::sin(turn);
    box.material = material_named();
    scene_.boxes.push_back(box);
  }

  std::string word(const char *what) {
    std::string text;
    if (!(line_ >> text)) {
      fail(std::string("missing: ") + what);
    }
    return text;
  }

  float number(const char *what) {
    float value = 0;
    if (!(line_ >> value)) {
      fail(std::string("missing or no number: ") + what);
    }
    return value;
  }

  float positive(const char *what) {
    const float value = number(what);
    if (!(value > 0)) {
      fail(std::string("must be above 0: ") + what);
    }
    return value;
  }

  Vec3 vector(const char *what) {
    const float x = number(what), y = number(what), z = number(what);
    return {x, y, z};
  }

  int material_named() {
    const std::string name = word("material");
    const auto found = names_.find(name);
    if (found == names_.end()) {
      fail("no material is named " + name);
    }
    return found->second;
  }

  [[noreturn]] void fail(const std::string &what) const {
    throw std::runtime_error(path_ + ":" + std::to_string(line_number_) + ": " + what);
  }

  std::string path_;
  std::ifstream file_;
  std::istringstream line_;
  int line_number_ = 0;
  Scene scene_;
  std::map<std::string, int> names_;
};

template <class Item>
List<Item> list_of(const std::vector<Item> &items) {
  return {items.data(), items.size()};
}

} // namespace

SceneView Scene::view() const {
  return {camera,           zenith,          horizon,        exposure,      list_of(materials),
          list_of(spheres), list_of(planes), list_of(boxes), list_of(lamps)};
}

Scene read_scene(const std::string &path) {
  return Reader(path).read();
}
