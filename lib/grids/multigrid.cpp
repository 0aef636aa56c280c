#include "grids/multigrid.h"

#include <array>
#include <cmath>

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
  offsets = w.offsets.download(), rows = w.rows.download();
  level.offsets = {offsets.data(), Index(offsets.size())};
  level.rows = rows.data();
}

Multigrid::Multigrid(const Exec& ex, const poisson::Faces& shape, bool coarsen)
    : ex_(ex), half_(ex), quarter_(ex), inverse_(ex), split_(ex) {
  // Halves what oscillates from cell to cell most evenly: 2 D / (2 D + 1).
  int axes = 0;
  for (int a = 0; a < 3; ++a) axes += shape.n[a] > 1;
  damping_ = Real(2 * axes) / Real(2 * axes + 1);
  Level level;
  for (int a = 0; a < 3; ++a) level.n[a] = shape.n[a];
  while (true) {
    set_pitch(level);
    OneLevel& l = levels_.emplace_back(ex);
    l.weights.level = level;
    l.weights.offsets.resize(std::size_t(level.lines()));
    if (coarsen) l.swept.resize(std::size_t(level.cells()));
    if (levels_.size() > 1)
      l.b.resize(std::size_t(level.cells())), l.x.resize(std::size_t(level.cells()));
    if (!coarsen || level.cells() <= coarsest_cells) break;
    level = coarser(level);
    if (levels_.size() > 1) continue;
    half_.resize(std::size_t(level.n[0]) * std::size_t(shape.n[1]) * std::size_t(shape.n[2]));
    quarter_.resize(std::size_t(level.n[0]) * std::size_t(level.n[1]) * std::size_t(shape.n[2]));
  }
}

// Lines of one kind share rows: those of the first. `kinds(span)` finds the kinds, `fill(lines,
// rows)` the rows of those lines.
template <class Kinds, class Rows>
void Multigrid::set_weights(LevelWeights& w, int rows, const Kinds& kinds, const Rows& fill) {
  Buffer<std::int8_t> found(ex_, std::size_t(w.level.lines()));
  kinds(found.span());
  const std::vector<std::int8_t> kind = found.download();
  std::array<Offset, poisson::line_kinds> shared;
  shared.fill(-1);
  std::vector<Offset> offsets(kind.size());
  std::vector<Index> lines;
  Offset size = 0;
  for (std::size_t line = 0; line < kind.size(); ++line) {
    Offset own = -1;
    Offset& offset = kind[line] < 0 ? own : shared[std::size_t(kind[line])];
    if (offset < 0) {
      offset = size;
      size += Offset(rows) * w.level.pitch;
      lines.push_back(Index(line));
    }
    offsets[line] = offset;
  }
  w.offsets.upload(offsets);
  w.rows.resize(std::size_t(size));
  w.level.offsets = w.offsets.span();
  w.level.rows = w.rows.data();
  const Buffer<Index> which(ex_, lines);
  fill(which.span(), w.rows.span());
}

void Multigrid::prepare(const poisson::Faces& faces) {
  LevelWeights& finest = levels_[0].weights;
  finest.plain = {};
  for (int a = 0; a < 3; ++a) {
    if (faces.n[a] > 1) finest.plain.link[a] = 1;
    for (OneLevel& l : levels_) l.weights.level.periodic[a] = faces.periodic[a];
  }
  set_weights(
      finest, poisson::finest_rows,
      [&](Span<std::int8_t> kinds) { poisson::kinds_of_lines(ex_, faces, finest.plain, kinds); },
      [&](Span<const Index> lines, Span<Real> rows) {
        poisson::fill_rows(ex_, faces, finest.level, lines, rows);
      });
  for (std::size_t i = 1; i < levels_.size(); ++i) {
    const LevelWeights& from = levels_[i - 1].weights;
    LevelWeights& to = levels_[i].weights;
    to.plain = poisson::coarser(from.plain, from.level, to.level);
    split_.resize(std::size_t(to.level.cells()));
    poisson::find_split_cells(ex_, from.level, to.level, split_.span());
    const auto coarsening = [&] {
      return poisson::Coarsening{from.level, to.level, split_.data()};
    };
    set_weights(
        to, poisson::coarse_rows,
        [&](Span<std::int8_t> kinds) {
          poisson::kinds_of_lines(ex_, coarsening(), to.plain, kinds);
        },
        [&](Span<const Index> lines, Span<Real> rows) {
          poisson::fill_rows(ex_, coarsening(), to.plain, lines, rows);
        });
  }
  if (levels_.back().swept.size() > 0) invert_coarsest();
}

