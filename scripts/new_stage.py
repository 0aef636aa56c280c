#!/usr/bin/python3
"""Makes the files of a new stage that does nothing yet: scripts/new_stage.py STEM "One line about it".

The stage compiles, runs its tiny.json and passes its test as it stands. Two lines for
lib/sim/catalog.cpp are printed; nothing else in the repository has to change.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

HEADER = """#pragma once
#include "stage/stage_type.h"

namespace rtsim {

struct @Type@Params {
  ObjectName fluid;
  double rate = 1;  // [1/s]
};

void describe(Describe&, @Type@Params&);

StageType @stem@_type();

}  // namespace rtsim
"""

SOURCE = """#include "solvers/@stem@/@stem@.h"

#include "@stem@/@stem@.h"

namespace rtsim {

void describe(Describe& d, @Type@Params& p) {
  static constexpr const char* fluids[] = {"particles"};
  d.role("fluid", p.fluid, fluids, "The particles it acts on.");
  d("rate", p.rate, "1/s", at_least(0), "Rate lambda at which the velocity decays.");
}

namespace {

template <int D>
class @Type@ final : public Stage {
 public:
  @Type@(const @Type@Params& p, World& world) : p_(p) {
    velocity(world);  // a missing column is an error now, not in the middle of a run
  }

  void advance(World& world, const Step& step) override {
    @stem@::damp<D>(world.exec, velocity(world), Real(p_.rate), Real(step.dt));
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    out.push_back({p_.fluid.name + ".mean_speed", @stem@::mean_speed<D>(world.exec, velocity(world)), "m/s"});
  }

  std::vector<ColumnUse> uses() const override { return {{p_.fluid.name, "velocity", Access::add}}; }

 private:
  Span<Vec<D>> velocity(World& world) const {
    return world.table(p_.fluid.name).template column<Vec<D>>("velocity");
  }

  @Type@Params p_;
};

std::unique_ptr<Stage> make_@stem@(const @Type@Params& p, World& world) {
  if (world.dim == 2) return std::make_unique<@Type@<2>>(p, world);
  return std::make_unique<@Type@<3>>(p, world);
}

}  // namespace

StageType @stem@_type() {
  return stage_type("@stem@", "@summary@", "Exact solution of dv/dt = -lambda v.",
                    {"Moves nothing by itself; stands beside a stage that does."},
                    "docs/particle_fluids.md", make_@stem@);
}

}  // namespace rtsim
"""

LAUNCHERS = """#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"

// Launchers of @stem@: plain C++, safe to include from host code.
namespace rtsim::@stem@ {

template <int D>
void damp(const Exec&, Span<Vec<D>> velocity, Real rate, Real dt);
template <int D>
double mean_speed(const Exec&, Span<const Vec<D>> velocity);

}  // namespace rtsim::@stem@
"""

KERNELS = """#include "@stem@/@stem@.h"

#include "@stem@/decay.h"
#include "exec/parallel.h"

namespace rtsim::@stem@ {

template <int D>
struct Damp {
  Span<Vec<D>> velocity;
  Real kept;

  RTSIM_HD void operator()(Index i) const { velocity[i] = kept * velocity[i]; }
};

template <int D>
void damp(const Exec& ex, Span<Vec<D>> velocity, Real rate, Real dt) {
  parallel_for(ex, "@stem@.damp", velocity.size, Damp<D>{velocity, decay(rate, dt)});
}

template <int D>
struct Speed {
  Span<const Vec<D>> velocity;

