/// Values, counted in buckets.
struct Histogram {
  /// The buckets' upper bounds for durations, in seconds.
  static let durations = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
  ]
  /// The buckets' upper bounds for the events of a batch.
  static let batches: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

  private let bounds: [Double]
  private var counts: [Int]
  private var sum = 0.0

  init(_ bounds: [Double]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  var isEmpty: Bool { counts.allSatisfy { $0 == 0 } }

  mutating func add(_ value: Double) {
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
    sum += value
  }

  /// The samples of a family of histograms, with the labels of this one.
  func samples(_ labels: [(name: String, value: String)]) -> [MetricFamily.Sample] {
    var total = 0
    let buckets = zip(bounds.map { "\($0)" } + ["+Inf"], counts).map { bound, count in
      total += count
      return MetricFamily.Sample(suffix: "_bucket", labels: labels + [("le", bound)], value: "\(total)")
    }
    return buckets + [
      .init(suffix: "_sum", labels: labels, value: "\(sum)"),
      .init(suffix: "_count", labels: labels, value: "\(total)"),
    ]
  }
}
