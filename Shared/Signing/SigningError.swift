/// Why a key, a signature, a token or a certificate could not be made or read.
///
/// Descriptions never contain keys, signatures or tokens.
public enum SigningError: Error, Sendable, Hashable {
  /// The text is not a PEM private or public key, or is protected by a passphrase.
  case unreadableKey(reason: String)
  /// A readable key, but of another kind than needed.
  case wrongKind(expected: String)
  /// OpenSSL refused; out of memory or entropy in practice.
  case failed(reason: String)
  /// A token that is not a JWT of the expected shape.
  case malformedToken(reason: String)
  /// A certificate that cannot be read, or a host name that cannot stand in one.
  case unusableCertificate(reason: String)
  /// A file that cannot be written.
  case unwritableFile(path: String, reason: String)
}

extension SigningError: CustomStringConvertible {
  /// One line for the log.
  public var description: String {
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
