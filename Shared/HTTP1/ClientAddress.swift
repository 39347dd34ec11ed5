/// The address of a client: an IPv4 address, or the /64 network of an IPv6 address, which usually has one client.
package struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
  private var address: IPAddress?

  /// No address.
  package init() {}

  package init(_ address: IPAddress?) {
    self.address = address.map { $0.isMapped ? $0 : IPAddress(high: $0.high, low: 0) }
  }

  /// Whether it is this machine: `127.0.0.0/8`, or the network of `::1`, in which nobody else is.
  package var isLoopback: Bool {
    guard let address else { return false }
    return address.isMapped ? address.low >> 24 & 0xFF == 127 : address.high == 0
  }

  /// The address, or the network with its length; empty without an address.
  package var description: String { address.map { $0.isMapped ? $0.text : "\($0.text)/64" } ?? "" }
}
