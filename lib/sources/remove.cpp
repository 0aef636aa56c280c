#include "sources/remove.h"

#include <algorithm>
#include <cmath>

#include "remove/remove.h"
#include "sources/half_space.h"
#include "stage/fed.h"

namespace rtsim {

void describe(Describe& d, RemoveParams& p) {
  static constexpr const char* fluids[] = {"particles"};
  d.role("fluid", p.fluid, fluids, "The particles that it takes from.");
  d.nested("shape", p.shape, "Particles inside it go. Closed.", "shape", Need::required);
  d("outside", p.outside, "Those outside of it go instead, and those on its surface.");
  d.nested("motion", p.motion, "How the shape moves.", "motion");
  describe_deformation(d, p.deformation, p.shape ? &*p.shape : nullptr,
                       "How the corners of its mesh move, as the frames of an animation or of "
                       "another run have them, on top of its motion.");
}

namespace {

bool untouched(const ShapeSpec& s) {
  return !s.inside && s.transform.translate == Vec3d{} && s.transform.angle == 0 &&
         s.transform.scale == 1;
}

class Remove final : public Stage {
 public:
  Remove(const RemoveParams& p, World& world, const std::string& name)
      : p_(p),
        state_(name + ".state"),
        fed_(world, name),
        shape_(make_shape(*p.shape, world.dim)),
        dim_(world.dim),
        doomed_(world.exec) {
    if (!shape_->closed())
      throw Error(ExitCode::bad_input,
                  "the mesh is not closed, so it has no inside to remove from; close its holes");
    if (p.deformation) frames_ = make_animated_shape(*p.shape, *p.deformation);
    world.add_table(state_, 1).add<std::int64_t>({"removed", ""});
    world.sinks[p.fluid.name].push_back(
        {[this](double time, region::HalfSpaces& region) { region = reach(time); }, p.outside});
  }

  void advance(World& world, const Step& step) override {
    follow(step.end());
    Table& t = world.table(p_.fluid.name);
    doomed_.resize(std::size_t(t.rows()));
    if (dim_ == 2)
      doom<2>(world, t, step.end());
    else
      doom<3>(world, t, step.end());
    const Index gone = t.remove(doomed_.span());
    if (gone == 0) return;
    const std::int64_t all = removed(world) + gone;
    world.exec.upload(world.table(state_).column<std::int64_t>("removed").data, &all, sizeof all);
  }

  std::string warning(World&) const override { return frames_ ? frames_->warning() : ""; }

  void measure(World& world, std::vector<Measurement>& out) const override {
    out.push_back({p_.fluid.name + ".removed", double(removed(world)), ""});
    fed_.measure(world, p_.fluid.name, out);
  }

  Feed feed(World& world) const override {
    Feed feed;
    feed.potential = fed_.potential(world);
    return feed;
  }

  std::vector<ColumnUse> uses() const override {
    return {{p_.fluid.name, "position", Access::read}};
  }

 private:
  std::int64_t removed(World& world) const {
    return world.table(state_).download<std::int64_t>("removed")[0];
  }

  void follow(double time) {
    if (frames_) shape_ = frames_->shape_at(time);
  }

  // Half-spaces say all of a box and of a plane; of other shapes they are the bounds.
  bool exact() const { return (p_.shape->box || p_.shape->plane) && untouched(*p_.shape); }

  region::HalfSpaces half_spaces(const Pose& pose) const {
    region::HalfSpaces region;
    if (p_.shape->plane && untouched(*p_.shape)) {
      Vec3d m = p_.shape->plane->normal;
      if (dim_ == 2) m[2] = 0;
      add_half_space(region, pose, m, dot(m, p_.shape->plane->point));
      return region;
    }
    const Bounds b = shape_->bounds();
    for (int a = 0; a < dim_; ++a) {
      Vec3d m;
      m[a] = 1;
      if (std::isfinite(b.max[a])) add_half_space(region, pose, m, b.max[a]);
      if (std::isfinite(b.min[a])) add_half_space(region, pose, -m, -b.min[a]);
    }
    return region;
  }

  // At least where it takes from: beyond the bounds of a shape is not all that is beyond the shape.
  region::HalfSpaces reach(double time) {
    region::HalfSpaces region;
    follow(time);
    if (!p_.outside || exact()) return half_spaces(pose_at(p_.motion, time));
    region.offset[region.count++] = -1;  // 0 < -1: nothing is inside
    return region;
  }

  template <int D>
  void doom(World& world, Table& t, double time) {
    mark<D>(world, t, time);
    const removal::Leaving l =
        removal::leaving<D>(world.exec, doomed_.span(), t.column<const Vec<D>>("position"),
                            t.column<const Vec<D>>("velocity"));
    double potential = 0;  // [J/kg]
    for (int k = 0; k < 3; ++k) potential -= world.gravity[std::size_t(k)] * l.place[k];
    const double m = world.object(p_.fluid.name).row_mass;
    if (l.kinetic != 0 || potential != 0) fed_.add(world, -m * l.kinetic, -m * potential);
  }

  template <int D>
  void mark(World& world, Table& t, double time) {
    const Pose pose = pose_at(p_.motion, time);
    removal::mark<D>(world.exec, half_spaces(pose), p_.outside, t.column<const Vec<D>>("position"),
                     doomed_.span());
    if (!exact()) look_closely<D>(t, pose);
  }

  // One particle at a time, and only those within the bounds of the shape.
  template <int D>
  void look_closely(Table& t, const Pose& pose) {
    std::vector<std::uint32_t> doomed = doomed_.download();
    const std::uint32_t doubtful = p_.outside ? 0 : 1;
    if (std::ranges::find(doomed, doubtful) == doomed.end()) return;
    const std::vector<Vec<D>> position = t.download<Vec<D>>("position");
    for (std::size_t i = 0; i < doomed.size(); ++i) {
      if (doomed[i] != doubtful) continue;
      const double d = shape_->distance(pose.to_local(widen(position[i])));
      doomed[i] = p_.outside ? d >= 0 : d < 0;
    }
    doomed_.upload(doomed);
  }

  RemoveParams p_;
  std::string state_;
  Fed fed_;
  std::unique_ptr<Shape> shape_;                 // before its motion
  std::unique_ptr<const AnimatedShape> frames_;  // which the shape follows, if it deforms
  int dim_;
  Buffer<std::uint32_t> doomed_;
};

std::unique_ptr<Stage> make_remove(const RemoveParams& p, World& world, const std::string& name) {
  return std::make_unique<Remove>(p, world, name);
}

}  // namespace

StageType remove_type() {
  return stage_type(
      "remove", "Takes particles out of a fluid: drains, and the end of the domain.",
      "Own: compaction that keeps the order of the rows",
      {"Looks at the end of a step only: what crosses a thin shape within a step stays.",
       "Takes mass and momentum out of the run.",
       "Shapes other than boxes and planes are tested on the host, which costs time."},
      "docs/particle_fluids.md", make_remove);
}

}  // namespace rtsim
