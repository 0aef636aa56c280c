#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "param/json_text.h"

using namespace rtsim;

namespace {

JsonText with(const std::string& set) {
  JsonText text =
      parse_json(R"({ "time": { "fps": 50 }, "list": [ { "a~/b": 1 }, 2 ] })", "s.json");
  apply_override(text, set);
  return text;
}

std::string value(const std::string& set) { return with(set).value->dump(); }
std::string complaint(const std::string& set) {
  const JsonText text = with(set);
  return text.lines(text.problems);
}

}  // namespace

TEST_CASE("override: JSON is put as it is, anything else as a text") {
  CHECK(value("/time/fps=1e-3") == R"({"list":[{"a~/b":1},2],"time":{"fps":0.001}})");
  CHECK(value("/time/fps=fast") == R"({"list":[{"a~/b":1},2],"time":{"fps":"fast"}})");
  CHECK(value("/time/fps=") == R"({"list":[{"a~/b":1},2],"time":{"fps":""}})");
  CHECK(value("/list/1={\"c\": [1]}") == R"({"list":[{"a~/b":1},{"c":[1]}],"time":{"fps":50}})");
  CHECK(value("/list/0/a~0~1b=x=y") == R"({"list":[{"a~/b":"x=y"},2],"time":{"fps":50}})");
  CHECK(value("/time/dt=0.5") == R"({"list":[{"a~/b":1},2],"time":{"dt":0.5,"fps":50}})");
}

TEST_CASE("override: a place that is not there is told") {
  CHECK(complaint("/tim/fps=1") ==
        R"(--set /tim/fps=1: there is no /tim in the scene; did you mean "time"?)");
  CHECK(complaint("/list/2=1") ==
        "--set /list/2=1: there is no /list/2 in the scene; /list has 2 elements");
  CHECK(complaint("/list/01/a=1") ==
        "--set /list/01/a=1: there is no /list/01 in the scene; /list has 2 elements");
  CHECK(complaint("/time/fps/x=1") ==
        "--set /time/fps/x=1: there is no /time/fps/x in the scene; /time/fps is no object");
}

TEST_CASE("override: its form is checked") {
  CHECK(complaint("/time/fps") == "--set /time/fps: needs a value, as in --set /time/frames=10");
  CHECK(complaint("time/fps=1") ==
        "--set time/fps=1: must start with a JSON pointer, as in --set /time/frames=10");
  CHECK(complaint("/list=[1, 2") ==
        "--set /list=[1, 2: not JSON: unexpected end of input; expected ']'; is a bracket not "
        "closed?");
  CHECK(complaint("/time/fps=\xFF").ends_with("is not valid UTF-8"));
}

TEST_CASE("override: problems in what it set name it, the last one where two overlap") {
  JsonText text = with("/list={\"a\":1}");
  apply_override(text, "/list/a=2");
  CHECK(text.line({"/list/a", "bad"}) == "--set /list/a=2: bad");
  CHECK(text.line({"/list/b", "bad"}) == R"(--set /list={"a":1}: /list/b: bad)");
  CHECK(text.line({"/time/fps", "bad"}) == "s.json:1:13: /time/fps: bad");
}
