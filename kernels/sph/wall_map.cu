#include "sph/wall_map.h"

#include "exec/parallel.h"

namespace rtsim::sph {

namespace {

RTSIM_HD Vec<3> scaled_to_one(const Vec<3>& v, const Vec<3>& otherwise) {
  const Real length = norm(v);
  return length > Real(1e-6) ? Real(1) / length * v : otherwise;
}

// Sums over one set of points about a node.
struct Hidden {
  Real part = 0;  // lambda times the sum of all weights
  Vec<3> away;    // -grad lambda, in the same measure

  RTSIM_HD void add(Real weight, Real slope, const Vec<3>& o, Real solid) {
    part += weight * solid;
    away = away + slope * solid * o;
  }
};

struct FillNode {
  CubicSpline kernel;
  Profile1 hidden;
  Real most_excess;
  MapGrid fine;
  Span<const Real> distance;
  MapGrid grid;
  Span<Row4> nodes;

  RTSIM_HD void operator()(Index node) const {
    const Index at[3] = {distance_nodes * (node % grid.count[0]),
                         distance_nodes * (node / grid.count[0] % grid.count[1]),
                         distance_nodes * (node / (grid.count[0] * grid.count[1]))};
    const Real d = near(at, 0, 0, 0);
    Vec<3> n = scaled_to_one(
        {{near(at, 1, 0, 0) - near(at, -1, 0, 0), near(at, 0, 1, 0) - near(at, 0, -1, 0),
          near(at, 0, 0, 1) - near(at, 0, 0, -1)}},
        {});
    Real delta = d;
    if (d < kernel.support && d > -kernel.support) plane_of(at, d, n, delta);
    nodes[node] = {n[0], n[1], n[2], delta};
  }

  RTSIM_HD Real near(const Index* at, Index i, Index j, Index k) const {
    return distance[fine.index(at[0] + i, at[1] + j, at[2] + k)];
  }

  // How much of a point's cell is solid: a ramp across the cell.
  RTSIM_HD Real solid(Real d) const {
    const Real s = Real(0.5) - d / fine.cell;
    return s > 0 ? (s < 1 ? s : 1) : 0;
  }

  RTSIM_HD void plane_of(const Index* at, Real d, Vec<3>& n, Real& delta) const {
    const Index reach = Index(kernel.support / fine.cell);
    const Index depth = fine.count[2] > 1 ? reach : 0;
    Real all = 0;
    Hidden here, plane;
    for (Index k = -depth; k <= depth; ++k)
      for (Index j = -reach; j <= reach; ++j)
        for (Index i = -reach; i <= reach; ++i) {
          const Vec<3> o{{fine.cell * Real(i), fine.cell * Real(j), fine.cell * Real(k)}};
          const Real r = norm(o), w = kernel.shape(r * r);
          if (!(w > 0)) continue;
          const Real slope = r > 0 ? kernel.slope(r) / r : 0;
          all += w;
          here.add(w, slope, o, solid(near(at, i, j, k)));
          plane.add(w, slope, o, solid(d + dot(n, o)));
        }
    delta += hidden.inverse(here.part / all) - hidden.inverse(plane.part / all);
    if (delta > d + most_excess) delta = d + most_excess;
    const Vec<3> away = here.away - plane.away + norm(plane.away) * n;
    n = scaled_to_one(kernel.support / all * away, n);
  }
};

RTSIM_HD Vec<3> velocity_at(const boundary::Pose& p, const Vec<3>& x) {
  return p.velocity + cross(p.angular_velocity, x - p.centre);
}

RTSIM_HD Vec<3> turned(const boundary::Pose& pose, const Vec<3>& local) {
  return {
      {dot(pose.rotation[0], local), dot(pose.rotation[1], local), dot(pose.rotation[2], local)}};
}
RTSIM_HD Vec<3> turned_back(const boundary::Pose& pose, const Vec<3>& d) {
  return d[0] * pose.rotation[0] + d[1] * pose.rotation[1] + d[2] * pose.rotation[2];
}
RTSIM_HD Vec<3> to_local(const boundary::Pose& pose, const Vec<3>& x) {
  return turned_back(pose, x - pose.translation);
}

// Linear between the nodes around x; false beyond the grid.
template <int D>
RTSIM_HD bool read_map(const WallMap& map, const Vec<3>& x, Row4& plane) {
  const MapGrid& g = map.grid;
  Index at[3] = {0, 0, 0};
  Real f[3] = {0, 0, 0};
  for (int a = 0; a < D; ++a) {
    const Real t = (x[a] - g.low[a]) / g.cell;
    if (!(t >= 0 && t < Real(g.count[a] - 1))) return false;
    at[a] = Index(t), f[a] = t - Real(at[a]);
  }
  plane = {0, 0, 0, 0};
  for (int corner = 0; corner < (1 << D); ++corner) {
    Real w = 1;
    for (int a = 0; a < D; ++a) w *= corner >> a & 1 ? f[a] : 1 - f[a];
    const Row4 q = map.nodes[g.index(at[0] + (corner & 1), at[1] + (corner >> 1 & 1),
                                     at[2] + (corner >> 2 & 1))];
    plane.x += w * q.x, plane.y += w * q.y, plane.z += w * q.z, plane.w += w * q.w;
  }
  return true;
}

RTSIM_HD Row4 far_row() { return {Real(1e6), Real(1e6), Real(1e6), 0}; }

template <int D>
struct PlaceVirtual {
  WallMap map;
  boundary::Pose pose;
  VirtualNeighbours law;
  Real ahead;
  Span<const Row4> fluid;
  Index first, own;
  Span<Row4> rows, motion;

