import Formats
import FoundationEssentials
import Testing

struct UUIDTextTests {
  @Test func idsAreReadInAnyCaseAndWrittenInLowerCase() {
    for _ in 0..<1_000 {
      let id = UUID()

      #expect(id.lowercased == id.uuidString.lowercased())
      #expect(UUID(text: id.lowercased[...]) == id)
      #expect(UUID(text: id.uuidString[...]) == id)
    }
  }

  @Test(arguments: [
    "", "0b9e1e7a-0c5c-4a59-9d3b-6f3b1f0d8a2", "0b9e1e7a-0c5c-4a59-9d3b-6f3b1f0d8a2ff",
    "0b9e1e7a00c5c-4a59-9d3b-6f3b1f0d8a2f", "0b9e1e7a-0c5c-4a59-9d3b-6f3b1f0d8a2g",
    "0b9e1e7a-0c5c4a59--9d3b-6f3b1f0d8a2f", "{0b9e1e7a-0c5c-4a59-9d3b-6f3b1f0d8a2}",
  ])
  func otherTextIsNoID(_ text: String) {
    #expect(UUID(text: text[...]) == nil)
  }

  @Test func aNumbersDigitsAreReadAgain() {
    for number in [0, 1, 0xA5, 0x0123_4567_89AB_CDEF, .max] as [UInt64] {
      #expect(Hex.number(lowercase: Hex.digits(number)[...]) == number)
    }
    #expect(Hex.digits(0x0123_4567_89AB_CDEF) == Array("0123456789abcdef".utf8))
  }

  /// A trace's ids have no other digits.
  @Test(arguments: ["A", "0F", "g", " ", "+1", "-"])
  func noOtherTextIsANumberInLowerCase(_ text: String) {
    #expect(Hex.number(lowercase: Array(text.utf8)[...]) == nil)
  }
}
