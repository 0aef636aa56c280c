#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <set>

#include "cache/checkpoint.h"
#include "exec/cuda.h"
#include "param/describe.h"
#include "sim/records/snapshot.h"
#include "support/running.h"
#include "support/source_folder.h"
#include "support/temporary_folder.h"

// What every stage of the catalog must keep, from its configs/<stem>/tiny.json alone.
using namespace rtsim;

namespace {

Scene tiny(const StageType& type) {
  const auto file = std::filesystem::path(source_folder()) / "configs" / type.name / "tiny.json";
  return read_scene(file, {}, stage_catalog());
}

std::uint64_t hash_after(const StageType& type, int threads, int steps) {
  Running r(tiny(type), Exec::cpu(threads));
  r.advance(steps);
  return r.world().state_hash();
}

// Checks each parameter as it is said, at its default.
class DefaultsInRange final : public Describe {
 public:
  std::set<std::string> keys;

 private:
  void value(const Field& f, Value v) override {
    note(f);
    if (auto* d = std::get_if<double*>(&v)) CHECK(f.range.holds(**d));
    if (auto* i = std::get_if<int*>(&v)) CHECK(f.range.holds(**i));
    if (auto* o = std::get_if<std::optional<double>*>(&v)) CHECK((!**o || f.range.holds(***o)));
  }
  bool choice_value(const Field& f, int& chosen) override {
    note(f, ":");  // its options follow
    bool found = false;
    for (const Option& o : f.options) {
      found = found || o.value == chosen;
      CHECK(std::string(o.doc) != "");
    }
    CHECK(found);
    return true;
  }
  void group(const Field& f, bool*, const Walk&) override { note(f); }
  void sequence(const Field& f, const std::function<void(std::size_t)>&, std::size_t,
                const std::function<void(Describe&, std::size_t)>&) override {
    note(f);
  }
  void note(const Field& f, const char* end = ".") {
    INFO(f.key);
    CHECK(keys.insert(f.key).second);
    CHECK(std::string(f.doc).ends_with(end));
  }
};

}  // namespace

TEST_CASE("contract: every stage says what it is, whence, and what it does not do") {
  std::set<std::string> names;
  for (const StageType& type : stage_catalog()) {
    INFO(type.name);
    CHECK(names.insert(std::string(type.name)).second);
    CHECK(!type.summary.empty());
    CHECK(!type.source.empty());
    CHECK(!type.limits.empty());
    for (const std::string_view limit : type.limits) {
      INFO(limit);
      CHECK(limit.size() <= 92);  // a line of a terminal of 100 columns, as a bullet
      CHECK(limit.ends_with('.'));
      CHECK(limit.find('\n') == limit.npos);
    }
    CHECK(type.page.starts_with("docs/"));
    DefaultsInRange check;
    type.walk(check);
    CHECK(!check.keys.empty());
  }
}

TEST_CASE("contract: a scene with every default written out reads as the same scene") {
  for (const StageType& type : stage_catalog()) {
    INFO(type.name);
    const Scene scene = tiny(type);
    const Scene again = read_scene_text(scene.resolved, "scene.resolved.json",
                                        scene.file.parent_path(), {}, stage_catalog());
    CHECK(again.resolved == scene.resolved);
  }
}

TEST_CASE("contract: ten steps have one hash on 1, 2 and 5 threads") {
  for (const StageType& type : stage_catalog()) {
    INFO(type.name);
    const std::uint64_t one = hash_after(type, 1, 10);
    CHECK(hash_after(type, 2, 10) == one);
    CHECK(hash_after(type, 5, 10) == one);
    CHECK(hash_after(type, 1, 9) != one);
  }
}

TEST_CASE("contract: ten steps are five, a checkpoint, and five in a new process's world") {
  for (const StageType& type : stage_catalog()) {
    INFO(type.name);
    const TemporaryFolder folder;
    Running first(tiny(type), Exec::cpu(2));
    first.advance(5);
    save_checkpoint(folder.path, first.world(), {.step = 5});

    Running second(tiny(type), Exec::cpu(2));
    std::string warnings;
    const auto checkpoint = find_checkpoint(folder.path, warnings);
    REQUIRE(checkpoint);
    CHECK(warnings == "");
    load_checkpoint(checkpoint->file, second.world());
    second.steps = checkpoint->progress.step;
    CHECK(second.world().state_hash() == first.world().state_hash());
    second.refresh();
    second.advance(5);
    first.advance(5);
    CHECK(second.world().state_hash() == first.world().state_hash());
  }
}

TEST_CASE(
    "contract: after ten steps all is finite, the step was stable, and series have units that "
    "hold") {
  for (const StageType& type : stage_catalog()) {
    INFO(type.name);
    Running r(tiny(type), Exec::cpu(2));
    r.advance(10);
    CHECK(find_not_finite(r.world()) == "");
    std::set<std::string> names;
    for (const PipelineStage& p : r.sim.pipeline) {
      CHECK(r.scene.time.step_dt() <= p.stage->stable_dt(r.world()));
      std::vector<Measurement> series;
      p.stage->measure(r.world(), series);
      for (const Measurement& m : series) {
        INFO(m.name);
        CHECK(names.insert(p.name + "." + m.name).second);
        CHECK(std::isfinite(m.value));
        CHECK(m.name.find('.') != std::string::npos);
      }
    }
  }
}

namespace {

// Ten steps on two execs. Sums in another order; ten steps let the difference grow a hundredfold.
void check_same_figures(const StageType& type, const Exec& one, const Exec& other) {
  Running a(tiny(type), one), b(tiny(type), other);
  a.advance(10), b.advance(10);
  const auto first = measure(a.sim), second = measure(b.sim);
  REQUIRE(first.size() == second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    INFO(first[i].name);
    if (first[i].name.ends_with("iterations")) continue;  // one more or less is no difference
    // What cancels in a sum is rounding of its parts: of tonnes of air that hardly move, say.
    if (first[i].name.find("momentum") != std::string::npos) continue;
    CHECK(first[i].value == Approx(second[i].value).epsilon(1e-3).margin(1e-5));
  }
}

}  // namespace

TEST_CASE("contract: bodies shaped for the CPU and for devices agree after ten steps") {
  for (const StageType& type : stage_catalog()) {
    INFO(type.name);
    check_same_figures(type, Exec::cpu(2), Exec::cpu(2).device_shaped());
  }
}

TEST_CASE("contract: CPU and CUDA agree after ten steps") {
  if (!cuda::built() || cuda::device_count() == 0) {
    WARN("no CUDA device: skipped");
    return;
  }
  for (const StageType& type : stage_catalog()) {
    INFO(type.name);
    check_same_figures(type, Exec::cpu(2), Exec::cuda(0));
  }
}
