#include "sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/input_file.h"
#include "param/json_reader.h"
#include "sweep/condition.h"
#include "sweep/points.h"

namespace rtsim {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr double most_cases = 100000;

// Values may be of any kind, so the reader gets each as its text; a pointer is a list of one.
void normalise_axis(json& axis, const std::string& pointer, std::vector<Problem>& problems) {
  if (!axis.is_object()) return;
  if (axis.contains("set") && axis["set"].is_string()) axis["set"] = json::array({axis["set"]});
  if (!axis.contains("values")) return;
  json& values = axis["values"];
  if (values.is_array()) {
    for (json& value : values) value = value.dump();
    return;
  }
  problems.push_back({pointer + "/values", "must be a list of values, got " + short_text(values)});
  values = json::array({"0"});
}

void normalise_list(json& parent, const char* key, const std::string& pointer,
                    std::vector<Problem>& problems) {
  if (!parent.is_object() || !parent.contains(key) || !parent[key].is_array()) return;
  for (std::size_t i = 0; i < parent[key].size(); ++i) {
    json& entry = parent[key][i];
    const std::string here = fmt::format("{}/{}/{}", pointer, key, i);
    normalise_axis(entry, here, problems);
    if (!entry.is_object()) continue;
    normalise_list(entry, "zip", here, problems);
    for (const char* draw : {"random", "latin_hypercube"})
      if (entry.contains(draw))
        normalise_list(entry[draw], "axes", fmt::format("{}/{}", here, draw), problems);
  }
}

// Every combination, the last entry fastest.
std::vector<Point> product(const std::vector<AxisPoints>& axes) {
  std::vector<Point> all{{}};
  for (const AxisPoints& axis : axes) {
    std::vector<Point> longer;
    for (const Point& begun : all)
      for (const Point& p : axis.points) {
        longer.push_back(begun);
        longer.back().insert(longer.back().end(), p.begin(), p.end());
      }
    all = std::move(longer);
  }
  return all;
}

Operand operand(const std::string& text) {
  const json value = json::parse(text);
  if (value.is_number()) return value.get<double>();
  if (value.is_boolean()) return value.get<bool>() ? 1.0 : 0.0;
  return value.is_string() ? value.get<std::string>() : text;
}

class Expansion {
 public:
  Expansion(const SweepSpec& spec, Sweep& sweep, std::vector<Problem>& problems)
      : spec_(spec), sweep_(sweep), problems_(problems) {}

  void run() {
    std::vector<AxisPoints> axes;
    double cases = 1;
    for (std::size_t i = 0; i < spec_.axes.size(); ++i) {
      axes.push_back(points_of(spec_.axes[i], fmt::format("/axes/{}", i), problems_));
      for (const SweepParameter& p : axes.back().parameters) sweep_.parameters.push_back(p);
      cases *= double(axes.back().points.size());
    }
    check_names();
    if (cases > most_cases)
      problems_.push_back(
          {"/axes", fmt::format("make {:.0f} cases; {:.0f} are the most", cases, most_cases)});
    if (!problems_.empty()) return;
    read_conditions();
    if (!problems_.empty()) return;
    for (const Point& p : product(axes)) keep(p);
    if (sweep_.cases.empty() && problems_.empty())
      problems_.push_back({"/where", "no case meets all conditions"});
  }

 private:
  void check_names() {
    std::set<std::string> names, pointers;
    for (const SweepParameter& p : sweep_.parameters) {
      if (!names.insert(p.name).second)
        problems_.push_back(
            {"/axes",
             fmt::format("two axes are called \"{}\": give one of them a \"name\"", p.name)});
      if (p.name == "case")
        problems_.push_back({"/axes",
                             "no axis may be called \"case\", as tables call the names of cases: "
                             "give it another \"name\""});
      for (const std::string& pointer : p.pointers)
        if (!pointers.insert(pointer).second)
          problems_.push_back({"/axes", fmt::format("two axes set {}", pointer)});
    }
  }

