#pragma once
#include <string>
#include <vector>

#include "cache/async_writer.h"
#include "cache/checkpoint.h"
#include "cache/commits.h"
#include "cache/verify.h"
#include "cache_scratch.h"

namespace rtsim {

namespace fs = std::filesystem;

// A run folder as a run leaves it: frames 0 to 3, a row of the series for each, and checkpoints.
// Written once and copied, because syncing takes most of the time.
struct RunFolder {
  RunFolder() {
    static const Written original;
    fs::copy(original.scratch.folder, scratch.folder, fs::copy_options::recursive);
    progress = original.progress;
  }

  static World world() {
    World w(Exec::cpu(1), 3);
    Table& water = w.add_table("water", 3);
    water.add<Vec<3>>({"position", "m"}, {{{1, 2, 3}}, {{-0.0f, 5e-39f, 6}}, {{7, 8, 1.0f / 3}}});
    water.add<std::uint32_t>({"id", ""}, {5, 4, 3});
    water.add<Real>({"density", "kg/m^3", Role::derived}, {1, 2, 3});
    w.add_table("wcsph.state", 1).add<std::int64_t>({"count", ""}, {1L << 40});
    w.next_id = 6;
    return w;
  }

  fs::path frame(long k) const { return scratch.folder / frame_path("water", k, Format::hdf5); }
  fs::path newest() const { return scratch / "checkpoints/000000000060.h5"; }
  std::string problem() const {
    const Verdict v = verify_run(scratch.folder);
    return v.problems.empty() ? "" : v.problems[0];
  }

  struct Written {
    Written();
    Scratch scratch;
    std::vector<Progress> progress;
  };

  Scratch scratch;
  std::vector<Progress> progress;
};

inline RunFolder::Written::Written() {
  LineLog series(scratch / "series.csv");
  series.append("step,time [s],mass [kg]");
  AsyncWriter writer(scratch.folder, {"run", 1});
  for (long k = 0; k < 4; ++k) {
    writer.push(frame_of(block(5), k));
    series.append(std::to_string(20 * k) + ",0,1");
    series.sync();
    writer.drain();
    const Progress now{20 * k, k + 1, writer.log_end(), series.end()};
    save_checkpoint(scratch.folder, world(), now);
    progress.push_back(now);
  }
  write_file(scratch / "log.jsonl", "{}\n");
}

// The same tables with nothing in them.
inline World empty_world() {
  World w(Exec::cpu(1), 3);
  Table& water = w.add_table("water", 1);
  water.add<Vec<3>>({"position", "m"});
  water.add<std::uint32_t>({"id", ""});
  water.add<Real>({"density", "kg/m^3", Role::derived});
  w.add_table("wcsph.state", 1).add<std::int64_t>({"count", ""});
  return w;
}

}  // namespace rtsim
