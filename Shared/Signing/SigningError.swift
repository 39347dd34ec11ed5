/// Why a key, a signature, a token or a certificate could not be made or read.
///
/// Descriptions never contain keys, signatures or tokens.
package enum SigningError: Error, Sendable, Hashable {
  /// The text is not a PEM private or public key, or a passphrase protects it.
  case unreadableKey(reason: String)
  /// The key is readable, but of the wrong kind.
  case wrongKind(expected: String)
  /// OpenSSL refused, in practice because memory or entropy ran out.
  case failed(reason: String)
  /// A token that is not a JWT of the expected shape.
  case malformedToken(reason: String)
  /// A certificate that cannot be read, or a host name that a certificate cannot have.
  case unusableCertificate(reason: String)
  /// A file that cannot be written.
  case unwritableFile(path: String, reason: String)
}

extension SigningError: CustomStringConvertible {
  /// One line for the log.
  package var description: String {
    switch self {
    case .unreadableKey(let reason): "unreadable key: \(reason)"
    case .wrongKind(let expected): "the key is not \(expected)"
    case .failed(let reason): "OpenSSL failed: \(reason)"
    case .malformedToken(let reason): "malformed token: \(reason)"
    case .unusableCertificate(let reason): "unusable certificate: \(reason)"
    case .unwritableFile(let path, let reason): "\(path) cannot be written: \(reason)"
    }
  }
}
