#include "particles/walls/virtual_fan.h"

#include <algorithm>
#include <cmath>

#include "sph/wall_map.h"

namespace rtsim {

// The part of the kernel beyond a plane, for distances of the plane from -H to H.
std::vector<double> hidden_part(const KernelOfSquare& kernel, double support, int dim) {
  const double step = 2 * support / hidden_steps, pi = 3.14159265358979323846;
  std::vector<double> sheet(hidden_steps + 1, 0.0);  // of the kernel in the plane at -H + k step
  for (int k = 0; k <= hidden_steps; ++k)
    for (int l = 0; l < hidden_steps; ++l) {
      const double z = -support + k * step, rho = (l + 0.5) * step / 2;
      sheet[std::size_t(k)] += kernel(z * z + rho * rho) * (dim == 3 ? 2 * pi * rho : 1);
    }
  std::vector<double> beyond(sheet.size(), 0.0);
  for (std::size_t k = sheet.size() - 1; k > 0; --k)
    beyond[k - 1] = beyond[k] + 0.5 * (sheet[k] + sheet[k - 1]);
  for (std::size_t k = beyond.size(); k-- > 0;) beyond[k] /= beyond[0];
  return beyond;
}

namespace {

constexpr int steps_to_spacing = 64;  // even, so that a fluid at rest meets a step

double slope(const KernelOfSquare& kernel, double r, double step) {
  const double a = r + step, b = r - step;
  return (kernel(a * a) - kernel(b * b)) / (2 * step);
}

// Sums over neighbours of a row: of W, of its slope along the normal of a plane, and of what
// viscous forces along the plane go with.
struct PlaneSums {
  double sum = 0, pull = 0, drag = 0;

  void add(const KernelOfSquare& kernel, double s, double normal, double aside2, double one_way2) {
    const double r = std::sqrt(normal * normal + aside2), w = slope(kernel, r, 1e-4 * s);
    sum += kernel(r * r), pull += w * normal / r, drag += w * one_way2 / (r * r * r);
  }
};

// What a lattice of spacing s at rest half a spacing from a plane misses beyond it.
PlaneSums missing(const KernelOfSquare& kernel, double support, double s, int dim) {
  PlaneSums m;
  const int reach = int(std::ceil(support / s));
  for (int layer = 1; layer <= reach; ++layer)
    for (int i = -reach; i <= reach; ++i)
      for (int j = dim == 3 ? -reach : 0; j <= (dim == 3 ? reach : 0); ++j)
        m.add(kernel, s, layer * s, (i * i + j * j) * s * s, i * i * s * s);
  return m;
}

// Where the virtual neighbours of a row at rest stand: r along the normal and b aside, so that
// sum, pull and drag are in the proportions of the lattice.
struct FanPlace {
  double r, b;

  static FanPlace like(const PlaneSums& lattice, const KernelOfSquare& kernel, double support,
                       double s, int dim) {
    FanPlace f{s, 0.5 * s};
    for (int k = 0; k < 100; ++k) {
      f.r = f.distance(lattice, kernel, support, s);
      const double share = (dim - 1) * lattice.drag / lattice.pull * f.r;  // b^2 / (r^2 + b^2)
      f.b = std::sqrt(0.5 * (f.b * f.b + f.r * f.r * share / (1 - share)));
    }
    return f;
  }

  double distance(const PlaneSums& lattice, const KernelOfSquare& kernel, double support,
                  double s) const {
    double low = 0.1 * s, high = 0.99 * std::sqrt(support * support - b * b);
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      PlaneSums one;
      one.add(kernel, s, middle, b * b, 0);
      (one.pull * lattice.sum > lattice.pull * one.sum ? low : high) = middle;
    }
    return low;
  }
};

}  // namespace

// With s the spacing, hidden(delta) the part of the kernel beyond a plane at delta, and m virtual
// neighbours at the distance rho(delta)^2 = r^2 + b^2,
//
//   m V(delta) W(rho) = s^D (sum of W over what a lattice at s/2 misses) hidden(delta) /
//   hidden(s/2)
//
// At s/2 the sums of slopes and of viscous forces are the lattice's too, which fixes r and b there.
// At the surface r = s/2, where samples would be, and the neighbours stand closer together, so that
// contact laws push as one sample does. They stay behind rows that went below the surface, and go
// on pushing them out. rho(H) = H.
VirtualFan virtual_fan(const KernelOfSquare& kernel, double support, double spacing, int dim) {
  const double s = spacing, H = support;
  const PlaneSums lattice = missing(kernel, H, s, dim);
  const FanPlace rest = FanPlace::like(lattice, kernel, H, s, dim);
  const std::vector<double> hidden = hidden_part(kernel, H, dim);
  const auto part = [&](double delta) {
    const double t = std::clamp((delta + H) / (2 * H) * hidden_steps, 0.0, hidden_steps - 1e-9);
    const std::size_t k = std::size_t(t);
    return hidden[k] + (t - double(k)) * (hidden[k + 1] - hidden[k]);
  };
  const double furthest = std::sqrt(H * H - rest.b * rest.b);
  const int ends = int(std::ceil(H / s * steps_to_spacing));
  VirtualFan fan{-ends * s / steps_to_spacing, s / steps_to_spacing, {}, {}, {}};
  for (int k = -ends; k <= ends; ++k) {
    const double delta = k * s / steps_to_spacing;
    double r = std::max(delta + 0.5 * s, 0.25 * s);
    if (delta > 0) r = 0.5 * s + (rest.r - 0.5 * s) * delta / (0.5 * s);
    if (delta > 0.5 * s) r = rest.r + (furthest - rest.r) * (delta - 0.5 * s) / (H - 0.5 * s);
    const double b = rest.b * std::clamp(0.55 + 0.45 * delta / (0.5 * s), 0.55, 1.0);
    const double w = (dim == 2 ? sph::fan<2> : sph::fan<3>)*kernel(r * r + b * b);
    const double sum = std::pow(s, dim) * lattice.sum * part(delta) / part(0.5 * s);
    fan.reach.push_back(Real(r)), fan.aside.push_back(Real(b));
    fan.volume.push_back(Real(w > 1e-4 * kernel(0) ? sum / w : 0));
  }
  return fan;
}

}  // namespace rtsim
