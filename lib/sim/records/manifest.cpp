#include "sim/records/manifest.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <climits>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/printable.h"
#include "cache/durable.h"
#include "cache/no_run.h"

namespace rtsim {

using Json = nlohmann::ordered_json;

namespace {

constexpr int format_version = 2;  // 1 had no checksum of its own

std::string digest(const Json& manifest) {
  const std::string text = manifest.dump();
  return hex(hash_bytes(text.data(), text.size()));
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = "";
  if (gethostname(name, sizeof name) != 0) return "unknown";
  name[HOST_NAME_MAX] = 0;
  return name;
}

std::filesystem::path manifest_file(const std::filesystem::path& run_folder) {
  return run_folder / "run.json";
}

Json build_json(const BuildInfo& b) {
  Json j = {{"version", b.version}, {"commit", b.commit},       {"compiler", b.compiler},
            {"flags", b.flags},     {"precision", b.precision}, {"cuda", b.cuda}};
  if (!b.diff_sha1.empty()) j["diff_sha1"] = b.diff_sha1;
  if (!b.diff.empty()) j["diff"] = b.diff;
  return j;
}

BuildInfo build_from(const Json& j) {
  return {j.at("version"),   j.at("commit"), j.at("compiler"),         j.at("flags"),
          j.at("precision"), j.at("cuda"),   j.value("diff_sha1", ""), j.value("diff", "")};
}

Json assets_json(const Manifest& m) {
  Json assets = Json::array();
  for (const auto& [path, xxh3] : m.assets) assets.push_back({{"path", path}, {"xxh3", xxh3}});
  return assets;
}

Json restarts_json(const Manifest& m) {
  Json restarts = Json::array();
  for (const Manifest::Restart& r : m.restarts)
    restarts.push_back({{"step", r.step},
                        {"when", r.when},
                        {"host", r.host},
                        {"build", build_json(r.build)},
                        {"device", r.device},
                        {"threads", r.threads},
                        {"command_line", r.command_line}});
  return restarts;
}

// Texts of JSON, which nothing stands for as null.
Json value_json(const std::string& text) { return text.empty() ? Json() : Json::parse(text); }
std::string value_text(const Json& j) { return j.is_null() ? "" : j.dump(); }

Json parent_json(const Manifest::Parent& p) {
  Json differences = Json::array();
  for (const Manifest::Difference& d : p.differences)
    differences.push_back(
        {{"pointer", d.pointer}, {"was", value_json(d.was)}, {"is", value_json(d.is)}});
  return {{"run", p.folder}, {"identity", p.identity},          {"frame", p.frame},
          {"step", p.step},  {"checkpoint_xxh3", p.checkpoint}, {"differences", differences}};
}

Manifest::Parent parent_from(const Json& j) {
  Manifest::Parent p{j.at("run"),  j.at("identity"),        j.at("frame"),
                     j.at("step"), j.at("checkpoint_xxh3"), {}};
  for (const Json& d : j.at("differences"))
    p.differences.push_back({d.at("pointer"), value_text(d.at("was")), value_text(d.at("is"))});
  return p;
}

Manifest from_json(const Json& j) {
  Manifest m;
  j.at("identity").get_to(m.identity), j.at("status").get_to(m.status);
  j.at("exit_code").get_to(m.exit_code), j.at("message").get_to(m.message);
  j.at("scene_file").get_to(m.scene_file), j.at("command_line").get_to(m.command_line);
  j.at("working_folder").get_to(m.working_folder), j.at("host").get_to(m.host);
  j.at("user").get_to(m.user), m.build = build_from(j.at("build"));
  j.at("device").get_to(m.device), j.at("threads").get_to(m.threads), j.at("seed").get_to(m.seed);
  j.at("started").get_to(m.started), j.at("ended").get_to(m.ended);
  j.at("wall_seconds").get_to(m.wall_seconds);
  j.at("steps").get_to(m.steps), j.at("frames").get_to(m.frames);
  for (const Json& a : j.at("assets")) m.assets.emplace_back(a.at("path"), a.at("xxh3"));
  for (const Json& r : j.at("restarts"))
    m.restarts.push_back({r.at("step"), r.at("when"), r.at("host"), build_from(r.at("build")),
                          r.at("device"), r.at("threads"), r.at("command_line")});
  if (j.contains("parent")) m.parent = parent_from(j.at("parent"));
  return m;
}

}  // namespace

std::string user_name() {
  const passwd* entry = getpwuid(geteuid());
  return entry ? entry->pw_name : std::to_string(geteuid());
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

Manifest new_manifest(const Scene& scene, const std::vector<std::string>& command_line,
                      const std::string& device, int threads) {
  Manifest m;
  m.identity = scene.identity;
  m.scene_file = std::filesystem::absolute(scene.file).string();
  m.command_line = command_line;
  m.working_folder = std::filesystem::current_path().string();
  m.host = host_name(), m.user = user_name();
  m.build = build_info();
  m.device = device, m.threads = threads;
  m.seed = scene.seed;
  m.started = utc_now();
  for (const std::string& path : scene.assets) m.assets.emplace_back(path, hex(hash_file(path)));
  return m;
}

std::string to_json(const Manifest& m) {
  Json j = {{"rtsim_run", format_version},
            {"identity", m.identity},
            {"status", m.status},
            {"exit_code", m.exit_code},
            {"message", m.message},
            {"scene_file", m.scene_file},
            {"command_line", m.command_line},
            {"working_folder", m.working_folder},
            {"host", m.host},
            {"user", m.user},
            {"build", build_json(m.build)},
            {"device", m.device},
            {"threads", m.threads},
            {"seed", m.seed},
            {"started", m.started},
            {"ended", m.ended},
            {"wall_seconds", m.wall_seconds},
            {"steps", m.steps},
            {"frames", m.frames},
            {"assets", assets_json(m)},
            {"restarts", restarts_json(m)}};
  if (m.parent) j["parent"] = parent_json(*m.parent);
  j = Json::parse(j.dump(-1, ' ', false, Json::error_handler_t::replace));  // names may be no UTF-8
  j["xxh3"] = digest(j);
  return j.dump(2) + "\n";
}

void write_manifest(const std::filesystem::path& run_folder, const Manifest& m) {
  write_file(manifest_file(run_folder), to_json(m));
}

bool has_manifest(const std::filesystem::path& run_folder) {
  return std::filesystem::exists(manifest_file(run_folder));
}

Manifest read_manifest(const std::filesystem::path& run_folder) {
  const std::filesystem::path file = manifest_file(run_folder);
  if (!has_manifest(run_folder)) throw no_run(run_folder);
  try {
    return from_json(Json::parse(read_file(file)));
  } catch (const Json::exception& e) {
    throw Error(ExitCode::io, fmt::format("{}: damaged: {}", file.string(), printable(e.what())));
  }
}

std::string manifest_damage(const std::filesystem::path& run_folder) {
  Json j = Json::parse(read_file(manifest_file(run_folder)), nullptr, false);
  if (!j.is_object() || j.value("rtsim_run", Json()) == 1) return "";
  const Json kept = j.value("xxh3", Json());
  j.erase("xxh3");
  if (kept == digest(j)) return "";
  return "run.json: its checksum is not its own: it was changed after rtsim wrote it";
}

}  // namespace rtsim
