import FoundationEssentials
import Glibc
import Signing
import Testing

struct CertificateAuthorityTests {
  @Test func anAuthorityCanBeReadBackAndIssueAgain() throws {
    let authority = try CertificateAuthority.make(named: "test")
    let copy = try CertificateAuthority(certificatePEM: authority.certificatePEM, keyPEM: authority.keyPEM)

    let certificate = try copy.issue(for: ["localhost"])

    #expect(certificate.certificatePEM.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
    #expect(throws: Never.self) { try SigningKey(pem: certificate.keyPEM) }
  }

  @Test(arguments: ["", "a,DNS:evil.example", "a b", "ü.example", "a\nb"])
  func aHostNameThatCannotStandInACertificateIsRefused(host: String) throws {
    let authority = try CertificateAuthority.make(named: "test")

    #expect(throws: SigningError.unusableCertificate(reason: "a host name with other characters")) {
      try authority.issue(for: [host])
    }
  }

  @Test(arguments: ["1.2.3", "::g", "1.2.3.4.5"])
  func anAddressThatIsNoneIsRefused(host: String) throws {
    let authority = try CertificateAuthority.make(named: "test")

    #expect(throws: SigningError.self) { try authority.issue(for: [host]) }
  }

  @Test func textThatIsNoCertificateIsRefused() throws {
    let pem = try SigningKey.generate().privatePEM()

    #expect(throws: SigningError.self) { try CertificateAuthority(certificatePEM: "nothing", keyPEM: pem) }
  }

  @Test func aKeyOfAnotherAuthorityIsRefused() throws {
    let (first, second) = (try CertificateAuthority.make(named: "one"), try CertificateAuthority.make(named: "two"))

    #expect(throws: SigningError.unusableCertificate(reason: "the certificate and the key do not belong together")) {
      try CertificateAuthority(certificatePEM: first.certificatePEM, keyPEM: second.keyPEM)
    }
  }

  @Test func aSecretFileIsForItsOwnerOnly() throws {
    let path = "/tmp/signing-test-\(UUID().uuidString).pem"
    defer { unlink(path) }
    try PEMFile.write("old", to: path, isSecret: false)

    try PEMFile.write("secret", to: path, isSecret: true)

    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(status.st_size == 6)
  }

  @Test func aFolderThatIsMissingIsNamed() {
    #expect(throws: SigningError.unwritableFile(path: "/missing/key.pem", reason: "No such file or directory")) {
      try PEMFile.write("", to: "/missing/key.pem", isSecret: true)
    }
  }
}
