#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

// The contact problem of boxes in the plane that touch along level faces, for their velocities
// after a step of length 1 from rest: normal impulses as a linear complementarity problem and
// Coulomb's friction, by Gauss-Seidel sweeps in doubles until nothing changes (Erleben, "Stable,
// Robust, and Versatile Multibody Dynamics Animation", 2005). Shares no line with the solver.
namespace rtsim {

struct ReferencePile {
  struct Box {
    double x, y, half_width, half_height;
    double velocity[3] = {0, 0, 0};  // x, y, about z
    double mass() const { return 4 * half_width * half_height; }
    double inertia() const {
      return mass() * (half_width * half_width + half_height * half_height) / 3;
    }
  };
  struct Contact {
    int below, above;  // below = -1: the floor at y = 0
    double x, y;
    double normal = 0, friction = 0;
  };
  std::vector<Box> boxes;
  std::vector<Contact> contacts;

  void find_contacts() {
    for (int a = 0; a < int(boxes.size()); ++a) {
      const Box& top = boxes[std::size_t(a)];
      const double foot = top.y - top.half_height;
      if (std::abs(foot) < 1e-9) add(-1, a, top.x - top.half_width, top.x + top.half_width, 0);
      for (int b = 0; b < int(boxes.size()); ++b) {
        const Box& low = boxes[std::size_t(b)];
        if (b == a || std::abs(low.y + low.half_height - foot) > 1e-9) continue;
        add(b, a, std::max(low.x - low.half_width, top.x - top.half_width),
            std::min(low.x + low.half_width, top.x + top.half_width), foot);
      }
    }
  }
  void solve(double gx, double gy, double mu) {
    find_contacts();
    for (Box& b : boxes) b.velocity[0] = gx, b.velocity[1] = gy;
    double change = 1;
    for (int sweep = 0; sweep < 200000 && change > 1e-13; ++sweep) {
      change = 0;
      for (Contact& c : contacts) {
        const double n = std::max(0.0, c.normal - relative(c, 1) / response(c, 1));
        change = std::max(change, std::abs(n - c.normal));
        push(c, 1, n - c.normal), c.normal = n;
        const double wanted = c.friction - relative(c, 0) / response(c, 0);
        const double f = std::clamp(wanted, -mu * n, mu * n);
        change = std::max(change, std::abs(f - c.friction));
        push(c, 0, f - c.friction), c.friction = f;
      }
    }
  }

 private:
  void add(int below, int above, double from, double to, double y) {
    if (to - from > 1e-9)
      contacts.push_back({below, above, from, y}), contacts.push_back({below, above, to, y});
  }
  // Row of the Jacobian about z, along x (0) or y (1).
  static double arm(const Contact& c, const Box& b, int axis) {
    return axis == 0 ? -(c.y - b.y) : c.x - b.x;
  }
  double relative(const Contact& c, int axis) const {
    const auto at = [&](int k) {
      if (k < 0) return 0.0;
      const Box& b = boxes[std::size_t(k)];
      return b.velocity[axis] + arm(c, b, axis) * b.velocity[2];
    };
    return at(c.above) - at(c.below);
  }
  double response(const Contact& c, int axis) const {
    double k = 0;
    for (const int i : {c.above, c.below}) {
      if (i < 0) continue;
      const Box& b = boxes[std::size_t(i)];
      k += 1 / b.mass() + arm(c, b, axis) * arm(c, b, axis) / b.inertia();
    }
    return k;
  }
  void push(const Contact& c, int axis, double p) {
    for (const int i : {c.above, c.below}) {
      if (i < 0) continue;
      Box& b = boxes[std::size_t(i)];
      const double q = i == c.above ? p : -p;
      b.velocity[axis] += q / b.mass(), b.velocity[2] += arm(c, b, axis) * q / b.inertia();
    }
  }
};

}  // namespace rtsim
