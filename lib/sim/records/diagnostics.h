#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cache/durable.h"
#include "cache/series_table.h"
#include "stage/stage.h"

namespace rtsim {

// series.csv: one row a measured step, `step,time [s],<stage>.<object>.<quantity> [unit],...`,
// %.17g. Quantities that add up (energies, mass, momentum) also get a column total.<quantity>.
class Series {
 public:
  // Opens DIR/series.csv for appending; the header is written with the first row of an empty file.
  explicit Series(const std::filesystem::path& run_folder);

  void record(long step, double time, const std::vector<Measurement>&);
  // Where the file has other columns than these it is emptied: whether it was.
  bool begin_again_unless(const std::vector<Measurement>&);
  void sync() { log_.sync(); }
  LogEnd end() const { return log_.end(); }

 private:
  std::filesystem::path file_;
  std::string header_;
  LineLog log_;
};

// Adds total.* measurements.
std::vector<Measurement> with_totals(std::vector<Measurement>);

}  // namespace rtsim
