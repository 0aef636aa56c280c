#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "base/error.h"
#include "sim/catalog.h"
#include "sim/scene.h"

// Reads any bytes as a scene: lines that start with '/' are --set texts, the rest is the scene's.
// Either every line of the complaint names its place, or the resolved scene resolves to itself.
namespace {

using namespace rtsim;

struct Input {
  std::vector<std::string> overrides;
  std::string text;
};

Input split(std::string all) {
  Input input;
  while (all.starts_with('/') && !all.starts_with("//") && !all.starts_with("/*")) {
    const auto end = std::min(all.find('\n'), all.size());
    input.overrides.push_back(all.substr(0, end));
    all.erase(0, end + 1);
  }
  input.text = std::move(all);
  return input;
}

void require(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
  std::abort();
}

void check_complaint(const Error& e) {
  require(e.code() == ExitCode::bad_input, "exit code", e.what());
  std::istringstream lines(e.what());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    require(line.starts_with("s.json:") || line.starts_with("--set ") || line.starts_with("and "),
            "a line without its place", line);
  require(count > 0, "no complaint", e.what());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<StageType> catalog = stage_catalog();
  Input input = split({reinterpret_cast<const char*>(data), size});
  Scene scene;
  try {
    scene = read_scene_text(input.text, "s.json", "/folder", input.overrides, catalog);
  } catch (const Error& e) {
    check_complaint(e);
    return 0;
  }
  try {
    const Scene again = read_scene_text(scene.resolved, "s.json", "/elsewhere", {}, catalog);
    require(again.resolved == scene.resolved, "resolves to another scene", again.resolved);
    require(again.identity == scene.identity, "has another identity", again.identity);
  } catch (const Error& e) {
    require(false, "the resolved scene is refused", e.what() + ("\n" + scene.resolved));
  }
  return 0;
}
