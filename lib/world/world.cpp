#include "world/world.h"

#include "base/hash.h"
#include "base/nearest.h"

namespace rtsim {

const char* to_string(Kind kind) {
  constexpr const char* names[] = {"particles",    "mesh",   "grid",
                                   "height_field", "bodies", "boundary"};
  return names[int(kind)];
}

const Object& World::object(std::string_view name) const {
  std::vector<std::string> known;
  for (const Object& o : objects) {
    if (o.name == name) return o;
    known.push_back(o.name);
  }
  throw Error(ExitCode::bad_input,
              "there is no object '" + std::string(name) + "'" + did_you_mean(name, known));
}

std::uint32_t World::take_ids(Index rows) {
  const std::uint32_t first = next_id;
  next_id += std::uint32_t(rows);
  if (next_id < first)
    throw Error(ExitCode::bad_input,
                "all 2^32 ids are spent: the run made too many rows; emit fewer");
  return first;
}

Table& World::add_table(std::string name, Index rows) {
  tables_.push_back(std::make_unique<Table>(exec, std::move(name), rows));
  return *tables_.back();
}

bool World::has_table(std::string_view name) const {
  for (const auto& t : tables_)
    if (t->name() == name) return true;
  return false;
}

Table& World::table(std::string_view name) {
  for (const auto& t : tables_)
    if (t->name() == name) return *t;
  throw Error(ExitCode::bad_input, "the world has no table '" + std::string(name) + "'");
}

std::uint64_t World::state_hash() const {
  std::uint64_t h = hash_bytes(&next_id, sizeof next_id);
  for (const auto& t : tables_) {
    for (const Column& c : t->columns()) {
      if (c.info.role != Role::state) continue;
      const std::string label = t->name() + "." + c.info.name;
      h = hash_bytes(label.data(), label.size(), h);
      std::vector<std::byte> host(std::size_t(t->rows()) * c.type.bytes());
      exec.download(host.data(), c.bytes.data(), host.size());
      h = hash_bytes(host.data(), host.size(), h);
    }
  }
  return h;
}

std::string sample_table(std::string_view boundary, std::string_view fluid) {
  return std::string(boundary) + ".samples@" + std::string(fluid);
}

std::string force_table(std::string_view boundary, std::string_view fluid) {
  return std::string(boundary) + ".forces@" + std::string(fluid);
}

std::string pose_table(std::string_view boundary) { return std::string(boundary) + ".pose"; }

void refuse_deforming(const Object& boundary, std::string_view who) {
  if (!boundary.deformation) return;
  throw Error(ExitCode::bad_input, "'" + boundary.name + "' deforms, and " + std::string(who) +
                                       " meets rigid boundaries alone; give it a \"motion\", or "
                                       "leave it out of \"boundary\"");
}

std::string corner_table(std::string_view boundary) { return std::string(boundary) + ".corners"; }

std::string face_table(std::string_view boundary) { return std::string(boundary) + ".faces"; }

}  // namespace rtsim
