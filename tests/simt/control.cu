#include "simt/control.h"

#include <cmath>
#include <cstdio>
#include <memory>

#include "exec/parallel.h"

// Mistakes on purpose, one for each name: the device that is not there has to see every one of
// them, and none in what is right. tests/simt/test_simt.py says what it has to say.
using namespace rtsim;

namespace {

constexpr Index rows = 1000;

struct FromHost {
  Span<float> a;
  const float* host;
  RTSIM_HD void operator()(Index i) const { a[i] = *host; }
};

struct Through {
  Span<float> a;
  Span<const float* const> pointers;
  RTSIM_HD void operator()(Index i) const { a[i] = *pointers[0]; }
};

struct Neighbour {
  Span<float> a;
  RTSIM_HD void operator()(Index i) const {
    if (i > 0) a[i] = a[i - 1] + 1;
  }
};

struct Count {
  Span<Index> n;
  RTSIM_HD void operator()(Index) const { n[0] += 1; }
};

struct Last {
  Span<Index> n;
  RTSIM_HD void operator()(Index i) const { n[0] = i; }
};

struct Raise {
  Span<Index> flag;
  RTSIM_HD void operator()(Index) const { flag[0] = 1; }
};

struct Fill {
  Span<float> a;
  Index shift = 0;
  RTSIM_HD void operator()(Index i) const { a[i + shift] = float(i); }
};

struct Read {
  Span<const float> a;
  Index shift = 0;
  RTSIM_HD float operator()(Index i) const { return a[i + shift]; }
};

float sum(const Exec& ex, const Read& read) {
  return reduce(ex, "control.sum", rows, 0.0f, read, Plus{});
}

}  // namespace

int rtsim::control(const Exec& ex, const std::string& what) {
  Buffer<float> a(ex, rows);
  Buffer<Index> n(ex, 1);
  n.zero();
  if (what == "unwritten") return std::isnan(sum(ex, {a.span()})) ? 0 : 1;
  parallel_for(ex, "control.fill", rows, Fill{a.span()});
  if (what == "right") {
    parallel_for(ex, "control.flag", rows, Raise{n.span()});
    return n.download()[0] == 1 && sum(ex, {a.span()}) == float(rows * (rows - 1) / 2) ? 0 : 1;
  }
  const auto host = std::make_unique<float>(3.0f);
  if (what == "host_pointer")
    parallel_for(ex, "control.pointer", rows, FromHost{a.span(), host.get()});
  if (what == "hidden_pointer") {
    const Buffer<const float*> pointers(ex, std::vector<const float*>{host.get()});
    parallel_for(ex, "control.pointer", rows, Through{a.span(), pointers.span()});
  }
  if (what == "host_reads") std::printf("%g\n", double(a.data()[3]));
  if (what == "host_writes") a.data()[3] = 1;
  if (what == "neighbour") parallel_for(ex, "control.race", rows, Neighbour{a.span()});
  if (what == "lost_update") parallel_for(ex, "control.race", rows, Count{n.span()});
  if (what == "last_writer") parallel_for(ex, "control.race", rows, Last{n.span()});
  if (what == "writes_past_end") parallel_for(ex, "control.past", rows, Fill{a.span(), 1});
  if (what == "reads_past_end") sum(ex, {a.span(), 1});
  if (what == "freed") {
    const Span<float> gone = Buffer<float>(ex, rows).span();
    sum(ex, {gone});
  }
  float two[2];
  if (what == "download_too_long") ex.download(two, a.data() + rows - 1, sizeof two);
  if (what == "download_from_host") ex.download(two, host.get(), sizeof *host);
  if (what == "upload_to_host") ex.upload(two, host.get(), sizeof *host);
  if (what == "upload_from_device") ex.upload(a.data(), a.data() + 1, sizeof(float));
  if (what == "zeroes_too_much") ex.zero(a.data(), (rows + 1) * sizeof(float));
  return 0;
}
