#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "convert/convert.h"
#include "convert/format.h"

namespace rtsim {

// A run of those that become a dataset.
struct DatasetRun {
  std::string name;  // of its trajectory
  std::filesystem::path folder;
  std::string run_id;
  std::vector<std::pair<std::string, double>> parameters;  // numbers that tell it from others
};

// Frames of runs as data for machine learning: "well" or "gns". The folder gets dataset.json, which
// says what was made of what.
struct Dataset {
  std::filesystem::path out;
  std::string name, format;
  std::vector<DatasetRun> runs;
  std::vector<std::string> objects, columns;
  FrameRange frames;
  std::array<double, 3> shares{0.8, 0.1,
                               0.1};  // of train, valid, test, where there are several runs
  std::int64_t seed = 0;              // which run goes where
  int jobs = 1;
  bool overwrite = false;
};

constexpr const char* split_names[] = {"train", "valid", "test"};

// Which split each run falls into: 0, 1, 2. Runs stand in the order of a hash of seed and name, so
// that neither the order of a sweep nor its parameters decide; the splits have the shares to the
// nearest run, and each that has one at least a run where there are enough. One run is for
// training.
std::vector<int> split_runs(const std::vector<DatasetRun>&, const std::array<double, 3>& shares,
                            std::int64_t seed);

// Throws as convert_run does.
Converted write_dataset(const Dataset&);

// How each format writes what it is given: its files, from the folder.
std::vector<std::string> write_well(const Dataset&, const std::vector<ConversionPlan>&,
                                    const std::vector<int>& splits);
std::vector<std::string> write_gns(const Dataset&, const std::vector<ConversionPlan>&,
                                   const std::vector<int>& splits);
// What speaks against a plan, before anything is written. Throw Error{bad_input}.
void check_well(const ConversionPlan&);
void check_gns(const ConversionPlan&);

}  // namespace rtsim
