#include "grids/multigrid.h"

#include <array>

#include "grids/pseudo_inverse.h"

namespace rtsim {

using poisson::Level;

namespace {

constexpr Index coarsest_cells = 64;

Index halves(Index n) { return (n + 1) / 2; }

Level coarser(const Level& finer) {
  Level c = finer;
  for (Index& n : c.n) n = halves(n);
  return c;
}

void set_pitch(Level& level) { level.pitch = (level.n[0] + 7) / 8 * 8; }

}  // namespace

HostWeights::HostWeights(const Exec& ex, const LevelWeights& w) : level(w.level) {
  if (ex.backend() == Backend::cpu) return;
  sets = w.sets.download(), rows = w.rows.download();
  level.sets = {sets.data(), Index(sets.size())};
  level.rows = rows.data();
}

Multigrid::Multigrid(const Exec& ex, const poisson::Faces& shape, bool coarsen)
    : ex_(ex), half_(ex), inverse_(ex), split_(ex) {
  // The smoother's damping 2 D / (2 D + 1), which takes all the errors that oscillate from cell to
  // cell down by the most even factor; 1 where there is none.
  int axes = 0;
  for (int a = 0; a < 3; ++a) axes += shape.n[a] > 1;
  damping_ = coarsen ? Real(2 * axes) / Real(2 * axes + 1) : Real(1);
  Level level;
  for (int a = 0; a < 3; ++a) level.n[a] = shape.n[a];
  while (true) {
    set_pitch(level);
    OneLevel& l = levels_.emplace_back(ex);
    l.weights.level = level;
    l.weights.sets.resize(std::size_t(level.lines()));
    if (coarsen) l.smoothed.resize(std::size_t(level.cells()));
    if (levels_.size() > 1)
      l.b.resize(std::size_t(level.cells())), l.x.resize(std::size_t(level.cells()));
    if (!coarsen || level.cells() <= coarsest_cells) break;
    level = coarser(level);
    if (levels_.size() > 1) continue;
    half_.resize(std::size_t(level.n[0]) * std::size_t(shape.n[1]) * std::size_t(shape.n[2]));
  }
}

// Lines of one kind share rows: those of the first. `kinds(span)` finds the kinds, `fill(lines,
// rows)` the rows of those lines.
template <class Kinds, class Rows>
void Multigrid::set_weights(LevelWeights& w, int rows, const Kinds& kinds, const Rows& fill) {
  Buffer<std::int8_t> found(ex_, std::size_t(w.level.lines()));
  kinds(found.span());
  const std::vector<std::int8_t> kind = found.download();
  std::array<Index, poisson::line_kinds> shared;
  shared.fill(-1);
  std::vector<Index> sets(kind.size()), lines;
  for (std::size_t line = 0; line < kind.size(); ++line) {
    Index own = -1;
    Index& set = kind[line] < 0 ? own : shared[std::size_t(kind[line])];
    if (set < 0) set = Index(lines.size()), lines.push_back(Index(line));
    sets[line] = 2 * set + (kind[line] == poisson::empty_line);
  }
  w.sets.upload(sets);
  w.level.set_size = Index(rows) * w.level.pitch;
  // Some more than are needed now: a surface that spreads needs more with every step.
  const std::size_t needed = lines.size() * std::size_t(w.level.set_size);
  if (needed > w.rows.capacity()) w.rows.resize(needed + needed / 4);
  w.rows.resize(needed), w.extents.resize(lines.size());
  w.level.sets = w.sets.span(), w.level.rows = w.rows.data(), w.level.extents = w.extents.span();
  const Buffer<Index> which(ex_, lines);
  fill(which.span(), w.rows.span());
  poisson::find_extents(ex_, w.level, which.span(), w.extents.span());
}

void Multigrid::prepare(const poisson::Faces& faces) {
  LevelWeights& finest = levels_[0].weights;
  finest.uniform = {};
  for (int a = 0; a < 3; ++a) {
    if (faces.n[a] > 1) finest.uniform.link[a] = 1;
    for (OneLevel& l : levels_) l.weights.level.periodic[a] = faces.periodic[a];
  }
  set_weights(
      finest, poisson::finest_rows,
      [&](Span<std::int8_t> kinds) { poisson::kinds_of_lines(ex_, faces, finest.uniform, kinds); },
      [&](Span<const Index> lines, Span<Real> rows) {
        poisson::fill_rows(ex_, faces, finest.level, damping_, lines, rows);
      });
  for (std::size_t i = 1; i < levels_.size(); ++i) {
    const LevelWeights& from = levels_[i - 1].weights;
    LevelWeights& to = levels_[i].weights;
    levels_[i].x.zero();  // beyond the extents it stays so
    to.uniform = poisson::coarser(from.uniform, from.level, to.level);
    split_.resize(std::size_t(to.level.cells()));
    poisson::find_split_cells(ex_, from.level, to.level, split_.span());
    const auto coarsening = [&] {
      return poisson::Coarsening{from.level, to.level, split_.data()};
    };
    set_weights(
        to, poisson::coarse_rows,
        [&](Span<std::int8_t> kinds) {
          poisson::kinds_of_lines(ex_, coarsening(), to.uniform, kinds);
        },
        [&](Span<const Index> lines, Span<Real> rows) {
          poisson::fill_rows(ex_, coarsening(), to.uniform, damping_, lines, rows);
        });
  }
  if (levels_.back().smoothed.size() > 0)
    inverse_.upload(pseudo_inverse(HostWeights(ex_, levels_.back().weights).level));
}

double Multigrid::precondition(Span<const Real> r, Span<Real> z) {
  cycle(0, r);
  OneLevel& l = levels_[0];
  return poisson::smooth_and_dot(ex_, l.weights.level, damping_, r, l.smoothed.span(), z);
}

// A V-cycle without its last smoothing: starts from the first one, in `smoothed`, and leaves there
// the values that the last one starts from.
void Multigrid::cycle(std::size_t i, Span<const Real> b) {
  OneLevel& l = levels_[i];
  if (i + 1 == levels_.size())
    return poisson::multiply(ex_, l.weights.level.cells(), inverse_.span(), b, l.smoothed.span());
  OneLevel& to = levels_[i + 1];
  const Level &finer = l.weights.level, &coarse = to.weights.level;
  poisson::restrict_residual(ex_, finer, coarse, b, l.smoothed.span(), half_.span());
  poisson::restrict_across(ex_, finer, coarse, half_.span(), damping_, to.b.span(),
                           to.smoothed.span());
  cycle(i + 1, to.b.span());
  poisson::smooth(ex_, coarse, damping_, to.b.span(), to.smoothed.span(), to.x.span());
  poisson::prolongate(ex_, finer, coarse, to.x.span(), l.smoothed.span());
}

}  // namespace rtsim
