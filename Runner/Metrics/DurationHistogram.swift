/// Durations, counted in buckets.
struct DurationHistogram {
  /// The buckets' upper bounds, in seconds.
  static let bounds = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
  ]

  private var counts = [Int](repeating: 0, count: bounds.count + 1)
  private var sum = Duration.zero

  mutating func add(_ duration: Duration) {
    let seconds = duration / .seconds(1)
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    sum += duration
  }

  /// The samples of a family of histograms, with the labels of this one.
  func samples(_ labels: [(name: String, value: String)]) -> [MetricFamily.Sample] {
    var total = 0
    let buckets = zip(Self.bounds.map { "\($0)" } + ["+Inf"], counts).map { bound, count in
      total += count
      return MetricFamily.Sample(suffix: "_bucket", labels: labels + [("le", bound)], value: "\(total)")
    }
    return buckets + [
      .init(suffix: "_sum", labels: labels, value: "\(sum / .seconds(1))"),
      .init(suffix: "_count", labels: labels, value: "\(total)"),
    ]
  }
}
