#pragma once
#include <string>
#include <vector>

#include "param/describe.h"

namespace rtsim {

// How a surface is made of particles, and the files it goes to.
struct SurfaceParams {
  enum class Kernels { anisotropic, isotropic };

  std::vector<std::string> files{"ply"};  // "ply", "obj", "stl", "sdf"
  double voxels_per_spacing = 2;
  Kernels kernels = Kernels::anisotropic;
  double smoothing = 0.9;  // lambda; anisotropic only

  // Whether anything but the files is said, which is of particles alone.
  bool shapes_particles() const {
    const SurfaceParams usual;
    return voxels_per_spacing != usual.voxels_per_spacing || kernels != usual.kernels ||
           smoothing != usual.smoothing;
  }
};

void describe(Describe&, SurfaceParams&);

}  // namespace rtsim
