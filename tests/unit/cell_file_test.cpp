#include "meshes/cell_file.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/error.h"

using namespace rtsim;
using Catch::Contains;

namespace {

// Two tets over one triangle, with tags that are no row numbers; a point and a line beside them.
std::string msh(const std::string& elements, const std::string& format = "4.1 0 8") {
  return "$MeshFormat\n" + format +
         "\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"all\"\n$EndPhysicalNames\n"
         "$Nodes\n2 5 3 55\n2 1 0 2\n10\n20\n0 0 0\n1 0 0\n3 1 0 3\n3\n40\n55\n0 1 0\n0 0 1\n0 0 "
         "-1\n"
         "$EndNodes\n$Elements\n" +
         elements + "$EndElements\n";
}

std::string two_tets(const char* first, const char* second) {
  return fmt::format("3 4 1 9\n0 1 15 1\n1 10\n1 1 1 1\n2 10 20\n3 1 4 2\n5 {}\n9 {}\n", first,
                     second);
}

const std::string good = two_tets("10 20 3 40", "10 3 20 55");

std::string vtk(const char* cells, const char* types, const char* version = "3.0") {
  return fmt::format(
      "# vtk DataFile Version {}\na title\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
      "0 0 0 1 0 0\n0 1 0 0 0 1 0 0 -1\nCELLS {}\nCELL_TYPES {}\nPOINT_DATA 5\n",
      version, cells, types);
}

std::string vtu(const char* arrays, const char* attributes = "") {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
      "byte_order=\"LittleEndian\"{}>\n<UnstructuredGrid><Piece NumberOfPoints=\"5\" "
      "NumberOfCells=\"2\">\n<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" "
      "format=\"ascii\">0 0 0 1 0 0 0 1 0 0 0 1 0 0 -1</DataArray></Points>\n<Cells>{}</Cells>\n"
      "</Piece></UnstructuredGrid></VTKFile>\n",
      attributes, arrays);
}

const char* const vtu_arrays =
    "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3 0 2 1 4</DataArray>"
    "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4 8</DataArray>"
    "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10 10</DataArray>";

CellMesh read(const std::string& text, const char* extension = ".msh") {
  return read_cells(text, extension, "m" + std::string(extension));
}

void check_two_tets(const CellMesh& m) {
  CHECK(m.points.size() == 5);
  REQUIRE(m.tets.size() == 2);
  CHECK(m.triangles.empty());
  CHECK(volume_of(m, m.tets[0]) == Approx(1.0 / 6));
  CHECK(volume_of(m, m.tets[1]) == Approx(1.0 / 6));
  CHECK(boundary_of(m.tets).size() == 6);
}

}  // namespace

TEST_CASE("cell_file: the first whole numbers of VTK's cells are their tags") {
  const std::string legacy =
      vtk("3 13\n2 0 1\n4 0 1 2 3\n4 0 2 1 4", "3\n3 10 10") +
      "SCALARS row int 1\nLOOKUP_TABLE default\n1 2 3 4 5\nCELL_DATA 3\nSCALARS heat float\n"
      "LOOKUP_TABLE default\n1.5 2 3\nFIELD FieldData 2\nflow 3 3 double\n0 0 0 1 1 1 2 2 2\n"
      "material 1 3 int\n7 8 9\n";
  CHECK(read(legacy, ".vtk").tags == std::vector<std::int32_t>{8, 9});
  const std::string arrays = std::string(vtu_arrays) +
                             "</Cells><CellData><DataArray type=\"Float32\" Name=\"heat\" "
                             "format=\"ascii\">1 2</DataArray><DataArray type=\"Int64\" "
                             "Name=\"part\" format=\"ascii\">7 9</DataArray></CellData><Cells>";
  CHECK(read(vtu(arrays.c_str()), ".vtu").tags == std::vector<std::int32_t>{7, 9});
  CHECK(read(vtu(vtu_arrays), ".vtu").tags.empty());
}

TEST_CASE("cell_file: Gmsh, VTK and VTU give the same two tets") {
  check_two_tets(read(msh(good)));
  check_two_tets(read(vtk("3 13\n4 0 1 2 3\n4 0 2 1 4\n2 0 1", "3\n10 10 3"), ".vtk"));
  check_two_tets(read(vtk("3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n"
                          "0 1 2 3 0 2 1 4",
                          "2\n10 10", "5.1"),
                      ".vtk"));
  check_two_tets(read(vtu(vtu_arrays), ".vtu"));
}

TEST_CASE("cell_file: without tets a file's triangles are taken") {
  const CellMesh m = read(msh("1 1 1 1\n2 1 2 1\n7 10 20 3\n"));
  CHECK(m.tets.empty());
  REQUIRE(m.triangles.size() == 1);
  CHECK(area_of(m, m.triangles[0]) == Approx(0.5));
}

