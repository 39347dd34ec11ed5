import Formats
import Signing
import Testing

struct MessageAuthenticatorTests {
  private static let (old, new) = (
    String(repeating: "o", count: 32), "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
  )

  private func authenticator(_ secrets: String) throws -> MessageAuthenticator {
    try #require(MessageAuthenticator(secrets: secrets))
  }

  @Test func aSignedMessageIsReadAgain() throws {
    let authenticator = try authenticator(Self.new)

    let signed = authenticator.sign(Array("hello".utf8))

    #expect(signed.hasPrefix("aGVsbG8."))
    #expect(authenticator.message(of: signed) == Array("hello".utf8))
  }

  /// As `printf aGVsbG8 | openssl dgst -sha256 -hmac oooooooooooooooooooooooooooooooo` says.
  @Test func theCodeIsAnHMACOfTheTextInFrontOfThePoint() throws {
    let code = HMACSHA256.code(for: Array("aGVsbG8".utf8), key: Array(Self.old.utf8))

    #expect(try authenticator(Self.old).sign(Array("hello".utf8)) == "aGVsbG8.\(Base64URL.encode(code))")
  }

  @Test func theFirstSecretSignsAndAllAreGood() throws {
    let before = try authenticator(Self.old)
    let during = try authenticator("\(Self.new) \(Self.old)")
    let after = try authenticator(Self.new)

    #expect(during.message(of: before.sign([1])) == [1])
    #expect(after.message(of: during.sign([1])) == [1])
    #expect(after.message(of: before.sign([1])) == nil)
  }

  @Test(arguments: ["", ".", "aGVsbG8", "aGVsbG8.", "aGVsbG8.AAAA", ".AAAA", "a.b.c", "a b.c", "\u{0}.\u{0}", "ä.ö"])
  func whatWasNotSignedIsNoMessage(_ text: String) throws {
    #expect(try authenticator(Self.new).message(of: text) == nil)
  }

  @Test func aMessageThatWasChangedIsNone() throws {
    let authenticator = try authenticator(Self.new)
    let signed = Array(authenticator.sign(Array("hello".utf8)).utf8)

    for index in signed.indices {
      var changed = signed
      changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      #expect(authenticator.message(of: String(decoding: changed, as: UTF8.self)) == nil)
    }
  }

  @Test(arguments: [
    "", " ", "short", String(repeating: "x", count: 31), "whsec_AAECAwQFBgc=",
    "whsec_" + String(repeating: "!", count: 40),
    "\(new) short",
  ])
  func whatIsTooWeakIsNoSecret(_ secrets: String) {
    #expect(MessageAuthenticator(secrets: secrets) == nil)
  }
}
