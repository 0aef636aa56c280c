#include "convert/times.h"

#include <map>
#include <nlohmann/json.hpp>

#include "cache/commits.h"
#include "cache/durable.h"

namespace rtsim {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

void write_times(const fs::path& folder) {
  std::map<std::string, ordered_json> series;
  for (const CommittedFrame& c : read_commits(folder))
    for (const WrittenFile& f : c.files) {
      const fs::path path = f.path;  // cache/water/water.000012.vtk
      const std::string object = object_of(f);
      series[object + path.extension().string()].push_back(
          {{"name", object + "/" + path.filename().string()}, {"time", c.time}});
    }
  for (const auto& [name, files] : series)
    write_file(folder / "cache" / (name + ".series"),
               ordered_json{{"file-series-version", "1.0"}, {"files", files}}.dump(1) + "\n");
}

}  // namespace rtsim
