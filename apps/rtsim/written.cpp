#include "written.h"

#include <fmt/format.h>

namespace rtsim {

using nlohmann::ordered_json;

void Written::print(const std::string& output, const std::vector<std::filesystem::path>& files,
                    const std::vector<std::string>& warnings, const ordered_json& more) const {
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - since_;
  std::uintmax_t bytes = 0;
  for (const std::filesystem::path& file : files) bytes += std::filesystem::file_size(file);
  ordered_json j = {{"output", output},
                    {"files", files.size()},
                    {"bytes", bytes},
                    {"seconds", seconds.count()},
                    {"warnings", warnings}};
  j.update(more);
  fmt::print("{}\n", j.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace rtsim