namespace {

// A tet of ten nodes in the order of Gmsh or of VTK, which change the last two over; the point
// between the first corners is off its middle.
std::string ten_points(const char* off) {
  return fmt::format(
      "0 0 0\n1 0 0\n0 1 0\n0 0 1\n0.5 {} 0\n0.5 0.5 0\n0 0.5 0\n0 0 0.5\n"
      "0.5 0 0.5\n0 0.5 0.5\n",
      off);
}
std::string ten_nodes(const char* off = "0") {
  return "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n"
         "5 0 0 0 1 1 1 2 8 3 0\n$EndEntities\n$Nodes\n1 10 1 10\n"
         "3 5 0 10\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n" +
         ten_points(off) +
         "$EndNodes\n$Elements\n1 1 1 1\n3 5 11 1\n1 1 2 3 4 5 6 7 8 10 9\n$EndElements\n";
}

}  // namespace

TEST_CASE("cell_file: of ten nodes the corners are taken, and what is not straight is said") {
  for (const bool gmsh : {true, false}) {
    const CellMesh m =
        gmsh ? read(ten_nodes())
             : read(
                   "# vtk DataFile Version 3.0\na title\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                   "POINTS 10 float\n" +
                       ten_points("0") + "CELLS 1 11\n10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 1\n24\n",
                   ".vtk");
    CHECK(m.second_order);
    REQUIRE(m.tets.size() == 1);
    CHECK(m.tets[0] == CellMesh::Tet{0, 1, 2, 3});
    CHECK(m.notes.empty());
    CHECK(m.tags == (gmsh ? std::vector<std::int32_t>{8} : std::vector<std::int32_t>{}));
  }
  CHECK_THAT(read(ten_nodes("0.1")).notes.at(0), Contains("up to 0.1 m off their middles"));
  CHECK_FALSE(read(msh(good)).second_order);
}

TEST_CASE("cell_file: tets that are all inverted are turned, one of several is an error") {
  const CellMesh m = read(msh(two_tets("20 10 3 40", "3 10 20 55")));
  check_two_tets(m);
  CHECK_THAT(m.notes.at(0), Contains("all tetrahedra were inverted"));
  CHECK_THROWS_WITH(read(msh(two_tets("10 20 3 40", "10 20 3 55"))),
                    Contains("m.msh: line 31: the tetrahedron is inverted, its volume is -0.166667 "
                             "m^3, with 1 of 2 inverted in all"));
  CHECK_THROWS_WITH(read(vtk("2 10\n4 0 1 2 3\n4 0 1 3 3", "2\n10 10"), ".vtk"),
                    Contains("m.vtk: cell 2: the tetrahedron is flat, its volume is 0 m^3"));
}

TEST_CASE("cell_file: what is malformed is refused, with its place") {
  const auto says = [](const std::string& text, const char* extension, const char* what) {
    INFO(what);
    CHECK_THROWS_WITH(read(text, extension), Contains(what));
  };
  says(msh(good, "2.2 0 8"), ".msh", "m.msh:2: version 2.2 is not read; save as 4.1");
  says(msh(good, "4.1 1 8"), ".msh", "m.msh:2: the file is binary; save it as ASCII");
  says(msh("1 1 1 1\n3 1 5 1\n1 10 20 3 40 10 20 3 40\n"), ".msh",
       "elements of type 5, hexahedra, are not read");
  says(msh("1 1 1 1\n3 1 4 1\n1 10 20 3 41\n"), ".msh", "there is no node 41");
  says(msh("1 1 1 1\n3 1 4 1\n1 10 20 x 41\n"), ".msh",
       "an element's node is not a whole number: 'x'");
  says(msh("1 1 1 1\n3 1 4 123456789\n1 10 20 3 40\n"), ".msh", "more than the file can hold");
  says(msh("1 0 1 1\n3 1 4 0\n"), ".msh", "has no tetrahedra and no triangles");
  says(msh(good).substr(0, 150), ".msh", "the file ends too early");
  says("$Nodes\n", ".msh", "the first section must be $MeshFormat");
  says("solid\n", ".vtk", "is no legacy VTK file");
  says(vtk("1 5\n4 0 1 2 9", "1\n10"), ".vtk", "cell 1: there is no point 9; they are 0 to 4");
  says(vtk("1 9\n8 0 1 2 3 0 1 2 3", "1\n12"), ".vtk", "cells of type 12 are not read");
  says(vtk("1 5\n4 0 1 2 3", "2\n10 10"), ".vtk", "has 1 cells and 2 types");
  says(vtk("1 5\n4 0 1 2 nan", "1\n10"), ".vtk", "is not a whole number");
  says(vtk("1 30\n4 0 1 2 3", "1\n10"), ".vtk", "m.vtk:8: the file ends too early");
  says(
      "# vtk DataFile Version 5.1\na title\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 0 float\n"
      "CELLS 0 0\nOFFSETS float\n",
      ".vtk", "numbers of type 'float' are not read");
  says(vtu("<DataArray type=\"Float32\" Name=\"connectivity\" format=\"binary\">AAAAAA=="
           "</DataArray>"),
       ".vtu", "arrays of type 'Float32' are not read");
  says(vtu(vtu_arrays, " compressor=\"vtkLZ4DataCompressor\""), ".vtu",
       "save with zlib or without");
  says("<VTKFile type=\"PolyData\">", ".vtu", "only a VTKFile of type UnstructuredGrid");
  says("x", ".vtu", "has no element <VTKFile>");
  says("x", ".mesh", "unknown format '.mesh' of tetrahedra; .msh, .vtk and .vtu are known");
}
