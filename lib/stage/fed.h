#pragma once
#include <string>

#include "stage/stage.h"

namespace rtsim {

// The energy that a stage fed since the run began, less what it took, in the table `<stage>.fed`:
// state, so that a resumed run goes on with it.
class Fed {
 public:
  Fed(World& world, const std::string& stage) : table_(stage + ".fed") {
    Table& t = world.add_table(table_, 1);
    for (const char* what : {"work", "potential"}) t.add<double>({what, "J"});
  }

  // Kinetic energy, and that of gravity which came with rows [J].
  void add(World& world, double work, double potential = 0) const {
    write(world, "work", read(world, "work") + work);
    if (potential != 0) write(world, "potential", read(world, "potential") + potential);
  }
  // With what is not added yet.
  void measure(World& world, const std::string& object, std::vector<Measurement>& out,
               double more = 0) const {
    out.push_back({object + ".fed_energy", read(world, "work") + potential(world) + more, "J"});
  }
  double potential(World& world) const { return read(world, "potential"); }

 private:
  double read(World& world, const char* what) const {
    return world.table(table_).download<double>(what)[0];
  }
  void write(World& world, const char* what, double value) const {
    world.exec.upload(world.table(table_).column<double>(what).data, &value, sizeof value);
  }

  std::string table_;
};

}  // namespace rtsim
