#include "world/table.h"

#include <algorithm>
#include <limits>

#include "exec/sort.h"

namespace rtsim {

std::size_t bytes_of(Scalar s) {
  switch (s) {
    case Scalar::f64:
    case Scalar::i64:
      return 8;
    case Scalar::u8:
      return 1;
    default:
      return 4;
  }
}

Table::Table(Exec ex, std::string name, Index rows)
    : ex_(std::move(ex)), name_(std::move(name)), rows_(rows), capacity_(rows) {}

Column& Table::add_column(ColumnInfo info, ElementType type) {
  if (has(info.name))
    throw Error(ExitCode::bad_input, "table '" + name_ + "' already has a column '" + info.name +
                                         "': two stages want to own it");
  columns_.push_back(
      {std::move(info), type, Buffer<std::byte>(ex_, std::size_t(capacity_) * type.bytes())});
  columns_.back().bytes.resize(std::size_t(rows_) * type.bytes());
  columns_.back().bytes.zero();
  return columns_.back();
}

void Table::check_rows(const Column& c, std::size_t values) const {
  if (values == std::size_t(rows_)) return;
  throw Error(ExitCode::internal, "table '" + name_ + "': " + std::to_string(values) +
                                      " values of '" + c.info.name + "' for " +
                                      std::to_string(rows_) + " rows");
}

bool Table::has(std::string_view column) const {
  for (const Column& c : columns_)
    if (c.info.name == column) return true;
  return false;
}

Column& Table::column_bytes(std::string_view name) {
  std::string have;
  for (Column& c : columns_) {
    if (c.info.name == name) return c;
    have += (have.empty() ? "" : ", ") + c.info.name;
  }
  throw MissingColumn("table '" + name_ + "' has no column '" + std::string(name) +
                      "'; it has: " + have);
}

Column& Table::find(std::string_view name, ElementType type) {
  Column& c = column_bytes(name);
  if (c.type == type) return c;
  throw Error(ExitCode::internal, "table '" + name_ + "': column '" + std::string(name) +
                                      "' was asked for with another type than it was made with");
}

// The buffers of a stride take turns, so each has room for all rows there may be.
void Table::gather(Column& c, Span<const Index> order) {
  const std::size_t stride = c.type.bytes();
  Buffer<std::byte>& other = spare_.try_emplace(stride, ex_).first->second;
  other.resize(std::size_t(capacity_) * stride);
  other.resize(std::size_t(order.size) * stride);
  gather_rows(ex_, "permute", other.data(), c.bytes.data(), order, stride);
  c.bytes.swap(other);
}

void Table::permute(Span<const Index> order, const std::vector<std::string_view>& anew) {
  ++revision_;
  for (Column& c : columns_)
    if (c.info.role == Role::state &&
        std::find(anew.begin(), anew.end(), c.info.name) == anew.end())
      gather(c, order);
}

void Table::reserve(Index capacity) {
  if (capacity <= capacity_) return;
  capacity_ = capacity;
  for (Column& c : columns_) c.bytes.reserve(std::size_t(capacity) * c.type.bytes());
}

Index Table::append(Index rows) {
  if (rows <= 0) return rows_;
  if (rows > std::numeric_limits<Index>::max() - rows_)
    throw Error(ExitCode::bad_input, "table '" + name_ + "' cannot hold more than 2^31 - 1 rows");
  ++revision_;
  const Index first = rows_;
  if (first + rows > capacity_) reserve(Index(std::min(1.5 * first + rows, 2147483647.0)));
  rows_ += rows;
  for (Column& c : columns_) {
    const std::size_t stride = c.type.bytes(), before = std::size_t(first) * stride;
    c.bytes.resize(std::size_t(rows_) * stride);
    ex_.zero(c.bytes.data() + before, std::size_t(rows) * stride);
  }
  return first;
}

// A stable sort into those that stay and those that go.
Index Table::remove(Span<const std::uint32_t> doomed) {
  if (rows_ == 0) return 0;
  Buffer<Index> order(ex_, std::size_t(rows_)), first(ex_, 3);
  bin_by_key(ex_, "remove", doomed, 2, order.span(), first.span());
  const Index kept = first.download()[1], gone = rows_ - kept;
  if (gone == 0) return 0;
  ++revision_;
  rows_ = kept;
  for (Column& c : columns_) gather(c, Span<const Index>(order.data(), kept));
  return gone;
}

void Table::resize(Index rows) {
  ++revision_;
  rows_ = rows;
  capacity_ = std::max(capacity_, rows);
  spare_.clear();
  for (Column& c : columns_) {
    c.bytes.resize(std::size_t(rows) * c.type.bytes());
    c.bytes.zero();
  }
}

}  // namespace rtsim
