#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cache/durable.h"
#include "convert/columns.h"
#include "convert/dataset.h"
#include "convert/in_order.h"
#include "convert/moving_points.h"
#include "convert/pickle.h"
#include "convert/sequence_formats.h"
#include "convert/zip.h"

// Particles for graph network simulators: Sanchez-Gonzalez et al., "Learning to simulate complex
// physics with graph networks", ICML 2020, as files of NumPy.
namespace rtsim {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

// Its numbers of materials.
constexpr std::int64_t of_boundary = 3, of_water = 5;
constexpr double radius_in_spacings = 2;  // of neighbours: a dozen in the plane, thirty in space

// Objects in the order of their names: particles are 5 and on, boundaries 3.
std::map<std::string, std::int64_t> types_of(const ConversionPlan& plan) {
  std::map<std::string, std::int64_t> types;
  std::int64_t next = of_water;
  for (const auto& [name, object] : plan.first)
    types[name] = object.kind == Kind::boundary ? of_boundary : next++;
  return types;
}

// [T, N, D] of one run.
struct Trajectory {
  std::size_t times = 0, rows = 0, dim = 0;
  std::vector<float> positions;
  std::vector<std::int64_t> types;

  float at(std::size_t t, std::size_t i, std::size_t a) const {
    return positions[(t * rows + i) * dim + a];
  }
};

Trajectory read_trajectory(const ConversionPlan& plan) {
  Trajectory t;
  t.times = plan.frames.size(), t.dim = std::size_t(plan.first.begin()->second.dim);
  const auto types = types_of(plan);
  for (const auto& [name, object] : plan.first)
    t.types.insert(t.types.end(), std::size_t(object.rows), types.at(name));
  t.rows = t.types.size();
  t.positions.reserve(t.times * t.rows * t.dim);
  in_order<std::vector<float>>(
      plan.frames.size(), plan.jobs,
      [&](std::size_t k) {
        std::map<std::string, std::vector<float>> of;
        for (const WrittenFile& f : plan.frames[k].files)
          of[object_of(f)] = moving_points(read_chosen(plan.run, f, {"position"}));
        std::vector<float> all;
        for (const auto& [name, points] : of)
          for (std::size_t i = 0; i < points.size(); i += 3)
            all.insert(all.end(), &points[i], &points[i] + t.dim);
        return all;
      },
      [&](std::size_t, const std::vector<float>& x) {
        t.positions.insert(t.positions.end(), x.begin(), x.end());
      });
  return t;
}

// Mean and standard deviation along each axis.
struct Moments {
  double n = 0;
  std::vector<double> sum, squares;

