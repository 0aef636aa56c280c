#pragma once
#include <filesystem>
#include <vector>

#include "sim/run.h"
#include "sim/scene.h"

// Orders of convergence: the same scene, run with finer and finer figures.
namespace rtsim {

// The scene of every sub-run. Throws Error{bad_input} where one cannot be.
std::vector<Scene> order_scenes(const Scene&, const OrderSpec&);

// Where they run: <run>/expect/<which expectation>.<which sub-run>.
std::vector<std::filesystem::path> order_folders(const OrderSpec&, std::size_t expectation,
                                                 const std::filesystem::path& run_folder);

// Runs the sub-runs of all orders, or what is left of them where `options` resumes; done or
// interrupted.
ExitCode run_orders(const Scene&, const RunOptions&);

// Slope of log(error) over log(size) by least squares; `sizes` that rise count by their inverses.
double observed_order(const std::vector<double>& sizes, const std::vector<double>& errors);

}  // namespace rtsim
