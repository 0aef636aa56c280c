#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sim/records/manifest.h"

namespace rtsim {

// Where a run left another, or another left it.
struct Relative {
  std::string folder;
  long frame = 0, step = 0;
};

// The parent of a run, its parent and so on, as far as they are still there.
std::vector<Relative> ancestors(const Manifest&);

// The runs in the folders beside a run that are branches of it, by name.
std::vector<Relative> branches_beside(const std::filesystem::path& run_folder);

// "/stages/0/substeps: 12 in place of 6"
std::string text_of(const Manifest::Difference&);

}  // namespace rtsim
