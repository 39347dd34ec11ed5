/// Durations in milliseconds, in their order of size.
struct Samples {
  private let sorted: [Double]

  init(_ milliseconds: [Double]) {
    sorted = milliseconds.sorted()
  }

  /// The smallest value that a given part of all values does not exceed; 0 where there are none.
  func percentile(_ part: Double) -> Double {
    guard !sorted.isEmpty else { return 0 }
    return sorted[min(sorted.count - 1, max(0, Int((Double(sorted.count) * part).rounded(.up)) - 1))]
  }

  var p50: Double { percentile(0.5) }
  var p99: Double { percentile(0.99) }
}

extension Duration {
  var milliseconds: Double { self / .milliseconds(1) }
}
