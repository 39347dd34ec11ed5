/// A small drawing of a series.
package struct Sparkline: Sendable {
  /// The oldest value first.
  package var values: [Double]
  /// What it shows, for those who do not see it.
  package var label: String
  /// What is drawn in the colour of failures.
  package var failures: [Double] = []

  package init(_ values: [Double], label: String, failures: [Double] = []) {
    (self.values, self.label, self.failures) = (values, label, failures)
  }

  package var html: HTML {
    let most = max(values.max() ?? 0, failures.max() ?? 0)
    return tag(
      .svg, .class("spark"), .viewBox(120, 24), .stretched, .role("img"), .aria("label", label)
    ) {
      tag(.path, .class("base"), .d("M0 23.5H120"))
      if most > 0 {
        tag(.path, .class("line"), .d(path(values, most)))
        if failures.contains(where: { $0 > 0 }) { tag(.path, .class("line bad"), .d(path(failures, most))) }
      }
    }
  }

  private func path(_ values: [Double], _ most: Double) -> String {
    guard values.count > 1 else { return "" }
    return values.enumerated().map { index, value in
      let x = Double(index) * 120 / Double(values.count - 1)
      let y = 23 - max(0, value) / most * 22
      return "\(index == 0 ? "M" : "L")\(Attribute.written(x)) \(Attribute.written(y))"
    }.joined()
  }
}
