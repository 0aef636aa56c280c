#include "sweep/points.h"

#include <fmt/format.h>

#include <cctype>

#include "sweep/draws.h"

namespace rtsim {
namespace {

// "/objects/0/spacing" is called spacing, "/gravity/1" gravity_1.
std::string last_key(const std::string& pointer) {
  const auto slash = pointer.rfind('/');
  std::string key = pointer.substr(slash + 1);
  if (slash > 0 && !key.empty() && key.find_first_not_of("0123456789") == key.npos)
    return last_key(pointer.substr(0, slash)) + "_" + key;
  for (char& c : key)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return key;
}

bool is_name(const std::string& name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
  for (const char c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  return true;
}

SweepParameter parameter(const std::string& name, const std::vector<std::string>& set,
                         const std::string& pointer, std::vector<Problem>& problems) {
  SweepParameter p{name.empty() && !set.empty() ? last_key(set.front()) : name, set};
  if (!set.empty() && !is_name(p.name))
    problems.push_back({name.empty() ? pointer : pointer + "/name",
                        fmt::format("\"{}\" is no name: give one of letters, digits and _ that "
                                    "starts with a letter",
                                    p.name)});
  return p;
}

std::vector<PointValue> column(const AxisSpec& a, const std::string& pointer) {
  const std::vector<std::string> values = values_of(a);
  std::vector<PointValue> column;
  for (std::size_t i = 0; i < values.size(); ++i)
    column.push_back(
        {values[i], a.values.empty() ? pointer : fmt::format("{}/values/{}", pointer, i)});
  return column;
}

AxisPoints single(const AxisSpec& a, const std::string& pointer, std::vector<Problem>& problems) {
  AxisPoints all{{parameter(a.name, a.set, pointer, problems)}, {}};
  for (const PointValue& v : column(a, pointer)) all.points.push_back({v});
  return all;
}

AxisPoints zipped(const std::vector<AxisSpec>& axes, const std::string& pointer,
                  std::vector<Problem>& problems) {
  AxisPoints all;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::string here = fmt::format("{}/{}", pointer, k);
    all.parameters.push_back(parameter(axes[k].name, axes[k].set, here, problems));
    const std::vector<PointValue> values = column(axes[k], here);
    if (k == 0) all.points.resize(values.size());
    if (values.size() != all.points.size())
      problems.push_back({here, fmt::format("has {} values, the first axis of the zip {}",
                                            values.size(), all.points.size())});
    for (std::size_t i = 0; i < std::min(values.size(), all.points.size()); ++i)
      all.points[i].push_back(values[i]);
  }
  return all;
}

AxisPoints drawn(const DrawSpec& s, bool latin, const std::string& pointer,
                 std::vector<Problem>& problems) {
  AxisPoints all;
  std::vector<std::string> names, places;
  for (std::size_t k = 0; k < s.axes.size(); ++k) {
    places.push_back(fmt::format("{}/axes/{}", pointer, k));
    all.parameters.push_back(parameter(s.axes[k].name, s.axes[k].set, places.back(), problems));
    names.push_back(all.parameters.back().name);
  }
  const auto grid = latin ? latin_hypercube(s, names) : std::vector<std::vector<std::string>>{};
  for (int i = 0; i < s.count; ++i) {
    const auto draw = latin ? grid[std::size_t(i)] : random_draw(s, names, i);
    Point& p = all.points.emplace_back();
    for (std::size_t k = 0; k < draw.size(); ++k) p.push_back({draw[k], places[k]});
  }
  return all;
}

}  // namespace

AxisPoints points_of(const AxisEntry& e, const std::string& pointer,
                     std::vector<Problem>& problems) {
  if (!e.zip.empty()) return zipped(e.zip, pointer + "/zip", problems);
  if (e.random) return drawn(*e.random, false, pointer + "/random", problems);
  if (e.latin_hypercube)
    return drawn(*e.latin_hypercube, true, pointer + "/latin_hypercube", problems);
  return single(e.axis, pointer, problems);
}

}  // namespace rtsim
