/// The bounds of every call of a client: nothing waits or grows without end.
public struct HTTPLimits: Sendable {
  /// From the start until TLS is ready, name lookup included.
  public var connect: Duration
  /// From the start until the last byte.
  public var total: Duration
  /// The largest body accepted, in bytes.
  public var body: Int

  /// Bounds for ordinary API calls.
  public init(connect: Duration = .seconds(5), total: Duration = .seconds(30), body: Int = 8 << 20) {
    self.connect = connect
    self.total = total
    self.body = body
  }
}

/// The authority that makes a server's certificate acceptable; the host name is verified in either case.
public enum HTTPTrust: Sendable, Equatable {
  /// The system's certificate store.
  case system
  /// Only the PEM file at this path, in place of the system's store.
  case certificateAuthority(path: String)
}
