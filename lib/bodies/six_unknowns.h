#pragma once
#include <Eigen/Core>

namespace rtsim {

// Systems of six unknowns, the velocity and the spin of a body, which several laws solve.
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

Vector6 solve(const Matrix6& a, const Vector6& b);
Matrix6 solve_columns(const Matrix6& a, const Matrix6& b);
Matrix6 inverse(const Matrix6& a);

// Of a symmetric one without negative directions.
Vector6 solve_symmetric(const Matrix6& a, const Vector6& b);
Matrix6 inverse_of_symmetric(const Matrix6& a);

}  // namespace rtsim
