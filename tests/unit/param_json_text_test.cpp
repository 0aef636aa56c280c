#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "param/json_text.h"

using namespace rtsim;

namespace {

std::string lines(const std::string& text) {
  const JsonText read = parse_json(text, "s.json");
  return read.lines(read.problems);
}

std::string place(const std::string& text, const std::string& pointer) {
  const Place p = parse_json(text, "s.json").place(pointer);
  return std::to_string(p.line) + ":" + std::to_string(p.column);
}

}  // namespace

TEST_CASE("json_text: members stand at their key, elements at their first character") {
  const std::string text =
      "\xEF\xBB\xBF// head, \"a\": [\n{ \"a\": [10, /* , 5 */ \"x,\\\"y\", { \"b/c\": null }],\n"
      "\t\"\xC3\xA9\xC3\xA9\": 1.5e3 , \"z\" : [ [ ] , true ] }\n";
  REQUIRE(parse_json(text, "").value);
  CHECK(place(text, "") == "2:1");
  CHECK(place(text, "/a") == "2:3");
  CHECK(place(text, "/a/0") == "2:9");
  CHECK(place(text, "/a/1") == "2:23");
  CHECK(place(text, "/a/2") == "2:32");
  CHECK(place(text, "/a/2/b~1c") == "2:34");
  CHECK(place(text, "/\xC3\xA9\xC3\xA9") == "3:2");
  CHECK(place(text, "/z") == "3:16");  // columns count characters, not bytes
  CHECK(place(text, "/z/0") == "3:24");
  CHECK(place(text, "/z/1") == "3:30");
}

TEST_CASE("json_text: what is not in the text has the place of what encloses it") {
  const std::string text = "{\n  \"a\": [ {} ]\n}";
  CHECK(place(text, "/a/0/missing/deeper") == "2:10");
  CHECK(place(text, "/missing") == "1:1");
}

TEST_CASE("json_text: a key given twice is a problem at its second place, and the first counts") {
  const std::string text =
      "{\n  \"a\": { \"b\": 1 },\n  \"c\": 2,\n  \"a\": { \"b\": { \"b\": [ { \"b\": 3 } ] }, "
      "\"d\": 4 "
      "}\n}";
  CHECK(lines(text) == "s.json:4:3: /a: given twice; first on line 2");
  CHECK(parse_json(text, "").value->dump() == R"({"a":{"b":1},"c":2})");
}

TEST_CASE("json_text: syntax errors say where and what would work") {
  const std::pair<const char*, const char*> cases[] = {
      {"{ \"a\": 1,\n}",
       "s.json:2:1: not JSON: unexpected '}'; expected string literal; a comma before a closing "
       "bracket is not allowed"},
      {"{ \"a\": 1\n  \"b\": 2 }",
       "s.json:2:3: not JSON: unexpected string literal; expected '}'; is a comma missing before "
       "it?"},
      {"[1,,2]", "s.json:1:4: not JSON: unexpected ','; expected '[', '{', or a literal"},
      {"[,1]", "s.json:1:2: not JSON: unexpected ','; expected '[', '{', or a literal"},
      {"{ \"a\", 1 }", "s.json:1:6: not JSON: unexpected ','; expected ':'"},
      {"{ \"a\": 'b' }",
       "s.json:1:8: not JSON: invalid literal; texts need double quotes, numbers are written as "
       "0.5 "
       "or 1e-3"},
      {"{ \"a\": .5 }",
       "s.json:1:8: not JSON: invalid literal; texts need double quotes, numbers are written as "
       "0.5 "
       "or 1e-3"},
      {"{ \"a\": nan }",
       "s.json:1:8: not JSON: invalid literal; texts need double quotes, numbers are written as "
       "0.5 "
       "or 1e-3"},
      {"[ 01 ]", "s.json:1:4: not JSON: unexpected number literal; expected ']'"},
      {"{ \"a\": \"b\n }",
       "s.json:1:8: not JSON: invalid string: control character U+000A (LF) must be escaped to "
       "\\u000A or \\n; is a quote not closed?"},
      {"{ \"a\": [1, 2 ",
       "s.json:1:14: not JSON: unexpected end of input; expected ']'; is a bracket not closed?"},
      {"",
       "s.json:1:1: not JSON: unexpected end of input; expected '[', '{', or a literal; is a "
       "bracket not closed?"},
      {"{} x",
       "s.json:1:4: not JSON: invalid literal; expected end of input; texts need double "
       "quotes, numbers are written as 0.5 or 1e-3"},
      {"{ \"a\": 1e999 }",
       "s.json:1:8: not JSON: number overflow parsing '1e999'; it does not fit a double"},
  };
  for (const auto& [text, message] : cases) CHECK(lines(text) == message);
}

TEST_CASE("json_text: binary files and endless nesting are refused") {
  CHECK(lines(std::string("{}\n\0{", 5)) == "s.json:2:1: a NUL byte: is this a text file?");
  const std::string deep(100000, '[');
  const std::string message = lines(deep);
  CHECK(message.starts_with("s.json:1:65: /0/0/0"));
  CHECK(message.ends_with("nested deeper than 64 levels"));
  CHECK(lines(std::string(64, '[') + std::string(64, ']')) == "");
}

TEST_CASE("json_text: problems come in the order of the text, the first fifty of them") {
  const JsonText text = parse_json("{ \"b\": 1,\n  \"a\": [1, 2] }", "s.json");
  CHECK(text.lines({{"/a/1", "third"}, {"/b", "first"}, {"/a", "second"}}) ==
        "s.json:1:3: /b: first\ns.json:2:3: /a: second\ns.json:2:12: /a/1: third");
  const std::string many = text.lines(std::vector<Problem>(70, {"/b", "again"}));
  CHECK(std::count(many.begin(), many.end(), '\n') == 50);
  CHECK(many.ends_with("\nand 20 more"));
}

TEST_CASE("json_text: control characters of keys and values do not break lines") {
  CHECK(lines("{ \"a\\nb\": 1, \"a\\nb\": 2 }") ==
        "s.json:1:14: /a\\u000ab: given twice; first on line 1");
  const JsonText text = parse_json("{ \"b\": 1 }", "s.json");
  CHECK(text.lines({{"/b", "there is no object 'x\ny'"}}) ==
        "s.json:1:3: /b: there is no object 'x\\u000ay'");
}
