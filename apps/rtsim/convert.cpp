#include "convert/convert.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <csignal>
#include <limits>
#include <nlohmann/json.hpp>

#include "cache/no_run.h"
#include "commands.h"
#include "convert/dataset.h"
#include "convert/formats.h"
#include "convert/plan.h"
#include "exec/exec.h"
#include "param/json_reader.h"
#include "param/resolved.h"
#include "sim/records/manifest.h"
#include "sim/scene_describe.h"
#include "sweep/gather.h"
#include "units.h"

namespace rtsim {
namespace {

using nlohmann::json;

// --to as an entry of a scene's output; what is no volume and no surface has no parameters.
json output_entry(const std::vector<std::string>& to) {
  if (to[0] == "vdb") return {{"object", ""}, {"format", "vdb"}};
  if (find_format(to[0]).is_surface) return {{"object", ""}, {"format", "surface"}, {"files", to}};
  return {};
}

void refuse_what_options_say(const std::vector<std::string>& overrides) {
  for (const std::string& o : overrides)
    for (const char* key : {"/object", "/format", "/files", "/every"})
      if (o.substr(0, o.find('=')).starts_with(key))
        throw Error(ExitCode::usage,
                    fmt::format("--set {}: --to, --objects and --frames say what is written; --set "
                                "is for what `rtsim manual` lists beside them",
                                o));
}

// Read as an entry of a scene is, so that parameters, checks and messages are the same.
Output read_output(const ConvertFlags& f) {
  refuse_what_options_say(f.set);
  const json entry = output_entry(f.to);
  if (entry.is_null()) {
    if (f.set.empty()) return {};
    throw Error(ExitCode::usage, fmt::format("--set {}: {} has no parameters", f.set[0], f.to[0]));
  }
  JsonText text = parse_json(entry.dump(), fmt::format("--to {}", fmt::join(f.to, ",")));
  for (const std::string& set : f.set) apply_override(text, set);
  ReadLog log{.dim = 3, .folder = {}, .problems = text.problems, .uses = {}, .files = {}};
  Output output;
  read_json(*text.value, "", log, [&](Describe& d) { describe(d, output); });
  if (!log.problems.empty()) throw Error(ExitCode::bad_input, text.lines(log.problems));
  return output;
}

std::string resolved(Output output) {
  const auto path = [](const std::string& p) { return p; };
  nlohmann::ordered_json j = resolved_json([&](Describe& d) { describe(d, output); }, 3, path);
  j.erase("object"), j.erase("every");
  return j.dump();
}

std::string run_id(const std::filesystem::path& run_folder) {
  if (!has_manifest(run_folder)) throw no_run(run_folder);
  return read_manifest(run_folder).identity;
}

}  // namespace

namespace {

void print_result(const ConvertFlags& f, const Converted& done) {
  if (f.json)
    return fmt::print("{}\n", nlohmann::ordered_json{{"output", f.out},
                                                     {"frames_before", done.before},
                                                     {"frames", done.frames},
                                                     {"files", done.files},
                                                     {"bytes", done.bytes}}
                                  .dump());
  const std::string before =
      done.before ? fmt::format("; {} frames were there already", done.before) : "";
  fmt::print("{} frames, {} files, {} in {}{}\n", done.frames, done.files,
             bytes_text(double(done.bytes)), f.out, before);
}

DatasetRun dataset_run(const std::string& name, const std::filesystem::path& folder) {
  return {name, folder, run_id(folder), {}};
}

// The cases of a sweep with those of their parameters that are numbers, or one run.
std::vector<DatasetRun> dataset_runs(const std::filesystem::path& folder) {
  if (!is_sweep(folder)) {
    const auto path = std::filesystem::absolute(folder / "").lexically_normal().parent_path();
    return {dataset_run(path.filename().string(), folder)};
  }
  const SweepStatus s = sweep_status(folder);
  require_complete(s);
  std::vector<DatasetRun> runs;
  for (const CaseStatus& c : s.cases) {
    runs.push_back(dataset_run(c.name, c.run));
    for (std::size_t k = 0; k < c.values.size(); ++k)
      if (const json value = json::parse(c.values[k]); value.is_number())
        runs.back().parameters.emplace_back(s.parameters[k].name, value.get<double>());
  }
  return runs;
}

ExitCode dataset_command(const ConvertFlags& f) {
  if (f.to.size() > 1)
    throw Error(ExitCode::usage,
                fmt::format("--to {}: one dataset at a time", fmt::join(f.to, ",")));
  if (!f.set.empty())
    throw Error(ExitCode::usage, fmt::format("--set {}: {} has no parameters", f.set[0], f.to[0]));
  Dataset d;
  d.out = f.out, d.format = f.to[0], d.objects = f.objects, d.columns = f.columns;
  d.runs = dataset_runs(f.run);
  d.name = std::filesystem::absolute(f.run + "/").lexically_normal().parent_path().filename();
  if (!f.frames.empty()) d.frames = parse_frame_range(f.frames);
  if (!f.split.empty()) {
    const bool shares = f.split.size() == 3 && std::ranges::min(f.split) >= 0 && f.split[0] > 0;
    if (!shares)
      throw Error(ExitCode::usage,
                  "--split wants three shares from 0 on, as 0.8,0.1,0.1, and some for training");
    std::ranges::copy(f.split, d.shares.begin());
  }
  d.seed = f.seed.value_or(0);
  d.jobs = f.jobs > 0 ? f.jobs : Exec::cpu().threads();
  d.overwrite = f.overwrite;
  print_result(f, write_dataset(d));
  return ExitCode::done;
}

// Frames come and go by the megabyte, and each time the kernel would clear the pages anew: half of
// the processor's time. Memory that was freed is kept for the next one, in one place for all
// threads, because only the first arena holds pieces so large.
void keep_memory() {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace

ExitCode convert_command(const ConvertFlags& f) {
  keep_memory();
  std::signal(SIGXFSZ, SIG_IGN);  // a full file-size limit comes back as an error of the write
  const bool dataset = std::ranges::any_of(
      f.to, [](const std::string& name) { return find_format(name).is_dataset; });
  if (dataset) return dataset_command(f);
  if (!f.split.empty() || f.seed)
    throw Error(ExitCode::usage, "--split and --seed are for the datasets well and gns");
  Conversion c;
  c.run = f.run, c.out = f.out;
  c.to = f.to;
  chosen_formats(c);  // names first
  c.output = read_output(f);
  c.description = resolved(c.output);
  c.objects = f.objects, c.columns = f.columns;
  if (!f.frames.empty()) c.frames = parse_frame_range(f.frames);
  c.jobs = f.jobs > 0 ? f.jobs : Exec::cpu().threads();
  c.overwrite = f.overwrite;
  c.run_id = run_id(f.run);
  print_result(f, convert_run(c));
  return ExitCode::done;
}

}  // namespace rtsim
