/// A count that is given up early, because counting very many takes too long for a page.
package enum BoundedCount {
  /// The most that is counted; a larger count stands for more.
  package static let most = 10_000

  /// The count in words: `3`, `10,000`, or `10,000+` for more than are counted.
  package static func words(_ count: Int) -> String {
    count < most ? "\(count)" : count == most ? "10,000" : "10,000+"
  }
}
