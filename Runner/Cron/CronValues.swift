/// The numbers, 0 to 63, that one field of a cron expression selects.
struct CronValues: Hashable, ExpressibleByArrayLiteral {
  private var bits: UInt64 = 0

  init(arrayLiteral elements: Int...) {
    for element in elements { insert(element) }
  }

  var isEmpty: Bool { bits == 0 }

  mutating func insert(_ value: Int) { bits |= 1 << UInt64(value) }

  func contains(_ value: Int) -> Bool { bits >> UInt64(value) & 1 == 1 }

  /// The smallest one that is at least this number, which is at most 63.
  func first(from value: Int) -> Int? {
    let rest = bits >> UInt64(value)
    return rest == 0 ? nil : value + rest.trailingZeroBitCount
  }
}
