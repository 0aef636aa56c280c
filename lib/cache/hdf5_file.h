#pragma once
#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "world/table.h"

// HDF5's C API with every return code checked: failures throw Error{io} with the file's name, what
// was tried, and HDF5's own words. Only .cpp files of the cache include this.
namespace rtsim::h5 {

class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& o) noexcept : id_(std::exchange(o.id_, -1)), close_(o.close_) {}
  Handle& operator=(Handle&& o) noexcept {
    std::swap(id_, o.id_);
    std::swap(close_, o.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }

  hid_t get() const { return id_; }
  hid_t release() { return std::exchange(id_, -1); }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

// Shape and element of a dataset that is there.
struct Layout {
  ElementType type;
  std::size_t rows = 0;
  // Rows of a grid in space: [planes, lines, cells], whose product is `rows`; else empty.
  std::vector<std::size_t> extents = {};

  std::size_t bytes() const { return rows * type.bytes(); }
  bool operator==(const Layout&) const = default;
};

// How a new dataset keeps its bytes.
struct Storage {
  // 0: contiguous; else shuffle, deflate 1, fletcher32. Whole planes of a grid.
  std::size_t chunk_rows = 0;
};

// Where a chunk of a dataset stands in its file, packed as ours are.
struct StoredChunk {
  std::size_t first_row, at, bytes;
};
struct StoredChunks {
  std::size_t rows;  // of a whole one
  std::vector<StoredChunk> chunks;
};

class File {
 public:
  // In memory, without object times, so that equal contents are equal bytes; `name` is for
  // messages.
  static File create_image(std::string name);
  // To be read; the bytes must stay as long as the file is open.
  static File open_image(std::string name, std::string_view bytes);
  static File create(const std::filesystem::path&);
  static File open(const std::filesystem::path&);

  hid_t root() const { return file_.get(); }
  std::string_view image();  // the whole file as it would lie on a disk; until the next change
  void close();              // HDF5 reports a full disk also here
  void abandon() { file_.release(); }  // never closes it

  Handle create_group(hid_t parent, const std::string& name);
  // All there is, as a new group of another file; chunks are copied as they are.
  void copy_root(hid_t to, const std::string& name) const;
  Handle open_group(hid_t parent, const std::string& name) const;
  std::vector<std::string> names(hid_t group) const;  // in alphabetical order

  // [rows] or the extents, and behind them the components where there are more than one.
  Handle create_dataset(hid_t parent, const std::string& name, const Layout&, Storage);
  Handle open_dataset(hid_t parent, const std::string& name) const;
  Layout layout(hid_t dataset, const std::string& name) const;
  void write(hid_t dataset, const Layout&, const void* data);
  void write_chunk(hid_t dataset, const Layout&, std::size_t first_row,
                   const std::vector<std::byte>&);
  void read(hid_t dataset, const Layout&, void* data) const;
  // For unpacking on threads of our own; none where a dataset is not in chunks with shuffle,
  // deflate and fletcher32.
  std::optional<StoredChunks> stored_chunks(hid_t dataset, const Layout&) const;

  // Texts are fixed-length ASCII: VTK refuses others.
  void set_text(hid_t where, const char* name, std::string_view text);
  void set_double(hid_t where, const char* name, double value) {
    set_doubles(where, name, {value}, true);
  }
  void set_doubles(hid_t where, const char* name, const std::vector<double>& values,
                   bool scalar = false);
  void set_integers(hid_t where, const char* name, const std::vector<std::int64_t>& values,
                    bool scalar = false);
  void set_integer(hid_t where, const char* name, std::int64_t v) {
    set_integers(where, name, {v}, true);
  }
  std::string text(hid_t where, const char* name) const;
  std::vector<double> reals(hid_t where, const char* name, std::size_t n) const;
  std::vector<std::int64_t> integers(hid_t where, const char* name, std::size_t n) const;
  double real(hid_t where, const char* name) const { return reals(where, name, 1)[0]; }
  std::int64_t integer(hid_t where, const char* name) const { return integers(where, name, 1)[0]; }
  bool has_attribute(hid_t where, const char* name) const;

  // Throws Error{io}: the file's name, `what`, and the innermost message of HDF5's error stack.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  explicit File(std::string name) : name_(std::move(name)) {}
  template <class T>
  T check(T code, const std::string& what) const {
    if (code < 0) fail(what);
    return code;
  }
  Handle creation_properties(hid_t of) const;
  Handle access_properties() const;
  Handle dataset_properties(const Layout&, Storage) const;
  Handle open_attribute(hid_t where, const char* name) const;
  template <class T>
  std::vector<T> numbers(hid_t where, const char* name, std::size_t n, hid_t memory) const;

  std::string name_;
  Handle file_;
};

}  // namespace rtsim::h5
