#pragma once
#include <filesystem>

#include "sim/expect/expect_value.h"
#include "sim/scene.h"
#include "world/grid.h"

// Values of the last frame along a line: of the rows near it, or between the cells of a grid.
namespace rtsim {

struct ProfilePlaces {
  std::vector<Compared> places;
  const char* are;  // "rows", "slices" or "points"
};

// Throws Error{bad_input} where the frame has no such column.
ProfilePlaces profile_places(const ExpectSpec&, const std::filesystem::path& run_folder);

// Throws Error{bad_input} unless every point of the profile's file lies between centres of cells.
void require_between_cells(const ExpectSpec&, const GridShape&);

}  // namespace rtsim
