#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/vec.h"
#include "exec/buffer.h"

namespace rtsim {

enum class Scalar { f32, f64, i32, u32, i64, u8 };
std::size_t bytes_of(Scalar);

// What one row of a column holds: `components` numbers of one scalar type.
struct ElementType {
  Scalar scalar = Scalar::f32;
  int components = 1;

  std::size_t bytes() const { return bytes_of(scalar) * std::size_t(components); }
  bool operator==(const ElementType&) const = default;
};

namespace detail {
template <class T>
struct Element;
template <>
struct Element<float> {
  static constexpr ElementType type{Scalar::f32, 1};
};
template <>
struct Element<double> {
  static constexpr ElementType type{Scalar::f64, 1};
};
template <>
struct Element<std::int32_t> {
  static constexpr ElementType type{Scalar::i32, 1};
};
template <>
struct Element<std::uint32_t> {
  static constexpr ElementType type{Scalar::u32, 1};
};
template <>
struct Element<std::int64_t> {
  static constexpr ElementType type{Scalar::i64, 1};
};
template <>
struct Element<std::uint8_t> {
  static constexpr ElementType type{Scalar::u8, 1};
};
template <class T, int D>
struct Element<VecT<T, D>> {
  static constexpr ElementType type{Element<T>::type.scalar, D};
};
}  // namespace detail

template <class T>
constexpr ElementType element_type = detail::Element<std::remove_const_t<T>>::type;

// state: saved in checkpoints, hashed, permuted with the rows. derived: computed from the state by
// the end of each step, so frames may show it. scratch: neither.
enum class Role { state, derived, scratch };

struct ColumnInfo {
  std::string name;
  std::string unit;  // "" for pure numbers
  Role role = Role::state;
};

struct Column {
  ColumnInfo info;
  ElementType type;
  Buffer<std::byte> bytes;  // of rows(); it holds memory for capacity()
};

// A stage asked for a column that its object does not have.
class MissingColumn : public Error {
 public:
  explicit MissingColumn(const std::string& message) : Error(ExitCode::bad_input, message) {}
};

// Says of a table that frames of an object show it beside the object's rows.
struct Beside {
  std::string object;
  std::string name;        // among the columns of an output
  Index rows_of_each = 0;  // rows that a row of the object has at most, as a rule: for estimates
};

// Rows of a simulated thing (particles, vertices, cells, bodies), stored as one array per named
// column. Spans die when rows change or are permuted: take them at the top of a step, never keep
// them. Every table of rows with an identity has the column `id` (u32, unique for ever).
class Table {
 public:
  Table(Exec ex, std::string name, Index rows);

  const std::string& name() const { return name_; }
  Index rows() const { return rows_; }
  Index capacity() const { return capacity_; }  // rows that fit into the memory it holds
  // Changes whenever rows come, go or change places: a stage that kept neighbours of these rows
  // then finds them again.
  std::uint64_t revision() const { return revision_; }

  // Of a table beside an object's own: what outputs and frames call it.
  std::optional<Beside> beside;

  // The column must not exist yet; its rows are zero, or the given values.
  template <class T>
  Span<T> add(ColumnInfo info) {
    return span<T>(add_column(std::move(info), element_type<T>));
  }
  template <class T>
  Span<T> add(ColumnInfo info, const std::vector<T>& values) {
    Column& c = add_column(std::move(info), element_type<T>);
    check_rows(c, values.size());
    ex_.upload(c.bytes.data(), values.data(), values.size() * sizeof(T));
    return span<T>(c);
  }

  bool has(std::string_view column) const;
  template <class T>
  Span<T> column(std::string_view name) {
    return span<T>(find(name, element_type<T>));
  }
  template <class T>
  std::vector<T> download(std::string_view name) {
    const Span<T> s = column<T>(name);
    std::vector<T> host(std::size_t(s.size));
    ex_.download(host.data(), s.data, host.size() * sizeof(T));
    return host;
  }

  const std::deque<Column>& columns() const { return columns_; }
  Column& column_bytes(std::string_view name);  // of any type; throws MissingColumn

  // Row k becomes what row order[k] was, in all state columns together; derived ones are then
  // stale until their stage computes them again. Columns in `anew` are left as they are: the caller
  // writes all of their rows next.
  void permute(Span<const Index> order, const std::vector<std::string_view>& anew = {});

  // Makes room for so many rows in all: append() up to there allocates nothing.
  void reserve(Index capacity);
  // Puts rows behind the last, zero in all columns, and returns the first of them. Whoever calls
  // it writes their `id` from World::take_ids.
  Index append(Index rows);
  // Takes the rows with doomed[i] = 1 out of all columns (0 stays; nothing else is allowed) and
  // returns how many went. The others keep their order.
  Index remove(Span<const std::uint32_t> doomed);

  // Forgets all rows and makes room for `rows` new ones: for loading a checkpoint.
  void resize(Index rows);

 private:
  Column& add_column(ColumnInfo info, ElementType type);
  Column& find(std::string_view name, ElementType type);
  void gather(Column&, Span<const Index> order);
  void check_rows(const Column& c, std::size_t values) const;
  template <class T>
  Span<T> span(Column& c) {
    return {reinterpret_cast<T*>(c.bytes.data()), rows_};
  }

  Exec ex_;
  std::string name_;
  Index rows_;
  Index capacity_;
  std::uint64_t revision_ = 0;
  std::deque<Column> columns_;
  std::map<std::size_t, Buffer<std::byte>> spare_;  // by stride: the other half of a permutation
};

}  // namespace rtsim
