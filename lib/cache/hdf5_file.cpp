#include "cache/hdf5_file.h"

#include <algorithm>
#include <atomic>

#include "base/error.h"

namespace rtsim::h5 {

namespace {

constexpr std::size_t image_step = std::size_t(4) << 20;  // an image in memory grows by this

hid_t memory_type(Scalar s) {
  switch (s) {
    case Scalar::f32:
      return H5T_NATIVE_FLOAT;
    case Scalar::f64:
      return H5T_NATIVE_DOUBLE;
    case Scalar::i32:
      return H5T_NATIVE_INT32;
    case Scalar::u32:
      return H5T_NATIVE_UINT32;
    case Scalar::i64:
      return H5T_NATIVE_INT64;
    case Scalar::u8:
      return H5T_NATIVE_UINT8;
  }
  return -1;
}

hid_t file_type(Scalar s) {
  switch (s) {
    case Scalar::f32:
      return H5T_IEEE_F32LE;
    case Scalar::f64:
      return H5T_IEEE_F64LE;
    case Scalar::i32:
      return H5T_STD_I32LE;
    case Scalar::u32:
      return H5T_STD_U32LE;
    case Scalar::i64:
      return H5T_STD_I64LE;
    case Scalar::u8:
      return H5T_STD_U8LE;
  }
  return -1;
}

std::optional<Scalar> scalar_of(hid_t type) {
  for (const Scalar s :
       {Scalar::f32, Scalar::f64, Scalar::i32, Scalar::u32, Scalar::i64, Scalar::u8})
    if (H5Tequal(type, file_type(s)) > 0) return s;
  return std::nullopt;
}

// Of so many rows of the layout: of a grid, planes.
std::vector<hsize_t> dimensions(const Layout& layout, std::size_t rows) {
  std::vector<hsize_t> size{rows};
  if (!layout.extents.empty()) {
    const auto& e = layout.extents;
    size = {rows / (e[1] * e[2]), e[1], e[2]};
  }
  if (layout.type.components > 1) size.push_back(hsize_t(layout.type.components));
  return size;
}

// The first entry of an upward walk is the innermost: the cause.
herr_t keep_first(unsigned n, const H5E_error2_t* entry, void* text) {
  if (n == 0 && entry->desc) *static_cast<std::string*>(text) = entry->desc;
  return 0;
}

herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->push_back(name);
  return 0;
}

// HDF5 tells files in memory apart by name, and refuses one that is on disk too: a name below a
// file, with a number, is nobody's.
std::string image_name(const std::string& name) {
  static std::atomic<long> number = 0;
  return name + "/" + std::to_string(number++);
}

// A file in memory that is only read is used where it lies: HDF5 would copy it twice.
void* same_image(std::size_t, H5FD_file_image_op_t, void* image) { return image; }
void* copy_nothing(void* to, const void*, std::size_t, H5FD_file_image_op_t, void*) { return to; }
void* grow_nothing(void*, std::size_t, H5FD_file_image_op_t, void*) { return nullptr; }
herr_t free_nothing(void*, H5FD_file_image_op_t, void*) { return 0; }
void* same_pointer(void* image) { return image; }
herr_t keep_pointer(void*) { return 0; }

// HDF5 would print its stack to stderr itself (a setting of each thread), and at exit try again to
// close a file that a full disk kept it from closing, and crash.
void quieten() {
  static const herr_t once = H5dont_atexit();
  (void)once;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

}  // namespace

void File::fail(const std::string& what) const {
  std::string cause;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &cause);
  H5Eclear2(H5E_DEFAULT);
  throw Error(ExitCode::io, name_ + ": cannot " + what + (cause.empty() ? "" : ": HDF5: " + cause));
}

Handle File::creation_properties(hid_t of) const {
  Handle p(check(H5Pcreate(of), "make properties"), H5Pclose);
  check(H5Pset_obj_track_times(p.get(), false), "switch object times off");
  return p;
}

// `earliest` keeps to the structures that every HDF5 since 1.8 can read.
Handle File::access_properties() const {
  Handle p(check(H5Pcreate(H5P_FILE_ACCESS), "make properties"), H5Pclose);
  check(H5Pset_libver_bounds(p.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V18),
        "set the format's version");
  return p;
}

