#include "cache/well_file.h"

#include <cctype>
#include <numeric>

#include "cache/durable.h"
#include "cache/hdf5_file.h"

namespace rtsim {

namespace {

// What h5py reads as bool: an enumeration of bytes with these two names.
h5::Handle bool_type() {
  h5::Handle type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
  for (std::int8_t v = 0; v < 2; ++v) H5Tenum_insert(type.get(), v ? "TRUE" : "FALSE", &v);
  return type;
}

// Of any length, UTF-8: what h5py reads as str.
h5::Handle text_type() {
  h5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

class Writer {
 public:
  explicit Writer(h5::File& file) : file_(file) {}

  void texts(hid_t at, const char* name, const std::vector<std::string>& values) {
    std::vector<const char*> pointers;
    for (const std::string& v : values) pointers.push_back(v.c_str());
    const hsize_t n = values.size();
    attribute(at, name, text_type(), H5Screate_simple(1, &n, nullptr),
              values.empty() ? nullptr : static_cast<const void*>(pointers.data()));
  }
  void text(hid_t at, const char* name, const std::string& value) {
    const char* pointer = value.c_str();
    attribute(at, name, text_type(), H5Screate(H5S_SCALAR), &pointer);
  }
  void flag(hid_t at, const char* name, bool value) {
    const auto byte = std::int8_t(value);
    attribute(at, name, bool_type(), H5Screate(H5S_SCALAR), &byte);
  }
  void all_true(hid_t at, const char* name, std::size_t size) {
    const std::vector<std::int8_t> bytes(size, 1);
    const hsize_t n = size;
    attribute(at, name, bool_type(), H5Screate_simple(1, &n, nullptr), bytes.data());
  }
  void varying(hid_t at, bool sample, bool time) {
    flag(at, "sample_varying", sample);
    flag(at, "time_varying", time);
  }

  h5::Handle dataset(hid_t at, const std::string& name, hid_t type,
                     const std::vector<hsize_t>& shape, const void* data) {
    const h5::Handle space(shape.empty()
                               ? H5Screate(H5S_SCALAR)
                               : H5Screate_simple(int(shape.size()), shape.data(), nullptr),
                           H5Sclose);
    h5::Handle set(
        H5Dcreate2(at, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Dclose);
    if (set.get() < 0 || H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
      file_.fail("cannot write " + name);
    return set;
  }
  // A chunk for each time, packed: fields have calm regions.
  h5::Handle field(hid_t at, const std::string& name, const std::vector<hsize_t>& shape) {
    std::vector<hsize_t> chunk = shape;
    chunk[0] = chunk[1] = 1;
    const h5::Handle space(H5Screate_simple(int(shape.size()), shape.data(), nullptr), H5Sclose);
    const h5::Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(how.get(), int(chunk.size()), chunk.data());
    H5Pset_shuffle(how.get());
    H5Pset_deflate(how.get(), 1);
    h5::Handle set(H5Dcreate2(at, name.c_str(), H5T_NATIVE_FLOAT, space.get(), H5P_DEFAULT,
                              how.get(), H5P_DEFAULT),
                   H5Dclose);
    if (set.get() < 0) file_.fail("cannot create " + name);
    return set;
  }

 private:
  void attribute(hid_t at, const char* name, const h5::Handle& type, hid_t space_id,
                 const void* data) {
    const h5::Handle space(space_id, H5Sclose);
    const h5::Handle a(H5Acreate2(at, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                       H5Aclose);
    if (a.get() < 0 || (data && H5Awrite(a.get(), type.get(), data) < 0))
      file_.fail(std::string("cannot write ") + name);
  }

  h5::File& file_;
};

void write_dimensions(h5::File& file, Writer& w, const WellInfo& info) {
  const h5::Handle group = file.create_group(file.root(), "dimensions");
  w.texts(group.get(), "spatial_dims", info.axes);
  const h5::Handle time =
      w.dataset(group.get(), "time", H5T_NATIVE_FLOAT, {info.times.size()}, info.times.data());
  w.varying(time.get(), false, true);  // their checker asks for both, their page for the first
  for (std::size_t a = 0; a < info.axes.size(); ++a) {
    const h5::Handle axis = w.dataset(group.get(), info.axes[a], H5T_NATIVE_FLOAT,
                                      {info.centres[a].size()}, info.centres[a].data());
    w.varying(axis.get(), false, false);
  }
}

void write_scalars(h5::File& file, Writer& w, const WellInfo& info) {
  const h5::Handle group = file.create_group(file.root(), "scalars");
  std::vector<std::string> names;
  for (const auto& [name, value] : info.parameters) {
    names.push_back(name);
    const auto number = float(value);
    const h5::Handle scalar = w.dataset(group.get(), name, H5T_NATIVE_FLOAT, {}, &number);
    w.varying(scalar.get(), false, false);
  }
  w.texts(group.get(), "field_names", names);
}

void write_sides(h5::File& file, Writer& w, const WellInfo& info) {
  const h5::Handle group = file.create_group(file.root(), "boundary_conditions");
  for (const WellSide& side : info.sides) {
    const std::string& axis = info.axes[std::size_t(side.axis)];
    // Their checker wants the axis and the type in the name.
    std::string name = axis + (side.high ? "_high_" : "_low_") + side.type;
    for (char& c : name) c = char(std::tolower(c));
    const h5::Handle own = file.create_group(group.get(), name);
    w.texts(own.get(), "associated_dims", {axis});
    w.texts(own.get(), "associated_fields", {});
    w.text(own.get(), "bc_type", side.type);
    w.varying(own.get(), false, false);
    std::vector<std::int8_t> mask(info.centres[std::size_t(side.axis)].size(), 0);
    (side.high ? mask.back() : mask.front()) = 1;
    w.dataset(own.get(), "mask", bool_type().get(), {mask.size()}, mask.data());
  }
}

}  // namespace

std::size_t WellInfo::cells() const {
  return std::accumulate(centres.begin(), centres.end(), std::size_t(1),
                         [](std::size_t n, const auto& axis) { return n * axis.size(); });
}

std::size_t WellInfo::numbers(const WellField& f) const {
  std::size_t each = 1;
  for (int k = 0; k < f.order; ++k) each *= axes.size();
  return cells() * each;
}

struct WellFile::Files {
  h5::File file;
  WellInfo info;
  std::vector<h5::Handle> sets = {};
  std::vector<std::size_t> rank = {};
};

WellFile::WellFile(const std::filesystem::path& path, WellInfo info) {
  std::uint64_t bytes = 1 << 20;
  for (const WellField& f : info.fields)
    bytes += info.times.size() * (info.numbers(f) * sizeof(float) + 4096);
  check_room(path, bytes);  // HDF5 does not survive a full disk unharmed
  files_.reset(new Files{h5::File::create(path), std::move(info)});
  h5::File& file = files_->file;
  const WellInfo& i = files_->info;
  Writer w(file);
  w.text(file.root(), "dataset_name", i.dataset);
  w.text(file.root(), "grid_type", "cartesian");
  file.set_integer(file.root(), "n_spatial_dims", std::int64_t(i.axes.size()));
  file.set_integer(file.root(), "n_trajectories", 1);
  std::vector<std::string> names;
  for (const auto& [name, value] : i.parameters) {
    names.push_back(name);
    file.set_double(file.root(), name.c_str(), value);
  }
  w.texts(file.root(), "simulation_parameters", names);
  write_dimensions(file, w, i);
  write_scalars(file, w, i);
  write_sides(file, w, i);
  for (int order = 0; order < 3; ++order) {
    const h5::Handle group =
        file.create_group(file.root(), "t" + std::to_string(order) + "_fields");
    std::vector<std::string> of_order;
    for (const WellField& f : i.fields)
      if (f.order == order) of_order.push_back(f.name);
    w.texts(group.get(), "field_names", of_order);
  }
  for (const WellField& f : i.fields) {
    std::vector<hsize_t> shape{1, i.times.size()};
    for (const auto& axis : i.centres) shape.push_back(axis.size());
    for (int k = 0; k < f.order; ++k) shape.push_back(i.axes.size());
    const h5::Handle group =
        file.open_group(file.root(), "t" + std::to_string(f.order) + "_fields");
    h5::Handle set = w.field(group.get(), f.name, shape);
    w.varying(set.get(), true, true);
    w.all_true(set.get(), "dim_varying", i.axes.size());
    files_->sets.push_back(std::move(set)), files_->rank.push_back(shape.size());
  }
}

WellFile::~WellFile() = default;

void WellFile::write(std::size_t field, std::size_t time, const Chunk& chunk) {
  std::vector<hsize_t> first(files_->rank[field], 0);
  first[1] = time;
  if (H5Dwrite_chunk(files_->sets[field].get(), H5P_DEFAULT, 0, first.data(), chunk.size(),
                     chunk.data()) < 0)
    files_->file.fail("cannot write " + files_->info.fields[field].name);
}

void WellFile::finish() {
  files_->sets.clear();
  files_->file.close();
}

}  // namespace rtsim
