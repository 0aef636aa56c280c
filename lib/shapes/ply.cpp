#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "shapes/mesh_text.h"

namespace rtsim {
namespace {

struct ScalarType {
  const char *name, *alias;
  int bytes;
  char kind;  // i, u or f
};
constexpr ScalarType scalar_types[] = {{"char", "int8", 1, 'i'},     {"uchar", "uint8", 1, 'u'},
                                       {"short", "int16", 2, 'i'},   {"ushort", "uint16", 2, 'u'},
                                       {"int", "int32", 4, 'i'},     {"uint", "uint32", 4, 'u'},
                                       {"float", "float32", 4, 'f'}, {"double", "float64", 8, 'f'}};

struct Property {
  std::string name;
  ScalarType type;
  bool list = false;
  ScalarType count{};  // of a list
};

struct Element {
  std::string name;
  std::int64_t count;
  std::vector<Property> properties;
};

enum class Format { ascii, little, big };

struct Header {
  Format format;
  std::vector<Element> elements;
};

ScalarType scalar_type(const MeshText& text, std::string_view word) {
  for (const ScalarType& t : scalar_types)
    if (word == t.name || word == t.alias) return t;
  text.fail(
      "unknown type of a property; char, uchar, short, ushort, int, uint, float and double are");
}

Format read_format(MeshText& text) {
  const std::string_view word = text.word();
  if (word == "ascii") return Format::ascii;
  if (word == "binary_little_endian") return Format::little;
  if (word == "binary_big_endian") return Format::big;
  text.fail("unknown format; ascii, binary_little_endian and binary_big_endian are known");
}

Property read_property(MeshText& text) {
  Property p;
  std::string_view word = text.word();
  p.list = word == "list";
  if (p.list) p.count = scalar_type(text, text.word()), word = text.word();
  p.type = scalar_type(text, word);
  if (p.list && p.count.kind == 'f') text.fail("the length of a list cannot be of a floating type");
  p.name = text.word();
  return p;
}

Header read_header(MeshText& text) {
  if (!text.next_line() || text.word() != "ply")
    text.fail("is no PLY: its first line is not 'ply'");
  Header header{};
  bool format_given = false;
  while (text.next_line()) {
    const std::string_view key = text.word();
    if (key == "format") {
      header.format = read_format(text), format_given = true;
    } else if (key == "element") {
      const std::string name(text.word());
      const std::int64_t count = text.integer(text.word(), "the element's count");
      if (count < 0) text.fail("the element's count is negative");
      header.elements.push_back({name, count, {}});
    } else if (key == "property") {
      if (header.elements.empty()) text.fail("a property stands before the first element");
      header.elements.back().properties.push_back(read_property(text));
    } else if (key == "end_header") {
      if (!format_given) text.fail("the header has no line 'format'");
      return header;
    }
  }
  text.fail("the header has no line 'end_header'");
}

// Gives the values behind the header one by one, and says where it is in a fault.
class PlyBody {
 public:
  PlyBody(MeshText& text, std::string_view whole, Format format, const std::string& name)
      : text_(text),
        whole_(whole),
        at_(whole.size() - text.rest().size()),
        format_(format),
        name_(name) {}

  [[noreturn]] void fail(const std::string& message) const {
    if (format_ == Format::ascii) text_.fail(message);
    mesh_fault(name_, fmt::format("byte {}: {}", at_, message));
  }

  // What is left must hold `count` things of `bytes` each, so that no count can ask for memory that
  // the file could never fill. In a text a value takes a digit and a blank.
  void expect(std::int64_t count, std::int64_t bytes, std::int64_t values,
              const std::string& what) {
    const bool ascii = format_ == Format::ascii;
    const std::size_t left = ascii ? text_.bytes_left() : whole_.size() - at_;
    const double needed = double(count) * double(ascii ? 2 * values : bytes);
    if (needed > double(left) + (ascii ? 1 : 0))  // the last value may lack its blank
      fail(fmt::format(
          "{} {} cannot lie in the {} bytes that are left; the file was cut short, export "
          "it again",
          count, what, left));
  }

  double value(const ScalarType& type) {
    if (format_ == Format::ascii) return read_word(type);
    if (whole_.size() - at_ < std::size_t(type.bytes))
      fail("the file ends too early; export it again");
    unsigned char raw[8] = {};
    const int last = type.bytes - 1;
    for (int i = 0; i <= last; ++i)
      raw[i] = whole_[at_ + std::size_t(format_ == Format::big ? last - i : i)];
    at_ += type.bytes;
    return decode(raw, type);
  }

