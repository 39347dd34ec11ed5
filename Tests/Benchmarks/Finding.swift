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
  /// Any other measured value, in the unit that ``what`` names; less is better.
  var value: Double?
  /// Whether it is somebody else's program, which tells how fast the machine was.
  var isYardstick = false
  /// The limits that it must keep on any machine: a change that breaks one has made something worse.
  var limits: [Limit] = []
  /// The goal for a machine with two cores, where that is more.
  var goal: Limit?

  var isWithinLimits: Bool { limits.allSatisfy { $0.isMet(by: self) } }
  var reachesGoal: Bool { goal?.isMet(by: self) ?? true }
}

/// A promise about a finding.
enum Limit {
  case ratioAtMost(Double)
  case ratioAtLeast(Double)
  /// In milliseconds.
  case p50Below(Double)
  /// In milliseconds.
  case p99Below(Double)
  case perSecondAtLeast(Double)
  case valueAtMost(Double)
  case valueBelow(Double)

  /// A finding that was not measured keeps no promise.
  func isMet(by finding: Finding) -> Bool {
    switch self {
    case .ratioAtMost(let limit): finding.ratio.map { $0 <= limit } ?? false
    case .ratioAtLeast(let limit): finding.ratio.map { $0 >= limit } ?? false
    case .p50Below(let limit): finding.p50.map { $0 < limit } ?? false
    case .p99Below(let limit): finding.p99.map { $0 < limit } ?? false
    case .perSecondAtLeast(let limit): finding.perSecond.map { $0 >= limit } ?? false
    case .valueAtMost(let limit): finding.value.map { $0 <= limit } ?? false
    case .valueBelow(let limit): finding.value.map { $0 < limit } ?? false
    }
  }

  var text: String {
    switch self {
    case .ratioAtMost(let limit): "at most \(limit.brief) ×"
    case .ratioAtLeast(let limit): "at least \(limit.brief) ×"
    case .p50Below(let limit): "p50 < \(limit.brief) ms"
    case .p99Below(let limit): "p99 < \(limit.brief) ms"
    case .perSecondAtLeast(let limit): "at least \(limit.brief)/s"
    case .valueAtMost(let limit): "at most \(limit.brief)"
    case .valueBelow(let limit): "< \(limit.brief)"
    }
  }
}

extension Double {
  /// The number with a fixed count of digits after the point.
  func fixed(_ digits: Int) -> String {
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((magnitude * Double(scale)).rounded())
    let sign = self < 0 && scaled != 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % scale)
    return "\(sign)\(scaled / scale).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
  }

  /// The number with as few digits after the point as it needs, at most two.
  var brief: String {
    (0...2).lazy.map(fixed).first { Double($0) == self } ?? fixed(2)
  }
}
