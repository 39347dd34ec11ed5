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

  /// Reads `example.com, .example.org, *.example.net, 10.0.0.1:8443, [::1]:443, 10.0.0.0/8, *`.
  init(_ text: String) throws(HTTP2Error) {
    entries = try text.split { $0 == "," || $0.isWhitespace }.map { entry throws(HTTP2Error) in
      guard let read = Entry(entry) else { throw Self.refusal(of: entry) }
      return read
    }
  }

  /// It names the entry, but nothing before an `@`, because that may be a password.
  private static func refusal(of entry: Substring) -> HTTP2Error {
    let shown = Array((entry.split(separator: "@", omittingEmptySubsequences: false).last ?? entry).utf8)[...]
    return .unusableProxy(
      reason: "the entry \(shown.printable) of NO_PROXY is no name, address or network, with or without a port, nor *")
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

  /// In lower case, without what marks a name as absolute or as a suffix.
  fileprivate static func plain(_ host: String) -> String {
    var host = host.lowercased()[...]
    if host.hasPrefix("*.") { host = host.dropFirst() }
    if host.hasPrefix(".") { host = host.dropFirst() }
    if host.hasSuffix(".") { host = host.dropLast() }
    return String(host)
  }
}

extension NoProxyList.Entry {
  /// Reads `host`, `host:port`, `[IPv6]` or `[IPv6]:port`; `nil` for anything else.
  fileprivate init?(_ text: Substring) {
    var (host, rest) = (text, ""[...])
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      (host, rest) = (text[..<end].dropFirst(), text[end...].dropFirst())
      guard host.contains(":") else { return nil }
    } else if text.count(where: { $0 == ":" }) == 1 {
      host = text.prefix { $0 != ":" }
      rest = text[host.endIndex...]
    }
    guard let host = NoProxyList.Host(host), rest.isEmpty || rest.first == ":" else { return nil }
    let port = rest.isEmpty ? nil : UInt16(portNumber: rest.dropFirst())
    guard rest.isEmpty || port != nil else { return nil }
    (self.host, self.port) = (host, port)
  }
}

extension NoProxyList.Host {
  fileprivate init?(_ text: Substring) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    if text == "*" {
      self = .all
    } else if let bytes = parts.first.flatMap({ Endpoint(host: String($0), port: 0).address }) {
      let longest = bytes.count * 8
      // `Int(_:)` also accepts a sign.
      guard parts.count > 1 else {
        self = .network(bytes: bytes, bits: longest)
        return
      }
      guard parts[1].allSatisfy(\.isNumber), let bits = Int(parts[1]), bits <= longest else { return nil }
      self = .network(bytes: bytes, bits: bits)
    } else {
      let name = NoProxyList.plain(String(text))
      let labels = name.split(separator: ".", omittingEmptySubsequences: false)
      let isName = labels.allSatisfy { label in
        !label.isEmpty && label.utf8.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) }
      }
      // What ends in a number is an address, but no valid one.
      guard isName, labels.last?.allSatisfy(\.isNumber) == false else { return nil }
      self = .name(name)
    }
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    (0x30...0x39).contains(self) || (0x41...0x5A).contains(self & 0xDF)
  }
}
