#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sim/scene.h"
#include "sweep/status.h"

namespace rtsim {

struct SweepCase {
  std::string name;                 // of its folder
  std::vector<std::string> values;  // of the parameters, as JSON
  std::vector<std::string> set;     // "/json/pointer=value" texts for read_scene
  std::vector<std::string> at;      // where in the sweep file each of `set` comes from
};

// A sweep file, read and expanded. No scene has been read yet.
struct Sweep {
  std::filesystem::path file, scene;  // absolute
  std::vector<SweepParameter> parameters;
  std::vector<SweepCase> cases;
  JsonText source;
};

// Throws Error{bad_input} with every problem, a line each:
//   sweep.json:3:7: /axes/0/step: leads from 1 away from 2
Sweep read_sweep(const std::filesystem::path&);

// What a case will run.
struct CaseScene {
  std::string resolved;  // JSON, complete: files have absolute paths
  std::string identity;
  long frames = 0;  // with the first
  long steps = 0;
  double bytes = 0;  // of memory, about
};

// The scene of every case. Throws Error{bad_input} with what is wrong in any of them, at the place
// in the sweep file that put the value there.
std::vector<CaseScene> case_scenes(const Sweep&, const std::vector<StageType>& catalog);

// "nu=1e-06_spacing=0.02": of values that are long or no plain words, a hash, so that a name
// depends on the case's parameters alone and stays when the sweep grows.
std::string case_name(const std::vector<SweepParameter>&, const std::vector<std::string>& values);

}  // namespace rtsim
