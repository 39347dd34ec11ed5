import FoundationEssentials
import Testing

@testable import Signing

/// The texts that people put where a private key belongs.
struct PrivateKeyFaultTests {
  private static let (begin, end) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----")
  private static let good = (try? SigningKey.generate().privatePEM()) ?? ""

  @Test(arguments: [
    ("", "is empty"), (" \n ", "is empty"), ("not a key", "has no line \(begin)"),
    (good.split(separator: "\n").joined(), "is on one line"),
    (good.replacing("\n", with: " "), "is on one line"),
    (good.replacing("\n", with: "\\n"), "has \\n as text"),
    (good.replacing("\(begin)\n", with: "").replacing("\n\(end)", with: ""), "is Base64 alone"),
    (Data(good.utf8).base64EncodedString(), "is in Base64 as a whole"),
    (good.replacing(end, with: ""), "is cut off"),
    (good.split(separator: "\n").map { "  \($0)\n" }.joined(), "has spaces before its lines"),
    ("\(begin)\nbm90IGEga2V5\n\(end)\n", "has no private key for ES256 that can be read"),
    ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", "has no private key, but"),
    (TestKeys.locked, "is encrypted"), (TestKeys.p384, "has an EC key on secp384r1, which is not for ES256"),
    (TestKeys.rsa, "has an RSA key, which is not for ES256"),
  ])
  func eachHasASentence(_ text: String, _ sentence: String) throws {
    #expect(throws: SigningError.self) { try SigningKey(pem: text) }
    let found = PrivateKeyFault.found(in: text, for: "ES256")
    #expect(found.hasPrefix(sentence))
    // It gives away nothing of the key.
    let secret = try #require(Self.good.split(separator: "\n").dropFirst().first)
    #expect(!found.contains(secret) && !found.contains(";"))
  }
}
