#include "bodies/make_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "bodies/shapes/solid.h"
#include "rigid/body.h"
#include "shapes/rotation.h"

namespace rtsim {

namespace {

using Quaternion = std::array<double, 4>;
constexpr Quaternion no_turn{0, 0, 0, 1};

// Keys of the draws, apart from those of stages.
constexpr std::uint32_t shift_key = 0xB0D1E500, turn_key = 0xB0D1E501;

// K. Shoemake, "Uniform random rotations", Graphics Gems III, 1992.
Quaternion random_turn(const Random4& r, int dim) {
  const double a = 2 * pi * uniform(r.c[0]), b = 2 * pi * uniform(r.c[1]), u = uniform(r.c[2]);
  if (dim == 2) return {0, 0, std::sin(a / 2), std::cos(a / 2)};
  const double p = std::sqrt(1 - u), q = std::sqrt(u);
  return {p * std::sin(a), p * std::cos(a), q * std::sin(b), q * std::cos(b)};
}

std::vector<BodyCopy> on_lattice(const BodyArraySpec& a, int dim, std::uint64_t seed,
                                 std::uint64_t call) {
  std::vector<BodyCopy> copies;
  const int planes = dim == 3 ? int(a.count[2]) : 1;
  for (int k = 0; k < planes; ++k)
    for (int j = 0; j < int(a.count[1]); ++j)
      for (int i = 0; i < int(a.count[0]); ++i) {
        const auto id = std::uint32_t(copies.size());
        BodyCopy c{{{i * a.step[0], j * a.step[1], dim == 3 ? k * a.step[2] : 0}}, no_turn};
        const Random4 r = philox(seed, shift_key, call, id);
        for (int x = 0; x < dim; ++x) c.shift[x] += a.jitter * (2 * uniform(r.c[x]) - 1);
        if (a.random_rotation) c.turn = random_turn(philox(seed, turn_key, call, id), dim);
        copies.push_back(c);
      }
  return copies;
}

std::vector<BodyCopy> in_layers(const BodyPyramidSpec& p, const Vec3d& size, int dim) {
  std::vector<BodyCopy> copies;
  const double x = size[0] + p.gap, z = size[2] + p.gap;
  for (int row = 0; row < p.rows; ++row) {
    const int n = p.rows - row, deep = dim == 3 ? n : 1;
    for (int k = 0; k < deep; ++k)
      for (int i = 0; i < n; ++i)
        copies.push_back(
            {{{(i - 0.5 * (n - 1)) * x, row * size[1], (k - 0.5 * (deep - 1)) * z}}, no_turn});
  }
  return copies;
}

}  // namespace

std::vector<BodyCopy> copies_of(const BodySpec& b, const Vec3d& size, int dim, std::uint64_t seed,
                                std::uint64_t call) {
  if (b.array) return on_lattice(*b.array, dim, seed, call);
  if (b.pyramid) return in_layers(*b.pyramid, size, dim);
  return {{{}, no_turn}};
}

std::array<double, 4> product(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  const Vec3d u{{a[0], a[1], a[2]}}, v{{b[0], b[1], b[2]}};
  const Vec3d w = a[3] * v + b[3] * u + cross(u, v);
  return {w[0], w[1], w[2], a[3] * b[3] - dot(u, v)};
}

namespace {

rigid::Orientation<3> kept(const std::array<double, 4>& q, rigid::Orientation<3>*) {
  return {{Real(q[0]), Real(q[1]), Real(q[2]), Real(q[3])}};
}
// A turn by t about z is (0, 0, sin t/2, cos t/2).
rigid::Orientation<2> kept(const std::array<double, 4>& q, rigid::Orientation<2>*) {
  return {{Real(q[3] * q[3] - q[2] * q[2]), Real(2 * q[2] * q[3])}};
}

rigid::Angular<3> about(const Vec3d& v, rigid::Angular<3>*) { return narrow<3>(v); }
rigid::Angular<2> about(const Vec3d& v, rigid::Angular<2>*) { return {{Real(v[2])}}; }

template <int D>
void add(World& world, const std::string& name, const BodySet& set,
         const std::vector<BodyStart>& bodies) {
  using Angular = rigid::Angular<D>;
  using Orientation = rigid::Orientation<D>;
  const std::size_t n = bodies.size();
  std::vector<Vec<D>> position(n), velocity(n);
  std::vector<Orientation> orientation(n);
  std::vector<Angular> angular_velocity(n), inertia(n);
  std::vector<Real> mass(n);
  std::vector<std::int32_t> shape(n);
  std::vector<std::uint32_t> id(n);
  for (std::size_t i = 0; i < n; ++i) {
    const BodyStart& b = bodies[i];
    position[i] = narrow<D>(b.position), velocity[i] = narrow<D>(b.velocity);
    orientation[i] = kept(b.orientation, static_cast<Orientation*>(nullptr));
    angular_velocity[i] = about(b.angular_velocity, static_cast<Angular*>(nullptr));
    inertia[i] =
        about(b.mass * set.shapes[std::size_t(b.shape)].moments, static_cast<Angular*>(nullptr));
    mass[i] = Real(b.mass), shape[i] = b.shape;
  }
  std::iota(id.begin(), id.end(), world.take_ids(Index(n)));
  Table& t = world.add_table(name, Index(n));
  t.add<Vec<D>>({"position", "m"}, position);
  t.add<Orientation>({"orientation", ""}, orientation);
  t.add<Vec<D>>({"velocity", "m/s"}, velocity);
  t.add<Angular>({"angular_velocity", "rad/s"}, angular_velocity);
  t.add<Real>({"mass", "kg"}, mass);
  t.add<Angular>({"inertia", "kg m^2"}, inertia);
  t.add<std::int32_t>({"shape", ""}, shape);
  t.add<Vec<D>>({"force", "N"});
  t.add<Angular>({"torque", "N m"});
  t.add<std::uint32_t>({"id", ""}, id);
}

}  // namespace

void add_bodies(World& world, const std::string& name, const BodySet& set,
                const std::vector<BodyStart>& bodies) {
  world.dim == 2 ? add<2>(world, name, set, bodies) : add<3>(world, name, set, bodies);
}

namespace {

// S. W. Shepperd, "Quaternion from rotation matrix", Journal of Guidance and Control 1(3), 1978:
// the largest of the four is divided by.
std::array<double, 4> quaternion(const Rotation& r) {
  const double trace = r.row[0][0] + r.row[1][1] + r.row[2][2];
  int largest = 3;
  for (int a = 0; a < 3; ++a)
    if (r.row[a][a] > (largest == 3 ? trace : r.row[largest][largest])) largest = a;
  std::array<double, 4> q;
  const int i = largest % 3, j = (i + 1) % 3, k = (i + 2) % 3;
  if (largest == 3) {
    q = {r.row[2][1] - r.row[1][2], r.row[0][2] - r.row[2][0], r.row[1][0] - r.row[0][1],
         1 + trace};
  } else {
    q[std::size_t(i)] = 1 + 2 * r.row[i][i] - trace;
    q[std::size_t(j)] = r.row[i][j] + r.row[j][i];
    q[std::size_t(k)] = r.row[i][k] + r.row[k][i];
    q[3] = r.row[k][j] - r.row[j][k];
  }
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (double& c : q) c /= length;
  return q;
}

Solid solid_of(const BodySpec& b, int dim, TransformSpec& transform) {
  if (!b.shape.empty()) {
    transform = b.shape[0].transform;
    return make_solid(b.shape[0], dim, {b.hull_corners, b.convex_parts});
  }
  if (!b.hull) throw Error(ExitCode::bad_input, "give one of \"shape\" and \"hull\"");
  transform = b.hull->transform;
  return b.hull->file.path.empty() ? make_hull(b.hull->points, dim, b.hull_corners)
                                   : make_hull(b.hull->file, b.hull_corners);
}

void check_thickness(const PrincipalAxes& axes, int dim) {
  if (axes.thinnest >= 1e-4) return;
  throw Error(
      ExitCode::bad_input,
      fmt::format("is {:.2g} times as thick as it is long; contacts of bodies thinner than "
                  "1e-4 of their length are lost in rounding: make it thicker{}",
                  axes.thinnest,
                  dim == 3 ? ", or take an object of kind \"mesh\" for cloth and ropes" : ""));
}

Rotation inverse(const Rotation& r) {
  Rotation back;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) back.row[i][j] = r.row[j][i];
  return back;
}

double mass_of(const BodySpec& b, std::optional<double> density, double volume) {
  if (b.mass) return *b.mass;
  if (b.density) density = b.density;
  if (!density)
    throw Error(ExitCode::bad_input,
                "has no mass; give \"density\" or \"mass\" here, or a "
                "\"density\" for the whole object");
  return *density * volume;
}

void check_held(double mass, const Vec3d& moments, int dim) {
  for (int a = dim == 2 ? 2 : 0; a < 3; ++a)
    for (const double x : {mass, mass * moments[a]})
      if (!std::isnormal(Real(x)))
        throw Error(ExitCode::bad_input,
                    fmt::format("has a mass of {:.3g} kg and a moment of inertia of {:.3g} kg m^2, "
                                "which floats cannot hold; check its size and density",
                                mass, mass * moments[a]));
}

std::optional<Material> seen_along(const Rotation& axes, std::optional<Material> m) {
  if (m) m->friction_axis = axes.apply_inverse(m->friction_axis);
  return m;
}

// Of the shape as it stands.
Vec3d extent(const PlacedBody& b) {
  const Vec3d u{{b.orientation[0], b.orientation[1], b.orientation[2]}};
  Vec3d low, high;
  for (const Vec3d& v : b.shape.vertices) {
    const Vec3d t = 2.0 * cross(u, v), x = v + b.orientation[3] * t + cross(u, t);
    for (int a = 0; a < 3; ++a) low[a] = std::min(low[a], x[a]), high[a] = std::max(high[a], x[a]);
  }
  return high - low;
}

// Empty where its hulls hold what it does, to rounding.
std::string tell_added(const PlacedBody& b, int dim) {
  const double part = b.added / b.shape.volume;
  if (std::abs(part) < 1e-6) return {};
  const std::size_t parts = b.shape.parts.size();
  return fmt::format(
      "touches with {} of at most \"hull_corners\", which {} {:.2g} % {} than its own {:.4g} m^{}; "
      "it weighs and turns as what it is. With more \"convex_parts\" meshes and polygons come "
      "nearer",
      parts == 1 ? "its convex hull" : fmt::format("{} convex parts", parts),
      parts == 1 ? "holds" : "hold", 100 * std::abs(part), part > 0 ? "more" : "less",
      b.shape.volume, dim);
}

Vec3d spin_of(const BodySpec& b) {
  const auto& w = b.angular_velocity;
  if (w.empty()) return {};
  return w.size() == 1 ? Vec3d{{0, 0, w[0]}} : Vec3d{{w[0], w[1], w[2]}};
}

}  // namespace

