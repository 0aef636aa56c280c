#include "bodies/contacts/contact_table.h"

namespace rtsim {

using BodyPair = VecT<std::int32_t, 2>;

std::string contact_table(const std::string& bodies) { return bodies + ".touches"; }

template <int D>
void add_contact_table(World& world, const std::string& bodies) {
  Table& t = world.add_table(contact_table(bodies), 0);
  t.beside = {bodies, "touches", D == 2 ? 6 : 12};  // in a pile of boxes, three of 2 or 4 points
  t.add<BodyPair>({"bodies", "", Role::derived});
  t.add<Vec<D>>({"position", "m", Role::derived});
  t.add<Vec<D>>({"arm_first", "m", Role::derived});
  t.add<Vec<D>>({"arm_second", "m", Role::derived});
  t.add<Vec<D>>({"normal", "", Role::derived});
  t.add<Vec<D>>({"force", "N", Role::derived});
  t.add<rigid::Angular<D>>({"moment", "N m", Role::derived});
  t.add<Real>({"separation", "m", Role::derived});
}

template <int D>
void fill_contact_table(World& world, const std::string& name, double dt,
                        const rigid::Bodies<D>& bodies, Span<const rigid::ContactBlock<D>> blocks,
                        Span<const rigid::ReportedImpulses<D>> given,
                        Span<const Row4> solver_bodies) {
  Table& t = world.table(contact_table(name));
  Buffer<Index> first(world.exec, std::size_t(given.size * lane_count));
  t.resize(count_points<D>(world.exec, given, first.span()));
  list_points<D>(
      world.exec, dt, bodies, blocks, given, first.span(), solver_bodies,
      {t.column<BodyPair>("bodies"), t.column<Vec<D>>("position"), t.column<Vec<D>>("arm_first"),
       t.column<Vec<D>>("arm_second"), t.column<Vec<D>>("normal"), t.column<Vec<D>>("force"),
       t.column<rigid::Angular<D>>("moment"), t.column<Real>("separation")});
}

template void add_contact_table<2>(World&, const std::string&);
template void add_contact_table<3>(World&, const std::string&);
template void fill_contact_table<2>(World&, const std::string&, double, const rigid::Bodies<2>&,
                                    Span<const rigid::ContactBlock<2>>,
                                    Span<const rigid::ReportedImpulses<2>>, Span<const Row4>);
template void fill_contact_table<3>(World&, const std::string&, double, const rigid::Bodies<3>&,
                                    Span<const rigid::ContactBlock<3>>,
                                    Span<const rigid::ReportedImpulses<3>>, Span<const Row4>);

}  // namespace rtsim
