import Testing

@testable import Signing

struct SigningKeyTests {
  @Test func everySignatureHasSixtyFourBytesAndVerifies() throws {
    let key = try SigningKey.generate()
    let verificationKey = try key.verificationKey()

    for number in 0..<2_000 {
      let message = Array("message \(number)".utf8)
      let signature = try key.sign(message)
      #expect(signature.count == 64)
      #expect(verificationKey.verify(signature, of: message))
    }
  }

  @Test(arguments: [0, 31, 32, 63])
  func aChangedSignatureIsRefused(position: Int) throws {
    let key = try SigningKey.generate()
    let message = Array("message".utf8)
    var signature = try key.sign(message)

    signature[position] ^= 1

    #expect(try !key.verificationKey().verify(signature, of: message))
  }

  @Test func aChangedMessageIsRefused() throws {
    let key = try SigningKey.generate()
    let signature = try key.sign(Array("message".utf8))

    #expect(try !key.verificationKey().verify(signature, of: Array("massage".utf8)))
  }

  @Test func anotherKeysSignatureIsRefused() throws {
    let message = Array("message".utf8)
    let signature = try SigningKey.generate().sign(message)

    #expect(try !SigningKey.generate().verificationKey().verify(signature, of: message))
  }

  @Test(arguments: [(0, 1), (1, 1), (63, 1), (65, 1), (70, 1), (64, 0)] as [(Int, UInt8)])
  func aSignatureOfAnotherLengthOrOfZerosIsRefused(length: Int, byte: UInt8) throws {
    let key = try SigningKey.generate().verificationKey()

    #expect(!key.verify([UInt8](repeating: byte, count: length), of: [1]))
  }

  @Test func theKeySurvivesItsPEM() throws {
    let key = try SigningKey.generate()
    let copy = try SigningKey(pem: key.privatePEM())
    let message = Array("message".utf8)

    #expect(try key.verificationKey().verify(copy.sign(message), of: message))
    #expect(try key.privatePEM().hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
  }

  /// Nobody is asked for the passphrase of one that has one.
  @Test(arguments: [
    "", "not a key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", TestKeys.locked,
  ])
  func textThatIsNoKeyIsRefused(text: String) {
    #expect {
      try SigningKey(pem: text)
    } throws: { error in
      guard case SigningError.unreadableKey = error else { return false }
      return true
    }
  }

  @Test(arguments: [TestKeys.p384, TestKeys.rsa])
  func aKeyOfAnotherKindIsRefused(pem: String) {
    #expect(throws: SigningError.wrongKind(expected: "an EC key on P-256")) { try SigningKey(pem: pem) }
  }

  @Test func aPrivateKeyIsNoVerificationKey() throws {
    let pem = try SigningKey.generate().privatePEM()

    #expect(throws: SigningError.self) { try VerificationKey(pem: pem) }
  }

  @Test func descriptionsKeepTheSecret() throws {
    let key = try SigningKey.generate()
    let secret = try #require(key.privatePEM().split(separator: "\n").dropFirst().first)
    let authority = try CertificateAuthority.make(named: "test")

    #expect(!"\(key)".contains(secret))
    #expect("\(authority)" == "CertificateAuthority")
    #expect("\(try authority.issue())" == "ServerCertificate")
  }

  @Test func shortNumbersArePaddedOnTheLeft() throws {
    // SEQUENCE { INTEGER 1, INTEGER 0x80 }
    let raw = try ECDSASignature.raw(fromDER: [0x30, 0x07, 0x02, 0x01, 0x01, 0x02, 0x02, 0x00, 0x80])

    #expect(raw == [UInt8](repeating: 0, count: 31) + [1] + [UInt8](repeating: 0, count: 31) + [0x80])
    #expect(ECDSASignature.der(fromRaw: raw) == [0x30, 0x07, 0x02, 0x01, 0x01, 0x02, 0x02, 0x00, 0x80])
  }
}
