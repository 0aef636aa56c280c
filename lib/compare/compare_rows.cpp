#include "compare/compare_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace rtsim {

namespace {

// Rows of a and b that are the same thing.
struct RowPairs {
  std::vector<Index> a, b;
  std::vector<std::uint32_t> id;  // none: rows are matched by number
  bool in_place = false;          // both are 0, 1, 2...
};

const FrameColumn* find(const FrameObject& o, const std::string& name) {
  const auto c = std::ranges::find(o.columns, name, &FrameColumn::name);
  return c == o.columns.end() ? nullptr : &*c;
}

std::vector<std::uint32_t> ids(const FrameObject& o) {
  const FrameColumn* c = find(o, "id");
  if (!c || c->type != element_type<std::uint32_t>) return {};
  std::vector<std::uint32_t> id(std::size_t(o.rows));
  std::memcpy(id.data(), c->bytes.data(), c->bytes.size());
  return id;
}

std::vector<Index> by_id(const std::vector<std::uint32_t>& id) {
  std::vector<Index> order(id.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](Index i) { return id[std::size_t(i)]; });
  return order;
}

constexpr Index nowhere = -1;

// Where each id stands; ids are few times as many as rows, or this would not be asked for.
std::vector<Index> places(const std::vector<std::uint32_t>& id, std::uint32_t most) {
  std::vector<Index> at(std::size_t(most) + 1, nowhere);
  for (std::size_t i = 0; i < id.size(); ++i) at[id[i]] = Index(i);
  return at;
}

// In the order of the ids, by a list of all that may be.
RowPairs match_dense(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b,
                     std::uint32_t most) {
  RowPairs p;
  const std::vector<Index> of_a = places(a, most), of_b = places(b, most);
  for (std::size_t id = 0; id < of_a.size(); ++id)
    if (of_a[id] != nowhere && of_b[id] != nowhere)
      p.a.push_back(of_a[id]), p.b.push_back(of_b[id]), p.id.push_back(std::uint32_t(id));
  return p;
}

// The same by merging both; of bodies of water that flow through, ids are far more than rows.
RowPairs match_sparse(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  RowPairs p;
  const std::vector<Index> of_a = by_id(a), of_b = by_id(b);
  for (std::size_t i = 0, k = 0; i < of_a.size() && k < of_b.size();) {
    const std::uint32_t x = a[std::size_t(of_a[i])], y = b[std::size_t(of_b[k])];
    if (x == y) p.a.push_back(of_a[i]), p.b.push_back(of_b[k]), p.id.push_back(x);
    if (x <= y) ++i;
    if (y <= x) ++k;
  }
  return p;
}

RowPairs match_ids(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  const std::uint32_t most = std::max(std::ranges::max(a), std::ranges::max(b));
  return most / 8 < a.size() + b.size() ? match_dense(a, b, most) : match_sparse(a, b);
}

RowPairs match(const FrameObject& a, const FrameObject& b) {
  const auto id_a = ids(a), id_b = ids(b);
  const bool named = !id_a.empty() && !id_b.empty();
  if (named && id_a != id_b) return match_ids(id_a, id_b);
  RowPairs p;
  p.in_place = true;
  p.a.resize(std::size_t(std::min(a.rows, b.rows)));
  std::iota(p.a.begin(), p.a.end(), 0);
  p.b = p.a;
  if (named) p.id = id_a;
  return p;
}

// One column against the other, of numbers T.
template <class T>
class Columns {
 public:
  Columns(const FrameColumn& a, const FrameColumn& b, const RowPairs& rows, const Tolerance& t,
          long frame)
      : a_(reinterpret_cast<const T*>(a.bytes.data())),
        b_(reinterpret_cast<const T*>(b.bytes.data())),
        width_(std::size_t(a.type.components)),
        rows_(rows),
        t_(t),
        frame_(frame) {}

