#include "pbd/fine_motion.h"

#include "exec/parallel.h"

namespace rtsim::pbd {

namespace {

RTSIM_HD Row4 row(const Vec3d& x, Real w) { return {Real(x[0]), Real(x[1]), Real(x[2]), w}; }

struct BeginFine {
  Points p;
  Fine fine;
  RTSIM_HD void operator()(Index k) const {
    const Index i = fine.rows[k];
    fine.place[k] = widen(p.position[i]), fine.velocity[k] = widen(p.velocity[i]);
  }
};

struct PredictFine {
  Substep s;
  Fine fine;
  Moving m;
  RTSIM_HD void operator()(Index k) const {
    const Index i = fine.rows[k];
    const double h = double(s.h);
    const Vec3d v = double(s.kept) * fine.velocity[k] + h * widen(s.gravity);
    fine.velocity[k] = v;
    m.place[i] = row(fine.place[k] + h * v, m.place[i].w);
  }
};

struct SettleFine {
  Real h;
  Fine fine;
  RTSIM_HD void operator()(Index k) const {
    Row4& moved = fine.moved[fine.rows[k]];
    const Vec3d shift{{double(moved.x), double(moved.y), double(moved.z)}};
    const double h = double(this->h);
    fine.place[k] = fine.place[k] + h * fine.velocity[k] + shift;
    fine.velocity[k] = fine.velocity[k] + (1 / h) * shift;
    moved = {};
  }
};

struct GiveFine {
  Fine fine;
  Points p;
  RTSIM_HD void operator()(Index k) const {
    const Index i = fine.rows[k];
    p.position[i] = narrow<3>(fine.place[k]), p.velocity[i] = narrow<3>(fine.velocity[k]);
  }
};

RTSIM_HD void resume(Vec3d& kept, const Vec<3>& given) {
  for (int a = 0; a < 3; ++a)
    if (Real(kept[a]) != given[a]) kept[a] = double(given[a]);
}

struct ResumeFine {
  Points p;
  Fine fine;
  RTSIM_HD void operator()(Index k) const {
    const Index i = fine.rows[k];
    resume(fine.place[k], p.position[i]), resume(fine.velocity[k], p.velocity[i]);
  }
};

}  // namespace

void begin_fine(const Exec& ex, const Points& p, const Fine& fine) {
  parallel_for(ex, "pbd.begin_fine", fine.rows.size, BeginFine{p, fine});
}

void predict_fine(const Exec& ex, const Substep& s, const Fine& fine, const Moving& m) {
  parallel_for(ex, "pbd.predict_fine", fine.rows.size, PredictFine{s, fine, m});
}

void settle_fine(const Exec& ex, Real h, const Fine& fine) {
  parallel_for(ex, "pbd.settle_fine", fine.rows.size, SettleFine{h, fine});
}

void give_fine(const Exec& ex, const Fine& fine, const Points& p) {
  parallel_for(ex, "pbd.give_fine", fine.rows.size, GiveFine{fine, p});
}

void resume_fine(const Exec& ex, const Points& p, const Fine& fine) {
  parallel_for(ex, "pbd.resume_fine", fine.rows.size, ResumeFine{p, fine});
}

}  // namespace rtsim::pbd
