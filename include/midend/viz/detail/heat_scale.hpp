/// Colours for how often something is executed.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/graph/concepts.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Shares of the highest count by logarithm: counts of programs are orders of magnitude apart.
class heat_scale {
public:
  explicit heat_scale(double highest) : highest_(std::log2(1 + highest)) {}

  /// The scale of the nodes of a procedure.
  static heat_scale of(const elbrus::procedure& p) {
    double highest = 0;
    for (node_id n = 0; n != p.num_nodes(); ++n) {
      const std::uint64_t count = p.node(n).count;
      highest = count == elbrus::no_count ? highest : std::fmax(highest, static_cast<double>(count));
    }
    return heat_scale(highest);
  }

  /// From 0 for never to 1 for the highest count.
  double share(double count) const { return highest_ > 0 ? std::log2(1 + count) / highest_ : 0; }

  /// From white over yellow and orange to red, light enough for black text.
  std::string color(double count) const {
    const double place = share(count) * static_cast<double>(stops.size() - 1);
    const std::size_t first = place < 1 ? 0 : place < 2 ? 1 : place < 3 ? 2 : stops.size() - 2;
    const double part = place - static_cast<double>(first);
    std::string text = "#";
    for (std::size_t i = 0; i != 3; ++i) {
      const double mixed = stops[first][i] + part * (stops[first + 1][i] - stops[first][i]);
      append_hexadecimal(text, static_cast<unsigned>(std::lround(mixed < 0 ? 0 : mixed > 255 ? 255 : mixed)));
    }
    return text;
  }

private:
  static constexpr std::array<std::array<double, 3>, 5> stops = {
      {{255, 255, 255}, {255, 247, 214}, {255, 224, 138}, {253, 174, 97}, {240, 112, 80}}};

  static void append_hexadecimal(std::string& text, unsigned byte) {
    constexpr const char* digits = "0123456789abcdef";
    text += digits[byte / 16];
    text += digits[byte % 16];
  }

  double highest_;
};

} // namespace detail

MIDEND_END_NAMESPACE
