import Formats
import FoundationEssentials
import TestSupport
import Testing

struct Base64URLTests {
  @Test(arguments: [
    ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
    ("foobar", "Zm9vYmFy"),
  ])
  func theVectorsOfTheStandardHold(plain: String, encoded: String) {
    #expect(Base64URL.encode(Array(plain.utf8)) == encoded)
    #expect(Base64URL.decode(encoded[...]) == Array(plain.utf8))
  }

  @Test(arguments: [Seed()]) func allBytesSurvive(_ seed: Seed) {
    var choices = seed.choices
    for count in 0..<260 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &choices) }
      let text = Base64URL.encode(bytes)
      #expect(Base64URL.decode(text[...]) == bytes)
      #expect(
        text
          == Data(bytes).base64EncodedString().filter { $0 != "=" }
          .map { $0 == "+" ? "-" : $0 == "/" ? "_" : String($0) }.joined())
    }
  }

  @Test(arguments: ["Zg==", "Zg=", "Z", "Zm9vY", "Zm+v", "Zm/v", "Zm 9v", "Zh", "Zm9vYmF=", "é"])
  func anythingElseIsRefused(text: String) {
    #expect(Base64URL.decode(text[...]) == nil)
  }
}
