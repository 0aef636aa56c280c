#pragma once
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace rtsim {

// How far two numbers may lie apart: abs + rel times the larger of both.
struct Tolerance {
  double abs = 0, rel = 0;
};

// Tolerances by name. Of the patterns that fit ("wcsph.*", "water.velocity") the last one counts.
class Tolerances {
 public:
  Tolerances() = default;
  explicit Tolerances(Tolerance otherwise) : otherwise_(otherwise) {}
  // "PATTERN=rel:1e-3,abs:1e-6", either or both; throws Error{usage}.
  void add(const std::string& rule);
  Tolerance of(const std::string& name) const;

 private:
  struct Rule {
    std::string pattern;
    Tolerance tolerance;
  };
  Tolerance otherwise_;
  std::vector<Rule> rules_;
};

// Whether a name fits one of the shell patterns (*, ?, [...]); no patterns: every name does.
bool fits(const std::vector<std::string>& patterns, const std::string& name);

// Two numbers that lie further apart than they may.
struct Difference {
  std::string where;  // "step 240, t = 0.5 s"; "frame 12, id 4711, x"
  double a = 0, b = 0;
  double excess = 0;  // over what is allowed
};

// What came of one series or one column.
struct Compared {
  std::string name;  // "wcsph.water.kinetic_energy", "water.velocity"
  std::string unit;
  long values = 0, different = 0;
  std::optional<Difference> first, worst;

  // Notes a pair that lies `excess` further apart than it may; `where` says where, as a text.
  template <class Where>
  void note(double a, double b, double excess, const Where& where) {
    ++different;
    if (first && !(excess > worst->excess)) return;
    const Difference d{where(), a, b, excess};
    if (!first) first = d;
    worst = d;
  }
  // Of the same name, of later rows or frames.
  void append(const Compared& later);
};

// By how much a and b lie further apart than they may: above 0 they differ. NaN is like NaN alone,
// an infinity like itself; `size` is what the relative tolerance is of.
inline double excess(const Tolerance& t, double a, double b, double size) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double apart = std::abs(a - b);
  if (!std::isfinite(apart)) return INFINITY;
  return apart - (t.abs + t.rel * size);
}

struct Comparison {
  std::vector<Compared> series, columns;
  std::vector<std::string> faults;  // what B lacks of A, or has otherwise
  std::vector<std::string> notes;   // what is no difference, but should be known
  long frames = 0, same_files = 0;

  bool equal() const;
};

}  // namespace rtsim
