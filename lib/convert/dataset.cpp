#include "convert/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.h"
#include "base/hash.h"
#include "cache/durable.h"
#include "cache/lock.h"
#include "convert/plan.h"

namespace rtsim {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

constexpr const char* dataset_file = "dataset.json";

ordered_json options_of(const Dataset& d, const std::vector<int>& splits) {
  ordered_json runs = ordered_json::array();
  for (std::size_t k = 0; k < d.runs.size(); ++k) {
    ordered_json parameters = ordered_json::object();
    for (const auto& [name, value] : d.runs[k].parameters) parameters[name] = value;
    runs.push_back({{"name", d.runs[k].name},
                    {"split", split_names[splits[k]]},
                    {"identity", d.runs[k].run_id},
                    {"run", fs::absolute(d.runs[k].folder).lexically_normal().string()},
                    {"parameters", parameters}});
  }
  return {{"rtsim_dataset", 1},   {"format", d.format},   {"seed", d.seed}, {"shares", d.shares},
          {"objects", d.objects}, {"columns", d.columns}, {"runs", runs}};
}

void refuse_taken(const Dataset& d) {
  if (!fs::exists(d.out) || (fs::is_directory(d.out) && fs::is_empty(d.out))) return;
  if (!fs::exists(d.out / dataset_file))
    throw Error(ExitCode::output_exists,
                d.out.string() +
                    " is not empty and holds no dataset, so it is left alone; choose another "
                    "folder with -o OUT");
  if (!d.overwrite)
    throw Error(
        ExitCode::output_exists,
        d.out.string() + " holds a dataset; --overwrite replaces it, -o OUT goes elsewhere");
}

// What a dataset writes, and nothing else.
void clear_dataset(const fs::path& out) {
  fs::remove_all(out / "data");
  for (const char* name : {"metadata.json", "train.npz", "valid.npz", "test.npz"})
    fs::remove(out / name);
}

std::vector<ConversionPlan> plans_of(const Dataset& d) {
  std::vector<ConversionPlan> plans;
  for (const DatasetRun& run : d.runs) {
    Conversion c;
    c.run = run.folder, c.out = d.out, c.run_id = run.run_id, c.to = {d.format};
    c.objects = d.objects, c.columns = d.columns, c.frames = d.frames, c.jobs = d.jobs;
    plans.push_back(make_plan(c));
    (d.format == "well" ? check_well : check_gns)(plans.back());
  }
  return plans;
}

// Learning wants the same things in every trajectory.
void require_alike(const std::vector<ConversionPlan>& plans) {
  const auto described = [](const ConversionPlan& plan) {
    std::string text;
    for (const auto& [name, object] : plan.first) {
      text += fmt::format("{}{} ({}: ", text.empty() ? "" : ", ", name, to_string(object.kind));
      for (const FrameColumn& c : object.columns) text += c.name + " ";
      text.back() = ')';
    }
    return text;
  };
  for (const ConversionPlan& plan : plans)
    if (described(plan) != described(plans[0]) ||
        plan.first.begin()->second.dim != plans[0].first.begin()->second.dim)
      throw Error(ExitCode::bad_input,
                  fmt::format("{} has frames of {}, {} of {}: a dataset wants the same in all",
                              plan.run.string(), described(plan), plans[0].run.string(),
                              described(plans[0])));
}

}  // namespace

std::vector<int> split_runs(const std::vector<DatasetRun>& runs,
                            const std::array<double, 3>& shares, std::int64_t seed) {
  const auto hash = [&](std::size_t k) {
    const std::string text = fmt::format("{}/{}", seed, runs[k].name);
    return hash_bytes(text.data(), text.size());
  };
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, hash);
  const double all = shares[0] + shares[1] + shares[2];
  const auto n = long(runs.size());
  long rest[3] = {0, 0, 0};  // of valid and test; the others are for training
  for (std::size_t s : {1u, 2u})
    if (shares[s] > 0 && n > 2) rest[s] = std::max(1L, std::lround(double(n) * shares[s] / all));
  while (shares[0] > 0 && rest[1] + rest[2] >= n) --rest[rest[1] > rest[2] ? 1 : 2];
  std::vector<int> splits(runs.size(), 0);
  for (long k = 0; k < std::min(n, rest[1] + rest[2]); ++k)
    splits[order[std::size_t(k)]] = k < rest[1] ? 1 : 2;
  return splits;
}

Converted write_dataset(const Dataset& d) try {
  refuse_taken(d);
  const std::vector<int> splits = split_runs(d.runs, d.shares, d.seed);
  const std::vector<ConversionPlan> plans = plans_of(d);
  require_alike(plans);
  make_folders(d.out);
  const FolderLock lock(d.out);
  ordered_json j = options_of(d, splits);
  j["complete"] = false;
  write_file(d.out / dataset_file,
             j.dump(2) + "\n");  // first: from here on the folder is a dataset's
  clear_dataset(d.out);
  Converted done;
  for (const std::string& file : (d.format == "well" ? write_well : write_gns)(d, plans, splits))
    ++done.files, done.bytes += fs::file_size(d.out / file);
  for (const ConversionPlan& plan : plans) done.frames += long(plan.frames.size());
  j["complete"] = true;
  write_file(d.out / dataset_file, j.dump(2) + "\n");
  return done;
} catch (const fs::filesystem_error& e) {
  throw Error(ExitCode::io, e.what());
}

}  // namespace rtsim
