#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench_case.h"
#include "bench_writers.h"
#include "cache/durable.h"
#include "commands.h"
#include "sim/build_info.h"
#include "sim/run.h"

namespace rtsim {
namespace {

using Json = nlohmann::ordered_json;

std::vector<int> thread_counts(const BenchFlags& f) {
  if (!f.threads.empty()) return f.threads;
  const Exec ex = make_exec(f.device, 0);
  if (ex.backend() == Backend::cuda || ex.threads() == 1) return {1};
  return {1, ex.threads()};
}

Json to_json(const MachineResult& m) {
  return {{"threads", m.threads},
          {"empty_launch_us", m.empty_launch_us},
          {"triad_gb_per_second", m.triad_gb_per_second}};
}

Json to_json(const BenchResult& r) {
  Json labels = Json::array();
  for (const LabelTime& l : r.labels)
    labels.push_back(
        {{"label", l.label}, {"ns_per_row_step", l.ns_per_row_step}, {"share", l.share}});
  return {{"case", r.name},
          {"threads", r.threads},
          {"rows", r.rows},
          {"ns_per_row_step", r.ns_per_row_step()},
          {"million_rows_per_second", r.million_rows_per_second()},
          {"series_cost", r.seconds_per_step_with_series / r.seconds_per_step - 1},
          {"neighbour_share", r.neighbour_share},
          {"bytes_per_row", r.bytes_per_row},
          {"labels", labels}};
}

void print_machine(const MachineResult& m) {
  fmt::print("{} thread{}: empty launch {:.2f} us, memory {:.1f} GB/s (triad)\n", m.threads,
             m.threads > 1 ? "s" : "", m.empty_launch_us, m.triad_gb_per_second);
}

Json to_json(const WriterResult& r) {
  return {{"writer", r.name},
          {"threads", r.threads},
          {"megabytes_per_second", r.megabytes_per_second()},
          {"raw_megabytes", r.raw_megabytes},
          {"file_megabytes", r.file_megabytes}};
}

Json bench_writers(const BenchFlags& f) {
  Json results = Json::array();
  for (const WriterResult& r : time_writers(thread_counts(f))) {
    if (!f.json)
      fmt::print("writer {:6} {} thread{}: {:7.1f} MB/s, {:.1f} MB of {:.1f} MB\n", r.name,
                 r.threads, r.threads > 1 ? "s" : " ", r.megabytes_per_second(), r.file_megabytes,
                 r.raw_megabytes);
    results.push_back(to_json(r));
  }
  return results;
}

void print_head() {
  fmt::print("\n{:20} {:>7} {:>9} {:>12} {:>10} {:>8} {:>10} {:>8}\n", "case", "threads", "rows",
             "ns/row/step", "Mrows/s", "series", "neighbours", "B/row");
}

void print_row(const BenchResult& r) {
  fmt::print("{:20} {:7} {:9} {:12.1f} {:10.2f} {:+7.1f}% {:9.0f}% {:8.0f}\n", r.name, r.threads,
             r.rows, r.ns_per_row_step(), r.million_rows_per_second(),
             100 * (r.seconds_per_step_with_series / r.seconds_per_step - 1),
             100 * r.neighbour_share, r.bytes_per_row);
  std::fflush(stdout);
}

}  // namespace

ExitCode bench_command(const BenchFlags& f) {
  std::vector<std::string> names = f.cases;
  const bool writers = names.empty() || std::erase(names, "writers") > 0;
  const bool only_writers = !f.cases.empty() && names.empty();
  std::vector<BenchCase> cases;
  if (!only_writers) cases = find_cases(names, make_exec(f.device, 0).backend());
  Json machine = Json::array(), results = Json::array();
  for (const int threads : thread_counts(f)) {
    const MachineResult m = time_machine(f.device, threads);
    if (!f.json) print_machine(m);
    machine.push_back(to_json(m));
  }
  const Json written = writers ? bench_writers(f) : Json::array();
  if (!f.json && !cases.empty()) print_head();
  for (BenchCase& c : cases) {
    if (f.steps > 0) c.steps = f.steps;
    for (const int threads : thread_counts(f)) {
      const BenchResult r = time_case(c, f.device, threads);
      if (!f.json) print_row(r);
      results.push_back(to_json(r));
    }
  }
  const BuildInfo b = build_info();
  const Json all = {{"version", b.version},     {"commit", b.commit},
                    {"precision", b.precision}, {"device", make_exec(f.device, 0).device_name()},
                    {"machine", machine},       {"writers", written},
                    {"results", results}};
  if (f.json) fmt::print("{}\n", all.dump(2));
  if (!f.file.empty()) write_file(f.file, all.dump(2) + "\n");
  return ExitCode::done;
}

}  // namespace rtsim
