#include "cloth_implicit/cloth_implicit.h"
#include "exec/parallel.h"

namespace rtsim::cloth {

namespace {

template <class At>
RTSIM_HD Threads<Real> threads_of(const Mesh& mesh, Index t, const At& at) {
  const Corners3& c = mesh.triangles[t];
  return threads(mesh.rest[t], at.between(c[0], c[1]), at.between(c[0], c[2]));
}

struct StartTriangles {
  Mesh mesh;
  Fabric<Real> fabric;
  Here at;
  Span<Conditions<Real>> to;
  RTSIM_HD void operator()(Index t) const { to[t] = conditions(fabric, threads_of(mesh, t, at)); }
};

// (k C^2 + k lag (C - C0)^2) / 2: the second part.
RTSIM_HD Conditions<Real> damped_part(const Fabric<Real>& k, const Conditions<Real>& c,
                                      const Conditions<Real>& c0) {
  const Conditions<Real> e =
      energies(k, Conditions<Real>{c.u - c0.u, c.v - c0.v, c.shear - c0.shear});
  return {k.lag * e.u, k.lag * e.v, k.lag * e.shear};
}

struct AddEnergies {
  RTSIM_HD Energies operator()(const Energies& a, const Energies& b) const {
    return {a.stretch + b.stretch, a.shear + b.shear, a.damping + b.damping};
  }
};

struct TrianglesPull {
  Mesh mesh;
  Fabric<Real> fabric;
  Ahead at;
  Elements to;
  RTSIM_HD Energies operator()(Index t) const {
    const TriangleRest<Real> rest = mesh.rest[t];
    const Threads<Real> w = threads_of(mesh, t, at);
    const Conditions<Real> c = conditions(fabric, w), c0 = to.start[t];
    const Threads<Real> f = corner_forces(rest, pulls(fabric, w, damped(fabric, c, c0)));
    to.forces[t] = {f.u, f.v};
    const Conditions<Real> e = energies(fabric, c), d = damped_part(fabric, c, c0);
    const double area = rest.area;
    return {area * (double(e.u) + double(e.v)), area * double(e.shear),
            area * (double(d.u) + double(d.v) + double(d.shear))};
  }
};

struct HessianBlocks {
  Mesh mesh;
  Fabric<Real> fabric;
  Ahead at;
  Real h;
  Elements to;
  RTSIM_HD void operator()(Index t) const {
    const TriangleRest<Real> rest = mesh.rest[t];
    const Threads<Real> w = threads_of(mesh, t, at);
    const WeaveTangent<Real> a =
        weave_tangent(fabric, w, damped(fabric, conditions(fabric, w), to.start[t]), true);
    TriangleBlocks& blocks = to.blocks[t];
    const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 3; ++k)
      blocks.n[k] = (-h * h) * corner_tangent(rest, a, pairs[k][0], pairs[k][1]);
  }
};

struct TriangleEnergies {
  Mesh mesh;
  Fabric<Real> fabric;
  Here at;
  RTSIM_HD Energies operator()(Index t) const {
    const Conditions<Real> e = energies(fabric, conditions(fabric, threads_of(mesh, t, at)));
    const double area = mesh.rest[t].area;
    return {area * (double(e.u) + double(e.v)), area * double(e.shear), 0};
  }
};
struct StrainOf {
  Mesh mesh;
  Fabric<Real> fabric;
  Here at;
  RTSIM_HD Strain operator()(Index t) const {
    const Conditions<Real> c = conditions(fabric, threads_of(mesh, t, at));
    const double area = mesh.rest[t].area;
    return {0.5 * area * (double(c.u) + double(c.v)), area, double(c.u < c.v ? c.v : c.u)};
  }
};
struct AddStrains {
  RTSIM_HD Strain operator()(const Strain& a, const Strain& b) const {
    return {a.sum + b.sum, a.area + b.area, a.greatest < b.greatest ? b.greatest : a.greatest};
  }
};

struct ChangeOf {
  Mesh mesh;
  Fabric<Real> fabric;
  Ahead at;
  Span<const Conditions<Real>> start;
  RTSIM_HD double operator()(Index t) const {
    const Conditions<Real> c = conditions(fabric, threads_of(mesh, t, at)), c0 = start[t];
    const double u = std::abs(double(c.u - c0.u)), v = std::abs(double(c.v - c0.v));
    return u < v ? v : u;
  }
};

}  // namespace

void start(const Exec& ex, const Mesh& mesh, const Fabric<Real>& k, Span<const Vec<3>> position,
           const Elements& to) {
  parallel_for(ex, "cloth.start", mesh.triangles.size,
               StartTriangles{mesh, k, {position}, to.start});
}

Energies forces(const Exec& ex, const Mesh& mesh, const Fabric<Real>& k, const Ahead& at,
                const Elements& to) {
  return reduce(ex, "cloth.triangles", mesh.triangles.size, Energies{},
                TrianglesPull{mesh, k, at, to}, AddEnergies{});
}

void hessian_blocks(const Exec& ex, const Mesh& mesh, const Fabric<Real>& k, const Ahead& at,
                    Real h, const Elements& to) {
  parallel_for(ex, "cloth.tangents", mesh.triangles.size, HessianBlocks{mesh, k, at, h, to});
}

Energies energies(const Exec& ex, const Mesh& mesh, const Fabric<Real>& k,
                  Span<const Vec<3>> position) {
  return reduce(ex, "cloth.energies", mesh.triangles.size, Energies{},
                TriangleEnergies{mesh, k, {position}}, AddEnergies{});
}

Strain strain(const Exec& ex, const Mesh& mesh, const Fabric<Real>& k,
              Span<const Vec<3>> position) {
  return reduce(ex, "cloth.strain", mesh.triangles.size, Strain{}, StrainOf{mesh, k, {position}},
                AddStrains{});
}

double greatest_change(const Exec& ex, const Mesh& mesh, const Fabric<Real>& k, const Ahead& at,
                       const Elements& from) {
  return reduce(ex, "cloth.change", mesh.triangles.size, 0.0, ChangeOf{mesh, k, at, from.start},
                Max{});
}

}  // namespace rtsim::cloth
