import Formats
import Signing
import Testing

struct RSASigningKeyTests {
  @Test func theSignatureIsTheOneThatTheOpenSSLCommandMakes() throws {
    let signature = try RSASigningKey(pem: TestKeys.rsa).sign(Array("header.claims".utf8))

    #expect(Base64URL.encode(signature) == TestKeys.rsaSignatureOfHeaderClaims)
  }

  @Test func tamperingIsNoticed() throws {
    let key = try RSASigningKey(pem: TestKeys.rsa)
    var signature = try key.sign([1, 2, 3])

    #expect(key.verify(signature, of: [1, 2, 3]))
    #expect(!key.verify(signature, of: [1, 2, 4]))
    signature[0] ^= 1
    #expect(!key.verify(signature, of: [1, 2, 3]))
  }

  @Test func anECKeyIsRefused() throws {
    let pem = try SigningKey.generate().privatePEM()

    #expect(throws: SigningError.wrongKind(expected: "an RSA key")) { try RSASigningKey(pem: pem) }
  }
}
