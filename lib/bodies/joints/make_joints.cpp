#include "bodies/joints/make_joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/nearest.h"

namespace rtsim {

using rigid::Drive;
using rigid::DriveKind;
using rigid::JointKind;

namespace {

struct Rows {
  int first = -1, count = 1;
};

// "links", "links[2]" or "links[-1]".
struct Reference {
  std::string name;
  std::optional<int> copy;
};
Reference parse(const std::string& text) {
  const std::size_t open = text.find('[');
  if (open == std::string::npos || !text.ends_with(']')) return {text, {}};
  int copy = 0;
  const char *begin = text.data() + open + 1, *end = text.data() + text.size() - 1;
  const auto read = std::from_chars(begin, end, copy);
  if (read.ec != std::errc() || read.ptr != end) return {text, {}};
  return {text.substr(0, open), copy};
}

// The rows that one entry joins: add(row of a, of b, the one that copies move with, its first).
template <class Add>
void each_pair(const Rows& a, const Rows& b, const Add& add) {
  if (a.first == b.first && a.count == b.count) {
    for (int k = a.first; k + 1 < a.first + a.count; ++k) add(k, k + 1, k, a.first);
    return;
  }
  for (int k = 0; k < std::max(a.count, b.count); ++k) {
    const int row_a = a.first + (a.count > 1 ? k : 0), row_b = b.first + (b.count > 1 ? k : 0);
    a.count > 1 || b.count == 1 ? add(row_a, row_b, row_a, a.first)
                                : add(row_a, row_b, row_b, b.first);
  }
}

class Maker {
 public:
  Maker(const JointSpec& spec, MadeBodies& made) : spec_(spec), made_(made) {}

  std::vector<JointProblem> make() {
    const std::optional<Rows> a = find("a", spec_.a);
    const std::optional<Rows> b = spec_.b.empty() ? Rows{} : find("b", spec_.b);
    if (a && b) pair(*a, *b);
    check_start();
    if (!problems_.empty()) return problems_;
    for (JointStart& j : joints_) {
      if (joints_.size() == 1) j.name = spec_.name;
      made_.set.joints.push_back(j);
    }
    return {};
  }

 private:
  void fault(const char* key, std::string message) {
    problems_.push_back({key, std::move(message)});
  }
  std::optional<Rows> find(const char* key, const std::string& text) {
    const Reference r = parse(text);
    std::vector<std::string> known;
    for (const BodySet::Named& n : made_.set.names) {
      known.push_back(n.name);
      if (n.name != r.name) continue;
      if (!r.copy) return Rows{n.first, n.count};
      const int copy = *r.copy < 0 ? *r.copy + n.count : *r.copy;
      if (copy >= 0 && copy < n.count) return Rows{n.first + copy, 1};
      fault(key, fmt::format("'{}' has {} copies, [0] to [{}]", r.name, n.count, n.count - 1));
      return {};
    }
    fault(key,
          fmt::format("there is no body '{}' in this object{}", r.name,
                      known.empty() ? "; give bodies a \"name\"" : did_you_mean(r.name, known)));
    return {};
  }
  void pair(const Rows& a, const Rows& b) {
    if (a.first == b.first && a.count == b.count && a.count == 1)
      return fault("b", fmt::format("'{}' cannot be joined to itself", spec_.b));
    if (a.count != b.count && a.count != 1 && b.count != 1)
      return fault("b", fmt::format("has {} copies and \"a\" has {}; give both as many, or name "
                                    "one copy, as in \"{}[0]\"",
                                    b.count, a.count, spec_.b));
    each_pair(a, b,
              [&](int row_a, int row_b, int moved, int first) { add(row_a, row_b, moved, first); });
  }
  // Shifted as the row `moved` is from the first of the copies.
  void add(int a, int b, int moved, int first) {
    const auto& bodies = made_.bodies;
    const Vec3d shift = bodies[std::size_t(moved)].position - bodies[std::size_t(first)].position;
    JointStart j{"",     spec_.kind,    a,     b, spec_.at + shift, spec_.to + shift,
                 axis(), spec_.collide, false, {}};
    if (b < 0) std::swap(j.a, j.b), std::swap(j.at, j.to);
    if (spec_.kind != JointKind::distance) j.at = spec_.at + shift;
    fill_drives(j);
    joints_.push_back(j);
  }
  Vec3d axis() const { return dot(spec_.axis, spec_.axis) > 0 ? spec_.axis : Vec3d{{0, 0, 1}}; }

