#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "device/loops.h"
#include "exec/buffer.h"
#include "exec/cuda.h"
#include "exec/profile.h"
#include "exec/sort.h"

// Loops, sums, scans and sorts wherever they can run: on threads, on a CUDA device where there is
// one, and on the device that is not there (the build with RTSIM_SIMT).
using namespace rtsim;

namespace {

std::vector<Exec> places() {
  std::vector<Exec> all{Exec::cpu(1), Exec::cpu(3), Exec::cpu(2).device_shaped()};
  if (cuda::device_count() > 0) all.push_back(Exec::cuda(0));
  return all;
}

std::vector<std::uint32_t> scattered_keys(Index n, std::uint32_t bins) {
  std::vector<std::uint32_t> keys;
  for (Index i = 0; i < n; ++i) keys.push_back(std::uint32_t(i) * 2654435761u % bins);
  return keys;
}

std::vector<Index> stable_order(const std::vector<std::uint32_t>& keys) {
  std::vector<Index> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return keys[std::size_t(a)] < keys[std::size_t(b)]; });
  return order;
}

}  // namespace

TEST_CASE("device: a loop visits every row once, for any number of rows") {
  for (const Exec& ex : places())
    for (Index n : {0, 1, 255, 256, 257, 5000}) {
      Buffer<Index> out(ex, std::size_t(n));
      loops::triple(ex, out.span());
      const auto host = out.download();
      for (Index i = 0; i < n; ++i) REQUIRE(host[std::size_t(i)] == 3 * i % 1000);
    }
}

