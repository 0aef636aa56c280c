#include "sim/expect/expect_order.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "sim/catalog.h"

namespace rtsim {

namespace {

std::vector<std::string> overrides_of(const OrderSpec& o, std::size_t sub_run) {
  std::vector<std::string> set = {"/expect=[]"};
  for (const Variation& v : o.vary)
    set.push_back(fmt::format("{}={}", v.pointer, v.values.at(sub_run)));
  return set;
}

}  // namespace

std::vector<Scene> order_scenes(const Scene& scene, const OrderSpec& o) {
  std::vector<Scene> scenes;
  for (std::size_t i = 0; i < o.vary.at(0).values.size(); ++i) {
    const std::string name = fmt::format("sub-run {}", i);
    scenes.push_back(read_scene_text(scene.resolved, name, scene.file.parent_path(),
                                     overrides_of(o, i), stage_catalog()));
    scenes.back().file = scene.file;
  }
  return scenes;
}

std::vector<std::filesystem::path> order_folders(const OrderSpec& o, std::size_t expectation,
                                                 const std::filesystem::path& run_folder) {
  std::vector<std::filesystem::path> folders;
  for (std::size_t i = 0; i < o.vary.at(0).values.size(); ++i)
    folders.push_back(run_folder / "expect" / fmt::format("{}.{}", expectation, i));
  return folders;
}

ExitCode run_orders(const Scene& scene, const RunOptions& options) {
  RunOptions inner = options;
  inner.overwrite = true;  // the folder of the run is ours by now, and what is in it
  if (inner.resume != RunOptions::Resume::no) inner.resume = RunOptions::Resume::if_possible;
  for (std::size_t k = 0; k < scene.expect.size(); ++k) {
    if (!scene.expect[k].order) continue;
    const OrderSpec& order = *scene.expect[k].order;
    const std::vector<Scene> scenes = order_scenes(scene, order);
    const auto folders = order_folders(order, k, options.folder);
    for (std::size_t i = 0; i < scenes.size(); ++i) {
      inner.folder = folders[i];
      const ExitCode code = run_scene(scenes[i], inner);
      if (code != ExitCode::done) return code;
    }
  }
  return ExitCode::done;
}

double observed_order(const std::vector<double>& sizes, const std::vector<double>& errors) {
  const double n = double(sizes.size());
  double x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (errors.at(i) == 0)
      throw Error(ExitCode::different,
                  fmt::format("sub-run {} has no error at all, so there is no order", i));
    const double a = std::log(sizes[i]), b = std::log(errors[i]);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  return sizes.back() > sizes.front() ? -slope : slope;
}

}  // namespace rtsim
