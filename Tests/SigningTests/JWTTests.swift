import Formats
import FoundationEssentials
import Signing
import Testing

struct JWTTests {
  @Test func aTokenCarriesWhatAPNsAsksFor() throws {
    let key = try SigningKey.generate()
    let token = try JWT.signed(with: key, keyID: "ABC123DEFG", issuer: "DEF123GHIJ", issuedAt: 1_760_000_000)
    let parts = token.split(separator: ".").map { Base64URL.decode($0).map { String(decoding: $0, as: UTF8.self) } }

    #expect(parts[0] == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
    #expect(parts[1] == #"{"iat":1760000000,"iss":"DEF123GHIJ"}"#)
    #expect(!token.contains("="))
  }

  @Test func aTokenIsReadBackAndVerified() throws {
    let key = try SigningKey.generate()
    let token = try JWT(parsing: try JWT.signed(with: key, keyID: "K", issuer: "T", issuedAt: 7))

    #expect(token.algorithm == "ES256")
    #expect(token.keyID == "K")
    #expect(token.issuer == "T")
    #expect(token.issuedAt == 7)
    #expect(token.isSigned(by: try key.verificationKey()))
    #expect(!token.isSigned(by: try SigningKey.generate().verificationKey()))
  }

  // RFC 7515, appendix A.3.
  @Test func theExampleOfTheStandardVerifies() throws {
    let point =
      try #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
      + #require(Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
    let prefix: [UInt8] = [
      0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
      0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]
    let base64 = Data(prefix + point).base64EncodedString()
    let key = try VerificationKey(pem: "-----BEGIN PUBLIC KEY-----\n\(base64)\n-----END PUBLIC KEY-----\n")
    let token = try JWT(
      parsing: "eyJhbGciOiJFUzI1NiJ9"
        + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        + ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")

    #expect(token.isSigned(by: key))
    #expect(token.issuer == "joe")
    #expect(token.keyID == nil)
    #expect(token.issuedAt == nil)
  }

  @Test func changedClaimsAreRefused() throws {
    let key = try SigningKey.generate()
    let token = try JWT.signed(with: key, keyID: "K", issuer: "T", issuedAt: 7)
    var parts = token.split(separator: ".").map(String.init)
    parts[1] = Base64URL.encode(Array(#"{"iat":8,"iss":"T"}"#.utf8))

    let changed = try JWT(parsing: parts.joined(separator: "."))

    #expect(changed.issuedAt == 8)
    #expect(!changed.isSigned(by: try key.verificationKey()))
  }

  @Test func anotherAlgorithmIsRefusedWhateverItsSignature() throws {
    let key = try SigningKey.generate()
    let signedText = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + "." + Base64URL.encode(Array("{}".utf8))
    let signature = try key.sign(Array(signedText.utf8))

    let token = try JWT(parsing: "\(signedText).\(Base64URL.encode(signature))")

    #expect(!token.isSigned(by: try key.verificationKey()))
  }

  @Test(arguments: [
    "", "a", "a.b", "a.b.c.d", "..", "e30.e30.", "eyJhbGciOiJFUzI1NiJ9.e30.a",
    "eyJhbGciOiJFUzI1NiJ9.eyJpYXQiOiI3In0.AAAA", "eyJhbGciOiJFUzI1NiJ9.W10.AAAA", "eyJhbGciOiJFUzI1NiJ9==.e30.AAAA",
  ])
  func aTokenOfAnotherShapeIsRefused(text: String) {
    #expect {
      try JWT(parsing: text)
    } throws: { error in
      guard case SigningError.malformedToken = error else { return false }
      return true
    }
  }
}
