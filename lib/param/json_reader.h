#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "param/describe.h"
#include "param/json_text.h"

namespace rtsim {

// The name of an object where the document uses it.
struct ObjectUse {
  std::string pointer;
  std::string key;
  std::string object;
  std::vector<std::string> kinds;  // that fit; none: all
};

// What reading leaves behind besides the values.
struct ReadLog {
  int dim = 3;
  std::filesystem::path folder;  // files are looked for from here
  std::vector<Problem> problems;
  std::vector<ObjectUse> uses;
  std::vector<std::string> files;  // absolute
};

// Reads the parameters that `walk` visits from the object at `pointer`. Every mistake becomes a
// problem and leaves the default: wrong types, values out of range, required keys that are missing,
// keys that nothing asked for.
void read_json(const nlohmann::json& object, const std::string& pointer, ReadLog&,
               const Describe::Walk& walk);

// The same from a file of its own; returns every mistake, a line each.
std::string read_json_file(const std::filesystem::path&, int dim, const Describe::Walk& walk);

}  // namespace rtsim
