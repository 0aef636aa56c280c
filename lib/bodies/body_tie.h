#pragma once
#include <string>
#include <vector>

#include "attach/tie.h"
#include "param/describe.h"
#include "world/world.h"

namespace rtsim {

// The rigid body that points of a mesh are tied to.
struct TieSpec {
  ObjectName bodies;
  std::string body;
};
void describe(Describe&, TieSpec&);

// Points of a mesh that are part of a rigid body, both ways: see attach/tie.h. "attach" takes them
// in front of the mesh's solver, "body_contact" gives the body behind it what they were pulled
// with. All state is in a table of its own.
class BodyTie {
 public:
  // Adds the table. Throws Error{bad_input} for a body that is not there, or not one.
  BodyTie(World&, const TieSpec&, const std::string& mesh, const std::vector<Index>& rows);
  // Those that there are between them.
  static std::vector<BodyTie> between(World&, const std::string& bodies, const std::string& mesh);

  // From where points and body are now.
  void grip(World&) const;
  // Throws Error{bad_input} where nothing gives what was taken.
  void take(World&) const;
  // Once for the stage that calls give().
  void promise(World&) const;
  // What was taken since; nothing else. Adds to the body's force and torque.
  void give(World&, double dt) const;

  void release(World&) const;

  Vec3d pull(World&) const;  // [N] on the body in the last step

 private:
  BodyTie(std::string table, std::string bodies, std::string mesh)
      : table_(std::move(table)), bodies_(std::move(bodies)), mesh_(std::move(mesh)) {}
  Table& own(World& w) const { return w.table(table_); }
  attach::Tied tied(World&) const;
  attach::TiedMesh mesh(World&) const;
  Index body(World& w) const { return own(w).download<Index>("body")[0]; }
  std::uint32_t mark(World& w, const char* name) const {
    return own(w).download<std::uint32_t>(name)[0];
  }
  void set(World&, const char* name, std::uint32_t) const;

  std::string table_, bodies_, mesh_;
};

}  // namespace rtsim
