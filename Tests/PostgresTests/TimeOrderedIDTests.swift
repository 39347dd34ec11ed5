import FoundationEssentials
import Testing

@testable import Postgres

/// RFC 9562, section 5.7.
struct TimeOrderedIDTests {
  private func prefix(_ id: UUID) -> UInt64 {
    withUnsafeBytes(of: id.uuid) { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
  }

  @Test(arguments: [0, 1, 31, 32, 33, 1_000])
  func idsAreAllDifferentAndFollowEachOther(count: Int) {
    let ids = UUID.timeOrdered(count)

    #expect(ids.count == count && Set(ids).count == count)
    #expect(ids.map(prefix) == ids.map(prefix).sorted())
  }

  @Test func theyTellTheirTimeAndVersion() throws {
    let before = Date()
    let ids = UUID.timeOrdered(100)
    let after = Date()

    for id in ids {
      let milliseconds = prefix(id) >> 16
      #expect(milliseconds >= UInt64(before.timeIntervalSince1970 * 1_000) - 1)
      #expect(milliseconds <= UInt64(after.timeIntervalSince1970 * 1_000) + 1)
      #expect(prefix(id) >> 12 & 0xF == 7 && id.uuid.8 >> 6 == 0b10)
    }
    #expect(Set(ids.map(\.uuid.15)).count > 10)
  }
}
