#include "sim/build/meeting_fluids.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "exec/sort.h"
#include "meeting/meeting.h"
#include "neighbours/neighbours.h"

namespace rtsim {

namespace {

// Particles that a stage moves, and the samples of the walls that it keeps them from.
struct MovedFluid {
  std::string stage, name;
  std::vector<std::string> samples;
};

// Rows of positions in cells.
template <int D>
class Cells {
 public:
  explicit Cells(const Exec& ex)
      : ex_(ex), position_(ex), keys_(ex), order_(ex), first_(ex), rows_(ex) {}

  CellRows of(World& world, const std::vector<std::string>& tables, double size) {
    std::size_t n = 0;
    for (const std::string& t : tables) n += std::size_t(world.table(t).rows());
    position_.resize(n), keys_.resize(n), order_.resize(n), rows_.resize(n);
    for (std::size_t at = 0; const std::string& t : tables) {
      const auto x = world.table(t).template column<const Vec<D>>("position");
      ex_.copy(position_.data() + at, x.data, std::size_t(x.size) * sizeof(Vec<D>));
      at += std::size_t(x.size);
    }
    const neighbours::Box box = neighbours::bounding_box<D>(ex_, position_.span());
    const CellGrid grid = neighbours::make_grid(box, box, size, 2.0 * double(n) + 65536);
    first_.resize(std::size_t(grid.cells()) + 1);
    neighbours::cell_keys<D>(ex_, grid, position_.span(), keys_.span());
    bin_by_key(ex_, "meeting.sort", keys_.span(), std::uint32_t(grid.cells()), order_.span(),
               first_.span());
    meeting::pack<D>(ex_, order_.span(), position_.span(), rows_.span());
    return {grid, first_.span(), rows_.span()};
  }

 private:
  Exec ex_;
  Buffer<Vec<D>> position_;
  Buffer<std::uint32_t> keys_;
  Buffer<Index> order_, first_;
  Buffer<Row4> rows_;
};

// Rows of a lattice stand a spacing apart, and half a spacing off walls: a wall between two rows
// that near has a sample beside their middle.
constexpr double reach_spacings = 1.25, clear_spacings = 0.75;

template <int D>
bool far_apart(World& world, const MovedFluid& a, const MovedFluid& b, double reach) {
  const auto box = [&](const std::string& table) {
    return neighbours::bounding_box<D>(
        world.exec, world.table(table).template column<const Vec<D>>("position"));
  };
  const neighbours::Box one = box(a.name), other = box(b.name);
  for (int k = 0; k < D; ++k)
    if (double(one.low[k]) > double(other.high[k]) + reach ||
        double(other.low[k]) > double(one.high[k]) + reach)
      return true;
  return false;
}

// Where they touch [m].
template <int D>
std::optional<Vec3d> touch(World& world, const MovedFluid& a, const MovedFluid& b) {
  const double spacing = (world.object(a.name).spacing + world.object(b.name).spacing) / 2,
               reach = reach_spacings * spacing;
  if (far_apart<D>(world, a, b, reach)) return std::nullopt;
  std::vector<std::string> samples = a.samples;
  samples.insert(samples.end(), b.samples.begin(), b.samples.end());
  Cells<D> rows(world.exec), others(world.exec), walls(world.exec);
  const CellRows own = rows.of(world, {a.name}, reach), their = others.of(world, {b.name}, reach),
                 wall = walls.of(world, samples, reach);
  const Index i = meeting::find_meeting(world.exec, own.rows, their, wall, Real(reach),
                                        Real(clear_spacings * spacing));
  if (i < 0) return std::nullopt;
  Row4 at{};
  world.exec.download(&at, own.rows.data + i, sizeof at);
  return Vec3d{{double(at.x), double(at.y), double(at.z)}};
}

// What is wrong with two fluids of two stages, or nothing.
std::string problem(World& world, const MovedFluid& a, const MovedFluid& b) {
  const auto at = world.dim == 2 ? touch<2>(world, a, b) : touch<3>(world, a, b);
  if (!at) return {};
  const std::string z = world.dim == 2 ? "" : fmt::format(", {:.4g}", (*at)[2]);
  return fmt::format(
      "'{0}' of stage '{1}' and '{2}' of stage '{3}' touch at ({4:.4g}, {5:.4g}{6}), and stages do "
      "not feel one another's particles; let one stage take both, as \"fluid\": \"{0}\", "
      "\"phases\": [{{\"fluid\": \"{2}\", \"rest_density\": ...}}] of dfsph, iisph, pcisph or "
      "wcsph, or keep "
      "them apart by a wall, or by more than {7} spacings",
      a.name, a.stage, b.name, b.stage, (*at)[0], (*at)[1], z, reach_spacings);
}

class MeetingFluids final : public Stage {
 public:
  explicit MeetingFluids(std::vector<MovedFluid> fluids) : fluids_(std::move(fluids)) {}

  void advance(World& world, const Step& step) override {
    if (!step.framed) return;
    const std::vector<std::string> all = problems(world);
    if (!all.empty()) throw Diverged(all[0]);
  }

  std::vector<std::string> problems(World& world) const {
    std::vector<std::string> all;
    for (std::size_t b = 0; b < fluids_.size(); ++b)
      for (std::size_t a = 0; a < b; ++a) {
        if (fluids_[a].stage == fluids_[b].stage) continue;
        std::string p = problem(world, fluids_[a], fluids_[b]);
        if (!p.empty()) all.push_back(std::move(p));
      }
    return all;
  }

 private:
  std::vector<MovedFluid> fluids_;
};

std::vector<std::string> moved_by(const PipelineStage& p, const World& world) {
  std::vector<std::string> all;
  for (const ColumnUse& use : p.stage->uses()) {
    const auto object = std::ranges::find(world.objects, use.table, &Object::name);
    if (use.access == Access::write && use.column == "position" && object != world.objects.end() &&
        object->kind == Kind::particles)
      all.push_back(use.table);
  }
  return all;
}

std::vector<MovedFluid> moved_fluids(const Scene& scene, const Simulation& s) {
  std::vector<MovedFluid> all;
  for (const PipelineStage& p : s.pipeline) {
    const std::vector<std::string> fluids = moved_by(p, *s.world);
    std::vector<std::string> samples;
    for (const StageSpec& spec : scene.stages)
      for (const RoleUse& role : spec.roles)
        for (const std::string& f : fluids)
          if (const std::string t = sample_table(role.object, f);
              spec.name == p.name && s.world->has_table(t))
            samples.push_back(t);
    for (const std::string& f : fluids) all.push_back({p.name, f, samples});
  }
  return all;
}

}  // namespace

std::vector<std::string> keep_fluids_apart(const Scene& scene, Simulation& s) {
  std::vector<MovedFluid> fluids = moved_fluids(scene, s);
  const auto of_first = [&](const MovedFluid& f) { return f.stage == fluids[0].stage; };
  if (std::ranges::all_of(fluids, of_first)) return {};
  auto stage = std::make_unique<MeetingFluids>(std::move(fluids));
  std::vector<std::string> problems = stage->problems(*s.world);
  s.pipeline.push_back({"_meeting_fluids", std::move(stage)});
  return problems;
}

}  // namespace rtsim
