// The reader of .cfg files, with what it says of files that are wrong.
#include <corpus/corpus.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

using midend_corpus::cfg_function;
using numbers = std::vector<std::uint32_t>;

std::vector<cfg_function> parse(std::string_view text) {
  std::vector<cfg_function> out;
  const auto error = midend_corpus::parse_cfg(text, "x.cfg", out);
  CHECK_MESSAGE(!error, error->to_string());
  return out;
}

std::string error_of(std::string_view text) {
  std::vector<cfg_function> out;
  const auto error = midend_corpus::parse_cfg(text, "x.cfg", out);
  return error ? error->to_string() : "none";
}

/// A file that is there as long as this object.
struct temporary_file {
  temporary_file(const char* name, std::string_view bytes)
      : path((std::filesystem::temp_directory_path() / name).string()) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  ~temporary_file() { std::remove(path.c_str()); }

  std::string path;
};

} // namespace

TEST_CASE("corpus reader: functions, parallel edges, comments, empty and CRLF lines") {
  const auto functions = parse("# a comment\n"
                               "function a\nblocks 2\nsucc 0 1 1 0\nsucc 1\nend\n"
                               "\n"
                               "function b:c\r\nblocks 1\r\n#another\r\nsucc 0\r\nend");
  REQUIRE(functions.size() == 2);
  CHECK(functions[0].name == "a");
  CHECK(functions[0].line == 2);
  CHECK(functions[0].num_nodes() == 2);
  CHECK(functions[0].offsets == numbers{0, 3, 3});
  CHECK(functions[0].successor_list == numbers{1, 1, 0});
  CHECK(std::ranges::equal(functions[0].successors(0), numbers{1, 1, 0}));
  CHECK(functions[0].definition_offsets.empty());
  CHECK(functions[1].name == "b:c");
  CHECK(functions[1].line == 8);
  CHECK(parse("").empty());
  CHECK(parse("# nothing\n").empty());
}

TEST_CASE("corpus reader: variables") {
  const auto functions = parse("function a\nblocks 3\nsucc 0 1\nsucc 1 2\nsucc 2\n"
                               "vars 4\ndef 0 0 3\ndef 2 1\nuse 1 0 2 3\nend\n"
                               "function b\nblocks 1\nsucc 0\nvars 0\nend\n");
  REQUIRE(functions.size() == 2);
  CHECK(functions[0].num_variables == 4);
  CHECK(functions[0].definition_offsets == numbers{0, 2, 2, 3});
  CHECK(functions[0].definitions == numbers{0, 3, 1});
  CHECK(functions[0].use_offsets == numbers{0, 0, 3, 3});
  CHECK(functions[0].uses == numbers{0, 2, 3});
  CHECK(functions[1].num_variables == 0);
  CHECK(functions[1].use_offsets.empty());
}

