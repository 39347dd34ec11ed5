/// The authorities that a client trusts.
///
/// Name and chain are verified in either case.
package enum Trust: Sendable, Hashable {
  /// The system's authorities (OpenSSL's default paths, or `SSL_CERT_FILE` and `SSL_CERT_DIR`).
  case system
  /// Only the authorities of this PEM file.
  case certificateAuthority(path: String)
}
