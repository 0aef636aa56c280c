#pragma once
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rtsim {

// What --json tells of files made from results: which, how large, in how many seconds since this
// was made, and what one was warned of.
class Written {
 public:
  // With entries of the command's own behind them.
  void print(const std::string& output, const std::vector<std::filesystem::path>& files,
             const std::vector<std::string>& warnings, const nlohmann::ordered_json& more) const;

 private:
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace rtsim
