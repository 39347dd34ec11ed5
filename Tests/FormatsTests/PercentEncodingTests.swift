import Formats
import TestSupport
import Testing

struct PercentEncodingTests {
  @Test(arguments: [
    ("", ""), ("a-._~Z9", "a-._~Z9"), ("a b/é%+", "a%20b%2F%C3%A9%25%2B"), ("\u{0}\n\u{7F}", "%00%0A%7F"),
    ("👍", "%F0%9F%91%8D"),
  ])
  func everythingIsEncodedButWhatIsUnreserved(_ text: String, _ encoded: String) {
    #expect(PercentEncoding.encoded(text) == encoded)
    #expect(PercentEncoding.text(encoded[...]) == text)
    #expect(PercentEncoding.text(encoded.lowercased()[...])?.lowercased() == text.lowercased())
  }

  @Test func whatIsKeptIsNotEncoded() {
    #expect(PercentEncoding.encoded("a b/c") { $0 != UInt8(ascii: " ") } == "a%20b/c")
  }

  @Test(arguments: ["%", "%4", "a%4", "%zz", "%4g", "%+1", "%-0", "% 1", "%%41"])
  func aPercentSignWithoutTwoDigitsIsOneOrAFailure(_ text: String) {
    let bytes = Array(text.utf8)

    #expect(PercentEncoding.decoded(bytes) == Array(text.replacing("%41", with: "A").utf8))
    #expect(PercentEncoding.strictlyDecoded(bytes) == nil)
    #expect(PercentEncoding.text(text[...]) == nil)
    #expect(PercentEncoding.formText(text[...]) == nil)
  }

  @Test func onlyAFormHasSpacesForPlusSigns() {
    #expect(PercentEncoding.formText("a+b%2Bc") == "a b+c")
    #expect(PercentEncoding.text("a+b%2Bc") == "a+b+c")
  }

  @Test func bytesThatAreNotUTF8AreNoText() {
    #expect(PercentEncoding.strictlyDecoded(Array("%FF%41".utf8)) == [0xFF, 0x41])
    #expect(PercentEncoding.text("%FF%41") == nil)
    #expect(PercentEncoding.formText("%FF%41") == "\u{FFFD}A")
  }

  @Test func aPathStaysTheSamePath() {
    #expect(PercentEncoding.normalized("/a%2fb%41%7E/%zz%") == "/a%2fbA~/%zz%")
  }

  @Test func noTextCostsTheSquareOfItsLength() throws {
    let list = LongList("encoded characters") { count in
      let text = String(repeating: "%C3%A9+%", count: count)
      return { _ = PercentEncoding.encoded(String(decoding: PercentEncoding.decoded(Array(text.utf8)), as: UTF8.self)) }
    }
    #expect(try list.growth() < 3)
  }
}
