#pragma once
#include "bodies/body_spec.h"
#include "shapes/sample.h"
#include "world/world.h"

namespace rtsim {

// Samples of a body's surface in its own frame, as fluids see it.
std::vector<SurfaceSample> samples_of_body(const BodySpec&, int dim, double spacing, int layers);

// Adds the table sample_table(bodies, fluid): those of all bodies, row after row, `of_shape` being
// the samples of each shape. Unlike those of other boundaries their positions and velocities are
// state: fluids start from where they stood in the last step, and bodies have moved on since.
void add_body_samples(World&, const std::string& bodies, const std::string& fluid,
                      const std::vector<std::vector<SurfaceSample>>& of_shape);

// Puts them where the bodies are.
void place_body_samples(World&, const std::string& bodies, const std::string& samples);

}  // namespace rtsim
