#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "meshes/cell_text.h"
#include "shapes/mesh_text.h"

// VTK's XML format: arrays as text, or as bytes, in base64 or raw, within their element or in one
// appended, whole or in blocks that zlib has packed.
namespace rtsim {
namespace {

// One element's start tag, and the text up to the next tag.
struct Tag {
  std::string_view all, inside;

  // The value of an attribute, empty where there is none.
  std::string_view operator[](std::string_view key) const {
    for (std::size_t at = all.find(key); at != std::string_view::npos; at = all.find(key, at + 1)) {
      const std::size_t open = at + key.size();
      if (at == 0 || all[at - 1] > ' ' || all.substr(open, 1) != "=") continue;
      const char quote = open + 1 < all.size() ? all[open + 1] : '"';
      const std::size_t end = all.find(quote, open + 2);
      if (end == std::string_view::npos) return {};
      return all.substr(open + 2, end - open - 2);
    }
    return {};
  }
};

class Vtu {
 public:
  Vtu(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  FileCells read() {
    const Tag file = find("VTKFile", 0);
    if (file["type"] != "UnstructuredGrid")
      fail("only a VTKFile of type UnstructuredGrid holds tetrahedra; save as that");
    if (!file["byte_order"].empty() && file["byte_order"] != "LittleEndian")
      fail("the file is big-endian; save it as little-endian");
    long_header_ = file["header_type"] == "UInt64";
    packed_ = !file["compressor"].empty();
    if (packed_ && file["compressor"] != "vtkZLibDataCompressor")
      fail(fmt::format("compressor {} is not read; save with zlib or without",
                       std::string(file["compressor"])));
    if (count("<Piece") != 1) fail("must have one Piece; join its pieces");
    FileCells cells;
    const std::vector<double> x = array<double>(find("DataArray", place_of("<Points")));
    if (x.size() % 3 != 0) fail("the points' coordinates are not whole threes");
    for (std::size_t i = 0; i + 2 < x.size(); i += 3)
      cells.points.push_back({{x[i], x[i + 1], x[i + 2]}});
    VtkCells list;
    std::size_t at = place_of("<Cells");
    for (int k = 0; k < 3; ++k) {
      const Tag tag = find("DataArray", at);
      at = std::size_t(tag.all.data() - text_.data()) + tag.all.size();
      if (tag["Name"] == "connectivity") list.corners = array<std::int64_t>(tag);
      if (tag["Name"] == "offsets") list.ends = array<std::int64_t>(tag);
      if (tag["Name"] == "types") list.types = array<std::int64_t>(tag);
    }
    list.tags = read_tags();
    add_vtk_cells(cells, list, name_);
    return cells;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { mesh_fault(name_, message); }

  // The first whole numbers that cells have, one each; none where there are none.
  std::vector<std::int64_t> read_tags() const {
    std::size_t at = text_.find("<CellData");
    if (at == std::string_view::npos) return {};
    const std::size_t end = text_.find("</CellData>", at);
    while ((at = text_.find("<DataArray", at + 1)) < end) {
      const Tag tag = find("DataArray", at);
      const std::string_view type = tag["type"], columns = tag["NumberOfComponents"];
      const bool whole = type.starts_with("Int") || type.starts_with("UInt");
      if (whole && (columns.empty() || columns == "1")) return array<std::int64_t>(tag);
    }
    return {};
  }

  std::size_t count(std::string_view what) const {
    std::size_t n = 0;
    for (auto at = text_.find(what); at != std::string_view::npos; at = text_.find(what, at + 1))
      ++n;
    return n;
  }
  std::size_t place_of(std::string_view what) const {
    const std::size_t at = text_.find(what);
    if (at == std::string_view::npos)
      fail(fmt::format("has no element {}>; export it again", what));
    return at;
  }
  Tag find(std::string_view element, std::size_t from) const {
    const std::size_t at = text_.find("<" + std::string(element), from);
    const std::size_t end = at == std::string_view::npos ? at : text_.find('>', at);
    if (end == std::string_view::npos)
      fail(fmt::format("has no element <{}> where one is needed; export it again", element));
    const std::string_view behind = text_.substr(end + 1);
    return {text_.substr(at, end - at), behind.substr(0, behind.find('<'))};
  }

  template <class T>
  std::vector<T> array(const Tag& tag) const {
    const std::string_view format = tag["format"];
    if (format == "ascii") return from_text<T>(tag.inside);
    const std::string_view type = tag["type"];
    const std::string bytes = format == "appended" ? appended(tag) : from_base64(tag.inside);
    if constexpr (std::is_same_v<T, double>) {
      if (type == "Float32") return from_bytes<T, float>(bytes);
      if (type == "Float64") return from_bytes<T, double>(bytes);
    }
    if (type == "Int32" || type == "UInt32") return from_bytes<T, std::int32_t>(bytes);
    if (type == "Int64" || type == "UInt64") return from_bytes<T, std::int64_t>(bytes);
    if (type == "UInt8" || type == "Int8") return from_bytes<T, std::uint8_t>(bytes);
    fail(fmt::format("arrays of type '{}' are not read", std::string(type)));
  }

  template <class T>
  std::vector<T> from_text(std::string_view text) const {
    MeshText words(text, name_);
    std::vector<T> values;
    while (words.next_line())
      for (std::string_view w = words.word(); !w.empty(); w = words.word())
        if constexpr (std::is_same_v<T, double>)
          values.push_back(words.number(w, "a coordinate"));
        else
          values.push_back(words.integer(w, "a number of a cell"));
    return values;
  }

  template <class T, class Stored>
  std::vector<T> from_bytes(const std::string& bytes) const {
    std::vector<T> values(bytes.size() / sizeof(Stored));
    for (std::size_t i = 0; i < values.size(); ++i) {
      Stored s;
      std::memcpy(&s, bytes.data() + i * sizeof s, sizeof s);
      if (!std::isfinite(double(s))) fail("a number is not finite");
      values[i] = T(s);
    }
    return values;
  }

  // What stands behind the underscore of <AppendedData>, from this array's offset on.
  std::string appended(const Tag& tag) const {
    const std::size_t at = place_of("<AppendedData"), start = text_.find('_', at);
    const Tag data = find("AppendedData", 0);
    const std::int64_t offset = MeshText(name_, name_).integer(tag["offset"], "an offset");
    if (start == std::string_view::npos || offset < 0 ||
        std::size_t(offset) > text_.size() - start - 1)
      fail("an array's offset is beyond the file; export it again");
    const std::string_view rest = text_.substr(start + 1 + std::size_t(offset));
    return data["encoding"] == "raw" ? from_raw(rest) : from_base64(rest);
  }

  // Some bytes of base64, in which VTK begins anew after a header.
  std::string decode(std::string_view& text, std::size_t bytes) const {
    std::string out;
    std::size_t used = 0;
    unsigned bits = 0;
    int have = 0;
    const std::size_t letters = (bytes + 2) / 3 * 4;
    for (std::size_t n = 0; n < letters && used < text.size(); ++used) {
      const char c = text[used];
      if (c <= ' ') continue;
      ++n;
      if (c == '=') continue;
      const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                        : c >= 'a' && c <= 'z' ? c - 'a' + 26
                        : c >= '0' && c <= '9' ? c - '0' + 52
                        : c == '+'             ? 62
                        : c == '/'             ? 63
                                               : -1;
      if (value < 0) fail("an array is not base64; export it again");
      bits = bits << 6 | unsigned(value), have += 6;
      if (have >= 8) have -= 8, out.push_back(char(bits >> have & 255));
    }
    if (out.size() < bytes) fail("an array ends too early; export it again");
    text.remove_prefix(used);
    out.resize(bytes);
    return out;
  }

  std::uint64_t header_word(const std::string& bytes, std::size_t k) const {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + k * header_bytes(), header_bytes());
    return value;
  }
  std::size_t header_bytes() const { return long_header_ ? 8 : 4; }

  // Packed arrays begin with how many blocks there are, how large they are, how large the last one
  // is, and each one's packed size; others with their size.
  std::string from_base64(std::string_view text) const {
    std::string_view ahead = text;
    if (!packed_) {
      const std::uint64_t bytes = header_word(decode(ahead, header_bytes()), 0);
      check_size(bytes);
      return decode(text, header_bytes() + bytes).substr(header_bytes());
    }
    const std::uint64_t blocks = header_word(decode(ahead, header_bytes()), 0);
    check_size(blocks);
    const std::string header = decode(text, header_bytes() * (3 + blocks));
    std::uint64_t bytes = 0;
    for (std::uint64_t b = 0; b < blocks; ++b) bytes += header_word(header, 3 + b);
    check_size(bytes);
    return unpack(header, decode(text, bytes));
  }
  std::string from_raw(std::string_view text) const {
    const auto part = [&](std::size_t from, std::size_t bytes) {
      if (from > text.size() || bytes > text.size() - from)
        fail("an array ends too early; export it again");
      return std::string(text.substr(from, bytes));
    };
    const std::uint64_t first = header_word(part(0, header_bytes()), 0);
    check_size(first);
    if (!packed_) return part(header_bytes(), first);
    const std::string header = part(0, header_bytes() * (3 + first));
    return unpack(header, part(header.size(), text.size() - header.size()));
  }
  void check_size(std::uint64_t n) const {
    if (n > text_.size()) fail("an array is larger than the file; export it again");
  }

  std::string unpack(const std::string& header, const std::string& packed) const {
    const std::uint64_t blocks = header_word(header, 0), size = header_word(header, 1),
                        last = header_word(header, 2);
    const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> zlib(
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    std::string out;
    std::size_t at = 0;
    for (std::uint64_t b = 0; b < blocks; ++b) {
      const std::uint64_t bytes = b + 1 == blocks && last > 0 ? last : size;
      const std::uint64_t part = header_word(header, 3 + b);
      // zlib packs at most some thousandfold: no file makes this take more memory than that.
      if (bytes > size || part > packed.size() - at || bytes > 1100 * (part + 1))
        fail("an array's blocks are no such; export it again");
      std::string block(bytes, '\0');
      if (libdeflate_zlib_decompress(zlib.get(), packed.data() + at, part, block.data(),
                                     block.size(), nullptr) != LIBDEFLATE_SUCCESS)
        fail("an array cannot be unpacked; export it again");
      at += part;
      out += block;
    }
    return out;
  }

  std::string_view text_;
  std::string name_;
  bool long_header_ = false, packed_ = false;
};

}  // namespace

FileCells read_vtu(std::string_view text, const std::string& name) {
  return Vtu(text, name).read();
}

}  // namespace rtsim