// One tile, its last row missing, one row too many, many tiles, and tiles of tiles (4096^2 rows
// would be three levels).
TEST_CASE("device: sums fold all rows, whatever the number of tiles") {
  for (const Exec& ex : places())
    for (Index n : {1, 7, 255, 256, 4095, 4096, 4097, 100'003}) {
      double exact = 0;
      for (Index i = 0; i < n; ++i) exact += std::sin(0.37 * double(i));
      CHECK(loops::sum_of_waves(ex, n) == Approx(exact).margin(1e-15 * n));
      CHECK(double(loops::float_sum_of_waves(ex, n)) == Approx(exact).margin(1e-7 * n));
    }
}

TEST_CASE("device: a sum has the same bits each time") {
  for (const Exec& ex : places())
    CHECK(loops::float_sum_of_waves(ex, 50'000) == loops::float_sum_of_waves(ex, 50'000));
}

TEST_CASE("device: the greatest of rows is found wherever it is, and of none the identity") {
  for (const Exec& ex : places()) {
    CHECK(loops::greatest(ex, {}) == -1);
    for (Index at : {0, 255, 4095, 4096, 9999}) {
      std::vector<Index> values(10'000, 3);
      values[std::size_t(at)] = 7;
      const Buffer<Index> b(ex, values);
      CHECK(loops::greatest(ex, b.span()) == 7);
    }
  }
}

TEST_CASE("device: threads of a tile see what the others wrote in the phase before") {
  for (const Exec& ex : places())
    for (Index n : {1, 99, 100, 101, 5050}) {
      std::vector<Index> rows;
      for (Index i = 0; i < n; ++i) rows.push_back(i);
      const Buffer<Index> in(ex, rows);
      Buffer<Index> out(ex, rows.size());
      loops::turn_round(ex, in.span(), out.span());
      for (std::size_t k = 0; k < rows.size(); k += 100)
        std::reverse(rows.begin() + std::ptrdiff_t(k),
                     rows.begin() + std::ptrdiff_t(std::min(k + 100, rows.size())));
      CHECK(out.download() == rows);
    }
}

TEST_CASE("device: sums of many quantities at once fold with fewer threads") {
  for (const Exec& ex : places())
    for (Index n : {1, 100, 5000}) {
      const loops::Moments m = loops::moments(ex, n);
      for (Index k = 0; k < 40; ++k) {
        double exact = 0;
        for (Index i = 0; i < n; ++i) exact += double((i + k) % 7);
        CHECK(m.sum[k] == exact);
      }
    }
}

TEST_CASE("device: sort_by_key is stable, with few keys, many keys and huge ones") {
  for (const Exec& ex : places())
    for (std::uint32_t bins : {1u, 17u, 70'000u, 4'000'000'000u}) {
      const auto keys = scattered_keys(20'000, bins);
      const Buffer<std::uint32_t> k(ex, keys);
      Buffer<Index> order(ex, keys.size());
      sort_by_key(ex, "test", k.span(), bins, order.span());
      REQUIRE(order.download() == stable_order(keys));
    }
}

TEST_CASE("device: bin_by_key says where each bin starts, empty ones too, and of no rows") {
  for (const Exec& ex : places()) {
    const Buffer<std::uint32_t> k(ex, std::vector<std::uint32_t>{5, 0, 5, 2, 0});
    Buffer<Index> order(ex, 5), first(ex, 7);
    bin_by_key(ex, "test", k.span(), 6, order.span(), first.span());
    CHECK(order.download() == std::vector<Index>{1, 4, 3, 0, 2});
    CHECK(first.download() == std::vector<Index>{0, 2, 2, 3, 3, 3, 5});
    bin_by_key(ex, "test", Span<const std::uint32_t>{}, 6, order.span(), first.span());
    CHECK(first.download() == std::vector<Index>(7, 0));
  }
}

TEST_CASE("device: exclusive_scan sums what lies before, in place too") {
  for (const Exec& ex : places())
    for (Index n : {1, 255, 16384, 16385, 50'000}) {
      std::vector<Index> in(std::size_t(n), 0), expected(std::size_t(n), 0);
      Index sum = 0;
      for (Index i = 0; i < n; ++i) {
        in[std::size_t(i)] = i % 7, expected[std::size_t(i)] = sum;
        sum += i % 7;
      }
      Buffer<Index> values(ex, in);
      CHECK(exclusive_scan(ex, "test", values.span(), values.span()) == sum);
      CHECK(values.download() == expected);
    }
}

TEST_CASE("device: rows of any width are gathered") {
  for (const Exec& ex : places())
    for (std::size_t width : {1, 2, 4, 8, 12, 16, 20, 24, 28}) {
      constexpr Index n = 300;
      std::vector<unsigned char> from(n * width);
      for (std::size_t b = 0; b < from.size(); ++b)
        from[b] = static_cast<unsigned char>(b * 7 % 251);
      std::vector<Index> order;
      for (Index i = 0; i < n; ++i) order.push_back(i * 7 % n);
      const Buffer<unsigned char> source(ex, from);
      const Buffer<Index> rows(ex, order);
      Buffer<unsigned char> to(ex, from.size());
      gather_rows(ex, "test", to.data(), source.data(), rows.span(), width);
      const auto host = to.download();
      for (Index i = 0; i < n; ++i)
        for (std::size_t b = 0; b < width; ++b)
          REQUIRE(host[std::size_t(i) * width + b] ==
                  from[std::size_t(order[std::size_t(i)]) * width + b]);
    }
}

// More launches than are noted before they are read.
TEST_CASE("device: times of launches are noted by the device, and read later") {
  if (cuda::device_count() == 0) return;
  const Exec ex = Exec::cuda(0);
  Profile& p = ex.profile();
  p.device_times = p.trace = true;
  Buffer<Index> out(ex, 100);
  for (int k = 0; k < 5000; ++k) loops::triple(ex, out.span());
  p.collect();
  REQUIRE(p.rows().size() == 1);
  CHECK(p.rows()[0].launches == 5000);
  CHECK(p.rows()[0].rows == 500'000);
  REQUIRE(p.events().size() == 5000);
  for (std::size_t k = 1; k < p.events().size(); ++k)
    REQUIRE(p.events()[k].start >= p.events()[k - 1].start);
  CHECK(p.events().back().start + p.events().back().seconds <= p.now());
  CHECK(p.events().front().start >= 0);  // since the profile was made
}

TEST_CASE("device: what is reserved keeps its contents") {
  for (const Exec& ex : places()) {
    Buffer<Index> b(ex, std::vector<Index>{4, 5, 6});
    b.reserve(1000);
    CHECK(b.download() == std::vector<Index>{4, 5, 6});
    b.zero();
    CHECK(b.download() == std::vector<Index>{0, 0, 0});
  }
}