 private:
  static_assert(std::endian::native == std::endian::little,
                "little-endian values are read as they lie");

  double read_word(const ScalarType& type) {
    const std::string_view word = text_.next_word();
    return type.kind == 'f' ? text_.number(word, "a value")
                            : double(text_.integer(word, "a value"));
  }

  template <class T>
  static double as(const unsigned char* raw) {
    T v;
    std::memcpy(&v, raw, sizeof v);
    return double(v);
  }
  static double decode(const unsigned char* raw, const ScalarType& type) {
    if (type.kind == 'f') return type.bytes == 4 ? as<float>(raw) : as<double>(raw);
    const bool sign = type.kind == 'i';
    if (type.bytes == 1) return sign ? as<std::int8_t>(raw) : as<std::uint8_t>(raw);
    if (type.bytes == 2) return sign ? as<std::int16_t>(raw) : as<std::uint16_t>(raw);
    return sign ? as<std::int32_t>(raw) : as<std::uint32_t>(raw);
  }

  MeshText& text_;
  std::string_view whole_;
  std::size_t at_;
  Format format_;
  std::string name_;
};

std::vector<double> read_list(PlyBody& body, const Property& p) {
  const double count = body.value(p.count);
  if (count < 0) body.fail("a list has a negative length");
  body.expect(std::int64_t(count), p.type.bytes, 1, "entries of a list");
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& v : values) v = body.value(p.type);
  return values;
}

int property_index(const Element& e, const std::string& name) {
  for (std::size_t i = 0; i < e.properties.size(); ++i)
    if (e.properties[i].name == name && !e.properties[i].list) return int(i);
  return -1;
}

void read_vertices(PlyBody& body, const Element& e, TriangleMesh& mesh) {
  const int axis[3] = {property_index(e, "x"), property_index(e, "y"), property_index(e, "z")};
  if (axis[0] < 0 || axis[1] < 0 || axis[2] < 0)
    body.fail("the element vertex needs the properties x, y and z");
  for (std::int64_t row = 0; row < e.count; ++row) {
    Vec3d p;
    for (int i = 0; i < int(e.properties.size()); ++i) {
      if (e.properties[i].list) {
        read_list(body, e.properties[i]);
        continue;
      }
      const double v = body.value(e.properties[i].type);
      for (int a = 0; a < 3; ++a)
        if (i == axis[a]) p[a] = v;
    }
    for (int a = 0; a < 3; ++a)
      if (!std::isfinite(p[a]))
        body.fail(fmt::format("vertex {} is not finite; repair the mesh where it was made", row));
    mesh.vertices.push_back(p);
  }
}

void read_face(PlyBody& body, const std::vector<double>& list, TriangleMesh& mesh) {
  if (list.size() < 3)
    body.fail(fmt::format("a face needs 3 corners or more and has {}", list.size()));
  std::vector<std::int32_t> corners;
  for (const double index : list) {
    if (!(index >= 0 && index < double(mesh.vertices.size())))
      body.fail(fmt::format("vertex {} does not exist; there are {}, counted from 0", index,
                            mesh.vertices.size()));
    corners.push_back(std::int32_t(index));
  }
  append_polygon(mesh, corners);
}

bool is_face(const Element& e, const Property& p) {
  return e.name == "face" && p.list && (p.name == "vertex_indices" || p.name == "vertex_index");
}

void read_element(PlyBody& body, const Element& e, TriangleMesh& mesh) {
  std::int64_t bytes = 0;
  for (const Property& p : e.properties) bytes += p.list ? p.count.bytes : p.type.bytes;
  body.expect(e.count, bytes, std::int64_t(e.properties.size()),
              "rows of element '" + e.name + "'");
  if (e.properties.empty()) return;
  if (e.name == "vertex") return read_vertices(body, e, mesh);
  for (std::int64_t row = 0; row < e.count; ++row)
    for (const Property& p : e.properties) {
      if (is_face(e, p)) {
        read_face(body, read_list(body, p), mesh);
      } else if (p.list) {
        read_list(body, p);
      } else {
        body.value(p.type);
      }
    }
}

}  // namespace

TriangleMesh read_ply(std::string_view bytes, const std::string& name) {
  MeshText text(bytes, name);
  const Header header = read_header(text);
  PlyBody body(text, bytes, header.format, name);
  TriangleMesh mesh;
  for (const Element& e : header.elements) read_element(body, e, mesh);
  return mesh;
}

}  // namespace rtsim
