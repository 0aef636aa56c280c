#include <catch2/catch.hpp>

#include "param/field_text.h"

using namespace rtsim;

TEST_CASE("interval: times have a unit and are printed in the largest that is whole") {
  const std::pair<const char*, const char*> cases[] = {{"5 min", "5 min"},  {"300s", "5 min"},
                                                       {"0.5 h", "30 min"}, {"90 s", "90 s"},
                                                       {"2 h", "2 h"},      {"0.25 s", "0.25 s"}};
  for (const auto& [text, printed] : cases) {
    FramesOrTime every;
    REQUIRE(parse_interval(text, every));
    CHECK(interval_text(every) == printed);
  }
}

TEST_CASE("interval: other texts are refused") {
  FramesOrTime every;
  for (const char* text : {"", "5", "min", "5 days", "-5 min", "0 s", "nan s", "inf h", "1e300 s"})
    CHECK_FALSE(parse_interval(text, every));
}
