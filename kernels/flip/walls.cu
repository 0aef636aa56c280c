#include <algorithm>

#include "exec/parallel.h"
#include "flip/flip.h"
#include "lanes/gather.h"

namespace rtsim::flip {

namespace {

constexpr unsigned all_lanes = (1u << lane_count) - 1;

// The signed distance of walls between the nodes, and its slope.
template <int D>
struct Distance {
  mac::Domain domain;
  const Real* nodes;  // null: no walls

  RTSIM_HD Index low_node(const Real (&x)[D]) const {
    const Index nx = domain.cells[0] + 1, ny = domain.cells[1] + 1;
    Index low[3] = {0, 0, 0};
    for (int a = 0; a < D; ++a) {
      const Real last = Real(domain.cells[a] - 1);
      low[a] = Index(x[a] > 0 ? (x[a] < last ? x[a] : last) : Real(0));
    }
    return low[0] + nx * (low[1] + ny * low[2]);
  }
  // Most are farther from walls than the corners of a cell from each other.
  RTSIM_HD Real near_by() const { return Real(1.8) * domain.spacing; }
  RTSIM_HD bool may_be_near(const Real (&x)[D]) const { return nodes[low_node(x)] < near_by(); }
  // Whether a node of its cell is in a wall: elsewhere the distance is not below 0.
  RTSIM_HD bool near(const Real (&x)[D]) const {
    if (!may_be_near(x)) return false;
    const Index nx = domain.cells[0] + 1, ny = domain.cells[1] + 1, low = low_node(x);
    for (int corner = 0; corner < (1 << D); ++corner)
      if (nodes[low + (corner & 1) + nx * ((corner >> 1 & 1) + ny * (corner >> 2 & 1))] < 0)
        return true;
    return false;
  }
  // Those of eight places within the sides, on the CPU; by the same sums as below.
  unsigned those_inside(const Lanes<Real> (&x)[D]) const {
    using Eight = Lanes<Real>;
    const Index nx = domain.cells[0] + 1, ny = domain.cells[1] + 1, stride[3] = {1, nx, nx * ny};
    LaneIndex first(0);
    Eight weight[D][2];
    for (int a = 0; a < D; ++a) {
      const Eight last(Real(domain.cells[a] - 1)),
          low = floor_of(greatest(Eight(Real(0)), least(last, x[a])));
      weight[a][1] = x[a] - low, weight[a][0] = Eight(Real(1)) - weight[a][1];
      first = first + to_index(low) * LaneIndex(stride[a]);
    }
    if (less(gather_pair(nodes, first).first, Eight(near_by())) == 0) return 0;
    Eight sum(Real(0));
    for (int corner = 0; corner < (1 << D); corner += 2) {
      const Index step = (corner >> 1 & 1) * nx + (corner >> 2 & 1) * nx * ny;
      const Pair<Eight> d = gather_pair(nodes + step, first);
      for (int up = 0; up < 2; ++up) {
        Eight w = weight[0][up];
        for (int a = 1; a < D; ++a) w = w * weight[a][corner >> a & 1];
        sum = sum + w * (up ? d.second : d.first);
      }
    }
    return less(sum, Eight(Real(0)));
  }
  RTSIM_HD Real operator()(const Real (&x)[D], Real (&slope)[D]) const {
    Index low[3] = {0, 0, 0};
    Real part[3] = {0, 0, 0};
    for (int a = 0; a < D; ++a) {
      const Real last = Real(domain.cells[a]), t = x[a] > 0 ? (x[a] < last ? x[a] : last) : Real(0);
      low[a] = Index(t) < domain.cells[a] ? Index(t) : domain.cells[a] - 1;
      part[a] = t - Real(low[a]);
    }
    Real sum = 0;
    for (int a = 0; a < D; ++a) slope[a] = 0;
    for (int corner = 0; corner < (1 << D); ++corner) {
      Real weight[D], w = 1;
      Index n[3] = {low[0], low[1], low[2]};
      for (int a = 0; a < D; ++a) {
        const bool up = corner >> a & 1;
        n[a] += up, weight[a] = up ? part[a] : 1 - part[a], w *= weight[a];
      }
      const Index nx = domain.cells[0] + 1, ny = domain.cells[1] + 1;
      const Real d = nodes[n[0] + nx * (n[1] + ny * n[2])];
      sum += w * d;
      for (int a = 0; a < D; ++a) {
        Real others = (corner >> a & 1) ? d : -d;
        for (int b = 0; b < D; ++b)
          if (b != a) others *= weight[b];
        slope[a] += others;
      }
    }
    return sum;
  }
};

// v -= n min(0, n . (v - v_wall)), n the slope of the distance.
template <int D>
struct StopAtWalls {
  Place<D> place;
  Distance<D> distance;
  const grid::SolidId* nearest;
  const boundary::Pose* poses;
  Span<const Vec<3>> deforming;
  const Real* surface;
  const Vec<D>* position;
  Vec<D>* velocity;

