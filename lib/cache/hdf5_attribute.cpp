#include <algorithm>

#include "cache/hdf5_file.h"

namespace rtsim::h5 {

namespace {

std::string quoted(const char* name) { return "attribute '" + std::string(name) + "'"; }

}  // namespace

void File::set_text(hid_t where, const char* name, std::string_view text) {
  const std::string what = "write " + quoted(name);
  const std::string padded = text.empty() ? std::string(1, '\0') : std::string(text);
  const Handle type(check(H5Tcopy(H5T_C_S1), what), H5Tclose);
  check(H5Tset_size(type.get(), padded.size()), what);
  check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), what);
  const Handle space(check(H5Screate(H5S_SCALAR), what), H5Sclose);
  const Handle a(
      check(H5Acreate2(where, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), what),
      H5Aclose);
  check(H5Awrite(a.get(), type.get(), padded.data()), what);
}

void File::set_doubles(hid_t where, const char* name, const std::vector<double>& values,
                       bool scalar) {
  const std::string what = "write " + quoted(name);
  const hsize_t n = values.size();
  const Handle space(check(scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, nullptr), what),
                     H5Sclose);
  const Handle a(
      check(H5Acreate2(where, name, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT), what),
      H5Aclose);
  check(H5Awrite(a.get(), H5T_NATIVE_DOUBLE, values.data()), what);
}

void File::set_integers(hid_t where, const char* name, const std::vector<std::int64_t>& values,
                        bool scalar) {
  const std::string what = "write " + quoted(name);
  const hsize_t n = values.size();
  const Handle space(check(scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, nullptr), what),
                     H5Sclose);
  const Handle a(
      check(H5Acreate2(where, name, H5T_STD_I64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT), what),
      H5Aclose);
  check(H5Awrite(a.get(), H5T_NATIVE_INT64, values.data()), what);
}

Handle File::open_attribute(hid_t where, const char* name) const {
  return {check(H5Aopen(where, name, H5P_DEFAULT), "read " + quoted(name)), H5Aclose};
}

std::string File::text(hid_t where, const char* name) const {
  const std::string what = "read " + quoted(name);
  const Handle a = open_attribute(where, name);
  const Handle type(check(H5Aget_type(a.get()), what), H5Tclose);
  const Handle space(check(H5Aget_space(a.get()), what), H5Sclose);
  const std::size_t size = H5Tget_size(type.get());
  const bool fixed = H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) == 0;
  if (!fixed || size > 65536 || H5Sget_simple_extent_npoints(space.get()) != 1)
    fail(what + ": it is not a fixed-length text");
  std::string text(size, '\0');
  check(H5Aread(a.get(), type.get(), text.data()), what);
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

template <class T>
std::vector<T> File::numbers(hid_t where, const char* name, std::size_t n, hid_t memory) const {
  const std::string what = "read " + quoted(name);
  const Handle a = open_attribute(where, name);
  const Handle space(check(H5Aget_space(a.get()), what), H5Sclose);
  if (H5Sget_simple_extent_npoints(space.get()) != hssize_t(n))
    fail(what + ": it is not of " + std::to_string(n) + " numbers");
  std::vector<T> values(n);
  check(H5Aread(a.get(), memory, values.data()), what);
  return values;
}

std::vector<double> File::reals(hid_t where, const char* name, std::size_t n) const {
  return numbers<double>(where, name, n, H5T_NATIVE_DOUBLE);
}

std::vector<std::int64_t> File::integers(hid_t where, const char* name, std::size_t n) const {
  return numbers<std::int64_t>(where, name, n, H5T_NATIVE_INT64);
}

bool File::has_attribute(hid_t where, const char* name) const {
  return check(H5Aexists(where, name), "look for " + quoted(name)) > 0;
}

}  // namespace rtsim::h5