  void compare(Compared& c) {
    c.values = long(rows_.a.size() * width_);
    for (std::size_t first = 0; first < rows_.a.size(); first += most)
      compare(first, std::min(most, rows_.a.size() - first), c);
  }

 private:
  static constexpr std::size_t most = 1024;  // rows at once: they stay in the nearest cache

  // What came of some rows, where no number is too large to be subtracted.
  struct Outcome {
    long different = 0;
    double worst = 0;  // excess
    bool finite = true;
  };

  // Rows one at a time only where one of them is worth telling.
  void compare(std::size_t first, std::size_t n, Compared& c) {
    const T *x = from(a_, rows_.a, first, n, gathered_a_),
            *y = from(b_, rows_.b, first, n, gathered_b_);
    if (std::memcmp(x, y, n * width_ * sizeof(T)) == 0) return;
    const Outcome o = width_ == 1   ? outcome<1>(x, y, n)
                      : width_ == 2 ? outcome<2>(x, y, n)
                      : width_ == 3 ? outcome<3>(x, y, n)
                                    : outcome<0>(x, y, n);
    if (o.finite && (o.different == 0 || (c.worst && o.worst <= c.worst->excess))) {
      c.different += o.different;
      return;
    }
    for (std::size_t k = 0; k < n; ++k) compare_row(x + k * width_, y + k * width_, first + k, c);
  }

  const T* from(const T* column, const std::vector<Index>& rows, std::size_t first, std::size_t n,
                std::vector<T>& gathered) const {
    if (rows_.in_place) return column + first * width_;
    gathered.resize(n * width_);
    for (std::size_t k = 0; k < n; ++k)
      std::memcpy(&gathered[k * width_], column + std::size_t(rows[first + k]) * width_,
                  width_ * sizeof(T));
    return gathered.data();
  }

  // Without branches, so that the compiler takes several rows at once.
  template <std::size_t width>
  Outcome outcome(const T* x, const T* y, std::size_t n) const {
    const std::size_t w = width > 0 ? width : width_;
    long different = 0;
    double worst = 0;
    bool infinite = false;
    for (std::size_t k = 0; k < n; ++k) {
      const double size = std::max(norm(x + k * w, w), norm(y + k * w, w));
      const double allowed = t_.abs + t_.rel * size;
      for (std::size_t i = 0; i < w; ++i) {
        const double apart = std::abs(double(x[k * w + i]) - double(y[k * w + i]));
        infinite |= !(apart <= std::numeric_limits<double>::max());
        different += apart > allowed;
        worst = std::max(worst, apart - allowed);
      }
    }
    return {different, worst, !infinite};
  }

  void compare_row(const T* x, const T* y, std::size_t k, Compared& c) const {
    const double size = std::max(norm(x, width_), norm(y, width_));
    for (std::size_t i = 0; i < width_; ++i) {
      const double e = excess(t_, double(x[i]), double(y[i]), size);
      if (e > 0)
        c.note(double(x[i]), double(y[i]), e, [&] {
          const std::string row = rows_.id.empty() ? fmt::format("row {}", rows_.a[k])
                                                   : fmt::format("id {}", rows_.id[k]);
          return fmt::format("frame {}, {}{}", frame_, row, component(i));
        });
    }
  }
  static double norm(const T* x, std::size_t width) {
    if (width == 1) return std::abs(double(x[0]));
    double s = 0;
    for (std::size_t i = 0; i < width; ++i) s += double(x[i]) * double(x[i]);
    return std::sqrt(s);
  }
  std::string component(std::size_t i) const {
    if (width_ == 1) return "";
    return width_ <= 3 ? fmt::format(", {}", "xyz"[i]) : fmt::format(", component {}", i);
  }

  const T *a_, *b_;
  std::size_t width_;
  const RowPairs& rows_;
  const Tolerance& t_;
  long frame_;
  std::vector<T> gathered_a_, gathered_b_;
};