  void read_conditions() {
    std::vector<std::string> names;
    for (const SweepParameter& p : sweep_.parameters) names.push_back(p.name);
    for (std::size_t i = 0; i < spec_.where.size(); ++i) {
      try {
        conditions_.emplace_back(spec_.where[i], names);
      } catch (const Error& e) {
        problems_.push_back({fmt::format("/where/{}", i), e.what()});
      }
    }
  }

  bool holds(const Point& p) {
    for (std::size_t i = 0; i < conditions_.size(); ++i) {
      try {
        if (!conditions_[i].holds([&](std::size_t k) { return operand(p[k].json); })) return false;
      } catch (const Error& e) {
        problems_.push_back({fmt::format("/where/{}", i), e.what()});
        conditions_.clear();
        return false;
      }
    }
    return true;
  }

  void keep(const Point& p) {
    if (!problems_.empty() || !holds(p)) return;
    SweepCase c;
    for (std::size_t k = 0; k < p.size(); ++k) {
      c.values.push_back(p[k].json);
      for (const std::string& pointer : sweep_.parameters[k].pointers) {
        c.set.push_back(pointer + "=" + p[k].json);
        c.at.push_back(p[k].at);
      }
    }
    c.name = name(c.values);
    const auto [first, is_new] = names_.try_emplace(c.name, c.values);
    if (!is_new)
      problems_.push_back({spec_.case_name.empty() ? "/axes" : "/case_name",
                           fmt::format("two cases are called \"{}\": {} and {}", c.name,
                                       fmt::join(first->second, ", "), fmt::join(c.values, ", "))});
    sweep_.cases.push_back(std::move(c));
  }

  // "run-{nu}" with the values of this case.
  std::string name(const std::vector<std::string>& values) {
    if (spec_.case_name.empty()) return case_name(sweep_.parameters, values);
    std::string name = spec_.case_name;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::string whole = case_name({sweep_.parameters[k]}, {values[k]});
      const std::string word = whole.substr(sweep_.parameters[k].name.size() + 1);
      const std::string hole = "{" + sweep_.parameters[k].name + "}";
      for (auto at = name.find(hole); at != name.npos; at = name.find(hole, at + word.size()))
        name.replace(at, hole.size(), word);
    }
    const bool folder = name.find_first_of("{}/\n") == name.npos && !name.starts_with('.') &&
                        !name.starts_with('-');
    if (!folder)
      problems_.push_back(
          {"/case_name", fmt::format("\"{}\" is no name of a folder; {{axis}} stands for the value "
                                     "of an axis",
                                     name)});
    constexpr std::size_t longest = 255;  // [bytes], of Linux' file systems
    if (name.size() > longest)
      problems_.push_back({"/case_name", fmt::format("\"{}\" has {} bytes; names of folders have "
                                                     "at most {}",
                                                     name, name.size(), longest)});
    return name;
  }

  const SweepSpec& spec_;
  Sweep& sweep_;
  std::vector<Problem>& problems_;
  std::vector<Condition> conditions_;
  std::map<std::string, std::vector<std::string>> names_;
};

std::string sweep_text(const fs::path& path) { return read_input(path, largest_text); }

}  // namespace

Sweep read_sweep(const fs::path& path) {
  Sweep sweep;
  sweep.file = fs::absolute(path).lexically_normal();
  sweep.source = parse_json(sweep_text(path), path.string());
  ReadLog log{.dim = 3,
              .folder = sweep.file.parent_path(),
              .problems = sweep.source.problems,
              .uses = {},
              .files = {}};
  SweepSpec spec;
  if (sweep.source.value) {
    if (sweep.source.value->is_object()) sweep.source.value->erase("$schema");  // for editors
    normalise_list(*sweep.source.value, "axes", "", log.problems);
    read_json(*sweep.source.value, "", log, [&](Describe& d) { describe(d, spec); });
    if (log.problems.empty()) Expansion(spec, sweep, log.problems).run();
  }
  if (!log.problems.empty()) throw Error(ExitCode::bad_input, sweep.source.lines(log.problems));
  sweep.scene = spec.scene.path;
  return sweep;
}

}  // namespace rtsim