File File::create_image(std::string name) {
  quieten();
  File f(std::move(name));
  const Handle create = f.creation_properties(H5P_FILE_CREATE), access = f.access_properties();
  f.check(H5Pset_fapl_core(access.get(), image_step, false), "set up memory");
  f.file_ = Handle(
      f.check(H5Fcreate(image_name(f.name_).c_str(), H5F_ACC_TRUNC, create.get(), access.get()),
              "create the file"),
      H5Fclose);
  return f;
}

File File::open_image(std::string name, std::string_view bytes) {
  quieten();
  File f(std::move(name));
  const Handle access = f.access_properties();
  f.check(H5Pset_fapl_core(access.get(), image_step, false), "set up memory");
  char* image = const_cast<char*>(bytes.data());
  H5FD_file_image_callbacks_t callbacks{same_image,   copy_nothing, grow_nothing, free_nothing,
                                        same_pointer, keep_pointer, image};
  f.check(H5Pset_file_image_callbacks(access.get(), &callbacks), "set up its bytes");
  f.check(H5Pset_file_image(access.get(), image, bytes.size()), "take its bytes");
  f.file_ =
      Handle(f.check(H5Fopen(image_name(f.name_).c_str(), H5F_ACC_RDONLY, access.get()), "open it"),
             H5Fclose);
  return f;
}

File File::create(const std::filesystem::path& path) {
  quieten();
  File f(path.string());
  const Handle create = f.creation_properties(H5P_FILE_CREATE), access = f.access_properties();
  f.file_ = Handle(f.check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, create.get(), access.get()),
                           "create the file"),
                   H5Fclose);
  return f;
}

File File::open(const std::filesystem::path& path) {
  quieten();
  File f(path.string());
  const Handle access = f.access_properties();
  f.file_ =
      Handle(f.check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), "open it"), H5Fclose);
  return f;
}

// The core driver hands out its buffer, which is the file; this spares a copy of every frame.
std::string_view File::image() {
  check(H5Fflush(root(), H5F_SCOPE_GLOBAL), "flush");
  const ssize_t size = check(H5Fget_file_image(root(), nullptr, 0), "measure the file");
  void** bytes = nullptr;
  check(H5Fget_vfd_handle(root(), H5P_DEFAULT, reinterpret_cast<void**>(&bytes)), "find its bytes");
  return {static_cast<const char*>(*bytes), std::size_t(size)};
}

void File::close() { check(H5Fclose(file_.release()), "close"); }

Handle File::create_group(hid_t parent, const std::string& name) {
  const Handle create = creation_properties(H5P_GROUP_CREATE);
  return {check(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, create.get(), H5P_DEFAULT),
                "create group '" + name + "'"),
          H5Gclose};
}

void File::copy_root(hid_t to, const std::string& name) const {
  check(H5Ocopy(root(), "/", to, name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
        "copy it to '" + name + "'");
}

Handle File::open_group(hid_t parent, const std::string& name) const {
  return {check(H5Gopen2(parent, name.c_str(), H5P_DEFAULT), "open group '" + name + "'"),
          H5Gclose};
}

std::vector<std::string> File::names(hid_t group) const {
  std::vector<std::string> names;
  check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name, &names),
        "list a group");
  return names;
}

Handle File::dataset_properties(const Layout& layout, Storage storage) const {
  Handle p = creation_properties(H5P_DATASET_CREATE);
  check(H5Pset_fill_time(p.get(), H5D_FILL_TIME_NEVER), "set the fill time");
  if (storage.chunk_rows == 0) return p;
  const std::vector<hsize_t> chunk = dimensions(layout, storage.chunk_rows);
  check(H5Pset_chunk(p.get(), int(chunk.size()), chunk.data()), "set chunks");
  check(H5Pset_shuffle(p.get()), "set shuffle");
  check(H5Pset_deflate(p.get(), 1), "set deflate");
  check(H5Pset_fletcher32(p.get()), "set fletcher32");
  return p;
}

Handle File::create_dataset(hid_t parent, const std::string& name, const Layout& layout,
                            Storage storage) {
  const std::string what = "create dataset '" + name + "'";
  const std::vector<hsize_t> size = dimensions(layout, layout.rows);
  const Handle space(check(H5Screate_simple(int(size.size()), size.data(), nullptr), what),
                     H5Sclose);
  const Handle create = dataset_properties(layout, storage);
  return {check(H5Dcreate2(parent, name.c_str(), file_type(layout.type.scalar), space.get(),
                           H5P_DEFAULT, create.get(), H5P_DEFAULT),
                what),
          H5Dclose};
}

