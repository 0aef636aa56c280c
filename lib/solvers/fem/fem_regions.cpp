#include "solvers/fem/fem_regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "meshes/add_mesh.h"

namespace rtsim {

namespace {

// What a file says of each element; none where it says nothing.
std::vector<std::int32_t> tags_of(World& world, const std::string& mesh) {
  for (const std::string& table : {element_table(mesh), tet_table(mesh), triangle_table(mesh)})
    if (world.has_table(table) && world.table(table).has("tag"))
      return world.table(table).download<std::int32_t>("tag");
  return {};
}

std::vector<bool> elements_in(const FemRegion& r, const std::vector<Vec3d>& middles,
                              const std::vector<std::int32_t>& tags) {
  std::vector<bool> in(middles.size());
  for (const ShapeSpec& s : r.inside) {
    const auto shape = make_shape(s, 3);
    for (std::size_t e = 0; e < middles.size(); ++e)
      if (shape->distance(middles[e]) < 0) in[e] = true;
  }
  for (std::size_t e = 0; r.tag && e < tags.size(); ++e) in[e] = tags[e] == *r.tag;
  return in;
}

[[noreturn]] void refuse(std::size_t k, const FemRegion& r, const std::vector<std::int32_t>& tags) {
  const std::set<std::int32_t> known(tags.begin(), tags.end());
  std::string why = "no element's middle is \"inside\"; elements may be larger than it";
  if (r.tag && tags.empty())
    why =
        "the mesh has no tags: they are physical groups of volumes, or in the plane of surfaces, "
        "of a .msh file, and whole numbers of the cells of a .vtk or .vtu file";
  else if (r.tag)
    why = fmt::format("no element has the tag {}; there are {}", *r.tag, fmt::join(known, ", "));
  throw Error(ExitCode::bad_input, fmt::format("\"regions\" {} is empty: {}", k, why));
}

}  // namespace

std::vector<FemConstants> constants_of(const FemParams& p, World& world,
                                       const std::vector<Vec3d>& middles) {
  const std::vector<std::int32_t> tags = tags_of(world, p.mesh.name);
  std::vector<FemConstants> all(middles.size(),
                                {lame_of(p.youngs_modulus, p.poissons_ratio), std::nullopt});
  for (std::size_t k = 0; k < p.regions.size(); ++k) {
    const FemRegion& r = p.regions[k];
    const std::vector<bool> in = elements_in(r, middles, tags);
    if (std::ranges::find(in, true) == in.end()) refuse(k, r, tags);
    for (std::size_t e = 0; e < middles.size(); ++e)
      if (in[e])
        all[e] = {lame_of(r.youngs_modulus.value_or(p.youngs_modulus),
                          r.poissons_ratio.value_or(p.poissons_ratio)),
                  r.density};
  }
  return all;
}

}  // namespace rtsim
