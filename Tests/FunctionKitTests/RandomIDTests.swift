import Testing

@testable import FunctionKit

struct RandomIDTests {
  @Test(arguments: [
    (0, 0, "00000000-0000-4000-8000-000000000000"),
    (UInt64.max, UInt64.max, "ffffffff-ffff-4fff-bfff-ffffffffffff"),
    (0x0123_4567_89AB_CDEF, 0x0123_4567_89AB_CDEF, "01234567-89ab-4def-8123-456789abcdef"),
  ])
  func writesVersionFour(_ high: UInt64, _ low: UInt64, _ text: String) {
    #expect(RandomID.text(high: high, low: low) == text)
  }

  @Test func differsEachTime() {
    var series = RandomID.Series()

    #expect(Set((0..<1_000).map { _ in RandomID.make() }).count == 1_000)
    #expect(Set((0..<1_000).map { _ in series.next() }).count == 1_000)
  }
}
