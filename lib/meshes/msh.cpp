#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "meshes/cell_text.h"
#include "shapes/mesh_text.h"

// Gmsh's format 4.1 as its reference manual has it: sections between $Name and $EndName, nodes and
// elements in blocks of one entity each, with tags of any numbers.
namespace rtsim {
namespace {

struct ElementType {
  int number, corners;
  const char* name;
  bool is_taken;  // or passed over; others are refused
};
constexpr ElementType known[] = {{1, 2, "lines", true},
                                 {2, 3, "triangles", true},
                                 {4, 4, "tetrahedra", true},
                                 {15, 1, "points", true},
                                 {3, 4, "quadrangles", false},
                                 {5, 8, "hexahedra", false},
                                 {6, 6, "prisms", false},
                                 {7, 5, "pyramids", false},
                                 {8, 3, "three-node lines", true},
                                 {9, 6, "six-node triangles", true},
                                 {11, 10, "ten-node tetrahedra", true}};
// Which corners the nodes behind them are between.
constexpr int triangle_pairs[3][2] = {{0, 1}, {1, 2}, {0, 2}};
constexpr int tet_pairs[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}};

const ElementType& type_of(const MeshText& text, std::int64_t number) {
  const auto found = std::ranges::find(known, number, &ElementType::number);
  if (found != std::end(known) && found->is_taken) return *found;
  text.fail(
      fmt::format("elements of type {}{} are not read; save tetrahedra of four or ten nodes, "
                  "or in the plane triangles of three or six",
                  number, found == std::end(known) ? "" : fmt::format(", {},", found->name)));
}

class Msh {
 public:
  Msh(std::string_view input, const std::string& name) : text_(input, name) {}

  FileCells read() {
    bool nodes = false, elements = false, format = false;
    while (text_.next_line()) {
      const std::string_view key = text_.word();
      if (!key.starts_with('$') || key.starts_with("$End")) continue;
      if (key != "$MeshFormat" && !format)
        text_.fail("the first section must be $MeshFormat; save the mesh as Gmsh 4.1");
      if (key == "$MeshFormat")
        format = true, read_format();
      else if (key == "$Entities")
        read_entities();
      else if (key == "$Nodes")
        nodes = true, read_nodes();
      else if (key == "$Elements" && nodes)
        elements = true, read_elements();
      else if (key == "$Elements")
        text_.fail("the elements stand before the nodes");
      else
        pass_over(std::string(key));
    }
    if (!elements) text_.fail("there is no section $Elements; export the mesh again");
    if (groups_.empty()) cells_.triangle_tags.clear(), cells_.tet_tags.clear();
    return std::move(cells_);
  }

 private:
  std::int64_t whole(const char* what) { return text_.integer(text_.next_word(), what); }
  // How many of something follow, each of at least two bytes.
  std::int64_t count(const char* what) {
    const std::int64_t n = whole(what);
    if (n < 0 || std::uint64_t(n) > text_.bytes_left() / 2)
      text_.fail(fmt::format("{} is {}, more than the file can hold; export it again", what, n));
    return n;
  }

  void read_format() {
    const double version = text_.number(text_.next_word(), "the version");
    if (version != 4.1)
      text_.fail(
          fmt::format("version {} is not read; save as 4.1 (Mesh.MshFileVersion = 4.1)", version));
    if (whole("the file type") != 0)
      text_.fail("the file is binary; save it as ASCII (Mesh.Binary = 0)");
  }

  // The physical group of each surface and volume: the first, if they are in several.
  void read_entities() {
    std::int64_t entities[4];
    for (std::int64_t& n : entities) n = count("the number of entities");
    for (int dim = 0; dim < 4; ++dim)
      for (std::int64_t e = 0; e < entities[dim]; ++e) {
        const std::int64_t tag = whole("an entity's tag");
        for (int k = 0; k < (dim == 0 ? 3 : 6); ++k)
          text_.number(text_.next_word(), "a coordinate");
        const std::int64_t groups = count("the number of physical groups");
        for (std::int64_t k = 0; k < groups; ++k) {
          const std::int64_t group = whole("a physical group");
          if (k == 0) groups_[{dim, tag}] = std::int32_t(group);
        }
        const std::int64_t bounds = dim == 0 ? 0 : count("the number of bounding entities");
        for (std::int64_t k = 0; k < bounds; ++k) whole("an entity's tag");
      }
  }

  void read_nodes() {
    const std::int64_t blocks = count("the number of blocks");
    for (int k = 0; k < 3; ++k) whole("a number of nodes");
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t dim = whole("a dimension");
      whole("an entity's tag");
      const bool parametric = whole("whether a block is parametric") != 0;
      const std::int64_t nodes = count("the number of nodes in a block");
      const std::size_t first = cells_.points.size();
      for (std::int64_t n = 0; n < nodes; ++n) {
        const std::int64_t tag = whole("a node's tag");
        if (!row_.emplace(tag, CellMesh::Corner(first + std::size_t(n))).second)
          text_.fail(fmt::format("node {} is there twice", tag));
      }
      for (std::int64_t n = 0; n < nodes; ++n) {
        Vec3d x;
        for (double& c : x.c) c = text_.number(text_.next_word(), "a coordinate");
        cells_.points.push_back(x);
        for (std::int64_t k = 0; parametric && k < dim; ++k)
          text_.number(text_.next_word(), "a parameter");
      }
    }
  }

  void read_elements() {
    const std::int64_t blocks = count("the number of blocks");
    for (int k = 0; k < 3; ++k) whole("a number of elements");
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t dim = whole("a dimension"), entity = whole("an entity's tag");
      const auto group = groups_.find({dim, entity});
      const std::int32_t tag = group == groups_.end() ? 0 : group->second;
      const ElementType& type = type_of(text_, whole("an element type"));
      const std::int64_t elements = count("the number of elements in a block");
      for (std::int64_t e = 0; e < elements; ++e) {
        whole("an element's tag");
        std::array<CellMesh::Corner, 10> corners{};
        for (int k = 0; k < type.corners; ++k) {
          const std::int64_t tag = whole("an element's node");
          const auto found = row_.find(tag);
          if (found == row_.end()) text_.fail(fmt::format("there is no node {}", tag));
          corners[std::size_t(k)] = found->second;
        }
        const std::string place = fmt::format("line {}", text_.line());
        if (type.number == 2 || type.number == 9)
          cells_.triangles.push_back({corners[0], corners[1], corners[2]}),
              cells_.triangle_places.push_back(place), cells_.triangle_tags.push_back(tag);
        if (type.number == 4 || type.number == 11)
          cells_.tets.push_back({corners[0], corners[1], corners[2], corners[3]}),
              cells_.tet_places.push_back(place), cells_.tet_tags.push_back(tag);
        if (type.number == 9) add_second_order(cells_, corners.data(), 3, triangle_pairs);
        if (type.number == 11) add_second_order(cells_, corners.data(), 4, tet_pairs);
      }
    }
  }

  void pass_over(const std::string& section) {
    const std::string end = "$End" + section.substr(1);
    while (text_.next_line())
      if (text_.word() == end) return;
    text_.fail(fmt::format("the file ends within {}; export it again", section));
  }

  MeshText text_;
  FileCells cells_;
  std::unordered_map<std::int64_t, CellMesh::Corner> row_;  // of a node's tag
  // Of an entity by its dimension and tag.
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> groups_;
};

}  // namespace

FileCells read_msh(std::string_view input, const std::string& name) {
  return Msh(input, name).read();
}

}  // namespace rtsim
