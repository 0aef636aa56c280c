#include "deformables/face_contact.h"

#include "deformables/tearing.h"
#include "meshes/adjacency.h"

namespace rtsim {

FaceContact::FaceContact(World& world, const std::vector<std::string>& meshes)
    : ex_(world.exec),
      meshes_(meshes),
      faces_(ex_),
      first_(ex_),
      slots_(ex_),
      moves_(ex_),
      count_(ex_) {
  gather(world);
}

void FaceContact::gather(World& world) {
  std::vector<CellMesh::Triangle> faces;
  CellMesh::Corner before = 0;
  const auto add = [&](CellMesh::Corner a, CellMesh::Corner b, CellMesh::Corner c) {
    faces.push_back({before + a, before + b, before + c});
  };
  for (const std::string& m : meshes_) {
    if (world.has_table(triangle_table(m)))
      for (const auto& t : intact_of<3>(world, triangle_table(m))) add(t[0], t[1], t[2]);
    else
      for (const auto& e : intact_of<2>(world, edge_table(m))) add(e[0], e[1], e[1]);
    before += world.table(m).rows();
  }
  const Incidence at = incidence_of(std::size_t(before), faces);
  std::vector<contact::Face> corners;
  for (const auto& f : faces) corners.push_back({{f[0], f[1], f[2]}});
  faces_.upload(corners), first_.upload(at.first), slots_.upload(at.slots);
  moves_.resize(3 * faces.size()), count_.resize(std::size_t(before));
}

void FaceContact::begin(World& world) {
  const Index torn = torn_edges(world, meshes_);
  if (torn != torn_) gather(world);
  torn_ = torn;
}

void FaceContact::press(const TouchedSolid& solid, const contact::Rules& rules,
                        const contact::Pose& begin, const contact::Pose& end,
                        const contact::Points& points) {
  contact::press(ex_, solid.view(), rules, begin, end, faces_.span(),
                 {slots_.span(), first_.span()}, points, moves_.span(), count_.span());
}

}  // namespace rtsim
