#define RTSIM_KERNEL_TU
#include "exec/exec.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "exec/parallel.h"
#include "exec/sort.h"
#include "exec/team.h"

using namespace rtsim;

namespace {

struct Triple {
  Span<Index> out;
  RTSIM_HD void operator()(Index i) const { out[i] = 3 * i % 1000; }
};
struct CountFirst {
  Span<Index> out;
  RTSIM_HD void operator()(Index i) const { out[i] += i == 0; }
};
struct Wave {
  RTSIM_HD float operator()(Index i) const { return std::sin(0.37f * float(i)) * 1e3f; }
};

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

TEST_CASE("exec: parallel_for visits every row once, for any number of rows and threads") {
  for (int threads : {1, 2, 5})
    for (Index n : {0, 1, 1023, 1024, 5000, 100'003}) {
      const Exec ex = Exec::cpu(threads);
      Buffer<Index> out(ex, std::size_t(n));
      parallel_for(ex, "test", n, Triple{out.span()});
      const auto host = out.download();
      for (Index i = 0; i < n; ++i) REQUIRE(host[std::size_t(i)] == 3 * i % 1000);
    }
}

TEST_CASE("exec: loops that run together visit every row once, each loop after the one before") {
  for (int threads : {1, 2, 5}) {
    const Exec ex = Exec::cpu(threads);
    std::vector<Index> sizes{0, 1, 1000, 2000, 5000};
    with_resident_threads(ex, [&] {
      for (int round = 0; round < 200; ++round)
        for (Index n : sizes) {
          Buffer<Index> out(ex, std::size_t(n));
          parallel_for(ex, "test", n, Triple{out.span()});
          parallel_for(ex, "test", n, CountFirst{out.span()});
          for (Index i = 0; i < n; ++i)
            if (out.span()[i] != 3 * i % 1000 + (i == 0)) FAIL(threads << ' ' << n << ' ' << i);
        }
    });
  }
}

TEST_CASE("exec: what fails while threads run together says so, and leaves them to others") {
  const Exec ex = Exec::cpu(3);
  for (int round = 0; round < 20; ++round)
    CHECK_THROWS_AS(with_resident_threads(ex, [&] { throw Error(ExitCode::bad_input, "as told"); }),
                    Error);
  Buffer<Index> out(ex, 5000);
  with_resident_threads(ex, [&] {
    with_resident_threads(ex, [&] { parallel_for(ex, "test", 5000, Triple{out.span()}); });
  });
  for (Index i = 0; i < 5000; ++i) REQUIRE(out.span()[i] == 3 * i % 1000);
}

TEST_CASE("exec: what fails within a loop that runs together reaches its leader, wherever it ran") {
  const Exec ex = Exec::cpu(3);
  for (Index bad = 0; bad < 50; ++bad)
    with_resident_threads(ex, [&] {
      std::atomic<int> others{0};
      const auto loop = [&] {
        parallel_chunks(ex, "test", 50, 1, [&](Index k, Index) {
          if (k == bad) throw Error(ExitCode::bad_input, "as told");
          ++others;
        });
      };
      CHECK_THROWS_AS(loop(), Error);
      CHECK(others == 49);
      Buffer<Index> out(ex, 5000);
      parallel_for(ex, "test", 5000, Triple{out.span()});
      CHECK(out.span()[4999] == 3 * 4999 % 1000);
    });
}

TEST_CASE("exec: a reduction has the same bits on any number of threads") {
  for (Index n : {1, 7, 4096, 4097, 1'000'003}) {
    const float one = reduce(Exec::cpu(1), "test", n, 0.0f, Wave{}, Plus{});
    for (int threads : {2, 3, 7})
      CHECK(reduce(Exec::cpu(threads), "test", n, 0.0f, Wave{}, Plus{}) == one);
    double exact = 0;
    for (Index i = 0; i < n; ++i) exact += double(Wave{}(i));
    CHECK(double(one) == Approx(exact).margin(1e-7 * 1e3 * n));
  }
}

TEST_CASE("exec: an empty reduction is its identity") {
  CHECK(reduce(Exec::cpu(2), "test", 0, -1.0f, Wave{}, Max{}) == -1.0f);
}

TEST_CASE("exec: sort_by_key is stable, with few keys, many keys and huge ones") {
  for (int threads : {1, 2, 5})
    for (std::uint32_t bins : {1u, 17u, 70'000u, 4'000'000'000u}) {
      const Exec ex = Exec::cpu(threads);
      const auto keys = scattered_keys(50'000, bins);
      const Buffer<std::uint32_t> k(ex, keys);
      Buffer<Index> order(ex, keys.size());
      sort_by_key(ex, "test", k.span(), bins, order.span());
      REQUIRE(order.download() == stable_order(keys));
    }
}

TEST_CASE("exec: bin_by_key says where each bin starts, empty ones too") {
  const Exec ex = Exec::cpu(3);
  const std::vector<std::uint32_t> keys{5, 0, 5, 2, 0};
  const Buffer<std::uint32_t> k(ex, keys);
  Buffer<Index> order(ex, 5), first(ex, 7);
  bin_by_key(ex, "test", k.span(), 6, order.span(), first.span());
  CHECK(order.download() == std::vector<Index>{1, 4, 3, 0, 2});
  CHECK(first.download() == std::vector<Index>{0, 2, 2, 3, 3, 3, 5});
}

TEST_CASE("exec: exclusive_scan sums what lies before, in place too") {
  for (Index n : {1, 16384, 16385, 100'000}) {
    const Exec ex = Exec::cpu(2);
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

TEST_CASE("exec: large arrays do not start at one page offset") {
  const Exec ex = Exec::cpu(1);
  std::vector<Buffer<float>> arrays;
  std::vector<std::uintptr_t> offsets;
  for (int i = 0; i < 8; ++i) {
    arrays.emplace_back(ex, 1 << 20);
    offsets.push_back(reinterpret_cast<std::uintptr_t>(arrays.back().data()) % 4096);
    CHECK(offsets.back() % 64 == 0);
  }
  std::sort(offsets.begin(), offsets.end());
  CHECK(std::unique(offsets.begin(), offsets.end()) == offsets.end());
}

TEST_CASE("exec: memory is counted and given back") {
  const Exec ex = Exec::cpu(1);
  {
    const Buffer<double> b(ex, 1000);
    CHECK(ex.bytes_in_use() >= 8000);
  }
  CHECK(ex.bytes_in_use() == 0);
  CHECK(ex.peak_bytes() >= 8000);
}

TEST_CASE("exec: a device that is not there is refused by name") {
  if (cuda::device_count() > 0) return;
  try {
    Exec::cuda(0);
    FAIL("accepted");
  } catch (const Error& e) {
    CHECK(e.code() == ExitCode::no_device);
    CHECK(std::string(e.what()).find("--device cpu") != std::string::npos);
  }
}
