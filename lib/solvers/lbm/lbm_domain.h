#pragma once
#include "grids/solids.h"
#include "lbm/measures.h"
#include "solvers/lbm/lbm.h"
#include "solvers/lbm/lbm_regions.h"
#include "solvers/lbm/lbm_units.h"

namespace rtsim {

// Where the fluid is: faces, obstacles, spans of fluid cells and links through walls. All can be
// rebuilt from the scene and the poses of moving boundaries.
template <int D>
class LbmDomain {
 public:
  LbmDomain(World&, const LbmParams&);

  const lbm::Layout& layout() const { return layout_; }
  Span<const std::uint8_t> solid() const { return solid_.span(); }
  lbm::Walk walk() const;

  // Cells that obstacles cover as they are now, at rest. Throws Error{bad_input} where no fluid is
  // left.
  void mark(World&);
  // Links, in lattice units times `scale`.
  void prepare(World&, const LbmUnits&, Real scale);
  // To where solids are then (Solids::update). What is covered goes to the cells around, in the
  // region that it was of.
  template <class Stored>
  void move(World&, double before_end, double ahead, const lbm::Law<D>&,
            const lbm::Populations<D, Stored>&, const lbm::Output<D>&);

  // s u, the mean over its cells that inlets at `ramp` and obstacles press out of each pressure
  // face.
  double outflow(Real ramp) const { return (double(ramp) * inlets_ + pushed_) / open_cells_; }
  bool open() const { return open_cells_ > 0; }

  double greatest_wall_speed() const { return wall_speed_; }  // [m/s] of faces and obstacles
  // Obstacles too thin for any cell.
  const std::vector<std::string>& unfelt() const { return unfelt_; }
  const std::string& mended() const { return solids_.mended(); }

  // The series of forces: obstacles, and faces that are walls.
  struct Taker {
    std::string name;
    int wall;  // of lbm::Link
  };
  const std::vector<Taker>& takers() const { return takers_; }
  static int wall_of(std::size_t solid) { return 6 + int(solid); }
  // What a wall took in the step that left `last`, lattice units times `scale`.
  template <class Stored>
  lbm::Wrench wrench(const Exec&, const lbm::Law<D>&, const lbm::Populations<D, Stored>& last,
                     int wall);
  // How that answers to the wall's own speed, about the centre of its body.
  lbm::Response response(const Exec&, int wall);
  // Bodies go on otherwise in this step: what comes back from them, again.
  template <class Stored>
  void set_motion(World&, const std::vector<SolidMotion>&, const lbm::Law<D>&,
                  const lbm::Populations<D, Stored>&);
  void predict(const std::vector<SolidMotion>& m) { solids_.predict(m); }
  const Solids& solids() const { return solids_; }
  const GridShape& grid() const { return grid_; }
  template <class Stored>
  lbm::FaceFlow face_flow(const Exec& ex, const lbm::Law<D>& law,
                          const lbm::Populations<D, Stored>& last, int face) const {
    return lbm::face_flow<D, Stored>(ex, cells(), law, last, face);
  }

 private:
  Span<const Index> links_of(int wall);
  lbm::Periods periods() const;
  lbm::Cells cells() const;
  void check_faces(const LbmParams&) const;
  void check_balance(const LbmParams&) const;
  void find_tracks(const Exec&);
  void find_regions();
  struct Balance {            // of a region
    double net = 0, all = 0;  // s u of inlets, and their sum without signs
    double pushed = 0, open_cells = 0;
    Index cell = -1;  // of an inlet
    bool open() const { return open_cells > 0; }
  };
  std::vector<Balance> balances(const std::vector<lbm::Link>&) const;
  void check_regions(const std::vector<Balance>&) const;
  void sort_obstacle_links(const std::vector<lbm::Link>&);
  void owe(const std::vector<lbm::Changed>&);

  LbmParams p_;
  GridShape grid_;
  lbm::Layout layout_;
  Solids solids_;
  LbmUnits units_;
  Real scale_ = 1;
  lbm::Faces faces_;
  Buffer<std::uint8_t> solid_;
  lbm::Tracks tracks_, before_;  // now and before obstacles moved
  double wall_speed_ = 0;
  std::vector<std::string> unfelt_;
  std::vector<Taker> takers_;
  LbmRegions regions_;
  Buffer<lbm::Link> obstacle_links_;  // by region
  std::vector<lbm::ObstacleLinks::Region> region_links_;
  double inlets_ = 0, pushed_ = 0, open_cells_ = 0;  // s u into regions with an end
  Buffer<Index> order_;                              // links by wall
  std::vector<Index> first_order_;                   // by wall; empty where links changed
};

}  // namespace rtsim