void compare_column(const FrameColumn& a, const FrameColumn& b, const RowPairs& rows,
                    const Tolerance& t, long frame, Compared& c) {
  switch (a.type.scalar) {
    case Scalar::f32:
      return Columns<float>(a, b, rows, t, frame).compare(c);
    case Scalar::f64:
      return Columns<double>(a, b, rows, t, frame).compare(c);
    case Scalar::i32:
      return Columns<std::int32_t>(a, b, rows, t, frame).compare(c);
    case Scalar::u32:
      return Columns<std::uint32_t>(a, b, rows, t, frame).compare(c);
    case Scalar::i64:
      return Columns<std::int64_t>(a, b, rows, t, frame).compare(c);
    case Scalar::u8:
      return Columns<std::uint8_t>(a, b, rows, t, frame).compare(c);
  }
}

std::string at(const FrameObject& o, long frame) {
  return fmt::format("frame {}, '{}': ", frame, o.name);
}

// What keeps rows from being compared at all.
std::string obstacle(const FrameObject& a, const FrameObject& b) {
  if (a.kind != b.kind)
    return fmt::format("is of kind {}, in B {}", to_string(a.kind), to_string(b.kind));
  if (a.dim != b.dim) return fmt::format("has dim {}, in B {}", a.dim, b.dim);
  if (a.grid && !std::ranges::equal(a.grid->cells, b.grid->cells))
    return "its grid has another number of cells in B";
  if (a.grid && !(a.grid->low == b.grid->low && a.grid->spacing == b.grid->spacing))
    return "its grid stands elsewhere in B, or has another spacing";
  return "";
}

void compare_shapes(const FrameObject& a, const FrameObject& b, const RowPairs& rows, long frame,
                    std::vector<std::string>& faults) {
  const std::size_t matched = rows.a.size();
  if (matched < std::size_t(a.rows) || matched < std::size_t(b.rows))
    faults.push_back(fmt::format("{}{} rows, in B {}; {} of them are in both", at(a, frame), a.rows,
                                 b.rows, matched));
  if (a.cells.corners != b.cells.corners || a.cells.points != b.cells.points)
    faults.push_back(at(a, frame) + "its points are joined otherwise in B");
  if (a.spacing != b.spacing && !a.grid)
    faults.push_back(fmt::format("{}spacing {} m, in B {} m", at(a, frame), a.spacing, b.spacing));
  if (a.surface.triangles != b.surface.triangles || a.surface.body != b.surface.body)
    faults.push_back(at(a, frame) + "its bodies have other shapes in B");
}

}  // namespace

ComparedObject compare_rows(const FrameObject& a, const FrameObject& b, long frame,
                            const CompareOptions& o, const std::vector<std::string>& alike) {
  ComparedObject result;
  if (const std::string why = obstacle(a, b); !why.empty()) {
    result.faults.push_back(at(a, frame) + why);
    return result;
  }
  const RowPairs rows = match(a, b);
  compare_shapes(a, b, rows, frame, result.faults);
  for (const FrameColumn& column : a.columns) {
    const std::string name = a.name + "." + column.name;
    if (column.name == "id" || !fits(o.columns, name)) continue;
    const FrameColumn* other = find(b, column.name);
    if (!other) {
      result.faults.push_back("B has no column " + name);
    } else if (other->type != column.type || other->unit != column.unit) {
      result.faults.push_back(name + " has another type or unit in B");
    } else {
      Compared c{.name = name, .unit = column.unit, .first = {}, .worst = {}};
      if (std::ranges::find(alike, column.name) != alike.end())
        c.values = long(rows.a.size()) * column.type.components;
      else
        compare_column(column, *other, rows, o.tolerances.of(name), frame, c);
      result.columns.push_back(std::move(c));
    }
  }
  for (const FrameColumn& column : b.columns)
    if (!find(a, column.name) && fits(o.columns, a.name + "." + column.name))
      result.notes.push_back("only B has the column " + a.name + "." + column.name);
  return result;
}

}  // namespace rtsim
