#include "mac/for_rows.h"
#include "mac/mac.h"
#include "mac/open_face.h"

namespace rtsim::mac {

namespace {

struct ClosedCells {
  Domain domain;
  Walls walls;
  std::uint8_t* layer;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i, j, k};
    Real open = 0;
    for (int a = 0; a < domain.dims; ++a) {
      Index up[3] = {i, j, k};
      up[a] += 1;
      open += walls.open[a][domain.row(a, at[0], at[1], at[2])] +
              walls.open[a][domain.row(a, up[0], up[1], up[2])];
    }
    layer[domain.row(centres, i, j, k)] = open > 0 ? 0 : 255;
  }
};

struct OpenShare {
  Domain domain;
  Walls walls;
  Real* share;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    Real most = 0;
    for (int a = 0; a < domain.dims; ++a) {
      const Real low = walls.open[a][domain.row(a, i, j, k)],
                 high = walls.open[a][domain.row(a, i + (a == 0), j + (a == 1), k + (a == 2))];
      most = low > most ? low : most;
      most = high > most ? high : most;
    }
    share[domain.row(centres, i, j, k)] = most;
  }
};

// Neighbour `e` of a cell along an axis, or -1.
RTSIM_HD Index neighbour(const Domain& d, const Index at[3], int axis, int e) {
  Index n[3] = {at[0], at[1], at[2]};
  n[axis] += e;
  const Index count = d.cells[axis];
  if (d.periodic(axis)) n[axis] = (n[axis] + count) % count;
  if (n[axis] < 0 || n[axis] >= count) return -1;
  return d.row(centres, n[0], n[1], n[2]);
}

struct NextLayer {
  Domain domain;
  const std::uint8_t* from;
  std::uint8_t* to;
  std::uint8_t number;

  RTSIM_HD void operator()(Index r) const {
    to[r] = from[r];
    if (from[r] != 255) return;
    const Index at[3] = {r % domain.cells[0], r / domain.cells[0] % domain.cells[1],
                         r / domain.cells[0] / domain.cells[1]};
    for (int a = 0; a < domain.dims; ++a)
      for (int e = -1; e <= 1; e += 2) {
        const Index n = neighbour(domain, at, a, e);
        if (n >= 0 && from[n] == number - 1) to[r] = number;
      }
  }
};

struct ThinCell {
  Domain domain;
  const std::uint8_t* layer;

  RTSIM_HD Index operator()(Index r) const {
    if (layer[r] != 1) return 0;
    const Index at[3] = {r % domain.cells[0], r / domain.cells[0] % domain.cells[1],
                         r / domain.cells[0] / domain.cells[1]};
    for (int a = 0; a < domain.dims; ++a) {
      const Index low = neighbour(domain, at, a, -1), high = neighbour(domain, at, a, 1);
      if (low >= 0 && high >= 0 && layer[low] == 0 && layer[high] == 0) return 1;
    }
    return 0;
  }
};

struct IsLayer {
  const std::uint8_t* layer;
  std::uint8_t number;
  RTSIM_HD Index operator()(Index r) const { return layer[r] == number; }
};

struct FillSolid {
  Domain domain;
  Layout layout;
  const std::uint8_t* layer;
  Real* padded;
  std::uint8_t number;

  RTSIM_HD void operator()(Index r) const {
    if (layer[r] != number) return;
    const Index at[3] = {r % domain.cells[0], r / domain.cells[0] % domain.cells[1],
                         r / domain.cells[0] / domain.cells[1]};
    const Index stride[3] = {1, layout.pitch, layout.plane};
    const Index here = layout.at(at[0], at[1], at[2]);
    Real sum = 0;
    int count = 0;
    for (int a = 0; a < domain.dims; ++a) {
      Real pair[2] = {0, 0};
      for (int e = 0; e < 2; ++e) {
        const Index n = neighbour(domain, at, a, 2 * e - 1);
        if (n < 0 || layer[n] >= number) continue;
        const Index there =
            domain.periodic(a) ? wrap(at, a, 2 * e - 1) : here + (2 * e - 1) * stride[a];
        pair[e] = padded[there], ++count;
      }
      sum += pair[0] + pair[1];
    }
    padded[here] = count > 0 ? sum / Real(count) : Real(0);
  }

 private:
  RTSIM_HD Index wrap(const Index at[3], int axis, int e) const {
    Index n[3] = {at[0], at[1], at[2]};
    n[axis] = (n[axis] + e + domain.cells[axis]) % domain.cells[axis];
    return layout.at(n[0], n[1], n[2]);
  }
};

struct ClearSolid {
  const std::uint8_t* layer;
  Real* rows;

  RTSIM_HD void operator()(Index r) const {
    if (layer[r] != 0) rows[r] = 0;
  }
};

}  // namespace

void open_faces(const Exec& ex, const Domain& d, const SolidNodes& s, const Walls& w) {
  for (int a = 0; a < d.dims; ++a) {
    const OpenFace face = OpenFace::of(d, s, a, w);
    if (ex.cpu_shaped())
      open_lines(ex, face);
    else
      for_rows(ex, "mac.open_faces", d, a, face);
  }
}

void move_faces(const Exec& ex, const Domain& d, const SolidNodes& s, const Walls& w) {
  for (int a = 0; a < d.dims; ++a) {
    const OpenFace face = OpenFace::of(d, s, a, w);
    if (ex.cpu_shaped())
      move_lines(ex, face);
    else
      for_rows(ex, "mac.move_faces", d, a, FaceVelocity{face});
  }
}

Index solid_layers(const Exec& ex, const Domain& d, const Walls& w, Span<std::uint8_t> layer,
                   Span<std::uint8_t> scratch) {
  for_rows(ex, "mac.solid_layers", d, centres, ClosedCells{d, w, layer.data});
  parallel_for(ex, "mac.solid_layers", layer.size, NextLayer{d, layer.data, scratch.data, 1});
  parallel_for(ex, "mac.solid_layers", layer.size, NextLayer{d, scratch.data, layer.data, 2});
  return reduce(ex, "mac.solid_layers", layer.size, Index(0), IsLayer{layer.data, 0}, Plus{});
}

void open_shares(const Exec& ex, const Domain& d, const Walls& w, Span<Real> share) {
  for_rows(ex, "mac.open_shares", d, centres, OpenShare{d, w, share.data});
}

double thin_share(const Exec& ex, const Domain& d, Span<const std::uint8_t> layer) {
  const Index all = reduce(ex, "mac.thin", layer.size, Index(0), IsLayer{layer.data, 1}, Plus{});
  const Index thin = reduce(ex, "mac.thin", layer.size, Index(0), ThinCell{d, layer.data}, Plus{});
  return all > 0 ? double(thin) / double(all) : 0;
}

void fill_solids(const Exec& ex, const Domain& d, Span<const std::uint8_t> layer, Real* padded) {
  for (std::uint8_t n = 1; n <= 2; ++n)
    parallel_for(ex, "mac.fill_solids", layer.size,
                 FillSolid{d, Layout::of(d), layer.data, padded, n});
}

void clear_solids(const Exec& ex, Span<const std::uint8_t> layer, Span<Real> rows) {
  parallel_for(ex, "mac.clear_solids", rows.size, ClearSolid{layer.data, rows.data});
}

}  // namespace rtsim::mac
