#pragma once
#include <functional>

#include "deformables/contacts/contact.h"

namespace rtsim {

// Contact pushes points as if each were alone, but what holds them together takes others along
// within the step: pushed alone, the points of a stiff surface strain its elements by more energy
// than their motion had. So pushes count as impulses J alone, and solvers say what velocities dv
// come of them:
//   v += s dv,  x += h s dv,  s = J . c / J . dv
// with the changes c of points alone, so that what is pushed goes as far. Rounds go on with what
// is left over, until it is so little that points may well be pushed alone.
//   An implicit step that ends with velocities v is given no more than J . v by impulses J: its
// elastic energy is convex on the way. Rounds only keep ways from leading nearer, so J . v <= 0,
// and what is too near stays so. What they took is kept count of, and parts what is too near, or
// overlaps, as long as it lasts: contact never gives more than it took before.
class AnsweredContact {
 public:
  // dv of J, after impulses that the last call in this step had; `again`: from the same state.
  using Answer =
      std::function<void(Span<const Vec<3>> impulse, double h, Span<Vec<3>> change, bool again)>;

  AnsweredContact(const Exec&, Contact&);

  // Instead of Contact::resolve, in substep k of length h, where contact may give `taken` [J], and
  // more where held points or boundaries move, `driven`. Returns what it may give after that.
  double resolve(World&, int k, double h, const contact::Points&, const Answer&, double taken,
                 const std::function<bool()>& driven);
  // After the last substep, as Contact::push_apart; likewise.
  double push_apart(const contact::Points&, double taken);
  // All impulses of the last substep; none where nothing was pushed.
  bool pushed() const { return answered_; }
  Span<const Vec<3>> impulses() const { return total_.span(); }

 private:
  struct Pushed {
    double alone = 0;  // J . c [J]
    double moved = 0;  // J . dv [J]
  };
  struct Now {
    World& world;
    int k;
    double h;
    const contact::Points& points;
    const Answer& answer;
  };
  double find_pushes(const Now&, double recovery);
  Pushed push(const Now&, double recovery);
  void push_rest(const Now&);
  void stop_short(const Now&);
  double recover(const Now&, double most);
  void respond(const Now&);
  void take(const contact::Points&, double s, double h);  // x += h s dv, v += s dv
  void keep(const contact::Points&);
  void bring_back(const contact::Points&);

  Exec ex_;
  Contact& contact_;
  Buffer<Vec<3>> free_position_, free_velocity_;  // before contact
  Buffer<Vec<3>> impulse_, change_, total_;       // of a round, and of all of a substep
  bool prepared_ = false, answered_ = false;      // in this substep
};

}  // namespace rtsim