  void add(std::size_t a, double x) { sum[a] += x, squares[a] += x * x; }
  std::vector<double> mean() const {
    std::vector<double> m;
    for (const double s : sum) m.push_back(n > 0 ? s / n : 0);
    return m;
  }
  std::vector<double> deviation() const {
    std::vector<double> d;
    for (std::size_t a = 0; a < sum.size(); ++a) {
      const double m = n > 0 ? sum[a] / n : 0;
      d.push_back(n > 0 ? std::sqrt(std::max(0.0, squares[a] / n - m * m)) : 0);
    }
    return d;
  }
};

// Of moving particles in training: differences of positions from frame to frame, and of those.
void add_moments(const Trajectory& t, Moments& velocity, Moments& acceleration) {
  for (std::size_t k = 1; k < t.times; ++k)
    for (std::size_t i = 0; i < t.rows; ++i) {
      if (t.types[i] == of_boundary) continue;
      velocity.n += 1, acceleration.n += k > 1;
      for (std::size_t a = 0; a < t.dim; ++a) {
        const double v = double(t.at(k, i, a)) - t.at(k - 1, i, a);
        velocity.add(a, v);
        if (k > 1) acceleration.add(a, v - (double(t.at(k - 1, i, a)) - t.at(k - 2, i, a)));
      }
    }
}

// The tank, if a boundary is a box from inside; else the box that holds all positions.
json bounds_of(const ConversionPlan& plan, const std::vector<Trajectory>& all, std::size_t dim) {
  const json scene = json::parse(read_file(plan.run / "scene.resolved.json"), nullptr, false);
  json bounds = json::array();
  for (const json& o : scene.value("objects", json::array())) {
    if (o.value("kind", "") != "boundary" || !o.contains("shape")) continue;
    const json box = o["shape"].value("box", json());
    if (!box.is_object() || !o["shape"].value("inside", false) || !bounds.empty()) continue;
    for (std::size_t a = 0; a < dim; ++a) bounds.push_back({box["min"][a], box["max"][a]});
  }
  if (!bounds.empty()) return bounds;
  for (std::size_t a = 0; a < dim; ++a) {
    float low = std::numeric_limits<float>::max(), high = -low;
    for (const Trajectory& t : all)
      for (std::size_t k = a; k < t.positions.size(); k += dim)
        low = std::min(low, t.positions[k]), high = std::max(high, t.positions[k]);
    bounds.push_back({low, high});
  }
  return bounds;
}

double largest_spacing(const ConversionPlan& plan) {
  double spacing = 0;
  for (const auto& [name, object] : plan.first) spacing = std::max(spacing, object.spacing);
  return spacing;
}

std::string metadata(const std::vector<ConversionPlan>& plans, const std::vector<Trajectory>& all,
                     const std::vector<int>& splits) {
  const ConversionPlan& plan = plans[0];
  const std::size_t dim = all[0].dim;
  const Moments none{0, std::vector<double>(dim, 0), std::vector<double>(dim, 0)};
  Moments velocity = none, acceleration = none;
  std::size_t longest = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (splits[k] == 0) add_moments(all[k], velocity, acceleration);
    longest = std::max(longest, all[k].times);
  }
  return ordered_json{{"bounds", bounds_of(plan, all, dim)},
                      {"sequence_length", longest - 1},
                      {"default_connectivity_radius", radius_in_spacings * largest_spacing(plan)},
                      {"dim", dim},
                      {"dt", plan.frames[1].time - plan.frames[0].time},
                      {"vel_mean", velocity.mean()},
                      {"vel_std", velocity.deviation()},
                      {"acc_mean", acceleration.mean()},
                      {"acc_std", acceleration.deviation()},
                      {"particle_types", types_of(plan)}}
             .dump(2) +
         "\n";
}

std::string_view view(const auto& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])};
}

void write_split(const Dataset& d, const std::vector<Trajectory>& all,
                 const std::vector<int>& splits, int split, const std::string& file) {
  Zip zip;
  std::deque<ArrayTuple> tuples;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (splits[k] != split) continue;
    const Trajectory& t = all[k];
    ArrayTuple& tuple = tuples.emplace_back();
    tuple.add(Scalar::f32, {t.times, t.rows, t.dim}, view(t.positions));
    tuple.add(Scalar::i64, {t.rows}, view(t.types));
    zip.add(d.runs[k].name + ".npy", tuple.finish());
  }
  write_parts(d.out / file, zip.finish());
}

}  // namespace

void check_gns(const ConversionPlan& plan) {
  if (plan.frames.size() < 3)
    throw Error(
        ExitCode::bad_input,
        fmt::format("{} has {} of the frames asked for; accelerations are of three at least",
                    plan.run.string(), plan.frames.size()));
  if (plan.first.size() > 5)
    throw Error(ExitCode::bad_input, plan.run.string() +
                                         ": more than four objects of particles; gns has numbers "
                                         "for four: choose them by --objects");
  for (const CommittedFrame& f : plan.frames)
    if (f.files.size() != plan.first.size())
      throw Error(
          ExitCode::bad_input,
          fmt::format("{}: frame {} has not all objects: their outputs differ in \"every\"; "
                      "choose --frames or --objects",
                      plan.run.string(), f.frame));
  check_constant(plan);
}

std::vector<std::string> write_gns(const Dataset& d, const std::vector<ConversionPlan>& plans,
                                   const std::vector<int>& splits) {
  std::vector<Trajectory> all;
  for (const ConversionPlan& plan : plans) all.push_back(read_trajectory(plan));
  std::vector<std::string> files;
  for (int split = 0; split < 3; ++split) {
    if (std::ranges::count(splits, split) == 0) continue;
    files.push_back(fmt::format("{}.npz", split_names[split]));
    write_split(d, all, splits, split, files.back());
  }
  write_file(d.out / "metadata.json", metadata(plans, all, splits));
  files.emplace_back("metadata.json");
  return files;
}

}  // namespace rtsim
