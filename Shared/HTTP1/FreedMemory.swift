import CLinux

/// Memory that bodies or answers have used, and that goes back to the system when none is left.
package struct FreedMemory: Sendable {
  /// In bytes.
  private static let worthTrimming = 4 << 20

  /// The most that was used since the last time.
  private var most = 0

  package init() {}

  /// Whether there is memory to give back to the system.
  package var isWorthTrimming: Bool { most >= Self.worthTrimming }

  /// Takes note of how many bytes are used now.
  package mutating func note(_ used: Int) { most = max(most, used) }

  /// Gives back what is free.
  ///
  /// The allocator keeps freed memory that lies between things that are still used.
  package mutating func trim() {
    guard isWorthTrimming else { return }
    most = 0
    malloc_trim(0)
  }
}