Handle File::open_dataset(hid_t parent, const std::string& name) const {
  return {check(H5Dopen2(parent, name.c_str(), H5P_DEFAULT), "open dataset '" + name + "'"),
          H5Dclose};
}

Layout File::layout(hid_t dataset, const std::string& name) const {
  const std::string what = "read dataset '" + name + "'";
  const Handle type(check(H5Dget_type(dataset), what), H5Tclose);
  const Handle space(check(H5Dget_space(dataset), what), H5Sclose);
  const std::optional<Scalar> scalar = scalar_of(type.get());
  if (!scalar) fail(what + ": its numbers are of a type that rtsim does not write");
  const int rank = check(H5Sget_simple_extent_ndims(space.get()), what);
  if (rank < 1 || rank > 4) fail(what + ": rank " + std::to_string(rank));
  hsize_t size[4] = {0, 1, 1, 1};
  check(H5Sget_simple_extent_dims(space.get(), size, nullptr), what);
  const int grid_rank = rank >= 3 ? 3 : 1;
  const hsize_t components = rank > grid_rank ? size[grid_rank] : 1;
  Layout layout{{*scalar, int(components)}, 1, {}};
  for (int k = 0; k < grid_rank; ++k) {
    if (size[k] > 2147483647 || size[k] * layout.rows > 2147483647 || components > 1024 ||
        components < 1)
      fail(what + ": its size is absurd");
    layout.rows *= size[k];
    if (grid_rank == 3) layout.extents.push_back(size[k]);
  }
  return layout;
}

void File::write(hid_t dataset, const Layout& layout, const void* data) {
  if (layout.rows == 0) return;
  check(H5Dwrite(dataset, memory_type(layout.type.scalar), H5S_ALL, H5S_ALL, H5P_DEFAULT, data),
        "write a dataset");
}

void File::write_chunk(hid_t dataset, const Layout& layout, std::size_t first_row,
                       const std::vector<std::byte>& chunk) {
  std::vector<hsize_t> offset = dimensions(layout, first_row);
  std::fill(offset.begin() + 1, offset.end(), 0);
  check(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, offset.data(), chunk.size(), chunk.data()),
        "write a chunk");
}

void File::read(hid_t dataset, const Layout& layout, void* data) const {
  if (layout.rows == 0) return;
  check(H5Dread(dataset, memory_type(layout.type.scalar), H5S_ALL, H5S_ALL, H5P_DEFAULT, data),
        "read a dataset");
}

namespace {

bool packed_as_ours(hid_t properties) {
  const H5Z_filter_t ours[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
  if (H5Pget_layout(properties) != H5D_CHUNKED || H5Pget_nfilters(properties) != 3) return false;
  for (unsigned k = 0; k < 3; ++k) {
    unsigned flags = 0;
    std::size_t none = 0;
    if (H5Pget_filter2(properties, k, &flags, &none, nullptr, 0, nullptr, nullptr) != ours[k])
      return false;
  }
  return true;
}

}  // namespace

std::optional<StoredChunks> File::stored_chunks(hid_t dataset, const Layout& layout) const {
  const std::string what = "find the chunks of a dataset";
  const Handle properties(check(H5Dget_create_plist(dataset), what), H5Pclose);
  if (!packed_as_ours(properties.get())) return std::nullopt;
  hsize_t size[4] = {1, 1, 1, 1};
  check(H5Pget_chunk(properties.get(), 4, size), what);
  std::size_t plane = 1;  // rows to a step along the first extent
  for (std::size_t k = 1; k < layout.extents.size(); ++k) plane *= layout.extents[k];
  StoredChunks stored{std::size_t(size[0]) * plane, {}};
  const Handle space(check(H5Dget_space(dataset), what), H5Sclose);
  hsize_t chunks = 0;
  check(H5Dget_num_chunks(dataset, space.get(), &chunks), what);
  for (hsize_t k = 0; k < chunks; ++k) {
    hsize_t offset[4], bytes = 0;
    haddr_t at = 0;
    unsigned skipped = 0;
    check(H5Dget_chunk_info(dataset, space.get(), k, offset, &skipped, &at, &bytes), what);
    if (skipped != 0) return std::nullopt;
    stored.chunks.push_back({std::size_t(offset[0]) * plane, std::size_t(at), std::size_t(bytes)});
  }
  return stored;
}

}  // namespace rtsim::h5