  // The node of a cell that is deepest in walls.
  RTSIM_HD Index deepest_node(const Index (&low)[3]) const {
    const Index nx = place.domain.cells[0] + 1, ny = place.domain.cells[1] + 1;
    Index deepest = -1;
    for (int corner = 0; corner < (1 << D); ++corner) {
      const Index n = low[0] + (corner & 1) +
                      nx * (low[1] + (corner >> 1 & 1) + ny * (low[2] + (corner >> 2 & 1)));
      if (deepest < 0 || distance.nodes[n] < distance.nodes[deepest]) deepest = n;
    }
    return deepest;
  }
  RTSIM_HD void operator()(Index i, const Real (&x)[D]) const {
    Real slope[D], square = 0, into = 0;
    if (!(distance(x, slope) < 0)) return;
    Index cell[3] = {0, 0, 0};
    for (int a = 0; a < D; ++a) {
      const Index last = place.domain.cells[a] - 1, c = Index(x[a]);
      cell[a] = c < 0 ? 0 : c < last ? c : last;
    }
    if (surface[place.domain.row(mac::centres, cell[0], cell[1], cell[2])] < 0) return;
    const Index deepest = deepest_node(cell);
    const grid::SolidId solid = nearest[deepest];
    const boundary::Pose& pose = poses[solid];
    Vec<3> arm{};
    for (int a = 0; a < D; ++a) arm[a] = position[i][a] - pose.centre[a];
    Vec<3> of_wall = pose.velocity + cross(pose.angular_velocity, arm);
    if (deforming.size > 0) of_wall = of_wall + deforming[deepest];
    for (int a = 0; a < D; ++a)
      square += slope[a] * slope[a], into += slope[a] * (velocity[i][a] - of_wall[a]);
    if (!(square > 0) || into >= 0) return;
    for (int a = 0; a < D; ++a) velocity[i][a] -= slope[a] * into / square;
  }
};

template <int D>
struct KeepInside {
  Place<D> place;
  Distance<D> distance;
  StopAtWalls<D> stop;
  Vec<D>* position;
  std::uint32_t* left;

  RTSIM_HD bool within_sides(const Real (&x)[D]) const {
    bool within = true;
    for (int a = 0; a < D; ++a) within = within && x[a] >= 0 && x[a] < Real(place.domain.cells[a]);
    return within;
  }
  // Whether the particle is still there.
  RTSIM_HD bool inside_sides(Real (&x)[D]) const {
    const mac::Domain& d = place.domain;
    for (int a = 0; a < D; ++a) {
      const Real n = Real(d.cells[a]);
      if (d.periodic(a)) {
        x[a] -= n * std::floor(x[a] / n);
        if (!(x[a] < n)) x[a] = 0;
        continue;
      }
      if (x[a] >= 0 && x[a] <= n) continue;
      if (!d.closed(a, x[a] > n)) return false;
      x[a] = x[a] > n ? n : Real(0);
    }
    return true;
  }
  // Along the slope of the distance, in a few steps where it turns.
  RTSIM_HD void out_of_walls(Real (&x)[D]) const {
    for (int step = 0; step < 4; ++step) {
      Real slope[D], square = 0;
      const Real inside = distance(x, slope);
      if (!(inside < 0)) return;
      for (int a = 0; a < D; ++a) square += slope[a] * slope[a];
      if (!(square > 0)) return;
      for (int a = 0; a < D; ++a) x[a] -= inside * slope[a] / square;
    }
  }
  // On the CPU, of up to eight in a row: most are within the sides and outside of walls.
  void several(Index begin, Index end) const {
    const unsigned stay = end - begin == lane_count ? those_outside_walls(begin) : 0;
    for (Index i = begin; i < end; ++i)
      if (stay >> (i - begin) & 1)
        left[i] = 0;
      else
        (*this)(i);
  }
  unsigned those_outside_walls(Index begin) const {
    using Eight = Lanes<Real>;
    const mac::Domain& d = place.domain;
    Real at[D][lane_count];
    for (Index l = 0; l < lane_count; ++l)
      for (int a = 0; a < D; ++a) at[a][l] = position[begin + l][a];
    Eight x[D];
    unsigned within = all_lanes;
    for (int a = 0; a < D; ++a) {
      x[a] = (Eight::load(at[a]) - Eight(place.low[a])) / Eight(d.spacing);
      within &= less(x[a], Eight(Real(d.cells[a]))) & ~less(x[a], Eight(Real(0)));
    }
    if (!distance.nodes) return within;
    return within & ~distance.those_inside(x);
  }
  // Whether the particle left.
  RTSIM_HD Index operator()(Index i) const {
    Real x[D];
    for (int a = 0; a < D; ++a) x[a] = place.cells(a, position[i][a]);
    const bool beside_wall = distance.nodes && distance.near(x);
    left[i] = 0;
    if (!beside_wall && within_sides(x)) return 0;
    if (beside_wall) stop(i, x);
    bool stays = inside_sides(x);
    if (stays && distance.nodes && distance.near(x)) {
      out_of_walls(x);
      stays = inside_sides(x);
    }
    left[i] = !stays;
    if (!stays) return 1;
    for (int a = 0; a < D; ++a)
      if (x[a] != place.cells(a, position[i][a])) position[i][a] = place.metres(a, x[a]);
    return 0;
  }
};

struct Count {
  const std::uint32_t* left;
  RTSIM_HD Index operator()(Index i) const { return Index(left[i]); }
};

template <int D>
struct Inside {
  Place<D> place;
  Distance<D> distance;
  const Vec<D>* position;
  Real depth;

