#include "sim/records/family.h"

#include <fmt/format.h>

#include <algorithm>

namespace rtsim {

namespace fs = std::filesystem;

namespace {

// Of a folder that may be gone, or not be a run any more.
std::optional<Manifest> manifest_in(const fs::path& folder) try {
  if (!has_manifest(folder)) return {};
  return read_manifest(folder);
} catch (const Error&) {
  return {};
}

Relative of(const Manifest::Parent& p) { return {p.folder, p.frame, p.step}; }

}  // namespace

std::vector<Relative> ancestors(const Manifest& m) {
  std::vector<Relative> all;
  for (std::optional<Manifest> now = m; now && now->parent; now = manifest_in(all.back().folder)) {
    // A folder that was copied over its own ancestor would lead in a ring.
    if (std::ranges::count(all, now->parent->folder, &Relative::folder)) break;
    all.push_back(of(*now->parent));
  }
  return all;
}

std::vector<Relative> branches_beside(const fs::path& run_folder) {
  std::vector<Relative> all;
  const fs::path self = fs::absolute(run_folder / "").lexically_normal().parent_path();
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(self.parent_path(), unreadable)) {
    const std::optional<Manifest> m = manifest_in(entry.path());
    if (!m || !m->parent || m->parent->folder != self.string()) continue;
    all.push_back({entry.path().string(), m->parent->frame, m->parent->step});
  }
  std::ranges::sort(all, {}, &Relative::folder);
  return all;
}

std::string text_of(const Manifest::Difference& d) {
  if (d.is.empty()) return fmt::format("{}: not given, {} before", d.pointer, d.was);
  if (d.was.empty()) return fmt::format("{}: {}, not given before", d.pointer, d.is);
  return fmt::format("{}: {} in place of {}", d.pointer, d.is, d.was);
}

}  // namespace rtsim
