#include "solvers/shallow_water/shallow_water.h"

namespace rtsim {

namespace {

constexpr const char* edge_keys[] = {"x_min", "x_max", "z_min", "z_max"};

constexpr Option schemes[] = {
    {"finite_volumes", int(WaterScheme::finite_volumes),
     "conservative, second order, shocks and shores right"},
    {"traced", int(WaterScheme::traced),
     "staggered speeds, traced back and linear between cells (Real Time Physics 2008, ch. 11): for "
     "pictures of waves; loses energy and some water, and shocks go too slowly"},
};

void check_traced(Describe& d, const ShallowWaterParams& p) {
  using shallow_water::EdgeType;
  const char* why = "is for the scheme \"finite_volumes\"";
  if (p.manning > 0) d.fault("manning", why);
  if (p.rain > 0) d.fault("rain", why);
  if (!p.sources.empty()) d.fault("sources", why);
  if (norm(p.velocity) > 0) d.fault("velocity", why);
  for (int e = 0; e < 4; ++e) {
    const WaterEdge& edge = p.edges[e];
    if ((edge.type != EdgeType::reflecting && edge.type != EdgeType::absorbing) || edge.layer > 0 ||
        edge.from || edge.to)
      d.fault(edge_keys[e],
              "with the scheme \"traced\" whole edges are \"reflecting\" or \"absorbing\", without "
              "a layer");
  }
}

}  // namespace

void describe(Describe& d, WaterEdge& e) {
  using shallow_water::EdgeType;
  static constexpr Option types[] = {
      {"reflecting", int(EdgeType::reflecting), "a wall without friction"},
      {"outflow", int(EdgeType::outflow), "water leaves as it comes, none comes back"},
      {"inflow", int(EdgeType::inflow), "water comes in with `discharge`"},
      {"level", int(EdgeType::level), "water outside stands at `level`, comes in and goes out"},
      {"absorbing", int(EdgeType::absorbing),
       "waves leave towards water outside that stands as high as at the start"},
      {"periodic", int(EdgeType::periodic), "goes on at the opposite edge, which says the same"},
  };
  d.choice("type", e.type, types, "What it is:");
  d("discharge", e.discharge, "m^2/s", at_least(0), "Per metre of edge, of an inflow.");
  d("level", e.level, "m", any(), "Height of the water outside, of a level edge.");
  d.nested(
      "hydrograph", e.hydrograph,
      "In place of `discharge` of an inflow, or `level` of a level edge: how it goes over time, "
      "linear between its points, and as at the ends before and after them.");
  d("layer", e.layer, "m", at_least(0),
    "Width of a layer in front of an absorbing edge that damps what comes to it, and so what it "
    "reflects at slanting angles. Half a wave length does much, a whole one nearly all.");
  d("from", e.from, "m", any(),
    "The edge has its type from this coordinate on; before it is a wall. Default: its beginning.");
  d("to", e.to, "m", any(), "And up to this coordinate. Default: its end.");
  if (e.type == EdgeType::inflow && !(e.discharge > 0) && !e.hydrograph)
    d.fault("discharge", "an inflow needs it, above 0, or a \"hydrograph\"");
  if (e.type == EdgeType::level && !e.level && !e.hydrograph)
    d.fault("level", "an edge of type \"level\" needs it, or a \"hydrograph\"");
  if (e.hydrograph && (e.discharge > 0 || e.level))
    d.fault("hydrograph", "says it over time; leave out \"discharge\" and \"level\"");
  if (e.hydrograph && e.type != EdgeType::inflow && e.type != EdgeType::level)
    d.fault("hydrograph", "is for edges of type \"inflow\" and \"level\"");
  if (e.layer > 0 && e.type != EdgeType::absorbing)
    d.fault("layer", "is for edges of type \"absorbing\"");
  if (e.layer > 0 && (e.from || e.to))
    d.fault("layer", "is for whole edges, without \"from\" and \"to\"");
  if (e.discharge > 0 && e.type != EdgeType::inflow)
    d.fault("discharge", "is for edges of type \"inflow\"");
  if (e.level && e.type != EdgeType::level) d.fault("level", "is for edges of type \"level\"");
  if (e.type == EdgeType::periodic && (e.from || e.to))
    d.fault("type", "a periodic edge is periodic from end to end; leave out \"from\" and \"to\"");
}

void describe(Describe& d, WaterSource& s) {
  d.vector("at", s.at, "m", "Its middle; y does not count.");
  d.required("radius", s.radius, "m", above(0), "Cells whose centres lie within get the water.");
  d.required("discharge", s.discharge, "m^3/s", any(),
             "Volume in a second; a drain where below 0, which stops where it is dry.");
  d("start", s.start, "s", any(), "Runs in steps that begin at this time or later.");
  d("end", s.end, "s", any(), "Runs in steps that begin before this time. Default: for ever.");
}

void describe(Describe& d, WaterProbe& p) {
  d.required("name", p.name, "Of the series: <stage>.<object>.<name>.depth and so on.");
  d.vector("at", p.at, "m", "Where; y does not count.");
}

void describe(Describe& d, ShallowWaterParams& p) {
  static constexpr const char* kinds[] = {"height_field"};
  d.role("water", p.water, kinds, "The columns of water.");
  static constexpr const char* bodies[] = {"boundary", "bodies"};
  d.roles("boundary", p.boundary, bodies,
          "What stands, moves or floats in the water, of finite size. Of a boundary, what lies "
          "between the ground and the surface of the start raises the ground, and so pushes water "
          "aside; rigid bodies float, with the stage couple.");
  d.choice("scheme", p.scheme, schemes, "How the water is moved:");
  d("density", p.density, "kg/m^3", above(0), "Of the water; scales mass and energies alone.");
  d.vector("velocity", p.velocity, "m/s", "Of all water at the start; along x and z.");
  d("manning", p.manning, "s/m^(1/3)", at_least(0),
    "Manning's n of the ground: 0.01 glass, 0.03 a clean river, 0.1 a flood plain with trees.");
  d("rain", p.rain, "m/s", at_least(0), "Height that falls in a second; 2.8e-6 m/s are 10 mm/h.");
  d.nested("x_min", p.edges[0], "The edge at the smallest x.", "water_edge");
  d.nested("x_max", p.edges[1], "The edge at the largest x.", "water_edge");
  d.nested("z_min", p.edges[2], "The edge at the smallest z.", "water_edge");
  d.nested("z_max", p.edges[3], "The edge at the largest z.", "water_edge");
  d.list("sources", p.sources, "Springs and drains.");
  d.list("probes", p.probes,
         "Places where the series give depth, surface and velocity, linear between cells.");
  d("dry_depth", p.dry_depth, "m", above(0),
    "Water less deep slows down to rest, so that velocities at the edge of dry land are bounded; "
    "no water is lost. Default: 1e-4 of the spacing.");
  d("wet_depth", p.wet_depth, "m", at_least(0),
    "Cells that are deeper count in the series wet_area, front and max_speed; also the scale of "
    "the "
    "column fill.");
  d("substeps", p.substeps, "", between(1, 1000000),
    "Equal substeps per time step. Default: as many as the state needs.");
  d("courant", p.courant, "", between(0.01, 0.4),
    "Where substeps are not given: substep times the greatest |u| + |v| + 2 sqrt(g h) over the "
    "spacing. Up to 0.4 no depth becomes negative.");
  using shallow_water::EdgeType;
  for (int a = 0; a < 4; a += 2)
    if ((p.edges[a].type == EdgeType::periodic) != (p.edges[a + 1].type == EdgeType::periodic))
      d.fault(edge_keys[a + 1], std::string("both or none of \"") + edge_keys[a] + "\" and \"" +
                                    edge_keys[a + 1] + "\" are periodic");
  if (p.scheme == WaterScheme::traced) check_traced(d, p);
}

double row_bytes(const ShallowWaterParams& p, const GridShape&) {
  // bed, depth, discharges; depth and discharges (or speeds of faces, twice) of the next step;
  // velocity and fill ratio of frames; depth at rest where an edge absorbs; ground, level at rest
  // and what is raised where there are bodies.
  const int bodies = p.boundary.names.empty() ? 0 : 3;
  return (4 + 5 + 3 + 1 + 1 + bodies) * sizeof(Real);
}

}  // namespace rtsim
