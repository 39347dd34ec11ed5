/// The hosts that need no proxy: names, each with all names below it, addresses and networks.
struct NoProxyList {
  private let entries: [Entry]

  fileprivate struct Entry {
    var host: Host
    /// `nil` for every port.
    var port: UInt16?
  }

  fileprivate enum Host {
    case all
    case name(String)
    case network(bytes: [UInt8], bits: Int)
  }

  /// Reads `example.com, .example.org, 10.0.0.1:8443, [::1]:443, 10.0.0.0/8, *`.
  init(_ text: String) {
    entries = text.split { $0 == "," || $0.isWhitespace }.map { Entry(String($0)) }
  }

  func contains(_ endpoint: Endpoint) -> Bool {
    let (name, address) = (Self.plain(endpoint.host), endpoint.address)
    return entries.contains { entry in
      guard entry.port == nil || entry.port == endpoint.port else { return false }
      switch entry.host {
      case .all: return true
      case .name(let host): return name == host || address == nil && name.hasSuffix(".\(host)")
      case .network(let bytes, let bits): return address.map { Self.share(bits, $0, bytes) } ?? false
      }
    }
  }

  /// Whether two addresses of one kind have the same first bits.
  private static func share(_ bits: Int, _ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
    guard one[..<whole] == other[..<whole] else { return false }
    return rest == 0 || (one[whole] ^ other[whole]) >> (8 - rest) == 0
  }

  /// In lower case, without the dots that mark a name as absolute or as a suffix.
  private static func plain(_ host: String) -> String {
    var host = host.lowercased()[...]
    if host.hasPrefix("*.") { host = host.dropFirst() }
    while host.hasPrefix(".") { host = host.dropFirst() }
    if host.hasSuffix(".") { host = host.dropLast() }
    return String(host)
  }
}

extension NoProxyList.Entry {
  fileprivate init(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, let bytes = Endpoint(host: String(parts[0]), port: 0).address, let bits = Int(parts[1]),
      (0...bytes.count * 8).contains(bits)
    {
      (host, port) = (.network(bytes: bytes, bits: bits), nil)
    } else if Endpoint(host: text, port: 0).isNumeric {
      (host, port) = (NoProxyList.host(text[...]), nil)
    } else if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      host = NoProxyList.host(text[..<end].dropFirst())
      port = UInt16(text[end...].dropFirst(2))
    } else {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      host = NoProxyList.host(parts[0])
      port = parts.count > 1 ? UInt16(parts[1]) : nil
    }
  }
}

extension NoProxyList {
  fileprivate static func host(_ text: Substring) -> Host {
    guard let bytes = Endpoint(host: String(text), port: 0).address else {
      return text == "*" ? .all : .name(plain(String(text)))
    }
    return .network(bytes: bytes, bits: bytes.count * 8)
  }
}