  RTSIM_HD void operator()(Index i) const {
    if (i >= fluid.size) return clear(fluid.size * own + i - fluid.size);
    const Index b = i * own + first;
    for (Index l = 0; l < fan<D>; ++l) clear(b + l);
    const Vec<3> p{{fluid[i].x, fluid[i].y, D == 3 ? fluid[i].z : Real(0)}};
    Row4 plane;
    if (!read_map<D>(map, to_local(pose, p + ahead * velocity_at(pose, p)), plane)) return;
    if (!(plane.w < law.support)) return;
    const Vec<3> n = turned(pose, scaled_to_one({{plane.x, plane.y, plane.z}}, {}));
    const Vec<3> foot = p - law.reach.at(plane.w) * n;
    const Real aside = law.aside.at(plane.w), volume = law.volume.at(plane.w);
    for (Index l = 0; l < fan<D>; ++l) put(b + l, foot + aside * along_plane(n, l), volume);
  }

  RTSIM_HD void clear(Index b) const { rows[b] = far_row(), motion[b] = {0, 0, 0, 0}; }

  RTSIM_HD void put(Index b, const Vec<3>& x, Real volume) const {
    const Vec<3> v = velocity_at(pose, x);
    rows[b] = {x[0], x[1], D == 3 ? x[2] : Real(0), volume};
    motion[b] = {v[0], v[1], D == 3 ? v[2] : Real(0), 0};
  }

  // Unit vectors in the plane: both ways along it in 2D, along two axes of it in 3D.
  RTSIM_HD static Vec<3> along_plane(const Vec<3>& n, Index l) {
    const Vec<3> x{{1, 0, 0}}, y{{0, 1, 0}}, z{{0, 0, 1}};
    const Vec<3> t =
        D == 2 ? cross(z, n) : scaled_to_one(cross(n[0] * n[0] < Real(0.5) ? x : y, n), x);
    const Vec<3> axis = l < 2 ? t : cross(n, t);
    return (l % 2 == 0 ? Real(1) : Real(-1)) * axis;
  }
};

template <int D>
struct KeepOut {
  WallMap map;
  boundary::Pose pose;
  Real limit, ahead, dt;
  Span<const Row4> fluid;
  Span<Row4> motion;
  Index first, own;
  Real scale;
  Span<Row4> rows, force;

  RTSIM_HD void operator()(Index i) const {
    const Vec<3> p{{fluid[i].x, fluid[i].y, D == 3 ? fluid[i].z : Real(0)}};
    const Vec<3> v{{motion[i].x, motion[i].y, D == 3 ? motion[i].z : Real(0)}};
    const Vec<3> wall = velocity_at(pose, p);
    const Vec<3> from = to_local(pose, p + ahead * wall);
    Vec<3> way = dt * turned_back(pose, v - wall);
    if (!bend(from, way)) return;
    const Vec<3> u = wall + Real(1) / dt * turned(pose, way);
    motion[i] = {u[0], u[1], D == 3 ? u[2] : Real(0), motion[i].w};
    if (force.size == 0) return;
    const Index b = i * own + first;
    rows[b] = {p[0], p[1], p[2], rows[b].w};  // where the force acts
    force[b].x += scale * (v[0] - u[0]), force[b].y += scale * (v[1] - u[1]);
    force[b].z += scale * (v[2] - u[2]);
  }

