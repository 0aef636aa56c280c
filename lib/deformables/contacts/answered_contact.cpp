#include "deformables/contacts/answered_contact.h"

#include <algorithm>
#include <cmath>

#include "contact/respond.h"
#include "deformables/contacts/kept_points.h"

namespace rtsim {

namespace {

constexpr int most_push_rounds = 8;
constexpr double least_pushed = 1e-4;

// The greatest s with  a s^2 + b s <= c.
double greatest_part(double a, double b, double c) {
  if (c < 0 && b >= 0) return 0;
  const double root = b * b + 4 * a * c;
  return root > 0 ? std::max(0., (std::sqrt(root) - b) / (2 * a)) : 0;
}

}  // namespace

AnsweredContact::AnsweredContact(const Exec& ex, Contact& contact)
    : ex_(ex),
      contact_(contact),
      free_position_(ex),
      free_velocity_(ex),
      impulse_(ex),
      change_(ex),
      total_(ex) {}

double AnsweredContact::resolve(World& world, int k, double h, const contact::Points& p,
                                const Answer& answer, double taken,
                                const std::function<bool()>& driven) {
  for (Buffer<Vec<3>>* each : {&impulse_, &change_, &total_}) each->resize(std::size_t(p.x.size));
  total_.zero(), prepared_ = answered_ = false;
  const Now now{world, k, h, p, answer};
  double first = 0;
  for (int n = 0; n < most_push_rounds; ++n) {
    const Pushed pushed = push(now, 0);
    first = std::max(first, pushed.alone);
    if (!(pushed.alone > least_pushed * first) || !(pushed.moved > 0)) break;
    take(p, pushed.alone / pushed.moved, h);
  }
  if (answered_) push_rest(now);
  double given = contact::work(ex_, total_.span(), p.v);
  if (given > 0 && driven()) given = 0;  // what moves held points and boundaries pays it
  taken -= given;
  taken -= recover(now, taken);
  stop_short(now);
  return taken;
}

void AnsweredContact::push_rest(const Now& now) {
  if (!(find_pushes(now, 0) > 0)) return;
  contact::respond_alone(ex_, now.points.w, impulse_.span(), change_.span());
  take(now.points, 1, now.h);
}

// Ways that would still lead through one another are shortened, first with what hangs on them.
void AnsweredContact::stop_short(const Now& now) {
  const contact::Points& p = now.points;
  for (int n = 0; n < most_push_rounds; ++n) {
    keep(p);
    contact_.stop_short(now.world, now.k, p);
    const double alone = contact::find_impulses(ex_, p.w, free_position_.span(), p.x,
                                                Real(1 / now.h), impulse_.span());
    if (!(alone > 0)) return;
    bring_back(p);
    respond(now);
    const double moved = contact::work(ex_, impulse_.span(), change_.span());
    if (!(moved > 0)) break;
    take(p, alone / moved, now.h);
  }
  contact_.stop_short(now.world, now.k, p);
}

// Moves out what is too near. Returns the energy that this gives, which is no more than `most`.
double AnsweredContact::recover(const Now& now, double most) {
  const contact::Points& p = now.points;
  const Pushed pushed = push(now, contact_.recovery() * now.h);
  if (!(pushed.alone > 0) || !(pushed.moved > 0)) return 0;
  // s times J and dv give s linear + s^2 moved
  const double linear = contact::work(ex_, impulse_.span(), p.v) +
                        contact::work(ex_, total_.span(), change_.span()),
               s = std::min(pushed.alone / pushed.moved, greatest_part(pushed.moved, linear, most));
  take(p, s, now.h);
  return s * (linear + s * pushed.moved);
}

// Velocities that lead out of what overlaps; as above.
double AnsweredContact::push_apart(const contact::Points& p, double taken) {
  keep(p);
  contact_.push_apart(p.x, p.v, p.w, p.h);
  const double moved =
      contact::find_impulses(ex_, p.w, free_velocity_.span(), p.v, 1, impulse_.span());
  if (!(moved > 0)) return taken;
  const double linear = contact::work(ex_, impulse_.span(), free_velocity_.span()),
               s = std::min(1., greatest_part(moved / 2, linear, taken));
  bring_back(p);
  contact::respond_alone(ex_, p.w, impulse_.span(), change_.span());
  take(p, s, 0);
  return taken - s * (linear + s * moved / 2);
}

// Impulses J of points alone; returns J . c. What was inside a boundary is moved out without a
// velocity.
double AnsweredContact::find_pushes(const Now& now, double recovery) {
  const contact::Points& p = now.points;
  keep(p);
  contact_.push(now.world, now.k, p, recovery, prepared_);
  prepared_ = true;
  const bool places = recovery > 0;
  const double alone =
      contact::find_impulses(ex_, p.w, places ? free_position_.span() : free_velocity_.span(),
                             places ? p.x : p.v, Real(places ? 1 / now.h : 1), impulse_.span());
  bring_back(p);
  return alone;
}

AnsweredContact::Pushed AnsweredContact::push(const Now& now, double recovery) {
  Pushed p{find_pushes(now, recovery)};
  if (!(p.alone > 0)) return p;
  respond(now);
  p.moved = contact::work(ex_, impulse_.span(), change_.span());
  return p;
}

void AnsweredContact::respond(const Now& now) {
  now.answer(impulse_.span(), now.h, change_.span(), answered_);
  answered_ = true;
}

void AnsweredContact::take(const contact::Points& p, double s, double h) {
  contact::take_round(ex_, {impulse_.span(), change_.span()}, Real(s), Real(h), p.x, p.v,
                      total_.span());
}

void AnsweredContact::keep(const contact::Points& p) {
  rtsim::keep(ex_, p.x, free_position_), rtsim::keep(ex_, p.v, free_velocity_);
}
void AnsweredContact::bring_back(const contact::Points& p) {
  rtsim::bring_back(ex_, free_position_, p.x), rtsim::bring_back(ex_, free_velocity_, p.v);
}

}  // namespace rtsim
