#include "bench_case.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/nearest.h"
#include "base/printable.h"
#include "bench/bench.h"
#include "cache/durable.h"
#include "exec/profile.h"
#include "scene_folder.h"
#include "sim/build/build.h"
#include "sim/catalog.h"
#include "sim/records/diagnostics.h"
#include "sim/run.h"

namespace rtsim {
namespace {

namespace fs = std::filesystem;

std::vector<BenchCase> read_cases(const fs::path& file) {
  try {
    const auto j = nlohmann::json::parse(read_file(file), nullptr, true, true);
    std::vector<BenchCase> cases;
    if (j.contains("rtsim")) return cases;  // a scene that lies beside the cases
    for (const auto& c : j.at("cases"))
      cases.push_back(
          {fmt::format("{}/{}", file.stem().string(), c.at("name").get<std::string>()),
           file.parent_path() / (c.contains("scene") ? c : j).at("scene").get<std::string>(),
           c.value("set", std::vector<std::string>{}), c.value("steps", j.value("steps", 20)),
           c.value("warmup", j.value("warmup", 5))});
    return cases;
  } catch (const nlohmann::json::exception& e) {
    throw Error(ExitCode::bad_input, fmt::format("{}: {}", file.string(), printable(e.what())));
  }
}

std::vector<BenchCase> all_cases() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& e : fs::directory_iterator(scene_folder() / "bench"))
    if (e.path().extension() == ".json") files.push_back(e.path());
  std::ranges::sort(files);
  std::vector<BenchCase> cases;
  for (const fs::path& f : files) std::ranges::copy(read_cases(f), std::back_inserter(cases));
  return cases;
}

std::vector<BenchCase> select(const std::vector<BenchCase>& all, const std::string& name) {
  std::vector<BenchCase> chosen;
  std::vector<std::string> known;
  for (const BenchCase& c : all) {
    const std::string group = c.name.substr(0, c.name.find('/'));
    if (c.name == name || group == name) chosen.push_back(c);
    if (std::ranges::count(known, group) == 0) known.push_back(group);
    known.push_back(c.name);
  }
  if (chosen.empty())
    throw Error(ExitCode::usage, fmt::format("no bench case \"{}\"{}; there are: {}", name,
                                             did_you_mean(name, known), fmt::join(known, ", ")));
  return chosen;
}

using SteadyClock = std::chrono::steady_clock;

template <class Work>
double seconds(const Exec& ex, Work&& work) {
  const auto start = SteadyClock::now();
  work();
  ex.wait();
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

double median(std::vector<double> v) {
  const auto middle = v.begin() + std::ptrdiff_t(v.size() / 2);
  std::ranges::nth_element(v, middle);
  return *middle;
}

// A folder of this process that goes away with the object.
struct TemporaryFolder {
  fs::path path = fs::temp_directory_path() / fmt::format("rtsim-bench-{}", getpid());
  TemporaryFolder() { fs::create_directories(path); }
  ~TemporaryFolder() {
    std::error_code ignored;  // a destructor; what stays behind is a small text file
    fs::remove_all(path, ignored);
  }
};

class Stepper {
 public:
  Stepper(Simulation& sim, double dt) : sim_(sim), dt_(dt), series_(folder_.path) {
    refresh(sim_, 0);
  }

  void step() {
    advance(sim_, {steps_, double(steps_) * dt_, dt_});
    ++steps_;
  }

  void record() { series_.record(steps_, double(steps_) * dt_, measure(sim_)); }

  double median_step(int steps, bool with_series) {
    std::vector<double> times;
    for (int k = 0; k < steps; ++k)
      times.push_back(seconds(sim_.world->exec, [&] {
        step();
        if (with_series) record();
      }));
    return median(std::move(times));
  }

 private:
  Simulation& sim_;
  double dt_;
  long steps_ = 0;
  TemporaryFolder folder_;
  Series series_;
};

long moving_rows(World& world) {
  long rows = 0;
  for (const Object& o : world.objects)
    if (o.kind != Kind::boundary && world.has_table(o.name)) rows += world.table(o.name).rows();
  return rows;
}

// Keys, sorting, putting the rows in cell order, and the walks that find neighbours.
bool is_neighbour_search(std::string_view label) {
  return label.starts_with("neighbours.") || label == "permute" ||
         label.find("search") != label.npos;
}

void fill_profile(const Profile& profile, int steps, BenchResult& r) {
  double all = 0, search = 0;
  for (const Profile::Row& row : profile.rows()) all += row.seconds;
  for (const Profile::Row& row : profile.rows()) {
    if (is_neighbour_search(row.label)) search += row.seconds;
    r.labels.push_back(
        {row.label, 1e9 * row.seconds / (double(steps) * double(r.rows)), row.seconds / all});
  }
  std::ranges::sort(r.labels, std::ranges::greater(), &LabelTime::share);
  r.neighbour_share = search / all;
}

// A device's launches by the device's clock, in steps of their own: notes cost time, too.
void time_launches(Stepper& stepper, Profile& profile, int steps) {
  profile.clear();
  profile.device_times = true;
  stepper.median_step(steps, false);
  profile.collect();
  profile.device_times = false;
}

}  // namespace