  RTSIM_HD Index operator()(Index i) const {
    Real x[D], slope[D];
    for (int a = 0; a < D; ++a) x[a] = place.cells(a, position[i][a]);
    return distance.near(x) && distance(x, slope) < -depth;
  }
};

template <int D>
struct MarkInside {
  Inside<D> inside;
  std::uint32_t* marked;
  RTSIM_HD void operator()(Index i) const { marked[i] = std::uint32_t(inside(i)); }
};

template <int D>
Distance<D> distance_of(const Place<D>& place, const Solid& s) {
  return {place.domain, s.distance.size > 0 ? s.distance.data : nullptr};
}

}  // namespace

template <int D>
Index keep_inside(const Exec& ex, const Place<D>& place, const mac::SolidNodes& walls,
                  Span<const Real> surface, Span<Vec<D>> position, Span<Vec<D>> velocity,
                  Span<std::uint32_t> left) {
  const Distance<D> distance = distance_of(place, Solid{walls.distance});
  const StopAtWalls<D> stop{place,           distance,     walls.nearest.data, walls.poses.data,
                            walls.deforming, surface.data, position.data,      velocity.data};
  const KeepInside<D> keep{place, distance, stop, position.data, left.data};
  if (!ex.cpu_shaped()) return reduce(ex, "flip.walls", position.size, Index(0), keep, Plus{});
  parallel_chunks(ex, "flip.walls", position.size, 8192, [&](Index begin, Index end) {
    const KeepInside<D> own = keep;
    for (Index i = begin; i < end; i += lane_count) own.several(i, std::min(i + lane_count, end));
  });
  return reduce(ex, "flip.walls", position.size, Index(0), Count{left.data}, Plus{});
}

template <int D>
Index count_inside(const Exec& ex, const Place<D>& place, const Solid& solid,
                   Span<const Vec<D>> position) {
  if (solid.distance.size == 0) return 0;
  const Real depth = Real(1e-3) * place.domain.spacing;
  return reduce(ex, "flip.walls", position.size, Index(0),
                Inside<D>{place, distance_of(place, solid), position.data, depth}, Plus{});
}

template <int D>
void mark_inside(const Exec& ex, const Place<D>& place, const Solid& solid,
                 Span<const Vec<D>> position, Real depth, Span<std::uint32_t> marked) {
  const Inside<D> inside{place, distance_of(place, solid), position.data, depth};
  parallel_for(ex, "flip.walls", position.size, MarkInside<D>{inside, marked.data});
}

#define RTSIM_INSTANTIATE(D)                                                                      \
  template Index keep_inside<D>(const Exec&, const Place<D>&, const mac::SolidNodes&,             \
                                Span<const Real>, Span<Vec<D>>, Span<Vec<D>>,                     \
                                Span<std::uint32_t>);                                             \
  template Index count_inside<D>(const Exec&, const Place<D>&, const Solid&, Span<const Vec<D>>); \
  template void mark_inside<D>(const Exec&, const Place<D>&, const Solid&, Span<const Vec<D>>,    \
                               Real, Span<std::uint32_t>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::flip
