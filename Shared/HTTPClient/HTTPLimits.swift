/// The limits of every call of a client: no call waits or grows without end.
package struct HTTPLimits: Sendable {
  /// The time from the start until TLS is ready, with the name lookup.
  package var connect: Duration
  /// The time from the start until the last byte.
  package var total: Duration
  /// The largest body accepted, in bytes.
  package var body: Int
  /// How much of the body is kept, in bytes; the rest is read and dropped.
  package var kept: Int
  /// The largest head accepted, with all its fields, in bytes.
  package static let head = 65_536

  /// The limits of ordinary API calls.
  package init(
    connect: Duration = .seconds(5), total: Duration = .seconds(30), body: Int = 8 << 20, kept: Int = .max
  ) {
    self.connect = connect
    self.total = total
    self.body = body
    self.kept = kept
  }
}

/// The authority that must vouch for a server's certificate.
///
/// The host name is verified in either case.
package enum HTTPTrust: Sendable, Equatable {
  /// The system's certificate store; its file is the one that `SSL_CERT_FILE` names where that is set.
  case system
  /// Only the PEM file at this path, instead of the system's store.
  case certificateAuthority(path: String)
}
