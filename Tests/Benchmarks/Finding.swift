/// One measured thing beside its limits.
struct Finding {
  var what: String
  /// Milliseconds.
  var p50: Double?
  /// Milliseconds.
  var p99: Double?
  var perSecond: Double?
  /// How it compares with what the part measures it against.
  var ratio: Double?
  var limits: [Limit] = []

  var isWithinLimits: Bool { limits.allSatisfy { $0.isMet(by: self) } }
}

/// A promise about a finding.
enum Limit {
  case ratioAtMost(Double)
  case ratioAtLeast(Double)
  /// In milliseconds.
  case p50Below(Double)
  /// In milliseconds.
  case p99Below(Double)

  /// What was not measured keeps no promise.
  func isMet(by finding: Finding) -> Bool {
    switch self {
    case .ratioAtMost(let limit): finding.ratio.map { $0 <= limit } ?? false
    case .ratioAtLeast(let limit): finding.ratio.map { $0 >= limit } ?? false
    case .p50Below(let limit): finding.p50.map { $0 < limit } ?? false
    case .p99Below(let limit): finding.p99.map { $0 < limit } ?? false
    }
  }

  var text: String {
    switch self {
    case .ratioAtMost(let limit): "at most \(limit.fixed(0)) ×"
    case .ratioAtLeast(let limit): "at least \(limit.fixed(0)) ×"
    case .p50Below(let limit): "p50 < \(limit.fixed(0)) ms"
    case .p99Below(let limit): "p99 < \(limit.fixed(0)) ms"
    }
  }
}

extension Double {
  /// The number with so many digits after the point.
  func fixed(_ digits: Int) -> String {
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    let whole = Int((self * Double(scale)).rounded())
    guard digits > 0 else { return String(whole) }
    let fraction = String(abs(whole) % scale)
    return "\(whole / scale).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
  }
}
