#include "cache/series_file.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cache/durable.h"

namespace rtsim {

namespace fs = std::filesystem;

void SeriesFiles::add(const CommittedFrame& commit) {
  for (const WrittenFile& f : commit.files) {
    const fs::path path = f.path;  // cache/water/water.000012.hdf
    if (path.extension() != ".hdf") continue;
    const std::string object = path.parent_path().filename().string();
    Entries& e = objects_[object];
    const nlohmann::ordered_json entry = {{"name", object + "/" + path.filename().string()},
                                          {"time", commit.time}};
    e.text += (e.text.empty() ? "  " : ",\n  ") + entry.dump();
    e.behind = true;
  }
}

void SeriesFiles::write() {
  for (auto& [object, e] : objects_) {
    if (!e.behind) continue;
    write_file(folder_ / "cache" / (object + ".hdf.series"),
               "{\"file-series-version\":\"1.0\",\"files\":[\n" + e.text + "\n]}\n");
    e.behind = false;
  }
}

SeriesFiles rewrite_series(const fs::path& run_folder) try {
  SeriesFiles series(run_folder);
  for (const CommittedFrame& c : read_commits(run_folder)) series.add(c);
  const fs::path cache = run_folder / "cache";
  if (fs::exists(cache))
    for (const auto& entry : fs::directory_iterator(cache))
      if (entry.path().string().ends_with(".hdf.series")) fs::remove(entry.path());
  series.write();
  return series;
} catch (const fs::filesystem_error& e) {
  throw Error(ExitCode::io, e.what());
}

}  // namespace rtsim
