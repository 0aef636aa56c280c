#include "particles/periodic.h"

#include <fmt/format.h>

#include <algorithm>

#include "shapes/animated_shape.h"

namespace rtsim {

namespace {

int axis_of(const std::string& name) {
  return name == "x" ? 0 : name == "y" ? 1 : name == "z" ? 2 : -1;
}

template <int D>
bool inside(const PeriodicBox& box, const Vec<D>& x) {
  for (int a = 0; a < D; ++a)
    if (box.length[a] > 0 && !(x[a] >= box.low[a] && x[a] < box.low[a] + box.length[a]))
      return false;
  return true;
}

// Whether what x samples is shorter than the box along all axes that repeat.
template <int D>
bool shorter(const PeriodicBox& box, const std::vector<Vec<D>>& x) {
  for (int a = 0; a < D; ++a) {
    if (!(box.length[a] > 0) || x.empty()) continue;
    const auto [low, high] = std::ranges::minmax(x, {}, [a](const Vec<D>& p) { return p[a]; });
    if (!(high[a] - low[a] < box.length[a])) return false;
  }
  return true;
}

// Samples that are made anew with each frame are not looked through again.
template <int D>
void require_shorter(const PeriodicBox& box, const Object& boundary) {
  const Pose start = pose_at(*boundary.motion, 0);
  for (std::size_t k = 0; k < boundary.deformation->surfaces(); ++k) {
    std::vector<Vec<D>> corners;
    for (const Vec3d& x : boundary.deformation->surface(k).vertices)
      corners.push_back(narrow<D>(start.apply(x)));
    if (shorter(box, corners)) continue;
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' is longer than the periodic box in frame {}, which frames of a "
                            "volume must not be; use frames of a mesh, or a longer box",
                            boundary.name, k + 1));
  }
}

}  // namespace

void describe(Describe& d, PeriodicSpec& p) {
  d.required("min", p.min, "m", any(), "Lower corner.");
  d.required(
      "max", p.max, "m", any(),
      "Upper corner: what leaves through a face comes in through the opposite one. Take whole "
      "spacings from min, or the lattice has a gap at the seam.");
  d.required("axes", p.axes, "Axes along which it repeats, of \"x\", \"y\", \"z\".");
  if (!d.given("axes")) return;
  if (p.axes.empty()) d.fault("axes", "names no axis; leave out \"periodic\", or name one");
  const int dim = d.dim() == 2 ? 2 : 3;
  for (const std::string& name : p.axes) {
    const int a = axis_of(name);
    if (a < 0 || a >= dim)
      d.fault("axes", fmt::format("\"{}\" is no axis of {} dimensions", name, dim));
    else if (std::ranges::count(p.axes, name) > 1)
      d.fault("axes", fmt::format("\"{}\" stands twice", name));
    else if (d.given("min") && d.given("max") && !(p.min[a] < p.max[a]))
      d.fault("max", fmt::format("max must lie above min, and along {} it is {} where min is {}",
                                 name, p.max[a], p.min[a]));
  }
}

PeriodicBox periodic_box(const PeriodicSpec& p, int dim, double support) {
  PeriodicBox box;
  for (const std::string& name : p.axes) {
    const int a = axis_of(name);
    if (a < 0 || a >= dim) throw Error(ExitCode::bad_input, fmt::format("no axis \"{}\"", name));
    const double length = p.max[a] - p.min[a];
    if (!(length >= 4 * support))
      throw Error(ExitCode::bad_input,
                  fmt::format("periodic: {} m along {} are less than four supports of {} m, so "
                              "particles would meet themselves; use a longer box or a smaller "
                              "spacing",
                              length, name, support));
    box.any = true;
    box.low[a] = Real(p.min[a]), box.length[a] = Real(length), box.half[a] = Real(length / 2);
  }
  return box;
}

template <int D>
void require_inside(const PeriodicBox& box, Table& particles) {
  const auto x = particles.download<Vec<D>>("position");
  const auto out = std::ranges::count_if(x, [&](const Vec<D>& p) { return !inside(box, p); });
  if (out > 0)
    throw Error(ExitCode::bad_input,
                fmt::format("{} of {} particles of '{}' start outside the periodic box; widen its "
                            "\"min\" and \"max\", or cut the fill",
                            out, x.size(), particles.name()));
}

void require_clear_of_seam(const PeriodicBox& box, const Vec3d& centre, double radius, int dim) {
  for (int a = 0; a < dim; ++a) {
    const double low = double(box.low[a]), length = double(box.length[a]);
    if (length > 0 && !(centre[a] - radius >= low && centre[a] + radius <= low + length))
      throw Error(ExitCode::bad_input,
                  fmt::format("reaches {:g} m, through a face of the periodic box along {}; move "
                              "it, or the box",
                              radius, "xyz"[a]));
  }
}

template <int D>
void keep_samples_inside(const PeriodicBox& box, World& world, const std::string& boundary,
                         const std::string& fluid) {
  const Object& o = world.object(boundary);
  if (o.deformation && o.deformation->surfaces() > 1) return require_shorter<D>(box, o);
  Table& t = world.table(sample_table(boundary, fluid));
  const auto x = t.download<Vec<D>>("position");
  const auto is_inside = [&](const Vec<D>& p) { return inside(box, p); };
  if (shorter(box, x) && std::ranges::any_of(x, is_inside)) return;
  std::vector<std::uint32_t> doomed;
  for (const Vec<D>& p : x) doomed.push_back(inside(box, p) ? 0 : 1);
  const Buffer<std::uint32_t> flags(world.exec, doomed);
  t.remove(flags.span());
  if (t.rows() == 0)
    throw Error(ExitCode::bad_input,
                fmt::format("no sample of '{}' lies in the periodic box; leave it out, or move it",
                            boundary));
}

#define RTSIM_INSTANTIATE(D)                                                           \
  template void require_inside<D>(const PeriodicBox&, Table&);                         \
  template void keep_samples_inside<D>(const PeriodicBox&, World&, const std::string&, \
                                       const std::string&);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)
#undef RTSIM_INSTANTIATE

}  // namespace rtsim
