#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "param/describe.h"

namespace rtsim {

// A sweep as its file gives it.

enum class Spacing { linear, log };

// One parameter and the values that it takes: a list, or a range.
struct AxisSpec {
  std::string name;                 // the last key of the first pointer unless given
  std::vector<std::string> set;     // JSON pointers into the scene
  std::vector<std::string> values;  // each as JSON
  std::optional<double> from, to, step;
  std::optional<int> count;
  Spacing spacing = Spacing::linear;
};

// One parameter that is drawn.
struct DrawnAxisSpec {
  enum class Distribution { uniform, log_uniform, normal };
  std::string name;
  std::vector<std::string> set;
  Distribution distribution = Distribution::uniform;
  std::optional<double> from, to;         // uniform, log_uniform
  std::optional<double> mean, deviation;  // normal
  bool whole = false;                     // uniform: whole numbers, both ends included
};

struct DrawSpec {
  int count = 0;
  std::int64_t seed = 0;
  std::vector<DrawnAxisSpec> axes;
};

// An entry of "axes": one axis, several that go in step, or several that are drawn.
struct AxisEntry {
  AxisSpec axis;
  std::vector<AxisSpec> zip;
  std::optional<DrawSpec> random, latin_hypercube;
};

struct SweepSpec {
  int version = 0;
  FileName scene;
  std::vector<AxisEntry> axes;
  std::vector<std::string> where;
  std::string case_name;  // "{nu}-{spacing}"; empty: as case_names.h says
};

void describe(Describe&, AxisSpec&);
void describe(Describe&, DrawnAxisSpec&);
void describe(Describe&, DrawSpec&);
void describe(Describe&, AxisEntry&);
void describe(Describe&, SweepSpec&);

}  // namespace rtsim
