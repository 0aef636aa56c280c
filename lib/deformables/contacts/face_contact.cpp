#include "deformables/contacts/face_contact.h"

#include "deformables/tearing.h"
#include "meshes/adjacency.h"

namespace rtsim {

FaceContact::FaceContact(World& world, const std::vector<std::string>& meshes)
    : ex_(world.exec),
      meshes_(meshes),
      faces_(ex_),
      first_slot_(ex_),
      slots_(ex_),
      moves_(ex_),
      count_(ex_),
      enters_(ex_) {
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
  faces_.upload(corners), first_slot_.upload(at.first), slots_.upload(at.slots);
  moves_.resize(3 * faces.size()), count_.resize(std::size_t(before));
  enters_.resize(faces.size());
}

void FaceContact::begin(World& world) {
  const Index torn = torn_edges(world, meshes_);
  if (torn != torn_) gather(world);
  torn_ = torn;
}

void FaceContact::press(const ContactSolid& solid, const contact::Rules& rules,
                        const contact::Pose& begin, const contact::Pose& end,
                        const contact::Points& points) {
  contact::press(ex_, solid.view(), rules, begin, end, faces_.span(), slots(), points,
                 moves_.span(), count_.span());
}

void FaceContact::look(std::size_t k, const ContactSolid& solid, Real thickness,
                       const contact::Pose& begin, Span<const Vec<3>> from) {
  while (rooms_.size() <= k) rooms_.emplace_back(ex_);
  rooms_[k].resize(std::size_t(faces_.size()));
  contact::room_of(ex_, solid.view(), thickness, begin, faces_.span(), from, rooms_[k].span());
}

// Solids that share a bit shorten ways where either has to.
static std::uint32_t mark_of(std::size_t k) { return std::uint32_t(2) << k % 31; }

Index FaceContact::mark_entering(std::size_t k, const ContactSolid& solid, Real thickness,
                                 const contact::Pose& begin, const contact::Pose& end,
                                 Span<const Vec<3>> from, Span<const Vec<3>> x,
                                 Span<std::uint32_t> marked) {
  return contact::mark_entering(ex_, solid.view(), thickness, begin, end, rooms(k), from, x,
                                enters_.span(), marked, mark_of(k));
}

void FaceContact::shorten(std::size_t k, const contact::Pose& begin, const contact::Pose& end,
                          Span<const std::uint32_t> marked, const contact::Points& points) {
  contact::shorten(ex_, begin, end, rooms(k), marked, mark_of(k), points);
}

}  // namespace rtsim