  static void limit(const std::vector<double>& pair, Drive& d) {
    if (pair.size() == 2) d.low = pair[0], d.high = pair[1];
  }
  void fill_drives(JointStart& j) const {
    Drive& d = j.drive[0];
    const double start = j.kind == JointKind::distance ? norm(j.to - j.at) : 0;
    limit(j.kind == JointKind::ball ? spec_.twist : spec_.limits, d);
    if (j.kind == JointKind::distance && !(d.low > 0)) d.low = Drive{}.low;  // none is less
    if (spec_.cone || !spec_.twist.empty()) j.drive[1].high = spec_.cone.value_or(widest_twisting);
    if (spec_.motor)
      d.kind = DriveKind::motor, d.speed = spec_.motor->speed, d.strength = spec_.motor->strength;
    for (int k = 0; spec_.spring && k < (j.kind == JointKind::ball ? 3 : 1); ++k) {
      Drive& s = j.drive[k];
      s.kind = DriveKind::spring, s.stiffness = spec_.spring->stiffness;
      s.damping = spec_.spring->damping, s.rest = spec_.spring->rest.value_or(start);
    }
    j.stays =
        j.kind == JointKind::distance && !spec_.motor && !spec_.spring && spec_.limits.empty();
  }
  void check_start() {
    const bool distance = spec_.kind == JointKind::distance;
    const double start = distance ? norm(spec_.to - spec_.at) : 0;
    const double rounding = 1e-9 * start;  // a rope may start taut
    for (const auto& [key, pair] : {std::pair{"limits", &spec_.limits}, {"twist", &spec_.twist}})
      if (pair->size() == 2 && ((*pair)[0] > start + rounding || (*pair)[1] < start - rounding))
        fault(key,
              fmt::format("are [{}, {}], but the joint starts at {:.6g}{}", (*pair)[0], (*pair)[1],
                          start, distance ? "" : ", as they are counted from there"));
  }

  const JointSpec& spec_;
  MadeBodies& made_;
  std::vector<JointStart> joints_;
  std::vector<JointProblem> problems_;
};

}  // namespace

std::vector<JointProblem> make_joints(const JointSpec& spec, MadeBodies& made) {
  return Maker(spec, made).make();
}

std::vector<JointEnds> estimate_joints(const BodiesSpec& spec, int dim) {
  const auto rows_of = [&](const std::string& text) {
    const Reference r = parse(text);
    Rows rows{0, 0};
    for (const BodySpec& b : spec.list) {
      rows.count = int(estimate_rows(b, dim));
      if (b.name == r.name) break;
      rows.first += rows.count, rows.count = 0;
    }
    if (r.copy && rows.count > 0)
      return Rows{rows.first + (*r.copy < 0 ? *r.copy + rows.count : *r.copy), 1};
    return rows;
  };
  std::vector<JointEnds> all;
  for (const JointSpec& j : spec.joints) {
    const Rows a = rows_of(j.a), b = j.b.empty() ? Rows{} : rows_of(j.b);
    if (a.count == 0 || b.count == 0) continue;
    each_pair(a, b, [&](int row_a, int row_b, int, int) {
      all.push_back(row_b < 0 ? JointEnds{row_b, row_a} : JointEnds{row_a, row_b});
    });
  }
  return all;
}

}  // namespace rtsim
