import Formats
package import FoundationEssentials
import Glibc
import Platform
import Synchronization

extension UUID {
  /// New ids; each one sorts after those that the process made before it (RFC 9562, version 7).
  ///
  /// They consist of 48 bits of milliseconds, 12 bits of the millisecond's fraction and 62 random bits. Rows that are
  /// made one after the other are neighbours in their indexes, so that a large fan-out does not touch all pages. If the
  /// clock has not moved on, the next fraction is taken.
  package static func timeOrdered(_ count: Int) -> [UUID] {
    randomness(count).map { random in
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      let now = (UInt64(time.tv_sec) * 1_000 << 12) + UInt64(time.tv_nsec) * 4_096 / 1_000_000
      let fractions = newest.withLock { newest in
        newest = max(now, newest + 1)
        return newest
      }
      return UUID(
        high: (fractions >> 12) << 16 | 0x7000 | fractions & 0xFFF, low: random & ~(0xC << 60) | 0x8 << 60)
    }
  }

  /// The time of the newest id, in 4,096ths of a millisecond.
  private static let newest = Mutex<UInt64>(0)

  private static func randomness(_ count: Int) -> [UInt64] {
    var words = [UInt64](repeating: 0, count: count)
    words.withUnsafeMutableBytes { Randomness.fill($0) }
    return words
  }
}
