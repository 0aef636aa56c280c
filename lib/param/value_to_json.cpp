#include "param/value_to_json.h"

#include <nlohmann/json.hpp>

#include "param/field_text.h"

namespace rtsim {

using nlohmann::ordered_json;

namespace {

struct ToJson {
  int entries;

  ordered_json operator()(const Vec3d* v) const {
    ordered_json list = ordered_json::array();
    for (int i = 0; i < entries; ++i) list.push_back((*v)[i]);
    return list;
  }
  ordered_json operator()(const std::vector<Vec3d>* v) const {
    ordered_json list = ordered_json::array();
    for (const Vec3d& x : *v) list.push_back((*this)(&x));
    return list;
  }
  ordered_json operator()(const ObjectName* v) const { return v->name; }
  ordered_json operator()(const ObjectNames* v) const { return v->names; }
  ordered_json operator()(const FileName* v) const { return v->path; }
  ordered_json operator()(const FileSequence* v) const { return v->pattern; }
  ordered_json operator()(const FramesOrTime* v) const {
    if (v->frames) return *v->frames;
    return v->seconds ? ordered_json(interval_text(*v)) : ordered_json();
  }
  template <class T>
  ordered_json operator()(const std::optional<T>* v) const {
    return *v ? ordered_json(**v) : ordered_json();
  }
  template <class T>
  ordered_json operator()(const T* v) const {
    return *v;
  }
};

}  // namespace

ordered_json value_json(const Describe::Value& v, int dim) {
  return std::visit(ToJson{dim == 2 ? 2 : 3}, v);
}

}  // namespace rtsim
