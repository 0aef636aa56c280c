#pragma once
#include <string>
#include <vector>

#include "contact/face_contact.h"
#include "deformables/touched_solid.h"

namespace rtsim {

// Triangles of meshes, and edges of those without, that meet boundaries between their points.
class FaceContact {
 public:
  // While stages are made.
  FaceContact(World&, const std::vector<std::string>& meshes);

  // Once a step.
  void begin(World&);
  void press(const TouchedSolid&, const contact::Rules&, const contact::Pose& begin,
             const contact::Pose& end, const contact::Points&);

 private:
  void gather(World&);

  Exec ex_;
  std::vector<std::string> meshes_;
  Index torn_ = 0;  // edges, when faces were gathered
  Buffer<contact::Face> faces_;
  Buffer<Index> first_, slots_;
  Buffer<Vec<4>> moves_;
  Buffer<Real> count_;
};

}  // namespace rtsim
