#include "solvers/shallow_water/floating_bodies.h"

#include <algorithm>
#include <cmath>

#include "base/quaternion.h"
#include "bodies/shapes/body_shape.h"
#include "rigid/body.h"

namespace rtsim {

using shallow_water::CellFace;
using shallow_water::Columns;

namespace {

// Turned by an angle about an axis through the origin, their product given (Rodrigues).
Vec3d turned_by(const Vec3d& turn, const Vec3d& x) {
  const double angle = norm(turn);
  if (!(angle > 0)) return x;
  const Vec3d axis = (1 / angle) * turn;
  const double c = std::cos(angle), s = std::sin(angle);
  return c * x + s * cross(axis, x) + ((1 - c) * dot(axis, x)) * axis;
}

std::vector<double> read(const Exec& ex, const Real* from, Index first, Index count) {
  std::vector<Real> part(static_cast<std::size_t>(count));
  ex.download(part.data(), from + first, part.size() * sizeof(Real));
  return {part.begin(), part.end()};
}
void write(const Exec& ex, Real* to, Index first, const std::vector<double>& values) {
  const std::vector<Real> part(values.begin(), values.end());
  ex.upload(to + first, part.data(), part.size() * sizeof(Real));
}

}  // namespace

FloatingBodies::FloatingBodies(World& world, const std::string& water,
                               const std::vector<std::string>& objects, double density)
    : ex_(world.exec),
      water_(water),
      columns_(*world.object(water).grid),
      density_(density),
      motions_(world, water, objects, true),
      raised_(ex_) {
  for (const std::string& name : objects)
    if (world.object(name).kind == Kind::bodies)
      for (Index b = 0; b < world.table(name).rows(); ++b)
        members_.push_back({name, false, name, b});
  if (empty()) return;
  Table& t = world.table(water_);
  t.add<Real>({"displaced", "m"});
  t.add<std::int32_t>({"near_bodies", ""});
  world.add_table(water_ + ".faces_x", (columns_.cells[0] + 1) * columns_.cells[2])
      .add<Real>({"discharge", "m^2/s"});
  world.add_table(water_ + ".faces_z", columns_.cells[0] * (columns_.cells[2] + 1))
      .add<Real>({"discharge", "m^2/s"});
  raised_.resize(std::size_t(t.rows()));
  near_.resize(raised_.size());
  make_room(world);
}

// Of the state's columns, and what of the faces is known: those between cells that were near have
// kept theirs, others the mean of their cells.
WaterLines FloatingBodies::lines(World& world, const Columns& at) const {
  Table& t = world.table(water_);
  WaterLines l;
  l.nx = columns_.cells[0], l.first = first_line_, l.count = last_line_ - first_line_;
  l.spacing = columns_.spacing, l.low = columns_.low;
  const Index first = l.nx * l.first, cells = l.cells();
  l.bed = read(ex_, t.column<const Real>("bed").data, first, cells);
  l.depth = read(ex_, at.depth, first, cells);
  l.discharge_x = read(ex_, at.discharge_x, first, cells);
  l.discharge_z = read(ex_, at.discharge_z, first, cells);
  l.displaced = read(ex_, t.column<const Real>("displaced").data, first, cells);
  l.near.assign(near_.begin() + first, near_.begin() + first + cells);
  return l;
}

void FloatingBodies::read_faces(World& world, WaterLines& l) const {
  std::vector<std::int32_t> before(std::size_t(l.cells()));
  ex_.download(before.data(),
               world.table(water_).column<const std::int32_t>("near_bodies").data + l.nx * l.first,
               before.size() * sizeof(std::int32_t));
  l.face_x = read(ex_, faces(world, "x"), (l.nx + 1) * l.first, (l.nx + 1) * l.count);
  l.face_z = read(ex_, faces(world, "z"), l.nx * l.first, l.nx * (l.count + 1));
  const auto take = [&](const std::vector<double>& q, Index low, Index high, double& face) {
    const std::size_t a = std::size_t(low), b = std::size_t(high);
    if (!before[a] || !before[b]) face = 0.5 * (q[a] + q[b]);
  };
  for (Index k = 0; k < l.count; ++k)
    for (Index i = 0; i < l.nx; ++i) {
      const Index c = i + l.nx * k;
      if (i > 0) take(l.discharge_x, c - 1, c, l.face_x[std::size_t(c + k)]);
      if (k > 0) take(l.discharge_z, c - l.nx, c, l.face_z[std::size_t(c)]);
    }
}

Real* FloatingBodies::faces(World& world, const char* axis) const {
  return world.table(water_ + ".faces_" + axis).column<Real>("discharge").data;
}

// Where bodies stand at the start water stands around them, as high.
void FloatingBodies::make_room(World& world) {
  place(world);
  find_near();
  if (first_line_ >= last_line_) return;
  Table& t = world.table(water_);
  WaterLines l = lines(world, {nullptr, t.column<Real>("depth").data, t.column<Real>("depth").data,
                               t.column<Real>("depth").data});
  std::vector<double> head = l.bed;
  for (std::size_t c = 0; c < head.size(); ++c) head[c] += l.depth[c];
  const std::vector<double> by = displaced_by(l, hulls_, head);
  for (std::size_t c = 0; c < head.size(); ++c) {
    l.displaced[c] = std::clamp(by[c], 0.0, l.depth[c]);
    l.depth[c] -= l.displaced[c];
  }
  write(ex_, t.column<Real>("depth").data, l.nx * l.first, l.depth);
  write(ex_, t.column<Real>("displaced").data, l.nx * l.first, l.displaced);
}

void FloatingBodies::place(World& world) {
  hulls_.resize(members_.size());
  Table* table = nullptr;
  std::vector<Vec<3>> position;
  std::vector<rigid::Orientation<3>> orientation;
  std::vector<std::int32_t> shape;
  for (std::size_t b = 0; b < members_.size(); ++b) {
    const Solids::Member& m = members_[b];
    if (m.body == 0) {
      table = &world.table(m.object);
      position = table->download<Vec<3>>("position");
      orientation = table->download<rigid::Orientation<3>>("orientation");
      shape = table->download<std::int32_t>("shape");
    }
    const std::size_t row = std::size_t(m.body);
    const auto& q = orientation[row];
    const VecT<double, 4> turn{{double(q[0]), double(q[1]), double(q[2]), double(q[3])}};
    const SolidMotion moved = motions_.motions().empty() ? SolidMotion{} : motions_.motions()[b];
    const BodyShape& s = world.object(m.object).bodies->shapes[std::size_t(shape[row])];
    PlacedHull& hull = hulls_[b];
    hull.centre = widen(position[row]) + moved.way;
    hull.surface = {};
    std::vector<Vec3d> x;
    for (const Vec3d& v : s.vertices)
      x.push_back(hull.centre + turned_by(moved.turn, turned(turn, v)));
    for (const auto& t : s.triangles)
      hull.surface.add(columns_,
                       {x[std::size_t(t[0])], x[std::size_t(t[1])], x[std::size_t(t[2])]});
  }
}

// Cells under hulls and the next two around: then those at the border, and their neighbours, are
// free water for the finite volumes.
void FloatingBodies::find_near() {
  const Index nx = columns_.cells[0], nz = columns_.cells[2];
  std::vector<std::int32_t> now(near_.size(), 0);
  Index first = nz, last = 0;
  for (const PlacedHull& hull : hulls_)
    for (const HullFacet& f : hull.surface.facets) {
      const Index i = f.cell % nx, k = f.cell / nx;
      for (Index z = std::max<Index>(k - 2, 0); z <= std::min(k + 2, nz - 1); ++z)
        for (Index x = std::max<Index>(i - 2, 0); x <= std::min(i + 2, nx - 1); ++x)
          now[std::size_t(x + nx * z)] = 1;
      first = std::min(first, k - 3), last = std::max(last, k + 4);
    }
  first = std::max<Index>(first, 0), last = std::min(last, nz);
  // Lines that have been left are written once more.
  for (Index k = 0; k < nz; ++k) {
    if (k >= first && k < last) continue;
    if (std::none_of(near_.begin() + nx * k, near_.begin() + nx * (k + 1),
                     [](std::int32_t n) { return n; }))
      continue;
    first = std::min(first, k), last = std::max(last, k + 1);
  }
  first_line_ = first, last_line_ = last;
  near_ = std::move(now);
}

void FloatingBodies::recall(World& world) {
  if (!empty()) near_ = world.table(water_).download<std::int32_t>("near_bodies");
}

const Real* FloatingBodies::raise(World& world, double h) {
  Table& t = world.table(water_);
  const Span<const Real> bed = t.column<const Real>("bed");
  motions_.fall(h);
  place(world);
  find_near();
  ex_.copy(raised_.data(), bed.data, raised_.size() * sizeof(Real));
  if (first_line_ >= last_line_) return raised_.data();
  const Index first = columns_.cells[0] * first_line_,
              cells = columns_.cells[0] * (last_line_ - first_line_);
  std::vector<double> b = read(ex_, bed.data, first, cells);
  const std::vector<double> by = read(ex_, t.column<const Real>("displaced").data, first, cells);
  for (std::size_t c = 0; c < b.size(); ++c) b[c] += by[c];
  write(ex_, raised_.data(), first, b);
  return raised_.data();
}

// What the finite volumes let through the faces around.
void FloatingBodies::let_through(const shallow_water::Flow& flow, double h, const Columns& from,
                                 WaterLines& l) const {
  const Index nz = columns_.cells[2];
  std::vector<CellFace> around;
  std::vector<double*> discharge;
  const auto is_near = [&](Index i, Index k) {
    return i >= 0 && i < l.nx && k >= 0 && k < nz && near_[std::size_t(i + l.nx * k)];
  };
  for (Index k = 0; k < l.count; ++k)
    for (Index i = 0; i < l.nx; ++i) {
      const Index z = k + l.first, c = i + l.nx * k;
      if (!is_near(i, z)) continue;
      const bool open[4] = {!is_near(i - 1, z), !is_near(i + 1, z), !is_near(i, z - 1),
                            !is_near(i, z + 1)};
      double* const face[4] = {&l.face_x[std::size_t(c + k)], &l.face_x[std::size_t(c + k + 1)],
                               &l.face_z[std::size_t(c)], &l.face_z[std::size_t(c + l.nx)]};
      for (int side = 0; side < 4; ++side)
        if (open[side]) around.push_back({i + l.nx * z, side}), discharge.push_back(face[side]);
    }
  Buffer<CellFace> list(ex_, std::span<const CellFace>(around));
  Buffer<Real> mass(ex_, around.size());
  shallow_water::face_masses(ex_, flow, h, from, list.span(), mass.span());
  const std::vector<Real> through = mass.download();
  for (std::size_t n = 0; n < discharge.size(); ++n) *discharge[n] = double(through[n]);
}

void FloatingBodies::correct(World& world, const shallow_water::Flow& flow, double h,
                             const Columns& from, const Columns& to) {
  if (first_line_ < last_line_) {
    WaterLines l = lines(world, from);
    read_faces(world, l);
    let_through(flow, h, from, l);
    move_water_under_hulls(l, flow, density_, h, hulls_, motions_);
    keep(world, l, to);
  }
  motions_.go(h);
}

void FloatingBodies::keep(World& world, const WaterLines& l, const Columns& to) const {
  const Index first = l.nx * l.first;
  const auto keep_near = [&](const std::vector<double>& from, Real* column) {
    std::vector<double> all = read(ex_, column, first, l.cells());
    for (std::size_t c = 0; c < all.size(); ++c)
      if (l.near[c]) all[c] = from[c];
    write(ex_, column, first, all);
  };
  keep_near(l.depth, to.depth);
  keep_near(l.discharge_x, to.discharge_x);
  keep_near(l.discharge_z, to.discharge_z);
  Table& t = world.table(water_);
  write(ex_, t.column<Real>("displaced").data, first, l.displaced);
  ex_.upload(t.column<std::int32_t>("near_bodies").data + first, near_.data() + first,
             std::size_t(l.cells()) * sizeof(std::int32_t));
  write(ex_, faces(world, "x"), (l.nx + 1) * l.first, l.face_x);
  write(ex_, faces(world, "z"), first, l.face_z);
}

}  // namespace rtsim
