#include "compare/compare_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace rtsim {

namespace {

// Rows of a and b that are the same thing.
struct Pairs {
  std::vector<Index> a, b;
  std::vector<std::uint32_t> id;  // none: rows are matched by number
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

// Merges both in the order of their ids.
Pairs match_ids(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  Pairs p;
  const std::vector<Index> of_a = by_id(a), of_b = by_id(b);
  for (std::size_t i = 0, k = 0; i < of_a.size() && k < of_b.size();) {
    const std::uint32_t x = a[std::size_t(of_a[i])], y = b[std::size_t(of_b[k])];
    if (x == y) p.a.push_back(of_a[i]), p.b.push_back(of_b[k]), p.id.push_back(x);
    if (x <= y) ++i;
    if (y <= x) ++k;
  }
  return p;
}

Pairs match(const FrameObject& a, const FrameObject& b) {
  const auto id_a = ids(a), id_b = ids(b);
  const bool named = !id_a.empty() && !id_b.empty();
  if (named && id_a != id_b) return match_ids(id_a, id_b);
  Pairs p;
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
  Columns(const FrameColumn& a, const FrameColumn& b)
      : a_(reinterpret_cast<const T*>(a.bytes.data())),
        b_(reinterpret_cast<const T*>(b.bytes.data())),
        width_(std::size_t(a.type.components)) {}

  void compare(const Pairs& rows, const Tolerance& t, long frame, Compared& c) const {
    c.values = long(rows.a.size() * width_);
    for (std::size_t k = 0; k < rows.a.size(); ++k) {
      const T *x = a_ + std::size_t(rows.a[k]) * width_, *y = b_ + std::size_t(rows.b[k]) * width_;
      if (std::memcmp(x, y, width_ * sizeof(T)) != 0) compare_row(x, y, rows, k, t, frame, c);
    }
  }

 private:
  void compare_row(const T* x, const T* y, const Pairs& rows, std::size_t k, const Tolerance& t,
                   long frame, Compared& c) const {
    const double size = std::max(norm(x), norm(y));
    for (std::size_t i = 0; i < width_; ++i) {
      const double e = excess(t, double(x[i]), double(y[i]), size);
      if (e > 0)
        c.note(double(x[i]), double(y[i]), e, [&] {
          const std::string row =
              rows.id.empty() ? fmt::format("row {}", rows.a[k]) : fmt::format("id {}", rows.id[k]);
          return fmt::format("frame {}, {}{}", frame, row, component(i));
        });
    }
  }
  double norm(const T* x) const {
    double s = 0;
    for (std::size_t i = 0; i < width_; ++i) s += double(x[i]) * double(x[i]);
    return std::sqrt(s);
  }
  std::string component(std::size_t i) const {
    if (width_ == 1) return "";
    return width_ <= 3 ? fmt::format(", {}", "xyz"[i]) : fmt::format(", component {}", i);
  }

  const T *a_, *b_;
  std::size_t width_;
};

void compare_column(const FrameColumn& a, const FrameColumn& b, const Pairs& rows,
                    const Tolerance& t, long frame, Compared& c) {
  switch (a.type.scalar) {
    case Scalar::f32:
      return Columns<float>(a, b).compare(rows, t, frame, c);
    case Scalar::f64:
      return Columns<double>(a, b).compare(rows, t, frame, c);
    case Scalar::i32:
      return Columns<std::int32_t>(a, b).compare(rows, t, frame, c);
    case Scalar::u32:
      return Columns<std::uint32_t>(a, b).compare(rows, t, frame, c);
    case Scalar::i64:
      return Columns<std::int64_t>(a, b).compare(rows, t, frame, c);
    case Scalar::u8:
      return Columns<std::uint8_t>(a, b).compare(rows, t, frame, c);
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

void compare_shapes(const FrameObject& a, const FrameObject& b, const Pairs& rows, long frame,
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
                            const CompareOptions& o) {
  ComparedObject result;
  if (const std::string why = obstacle(a, b); !why.empty()) {
    result.faults.push_back(at(a, frame) + why);
    return result;
  }
  const Pairs rows = match(a, b);
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
