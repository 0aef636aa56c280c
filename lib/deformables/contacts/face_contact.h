#pragma once
#include <deque>
#include <string>
#include <vector>

#include "boundaries/contact_solid.h"
#include "contact/face_contact.h"

namespace rtsim {

// Triangles of meshes, and edges of those without, that meet boundaries between their points.
class FaceContact {
 public:
  // While stages are made.
  FaceContact(World&, const std::vector<std::string>& meshes);

  // Once a step.
  void begin(World&);
  void press(const ContactSolid&, const contact::Rules&, const contact::Pose& begin,
             const contact::Pose& end, const contact::Points&);

  // For ways that are to be shortened until no face enters the solid, which is the k-th: how far
  // faces may come, corners of those that enter, which are counted, and what marked points may go.
  void look(std::size_t k, const ContactSolid&, Real thickness, const contact::Pose& begin,
            Span<const Vec<3>> from);
  Index mark_entering(std::size_t k, const ContactSolid&, Real thickness,
                      const contact::Pose& begin, const contact::Pose& end, Span<const Vec<3>> from,
                      Span<const Vec<3>> x, Span<std::uint32_t> marked);
  void shorten(std::size_t k, const contact::Pose& begin, const contact::Pose& end,
               Span<const std::uint32_t> marked, const contact::Points&);

 private:
  void gather(World&);
  contact::Slots slots() const { return {slots_.span(), first_slot_.span()}; }
  contact::FaceRooms rooms(std::size_t k) const {
    return {faces_.span(), slots(), rooms_[k].span()};
  }

  Exec ex_;
  std::vector<std::string> meshes_;
  Index torn_ = 0;  // edges, when faces were gathered
  Buffer<contact::Face> faces_;
  Buffer<Index> first_slot_, slots_;
  Buffer<Vec<4>> moves_;
  Buffer<Real> count_;
  Buffer<std::uint32_t> enters_;
  std::deque<Buffer<Vec<2>>> rooms_;  // of each solid
};

}  // namespace rtsim
