#include <fmt/format.h>

#include <bit>

#include "cache/vtk_geometry.h"
#include "convert/columns.h"
#include "convert/frame_formats.h"

namespace rtsim {

namespace {

const char* vtu_type(Scalar s) {
  switch (s) {
    case Scalar::f32:
      return "Float32";
    case Scalar::f64:
      return "Float64";
    case Scalar::i32:
      return "Int32";
    case Scalar::u32:
      return "UInt32";
    case Scalar::i64:
      return "Int64";
    case Scalar::u8:
      return "UInt8";
  }
  return "";
}

// VTK's XML file of an unstructured grid: what its arrays are, then their bytes, each behind a
// count of them, as they lie in memory.
class VtuFile {
 public:
  void text(std::string_view t) { head_ += t; }
  void array(std::string_view name, ElementType type, const char* more,
             std::span<const std::byte> bytes) {
    head_ += fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"{} format=\"appended\" "
        "offset=\"{}\"/>\n",
        vtu_type(type.scalar), name, type.components, more, offset_);
    offset_ += sizeof(std::uint64_t) + bytes.size();
    arrays_.push_back(bytes);
  }
  template <class T>
  void array(std::string_view name, const std::vector<T>& values, const char* more = "") {
    array(name, element_type<T>, more, std::as_bytes(std::span(values)));
  }
  void array(const FrameColumn& c) { array(c.name, c.type, "", c.bytes); }

  void write(FileStream& to) const {
    static_assert(std::endian::native == std::endian::little);
    to.put(head_);
    for (const auto& bytes : arrays_) {
      const std::uint64_t n = bytes.size();
      to.put({reinterpret_cast<const char*>(&n), sizeof n});
      to.put({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    to.put("\n</AppendedData>\n</VTKFile>\n");
  }

 private:
  std::string head_;
  std::size_t offset_ = 0;
  std::vector<std::span<const std::byte>> arrays_;
};

void put_unstructured(FileStream& to, const FrameJob& job) {
  const FrameObject& o = job.object;
  const VtkGeometry g(o);
  const std::vector<double> time{job.frame.time};
  const std::vector<std::int32_t> ends(g.offsets.begin() + 1, g.offsets.end());
  std::vector<FrameColumn> columns{padded(*column_named(o, "position"))};
  for (const FrameColumn& c : o.columns)
    if (c.name != "position") columns.push_back(padded(c));
  VtuFile file;
  file.text(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n<FieldData>\n");
  file.array("TimeValue", time, " NumberOfTuples=\"1\"");
  file.text(
      fmt::format("</FieldData>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<Points>\n",
                  o.rows, g.types.size()));
  file.array(columns.front());
  file.text("</Points>\n<Cells>\n");
  file.array("connectivity", g.connectivity);
  file.array("offsets", ends);
  file.array("types", g.types);
  file.text("</Cells>\n<PointData>\n");
  for (std::size_t k = 1; k < columns.size(); ++k) file.array(columns[k]);
  file.text("</PointData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
  file.write(to);
}

}  // namespace

void write_frame_vtu(const FrameJob& job, FileSink& sink) {
  sink.stream(converted_path(job, "vtu"), [&](FileStream& to) { put_unstructured(to, job); });
}

}  // namespace rtsim