std::vector<BenchCase> find_cases(const std::vector<std::string>& names, Backend backend) {
  std::vector<BenchCase> chosen;
  if (names.empty()) {
    std::ranges::copy_if(all_cases(), std::back_inserter(chosen), [&](const BenchCase& c) {
      return c.name.starts_with("card/") == (backend == Backend::cuda);
    });
    return chosen;
  }
  for (const std::string& name : names)
    std::ranges::copy(name.ends_with(".json") ? read_cases(name) : select(all_cases(), name),
                      std::back_inserter(chosen));
  return chosen;
}

BenchResult time_case(const BenchCase& c, const std::string& device, int threads) {
  const Scene scene = read_scene(c.scene, c.set, stage_catalog());
  const Exec ex = make_exec(device, threads);
  Simulation sim = build(scene, ex);
  BenchResult r{.name = c.name,
                .threads = threads,
                .rows = moving_rows(*sim.world),
                .seconds_per_step = 0,
                .seconds_per_step_with_series = 0,
                .neighbour_share = 0,
                .bytes_per_row = 0,
                .labels = {}};
  if (r.rows == 0)
    throw Error(ExitCode::bad_input,
                fmt::format("{}: {}: nothing moves", c.name, c.scene.string()));

  Stepper stepper(sim, scene.time.step_dt());
  if (c.warmup > 0) stepper.median_step(c.warmup, true);
  ex.profile().clear();
  r.seconds_per_step = stepper.median_step(c.steps, false);
  if (ex.backend() == Backend::cuda) time_launches(stepper, ex.profile(), c.steps);
  fill_profile(ex.profile(), c.steps, r);
  r.seconds_per_step_with_series = stepper.median_step(c.steps, true);
  r.bytes_per_row = double(ex.peak_bytes()) / double(r.rows);
  return r;
}

MachineResult time_machine(const std::string& device, int threads) {
  const Exec ex = make_exec(device, threads);
  constexpr Index few = 8192, many = Index(1)
                                     << 25;  // eight chunks; 400 MB in three arrays of floats
  constexpr int launches = 2000, sweeps = 9;

  Buffer<Real> small(ex, few);
  const double empty = seconds(ex, [&] {
    for (int k = 0; k < launches; ++k) bench::empty_launch(ex, small.span());
  });

  Buffer<Real> a(ex, many), b(ex, many), c(ex, many);
  b.zero(), c.zero();
  std::vector<double> times;
  for (int k = 0; k < sweeps; ++k)
    times.push_back(seconds(ex, [&] { bench::triad(ex, a.span(), b.span(), c.span(), Real(3)); }));
  return {threads, 1e6 * empty / launches, 3e-9 * sizeof(Real) * many / median(std::move(times))};
}

}  // namespace rtsim