// Of regions that are closed the constants are taken out: 1 is added to their part of the matrix,
// which makes it regular, and taken from the inverse.
void Multigrid::invert_coarsest() {
  const HostWeights host(ex_, levels_.back().weights);
  const Level& level = host.level;
  const std::size_t n = std::size_t(level.cells());
  std::vector<double> a(n * n, 0), inverse(n * n, 0);
  std::vector<std::size_t> region(n);
  std::vector<char> rests(n, 0), unknown(n, 0);
  for (std::size_t c = 0; c < n; ++c) region[c] = c, inverse[c * n + c] = 1;
  for (Index r = 0; r < level.cells(); ++r) {
    const poisson::Line l = level.line(r / level.n[0]);
    const poisson::Cell c = any_cell(l, level.n[0], r % level.n[0]);
    const std::size_t row = std::size_t(r);
    const Index beside[6] = {c.left, c.right, r + l.down, r + l.up, r + l.back, r + l.front};
    for (int s = 0; s < 6; ++s) {
      const double w = double(l.row(s)[c.i]);
      if (w == 0) continue;
      a[row * n + row] += w, a[row * n + std::size_t(beside[s])] -= w;
      const std::size_t to = region[row], from = region[std::size_t(beside[s])];
      for (std::size_t& q : region) q = q == from ? to : q;
    }
    a[row * n + row] += double(l.row(poisson::rest)[c.i]);
    unknown[row] = l.row(poisson::inverse)[c.i] > 0;
    if (!unknown[row]) a[row * n + row] = 1;
  }
  for (std::size_t c = 0; c < n; ++c)
    if (levels_.back().weights.level.cells() > 0) {
      const Index r = Index(c);
      const poisson::Line l = level.line(r / level.n[0]);
      if (l.row(poisson::rest)[r % level.n[0]] > 0) rests[region[c]] = 1;
    }
  std::vector<double> size(n, 0);
  for (std::size_t c = 0; c < n; ++c) size[region[c]] += unknown[c];
  const auto closed = [&](std::size_t i, std::size_t j) {
    return unknown[i] && region[i] == region[j] && !rests[region[i]];
  };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (closed(i, j)) a[i * n + j] += 1;
  for (std::size_t k = 0; k < n; ++k) {  // Gauss-Jordan: the matrix is positive definite
    const double pivot = 1 / a[k * n + k];
    for (std::size_t j = 0; j < n; ++j) a[k * n + j] *= pivot, inverse[k * n + j] *= pivot;
    for (std::size_t i = 0; i < n; ++i) {
      const double f = a[i * n + k];
      if (i == k || f == 0) continue;
      for (std::size_t j = 0; j < n; ++j)
        a[i * n + j] -= f * a[k * n + j], inverse[i * n + j] -= f * inverse[k * n + j];
    }
  }
  std::vector<Real> matrix(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double e = inverse[i * n + j];
      if (closed(i, j)) e -= 1 / (size[region[i]] * size[region[i]]);
      matrix[i * n + j] = unknown[i] && unknown[j] ? Real(e) : Real(0);
    }
  inverse_.upload(matrix);
}

double Multigrid::precondition(Span<const Real> r, Span<Real> z) {
  cycle(0, r);
  OneLevel& l = levels_[0];
  return poisson::sweep_and_dot(ex_, l.weights.level, damping_, r, l.swept.span(), z);
}

void Multigrid::first_sweep(OneLevel& l, Span<const Real> b) {
  poisson::first_sweep(ex_, l.weights.level, damping_, b, l.swept.span());
}

// From the first sweep in `swept` to what the last one starts from.
void Multigrid::cycle(std::size_t i, Span<const Real> b) {
  OneLevel& l = levels_[i];
  if (i + 1 == levels_.size())
    return poisson::multiply(ex_, l.weights.level.cells(), inverse_.span(), b, l.swept.span());
  OneLevel& coarse = levels_[i + 1];
  restrict_to(i + 1, b);
  first_sweep(coarse, coarse.b.span());
  cycle(i + 1, coarse.b.span());
  poisson::sweep(ex_, coarse.weights.level, damping_, coarse.b.span(), coarse.swept.span(),
                 coarse.x.span());
  prolong_from(i + 1);
}

void Multigrid::restrict_to(std::size_t i, Span<const Real> b) {
  OneLevel &from = levels_[i - 1], &to = levels_[i];
  const Level &finer = from.weights.level, &coarse = to.weights.level;
  const bool y = finer.n[1] > 1, z = finer.n[2] > 1;
  Span<Real> x_done = y || z ? half_.span() : to.b.span();
  poisson::restrict_residual(ex_, finer, coarse, b, from.swept.span(), x_done);
  Span<Real> y_done = z ? quarter_.span() : to.b.span();
  if (y) poisson::restrict_axis(ex_, 1, finer, coarse, x_done, y_done);
  if (z) poisson::restrict_axis(ex_, 2, finer, coarse, y ? y_done : x_done, to.b.span());
}

void Multigrid::prolong_from(std::size_t i) {
  OneLevel &to = levels_[i - 1], &from = levels_[i];
  const Level &finer = to.weights.level, &coarse = from.weights.level;
  Span<const Real> p = from.x.span();
  if (finer.n[2] > 1) {
    poisson::prolong_axis(ex_, 2, finer, coarse, p, quarter_.span());
    p = quarter_.span();
  }
  if (finer.n[1] > 1) {
    poisson::prolong_axis(ex_, 1, finer, coarse, p, half_.span());
    p = half_.span();
  }
  poisson::add_prolonged(ex_, finer, coarse, p, to.swept.span());
}

}  // namespace rtsim