PlacedBody place_body(const BodySpec& b, int dim) {
  TransformSpec transform;
  Solid solid = solid_of(b, dim, transform);
  place(solid, {}, {}, transform.scale, dim);
  const PrincipalAxes axes = principal_axes(solid.moments, dim);
  check_thickness(axes, dim);
  const Rotation turn = rotation_of(transform, dim), to_own = inverse(axes.axes);
  Vec3d shift = transform.translate;
  if (dim == 2) shift[2] = 0;
  const Vec3d centre = solid.moments.centre;
  place(solid, to_own, -to_own.apply(centre), 1, dim);
  return {{std::move(solid.parts), std::move(solid.surface.vertices),
           std::move(solid.surface.triangles), solid.moments.volume, axes.moments,
           seen_along(axes.axes, b.material)},
          shift + turn.apply(centre),
          quaternion(product(turn, axes.axes)),
          solid.added};
}

void make_bodies(const BodySpec& b, std::optional<double> density, int dim, std::uint64_t seed,
                 std::uint64_t call, MadeBodies& made) {
  PlacedBody body = place_body(b, dim);
  const double mass = mass_of(b, density, body.shape.volume);
  check_held(mass, body.shape.moments, dim);
  const int shape = int(made.set.shapes.size()), first = int(made.bodies.size());
  for (const BodyCopy& c : copies_of(b, extent(body), dim, seed, call))
    made.bodies.push_back({shape, mass, body.position + c.shift, product(c.turn, body.orientation),
                           b.velocity, spin_of(b)});
  if (const std::string told = tell_added(body, dim); !told.empty()) made.notes.push_back(told);
  if (!b.name.empty()) made.set.names.push_back({b.name, first, int(made.bodies.size()) - first});
  body.shape.made_of = std::make_shared<const BodySpec>(b);
  made.set.shapes.push_back(std::move(body.shape));
}

}  // namespace rtsim
