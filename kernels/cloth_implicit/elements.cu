#include "cloth_implicit/cloth_implicit.h"
#include "cloth_implicit/hinge.h"
#include "exec/parallel.h"

namespace rtsim::cloth {

namespace {

template <class At>
RTSIM_HD Threads<Real> threads_of(const Mesh& mesh, Index t, const At& at) {
  const Corners3& c = mesh.triangles[t];
  return threads(mesh.triangle_rest[t], at.between(c[0], c[1]), at.between(c[0], c[2]));
}
template <class At>
RTSIM_HD Hinge<Real> hinge_of(const Mesh& mesh, Index h, const At& at) {
  const Corners4& c = mesh.hinges[h];
  return hinge(at.between(c[0], c[1]), at.between(c[0], c[2]), at.between(c[0], c[3]));
}

struct StartTriangles {
  Mesh mesh;
  Fabric<Real> fabric;
  Here at;
  Span<Conditions<Real>> to;
  RTSIM_HD void operator()(Index t) const { to[t] = conditions(fabric, threads_of(mesh, t, at)); }
};
struct StartHinges {
  Mesh mesh;
  Here at;
  Span<Real> to;
  RTSIM_HD void operator()(Index h) const {
    to[h] = turned(hinge_of(mesh, h, at).angle, mesh.hinge_rest[h].angle);
  }
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
    return {a.stretch + b.stretch, a.shear + b.shear, a.bending + b.bending, a.damping + b.damping};
  }
};

struct TrianglesPull {
  Mesh mesh;
  Fabric<Real> fabric;
  Ahead at;
  Elements to;
  RTSIM_HD Energies operator()(Index t) const {
    const TriangleRest<Real> rest = mesh.triangle_rest[t];
    const Threads<Real> w = threads_of(mesh, t, at);
    const Conditions<Real> c = conditions(fabric, w), c0 = to.triangle_start[t];
    const Threads<Real> f = corner_forces(rest, pulls(fabric, w, damped(fabric, c, c0)));
    to.triangle_forces[t] = {f.u, f.v};
    const Conditions<Real> e = energies(fabric, c), d = damped_part(fabric, c, c0);
    const double area = rest.area;
    return {area * (double(e.u) + double(e.v)), area * double(e.shear), 0,
            area * (double(d.u) + double(d.v) + double(d.shear))};
  }
};

struct HingesTurn {
  Mesh mesh;
  Material k;
  Ahead at;
  Elements to;
  RTSIM_HD Energies operator()(Index e) const {
    const Hinge<Real> now = hinge_of(mesh, e, at);
    const Real stiffness = k.bending * mesh.hinge_rest[e].scale;
    const Real c = turned(now.angle, mesh.hinge_rest[e].angle), d = turned(c, to.hinge_start[e]);
    to.hinges[e] = {now.g1, now.g2, now.g3, stiffness * (c + k.bending_lag * d),
                    stiffness * (1 + k.bending_lag)};
    return {0, 0, 0.5 * double(stiffness) * double(c) * double(c),
            0.5 * double(stiffness * k.bending_lag) * double(d) * double(d)};
  }
};

struct Tangents {
  Mesh mesh;
  Fabric<Real> fabric;
  Ahead at;
  Real h;
  Elements to;
  RTSIM_HD void operator()(Index t) const {
    const TriangleRest<Real> rest = mesh.triangle_rest[t];
    const Threads<Real> w = threads_of(mesh, t, at);
    const WeaveTangent<Real> a =
        weave_tangent(fabric, w, damped(fabric, conditions(fabric, w), to.triangle_start[t]), true);
    TriangleBlocks& blocks = to.triangle_blocks[t];
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
    const double area = mesh.triangle_rest[t].area;
    return {area * (double(e.u) + double(e.v)), area * double(e.shear), 0, 0};
  }
};
struct HingeEnergies {
  Mesh mesh;
  Real bending;
  Here at;
  RTSIM_HD Energies operator()(Index h) const {
    const HingeRest rest = mesh.hinge_rest[h];
    const double c = turned(hinge_of(mesh, h, at).angle, rest.angle);
    return {0, 0, 0.5 * double(bending * rest.scale) * c * c, 0};
  }
};

struct StrainOf {
  Mesh mesh;
  Fabric<Real> fabric;
  Here at;
  RTSIM_HD Strain operator()(Index t) const {
    const Conditions<Real> c = conditions(fabric, threads_of(mesh, t, at));
    const double area = mesh.triangle_rest[t].area;
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

void start(const Exec& ex, const Mesh& mesh, const Material& k, Span<const Vec<3>> position,
           const Elements& to) {
  parallel_for(ex, "cloth.start", mesh.triangles.size,
               StartTriangles{mesh, k.fabric, {position}, to.triangle_start});
  parallel_for(ex, "cloth.start", mesh.hinges.size, StartHinges{mesh, {position}, to.hinge_start});
}

Energies forces(const Exec& ex, const Mesh& mesh, const Material& k, const Ahead& at,
                const Elements& to) {
  const Energies a = reduce(ex, "cloth.triangles", mesh.triangles.size, Energies{},
                            TrianglesPull{mesh, k.fabric, at, to}, AddEnergies{});
  const Energies b = reduce(ex, "cloth.hinges", mesh.hinges.size, Energies{},
                            HingesTurn{mesh, k, at, to}, AddEnergies{});
  return AddEnergies{}(a, b);
}

void tangents(const Exec& ex, const Mesh& mesh, const Material& k, const Ahead& at, Real h,
              const Elements& to) {
  parallel_for(ex, "cloth.tangents", mesh.triangles.size, Tangents{mesh, k.fabric, at, h, to});
}

Energies energies(const Exec& ex, const Mesh& mesh, const Material& k,
                  Span<const Vec<3>> position) {
  const Energies a = reduce(ex, "cloth.energies", mesh.triangles.size, Energies{},
                            TriangleEnergies{mesh, k.fabric, {position}}, AddEnergies{});
  const Energies b = reduce(ex, "cloth.energies", mesh.hinges.size, Energies{},
                            HingeEnergies{mesh, k.bending, {position}}, AddEnergies{});
  return AddEnergies{}(a, b);
}

Strain strain(const Exec& ex, const Mesh& mesh, const Material& k, Span<const Vec<3>> position) {
  return reduce(ex, "cloth.strain", mesh.triangles.size, Strain{},
                StrainOf{mesh, k.fabric, {position}}, AddStrains{});
}

double greatest_change(const Exec& ex, const Mesh& mesh, const Material& k, const Ahead& at,
                       const Elements& from) {
  return reduce(ex, "cloth.change", mesh.triangles.size, 0.0,
                ChangeOf{mesh, k.fabric, at, from.triangle_start}, Max{});
}

}  // namespace rtsim::cloth