TEST_CASE("corpus reader: what is wrong, and where") {
  const auto check = [](std::string_view text, std::string_view expected) {
    CAPTURE(text);
    CHECK(error_of(text) == "x.cfg:" + std::string(expected));
  };
  check("junk\n", "1:1: error: expected 'function', found 'junk'");
  check(" function a\n", "1:1: error: expected 'function', found ''");
  check("function\n", "1:9: error: expected the name of the function");
  check("function \n", "1:10: error: expected the name of the function");
  check("function a b\n", "1:12: error: unexpected 'b', expected the end of the line");
  check("function a \n", "1:12: error: unexpected space");
  check("function a\tb\n", "1:10: error: the name 'a\\x09b' holds a control character");
  check("function a\xc2\x9b\x33\x31mb\n", "1:10: error: the name 'a\\xc2\\x9b31mb' holds a control character");
  check("function a\x9b\n", "1:10: error: the name 'a\\x9b' holds a control character");
  check("function \xe2\x80\xae\x61\n", "1:10: error: the name '\\xe2\\x80\\xaea' holds a control character");
  check("function \xe2\x81\xa6\x61\n", "1:10: error: the name '\\xe2\\x81\\xa6a' holds a control character");
  check("function a\nblocks 1\nsucc 0\nvars 500000000\nend\n",
        "4:6: error: '500000000' is too large for the number of variables, which is at most 16777216");
  check("function \xc3\xa4\n", "2:1: error: the file ends within function '\\xc3\\xa4' of line 1, expected 'blocks'");
  check("function a\n", "2:1: error: the file ends within function 'a' of line 1, expected 'blocks'");
  check("function a\nsucc 0\n", "2:1: error: expected 'blocks', found 'succ'");
  check("function a\nblocks\n", "2:7: error: expected the number of blocks");
  check("function a\nblocks 0\nend\n", "2:8: error: a function has at least one block, the entry");
  check("function a\nblocks -1\n", "2:8: error: expected the number of blocks, found '-1'");
  check("function a\nblocks 4294967295\n",
        "2:8: error: '4294967295' is too large for the number of blocks, which is at most 1073741823");
  check("function a\nblocks 1073741823\nsucc 0\n",
        "4:1: error: the file ends within function 'a' of line 1, expected 'succ'");
  check("function a\nblocks 99999999999999999999999999\n",
        "2:8: error: '99999999999999999999999999' is too large for the number of blocks, which is at most 1073741823");
  check("function a\nblocks 1\nblocks 1\n", "3:1: error: expected 'succ 0', found 'blocks'");
  check("function a\nblocks 1\nend\n", "3:1: error: expected 'succ 0', found 'end'");
  check("function a\nblocks 2\nsucc 1\n", "3:6: error: expected the successors of block 0, found block 1");
  check("function a\nblocks 2\nsucc 0\nsucc 0\n", "4:6: error: expected the successors of block 1, found block 0");
  check("function a\nblocks 2\nsucc 0 2\n", "3:8: error: '2' is too large for a block, which is at most 1");
  check("function a\nblocks 2\nsucc 0  1\n", "3:8: error: expected a block");
  check("function a\nblocks 2\nsucc 0 1 \n", "3:10: error: expected a block");
  check("function a\nblocks 2\nsucc 0 1x\n", "3:8: error: expected a block, found '1x'");
  check("function a\nblocks 1\nsucc 0\nsucc 1\n", "4:1: error: expected 'end', found 'succ'");
  check("function a\nblocks 1\nsucc 0\nend now\n", "4:5: error: unexpected 'now', expected the end of the line");
  check("function a\nblocks 1\nsucc 0\nend\nend\n", "5:1: error: expected 'function', found 'end'");
  check("function a\nblocks 1\nsucc 0\nend\nfunction a\n", "5:10: error: there is another function 'a' in this file");
  check("function a\nblocks 1\nsucc 0\ndef 0 0\nend\n", "4:1: error: 'def' without variables ('vars' comes before it)");
  check("function a\nblocks 1\nsucc 0\nvars 1\nuse 0 0\ndef 0 0\nend\n",
        "6:1: error: 'def' lines come before 'use' lines");
  check("function a\nblocks 1\nsucc 0\nvars 1\ndef 0 1\nend\n",
        "5:7: error: '1' is too large for a variable, which is at most 0");
  check("function a\nblocks 1\nsucc 0\nvars 3\ndef 0 2 2\nend\n", "5:9: error: variables ascend, and 2 does not");
  check("function a\nblocks 1\nsucc 0\nvars 3\ndef 0 2\ndef 0 1\nend\n",
        "6:5: error: the blocks of 'def' lines ascend, and block 0 does not");
  check(std::string_view("function a\nblocks 1\nsucc 0 \0\nend\n", 34), "3:8: error: expected a block, found '\\x00'");
}

TEST_CASE("corpus reader: files") {
  std::vector<cfg_function> out;
  std::string text;
  const std::string corpus = MIDEND_TEST_DATA "/corpus/lua5.4-O0.cfg.gz";
  CHECK(!midend_corpus::read_cfg(corpus, out));
  CHECK(out.size() == 1093);

  std::ifstream stream(corpus, std::ios::binary);
  const std::string packed((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  const auto error_in = [&](const temporary_file& file) {
    const auto error = midend_corpus::read_text(file.path, text);
    REQUIRE(error);
    CHECK(error->file == file.path);
    CHECK(error->line == 0);
    CHECK(text.empty());
    return error->message;
  };
  const std::string cut = error_in({"midend-cut.cfg.gz", std::string_view(packed).substr(0, packed.size() / 2)});
  const bool by_zlib = cut == "cannot be read: broken gzip data: unexpected end of file";
  const bool by_stand_in = cut == "cannot be read: broken gzip data: gzip cannot read it"; // see tests/platforms/zlib.h
  CHECK((by_zlib || by_stand_in));
  std::string damaged = packed;
  damaged[packed.size() / 2] = static_cast<char>(damaged[packed.size() / 2] ^ 0x55);
  CHECK(error_in({"midend-damaged.cfg.gz", damaged}).starts_with("cannot be read: broken gzip data: "));
  CHECK(error_in({"midend-plain.cfg.gz", "function a\n"}) == "is no gzip file");
  CHECK(error_in({"midend-empty.cfg.gz", ""}) == "is no gzip file");
  CHECK(midend_corpus::read_text("/nowhere/x.cfg", text)->to_string() ==
        "/nowhere/x.cfg: error: cannot be opened: No such file or directory");

  const temporary_file plain("midend-plain.cfg", "function a\nblocks 1\nsucc 0 0\nend\n");
  CHECK(!midend_corpus::read_cfg(plain.path, out));
  CHECK(out.size() == 1);
}
