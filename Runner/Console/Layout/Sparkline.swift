/// A small drawing of the last hour: a bar for each minute, the newest at the right edge.
package struct Sparkline: Sendable {
  /// A value for each minute, the newest last; fewer where the runner has not run for so long.
  package var values: [Double]
  /// The description for those who do not see it.
  package var label: String
  /// The values that are drawn in the colour of failures.
  package var failures: [Double] = []

  package init(_ values: [Double], label: String, failures: [Double] = []) {
    (self.values, self.label, self.failures) = (values, label, failures)
  }

  package var html: HTML {
    let most = max(values.max() ?? 0, failures.max() ?? 0)
    return tag(
      .svg, .class("spark"), .viewBox(2 * BarChart.length, 24), .stretched, .role("img"), .aria("label", label)
    ) {
      tag(.path, .class("base"), .d("M0 23.5H\(2 * BarChart.length)"))
      if most > 0 {
        tag(.path, .class("bars"), .d(bars(values, most)))
        if failures.contains(where: { $0 > 0 }) { tag(.path, .class("bars bad"), .d(bars(failures, most))) }
      }
    }
  }

  private func bars(_ values: [Double], _ most: Double) -> String {
    values.suffix(BarChart.length).reversed().enumerated().filter { $0.element > 0 }.map { index, value in
      // Whatever there is can be seen.
      "M\(2 * (BarChart.length - index) - 1) 23V\(Attribute.written(min(22, 23 - value / most * 22)))"
    }.joined()
  }
}
