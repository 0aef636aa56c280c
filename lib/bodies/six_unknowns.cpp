#include "bodies/six_unknowns.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace rtsim {

Vector6 solve(const Matrix6& a, const Vector6& b) { return a.partialPivLu().solve(b); }
Matrix6 solve_columns(const Matrix6& a, const Matrix6& b) { return a.partialPivLu().solve(b); }
Matrix6 inverse(const Matrix6& a) { return a.inverse(); }

Vector6 solve_symmetric(const Matrix6& a, const Vector6& b) { return a.ldlt().solve(b); }
Matrix6 inverse_of_symmetric(const Matrix6& a) { return a.ldlt().solve(Matrix6::Identity()); }

}  // namespace rtsim
