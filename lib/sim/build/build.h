#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "shapes/shape.h"
#include "sim/scene.h"
#include "stage/stage.h"
#include "world/world.h"

namespace rtsim {

struct PipelineStage {
  std::string name;
  std::unique_ptr<Stage> stage;
};

// A world and the stages that advance it, in order. Stages that build put in (moving boundary
// samples) have names that start with '_' and no series.
struct Simulation {
  std::unique_ptr<World> world;
  std::vector<PipelineStage> pipeline;
  std::map<std::string, double> settling_time;  // [s] of particles: see build/settle.h
  std::vector<std::string> notes;               // what was built that the scene does not say
  std::vector<std::string> warnings;            // what to be warned of before a run
};

// One step of all stages, in the scene's order. What diverges names its stage.
void advance(Simulation&, const Step&);
// Derived columns of all stages, from the state at a time [s].
void refresh(Simulation&, double time);
void before_frame(Simulation&);
// Lets the stages fill a table that frames alone show.
void show(Simulation&, std::string_view table);
// What all stages measure, with the stage's name in front and the totals behind: sums, and the
// energy, kinetic, potential and stored, with what was lost of it (records/ledger.h).
std::vector<Measurement> measure(Simulation&);

// Throws Error{bad_input} with every problem it finds: an object no stage uses, a mesh that is not
// closed, particles that start inside a boundary, a world larger than the machine.
Simulation build(const Scene&, const Exec&);

// What building would take, without taking it: rows and bytes an object.
struct ObjectEstimate {
  std::string name;
  double rows;
  double bytes;
};
std::vector<ObjectEstimate> estimate(const Scene&);

// Whether particles of a stage meet boundaries by samples of them: where it has a grid they meet
// them there.
bool meets_samples(const Scene&, const StageSpec&);
// Of samples that a boundary has for a fluid, or for the one that sees most: as many as sums over
// them reach from rows that touch it, half a spacing in front.
int sample_layers(const Scene&, const std::string& boundary, const std::string& fluid = {});
// Around everything finite, and as much again on each side: where infinite walls are sampled.
Bounds region_around(const std::vector<Bounds>& surfaces, int dim);
double process_memory();  // [bytes] this process has now, with its libraries
// What a run leaves, before compression [bytes]: all frames from `first` on, and a checkpoint.
double frames_bytes(World&, const Scene&, long first);
double checkpoint_bytes(const World&);
double machine_memory();  // [bytes] this process may use: physical, or the cgroup's limit

}  // namespace rtsim