  // In steps of half a cell. A row that began below the limit may stay, but go no deeper.
  RTSIM_HD bool bend(const Vec<3>& from, Vec<3>& way) const {
    Row4 plane;
    Real least = limit;
    if (read_map<D>(map, from, plane) && plane.w < least) least = plane.w;
    bool bent = false;
    for (int hits = 0; hits < 4; ++hits) {
      const Real steps = std::ceil(2 * norm(way) / map.grid.cell);
      Real k = 1;
      while (k <= steps && !(read_map<D>(map, from + k / steps * way, plane) && plane.w < least))
        ++k;
      if (!(k <= steps)) return bent;
      const Vec<3> n = scaled_to_one({{plane.x, plane.y, plane.z}}, {});
      const Vec<3> sure = (k - 1) / steps * way, rest = way - sure;
      const Real into = dot(rest, n);
      way = hits == 3 || !(into < 0) ? sure : sure + rest - into * n;
      bent = true;
    }
    return bent;
  }
};

// Index k counts the rows of one boundary alone.
template <int D>
struct MoveVirtual {
  boundary::Pose pose;
  Index first, own;
  Span<const Row4> rows;
  Span<Row4> motion;
  RTSIM_HD void operator()(Index k) const {
    const Index b = k / fan<D> * own + first + k % fan<D>;
    const Row4 p = rows[b];
    if (!(p.w > 0)) return;
    const Vec<3> v = velocity_at(pose, {{p.x, p.y, p.z}});
    motion[b] = {v[0], v[1], D == 3 ? v[2] : Real(0), 0};
  }
};

template <int D>
struct OneForce {
  Index first, own;
  Span<const Row4> rows, force;
  RTSIM_HD ForceAndTorque operator()(Index k) const {
    const Index b = k / fan<D> * own + first + k % fan<D>;
    return acting_at(rows[b], force[b]);
  }
};

}  // namespace

void fill_map(const Exec& ex, const CubicSpline& kernel, const Profile1& hidden, Real most_excess,
              const MapGrid& fine, Span<const Real> distance, const MapGrid& grid,
              Span<Row4> nodes) {
  parallel_for(ex, "wall_map.fill", nodes.size,
               FillNode{kernel, hidden, most_excess, fine, distance, grid, nodes});
}

template <int D>
void place_virtual(const Exec& ex, const WallMap& map, const boundary::Pose& pose,
                   const VirtualNeighbours& law, Real ahead, Span<const Row4> fluid, Index first,
                   Index own, Span<Row4> rows, Span<Row4> motion) {
  parallel_for(ex, "wall_map.place", fluid.size + lane_count,
               PlaceVirtual<D>{map, pose, law, ahead, fluid, first, own, rows, motion});
}

template <int D>
void keep_out(const Exec& ex, const WallMap& map, const boundary::Pose& pose, Real limit,
              Real ahead, Real dt, Span<const Row4> fluid, Span<Row4> motion, Index first,
              Index own, Real scale, Span<Row4> rows, Span<Row4> force) {
  parallel_for(
      ex, "wall_map.keep_out", fluid.size,
      KeepOut<D>{map, pose, limit, ahead, dt, fluid, motion, first, own, scale, rows, force});
}

template <int D>
void move_virtual(const Exec& ex, const boundary::Pose& pose, Index first, Index own,
                  Span<const Row4> rows, Span<Row4> motion) {
  parallel_for(ex, "wall_map.move", rows.size / own * fan<D>,
               MoveVirtual<D>{pose, first, own, rows, motion});
}

template <int D>
ForceAndTorque sum_virtual(const Exec& ex, Index first, Index own, Span<const Row4> rows,
                           Span<const Row4> force) {
  return reduce(ex, "wall_map.force", rows.size / own * fan<D>, ForceAndTorque{},
                OneForce<D>{first, own, rows, force}, AddForces{});
}

#define RTSIM_INSTANTIATE(D)                                                                      \
  template void place_virtual<D>(const Exec&, const WallMap&, const boundary::Pose&,              \
                                 const VirtualNeighbours&, Real, Span<const Row4>, Index, Index,  \
                                 Span<Row4>, Span<Row4>);                                         \
  template void keep_out<D>(const Exec&, const WallMap&, const boundary::Pose&, Real, Real, Real, \
                            Span<const Row4>, Span<Row4>, Index, Index, Real, Span<Row4>,         \
                            Span<Row4>);                                                          \
  template void move_virtual<D>(const Exec&, const boundary::Pose&, Index, Index,                 \
                                Span<const Row4>, Span<Row4>);                                    \
  template ForceAndTorque sum_virtual<D>(const Exec&, Index, Index, Span<const Row4>,             \
                                         Span<const Row4>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::sph
