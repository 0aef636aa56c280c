#include "pictures/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/nearest.h"

namespace rtsim {

namespace {

// use(values) with the numbers of a column as what they are.
template <class Use>
void with_numbers(const FrameColumn& c, const Use& use) {
  const std::byte* bytes = c.bytes.data();
  switch (c.type.scalar) {
    case Scalar::f32:
      return use(reinterpret_cast<const float*>(bytes));
    case Scalar::f64:
      return use(reinterpret_cast<const double*>(bytes));
    case Scalar::i32:
      return use(reinterpret_cast<const std::int32_t*>(bytes));
    case Scalar::u32:
      return use(reinterpret_cast<const std::uint32_t*>(bytes));
    case Scalar::i64:
      return use(reinterpret_cast<const std::int64_t*>(bytes));
    case Scalar::u8:
      return use(reinterpret_cast<const std::uint8_t*>(bytes));
  }
}

template <class T>
double length(const T* v, std::size_t width) {
  double squares = 0;
  for (std::size_t k = 0; k < width; ++k) squares += double(v[k]) * double(v[k]);
  return std::sqrt(squares);
}

[[noreturn]] void refuse(const FrameObject& o, const std::string& name) {
  std::vector<std::string> names;
  for (const FrameColumn& c : o.columns) names.push_back(c.name);
  throw Error(ExitCode::bad_input,
              fmt::format("'{}' has no column \"{}\"{}; it has: {}", o.name, name,
                          did_you_mean(name, names), fmt::join(names, ", ")));
}

// "velocity.y" is component 1 of velocity.
int component_of(const std::string& name) {
  const std::size_t n = name.size();
  return n > 2 && name[n - 2] == '.' && name[n - 1] >= 'x' && name[n - 1] <= 'z' ? name[n - 1] - 'x'
                                                                                 : -1;
}

}  // namespace

const FrameColumn* find_column(const FrameObject& o, const std::string& name) {
  const auto c = std::ranges::find(o.columns, name, &FrameColumn::name);
  return c == o.columns.end() ? nullptr : &*c;
}

std::vector<float> numbers_of(const FrameObject& o, const std::string& name) {
  const int component = component_of(name);
  const FrameColumn* c = find_column(o, component < 0 ? name : name.substr(0, name.size() - 2));
  if (!c || component >= c->type.components) refuse(o, name);
  const std::size_t width = std::size_t(c->type.components);
  std::vector<float> out(std::size_t(o.rows));
  with_numbers(*c, [&](const auto* v) {
    const std::size_t one = component < 0 ? 0 : std::size_t(component);
    if (component >= 0 || width == 1)
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = float(v[i * width + one]);
    else
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = float(length(v + i * width, width));
  });
  return out;
}

std::vector<Vec3f> vectors_of(const FrameObject& o, const std::string& name) {
  const FrameColumn* c = find_column(o, name);
  if (!c || c->type.components < 2) refuse(o, name);
  const std::size_t width = std::size_t(c->type.components);
  std::vector<Vec3f> out(std::size_t(o.rows));
  with_numbers(*c, [&](const auto* v) {
    for (std::size_t i = 0; i < out.size(); ++i)
      for (std::size_t k = 0; k < std::min<std::size_t>(width, 3); ++k)
        out[i][int(k)] = float(v[i * width + k]);
  });
  return out;
}

}  // namespace rtsim