  RTSIM_HD double operator()(Index i) const { return double(norm(velocity[i])); }
};

template <int D>
double mean_speed(const Exec& ex, Span<const Vec<D>> velocity) {
  if (velocity.size == 0) return 0;
  return reduce(ex, "@stem@.mean_speed", velocity.size, 0.0, Speed<D>{velocity}, Plus{}) / velocity.size;
}

#define RTSIM_INSTANTIATE(D)                                  \\
  template void damp<D>(const Exec&, Span<Vec<D>>, Real, Real); \\
  template double mean_speed<D>(const Exec&, Span<const Vec<D>>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::@stem@
"""

LAW = """#pragma once
#include <cmath>

#include "base/types.h"

namespace rtsim::@stem@ {

// Share of the velocity that is left after dt [s] at the rate lambda [1/s]:
//
//   dv/dt = -lambda v,  v(t + dt) = exp(-lambda dt) v(t)
//
// exact, so stable for any step.
RTSIM_HD inline Real decay(Real lambda, Real dt) { return std::exp(-lambda * dt); }

}  // namespace rtsim::@stem@
"""

SCENE = """{
  // Ten steps of a cube of particles that are slowed down.
  "rtsim": 1,
  "dim": 3,
  "time": { "dt": 0.01, "steps_per_frame": 5, "frames": 2 },
  "objects": [
    { "name": "dust", "kind": "particles", "spacing": 0.1, "velocity": [1, 0, 0],
      "fill": { "box": { "min": [0, 0, 0], "max": [0.8, 0.8, 0.8] } } }
  ],
  "stages": [ { "type": "@stem@", "fluid": "dust", "rate": 2 } ],
  "output": [ { "object": "dust", "format": "hdf5" } ]
}
"""

TEST = """#include "@stem@/@stem@.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "exec/buffer.h"

using namespace rtsim;

namespace {

// Particles of speed 1; at the rate lambda they have exp(-lambda t) after t.
struct SlowedDust {
  Exec ex = Exec::cpu(1);
  Buffer<Vec<3>> velocity{ex, std::vector<Vec<3>>(100, Vec<3>{{0, 1, 0}})};

  double speed_after(int steps, double rate, double dt) {
    for (int k = 0; k < steps; ++k) @stem@::damp<3>(ex, velocity.span(), Real(rate), Real(dt));
    return @stem@::mean_speed<3>(ex, velocity.span());
  }
};

}  // namespace

TEST_CASE("@stem@: the speed decays as the exact solution for any step") {
  // Ten roundings of one factor: ten ulp.
  const double tolerance = 10 * double(std::numeric_limits<Real>::epsilon());
  CHECK(std::abs(SlowedDust().speed_after(1, 2, 0.5) / std::exp(-1) - 1) < tolerance);
  CHECK(std::abs(SlowedDust().speed_after(10, 2, 0.05) / std::exp(-1) - 1) < tolerance);
}

TEST_CASE("@stem@: a rate of zero changes no bit") {
  CHECK(SlowedDust().speed_after(3, 0, 0.1) == 1);
}
"""

FILES = {
    "lib/solvers/@stem@/@stem@.h": HEADER,
    "lib/solvers/@stem@/@stem@.cpp": SOURCE,
    "kernels/@stem@/@stem@.h": LAUNCHERS,
    "kernels/@stem@/@stem@.cu": KERNELS,
    "kernels/@stem@/decay.h": LAW,
    "configs/@stem@/tiny.json": SCENE,
    "tests/solver/@stem@_test.cpp": TEST,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("stem", help="snake_case name: of the type in scenes, of the files, of the namespace")
    parser.add_argument("summary", nargs="?", default="Slows particles down; a place to start from.")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="write below this folder instead")
    args = parser.parse_args()
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", args.stem):
        sys.exit(f"new_stage: {args.stem!r}: write it as snake_case, like mass_spring")
    if '"' in args.summary or "\\" in args.summary:
        sys.exit("new_stage: the summary becomes a C++ string: leave out quotes and backslashes")

    names = {"@stem@": args.stem, "@summary@": args.summary,
             "@Type@": "".join(word.capitalize() for word in args.stem.split("_"))}

    def filled(text):
        for key, value in names.items():
            text = text.replace(key, value)
        return text

    files = {args.root / filled(path): filled(text) for path, text in FILES.items()}
    there = [str(path) for path in files if path.exists()]
    if there:
        sys.exit("new_stage: already there: " + ", ".join(there))
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if path.suffix != ".json" and shutil.which("clang-format"):  # names differ in length
            subprocess.run(["clang-format", f"--style=file:{ROOT}/.clang-format", "-i", path], check=True)
        print(f"made {path.relative_to(args.root)}", file=sys.stderr)
    print("now add to lib/sim/catalog.cpp, beside the others:", file=sys.stderr)
    print(filled('#include "solvers/@stem@/@stem@.h"\n      @stem@_type(),'))
    print(filled("and a row on @stem@ to the tables of README.md and docs/particle_fluids.md, or of the page of its "
                 "family that you name in its place"), file=sys.stderr)


if __name__ == "__main__":
    main()
