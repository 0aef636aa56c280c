#include "bodies/joints/joint_order.h"

#include <algorithm>
#include <queue>
#include <set>

#include "rigid/joints/joints.h"

namespace rtsim {

namespace {

// Graph nodes: bodies, then joints.
class Elimination {
 public:
  Elimination(const std::vector<JointEnds>& joints, Index bodies)
      : bodies_(bodies),
        neighbours_(std::size_t(bodies) + joints.size()),
        gone_(neighbours_.size()) {
    for (std::size_t k = 0; k < joints.size(); ++k)
      for (const Index body : {joints[k].a, joints[k].b})
        if (body >= 0) join(body, bodies_ + Index(k));
  }

  // Of one island; its nodes in the order of elimination.
  void run(const std::vector<Index>& members) {
    peel(members);
    for (const Index n : members)
      if (n < bodies_ && !gone(n)) eliminate(n);
    using Key = std::pair<std::size_t, Index>;
    std::set<Key> waiting;
    for (const Index n : members)
      if (!gone(n)) waiting.insert({degree(n), n});
    while (!waiting.empty()) {
      const Index n = waiting.begin()->second;
      const std::set<Index> others = neighbours_[std::size_t(n)];
      waiting.erase(waiting.begin());
      for (const Index o : others) waiting.erase({degree(o), o});
      eliminate(n);
      for (const Index o : others) waiting.insert({degree(o), o});
    }
  }
  const std::vector<std::vector<Index>>& columns() const { return columns_; }
  const std::vector<Index>& order() const { return order_; }
  std::vector<Index> island_of(Index start, std::vector<bool>& seen) const {
    std::vector<Index> members{start};
    seen[std::size_t(start)] = true;
    for (std::size_t k = 0; k < members.size(); ++k)
      for (const Index o : neighbours_[std::size_t(members[k])])
        if (!seen[std::size_t(o)]) seen[std::size_t(o)] = true, members.push_back(o);
    std::ranges::sort(members);
    return members;
  }

 private:
  bool gone(Index n) const { return gone_[std::size_t(n)]; }
  std::size_t degree(Index n) const { return neighbours_[std::size_t(n)].size(); }
  void join(Index m, Index n) {
    neighbours_[std::size_t(m)].insert(n), neighbours_[std::size_t(n)].insert(m);
  }
  // What it was joined to is joined together.
  void eliminate(Index n) {
    const std::set<Index> others = std::move(neighbours_[std::size_t(n)]);
    neighbours_[std::size_t(n)].clear();
    for (const Index o : others) {
      std::set<Index>& of = neighbours_[std::size_t(o)];
      of.erase(n), of.insert(others.begin(), others.end()), of.erase(o);
    }
    gone_[std::size_t(n)] = true;
    order_.push_back(n), columns_.emplace_back(others.begin(), others.end());
  }
  // Bodies that one joint holds, with that joint.
  void peel(const std::vector<Index>& members) {
    std::priority_queue<Index, std::vector<Index>, std::greater<>> leaves;
    for (const Index n : members)
      if (n < bodies_ && degree(n) == 1) leaves.push(n);
    while (!leaves.empty()) {
      const Index body = leaves.top();
      leaves.pop();
      if (degree(body) != 1) continue;  // the last of two that one joint held
      const Index joint = *neighbours_[std::size_t(body)].begin();
      eliminate(body);
      const std::set<Index> others = neighbours_[std::size_t(joint)];
      eliminate(joint);
      for (const Index o : others)
        if (degree(o) == 1) leaves.push(o);
    }
  }

  Index bodies_;
  std::vector<std::set<Index>> neighbours_;
  std::vector<bool> gone_;
  std::vector<Index> order_;
  std::vector<std::vector<Index>> columns_;
};

void add_updates(JointOrder& o) {
  for (std::size_t k = 0; k + 1 < o.first.size(); ++k) {
    o.first_update.push_back(Index(o.updates.size()));
    for (Index j = o.first[k]; j < o.first[k + 1]; ++j)
      for (Index i = j; i < o.first[k + 1]; ++i) {
        const Index row = o.rows[std::size_t(i)], column = o.rows[std::size_t(j)];
        const auto begin = o.rows.begin() + o.first[std::size_t(column)],
                   end = o.rows.begin() + o.first[std::size_t(column) + 1];
        o.updates.push_back(
            row == column ? -1 - row : Index(std::lower_bound(begin, end, row) - o.rows.begin()));
      }
  }
  o.first_update.push_back(Index(o.updates.size()));
}

}  // namespace

JointOrder order_joints(const std::vector<JointEnds>& joints, Index bodies) {
  Elimination e(joints, bodies);
  std::vector<bool> seen(std::size_t(bodies) + joints.size());
  JointOrder o;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const Index node = bodies + Index(k);
    if (seen[std::size_t(node)]) continue;
    o.islands.push_back(Index(e.order().size()));
    e.run(e.island_of(node, seen));
  }
  o.islands.push_back(Index(e.order().size()));
  std::vector<Index> place(seen.size());
  for (const Index n : e.order()) {
    place[std::size_t(n)] = Index(o.nodes.size());
    o.nodes.push_back(n < bodies ? JointOrder::Node{n, -1} : JointOrder::Node{-1, n - bodies});
  }
  for (const std::vector<Index>& column : e.columns()) {
    o.first.push_back(Index(o.rows.size()));
    for (const Index n : column) o.rows.push_back(place[std::size_t(n)]);
    std::sort(o.rows.begin() + o.first.back(), o.rows.end());
  }
  o.first.push_back(Index(o.rows.size()));
  add_updates(o);
  return o;
}

namespace {

// As lib/bodies/joints/rigid_joints.h keeps them.
template <int D>
double bytes(const JointOrder& o, std::size_t joints, Index bodies) {
  using namespace rigid;
  constexpr int size = freedoms<D>;
  const double state = sizeof(VecT<double, size>) + sizeof(VecT<std::int32_t, Joint<D>::drives>) +
                       sizeof(VecT<double, Joint<D>::drives>) + sizeof(Spin<D>) +
                       sizeof(JointImpulse<D>);
  const double shown = 3 * sizeof(std::int32_t) + sizeof(VecT<double, D>) +
                       sizeof(JointImpulse<D>) + sizeof(VecT<double, Joint<D>::drives>);
  const double joint = state + shown + sizeof(Joint<D>) + sizeof(JointLink) +
                       size * sizeof(JointRow<D>) + sizeof(JointArms<D>) + sizeof(VecT<double, D>) +
                       sizeof(GeometricStiffness) + sizeof(JointImpulse<D>);
  const double node = sizeof(JointNode) + 2 * sizeof(Index) + sizeof(Block<size>) +
                      2 * sizeof(BlockColumn<size>) + sizeof(RattleState<D>) + sizeof(Weight<D>);
  return double(joints) * joint + double(o.nodes.size()) * node +
         double(o.rows.size()) * (sizeof(Index) + sizeof(Block<size>)) +
         double(o.updates.size()) * sizeof(Index) + double(bodies) * (sizeof(Vec<D>) + 1);
}

}  // namespace

double joint_bytes(const std::vector<JointEnds>& joints, Index bodies, int dim) {
  if (joints.empty()) return 0;
  const JointOrder o = order_joints(joints, bodies);
  return dim == 2 ? bytes<2>(o, joints.size(), bodies) : bytes<3>(o, joints.size(), bodies);
}

}  // namespace rtsim
