#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"

// The system of the coarse space, solved by levels: its groups form larger ones that move as rigid
// bodies too, those again, and so on up to a few, whose system is solved as it is. A solve goes
// once up and down (a V of Multigrid: Briggs, Henson & McCormick, "A Multigrid Tutorial", 2000),
//   x = B r:  x = W r;  x += o T B' T^T (r - A x);  x += W (r - A x),
// with B' the solve of the level above, W = w D^-1 the inverses of each group's own block, T what
// groups do as parts of larger ones, and A' = T^T A T.
//   It is symmetric, and positive for any o, where eigenvalues of w D^-1 A are below 2. An element
// that has points in n groups is no stiffer than n times its parts in each alone, hence A <= n D,
// and w = 2/n leaves none above. Rigid groups are stiffer than what they stand for, as all that
// bends is the gap between them; of two in each direction by 2, and o nearly makes up for it
// (Braess, "Towards Algebraic Multigrid for Elliptic Problems of Second Order", Computing 1995).
namespace rtsim::fem {

using Six = VecT<double, 6>;      // of a group: velocity and angular velocity, or force and moment
using Block6 = VecT<double, 36>;  // by rows

// The blocks of row g, other than its own, are first[g] to first[g + 1] - 1.
struct GroupMatrix {
  Span<const Index> first, column;
  Span<Block6> blocks, own;
};

struct GroupLevel {
  GroupMatrix A;
  Span<Block6> smoother;          // W; of the last level none
  Span<Six> x, r, rest;           // rest = r - A x
  Span<Vec3d> place;              // of a group: the mean of its parts
  Span<Vec3d> arm;                // from the place of the larger group to that of each
  Span<const Index> first, part;  // its parts in the level below
  Span<const Index> parent;       // its group in the level above
};

// Places of the groups above, and the arms of their parts.
void find_arms(const Exec&, const GroupLevel& below, const GroupLevel& above);

// A' of the level above. Its block b is the sum of T^T A_k T of blocks k = term[e] of the level
// below, e from first[b] to first[b + 1] - 1; block k is of row[k].
struct GroupTerms {
  Span<const Index> first, term, row;
};
void assemble(const Exec&, const GroupLevel& below, const GroupTerms&, const GroupLevel& above);
// W, where unknowns that are not positive are left out, as if they were held.
void invert_own(const Exec&, const GroupLevel&, double w);

void begin(const Exec&, const GroupLevel&);  // x = W r
// r of the level above, T^T (r - A x)
void restrict_to(const Exec&, const GroupLevel&, const GroupLevel& above);
// x += o T x of the level above, x += W (r - A x)
void finish(const Exec&, const GroupLevel&, const GroupLevel& above);

}  // namespace rtsim::fem
