#include "pictures/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/nearest.h"

namespace rtsim {

namespace {

template <class T>
double number(const FrameColumn& c, std::size_t k) {
  T value;
  std::memcpy(&value, c.bytes.data() + k * sizeof value, sizeof value);
  return double(value);
}

double number(const FrameColumn& c, std::size_t k) {
  switch (c.type.scalar) {
    case Scalar::f32:
      return number<float>(c, k);
    case Scalar::f64:
      return number<double>(c, k);
    case Scalar::i32:
      return number<std::int32_t>(c, k);
    case Scalar::u32:
      return number<std::uint32_t>(c, k);
    case Scalar::i64:
      return number<std::int64_t>(c, k);
    case Scalar::u8:
      return number<std::uint8_t>(c, k);
  }
  return 0;
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
  for (std::size_t i = 0; i < out.size(); ++i) {
    double squares = 0;
    for (std::size_t k = 0; k < width; ++k) {
      const double v = number(*c, i * width + k);
      squares += v * v;
    }
    out[i] = float(component >= 0 ? number(*c, i * width + std::size_t(component))
                   : width == 1   ? number(*c, i)
                                  : std::sqrt(squares));
  }
  return out;
}

std::vector<Vec3f> vectors_of(const FrameObject& o, const std::string& name) {
  const FrameColumn* c = find_column(o, name);
  if (!c || c->type.components < 2) refuse(o, name);
  const std::size_t width = std::size_t(c->type.components);
  std::vector<Vec3f> out(std::size_t(o.rows));
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::size_t k = 0; k < std::min<std::size_t>(width, 3); ++k)
      out[i][int(k)] = float(number(*c, i * width + k));
  return out;
}

}  // namespace rtsim
