import CLinux
import Glibc
import HTTP1

/// Where a collector listens, for a program that sends its spans itself.
struct CollectorPlace: Sendable, Equatable {
  /// As the field `Host` has it.
  let authority: String
  let host: String
  let port: UInt16
  let path: String

  /// - Returns: `nil` for another URL than one of `http`.
  init?(_ url: String) {
    guard url.lowercased().hasPrefix("http://") else { return nil }
    let rest = url.dropFirst(7)
    authority = String(rest.prefix { !"/?#".contains($0) })
    let target = rest.dropFirst(authority.count).prefix { $0 != "#" }
    path = target.hasPrefix("/") ? String(target) : "/\(target)"
    let isBracketed = authority.hasPrefix("[")
    let end = isBracketed ? authority.firstIndex(of: "]") : authority.firstIndex(of: ":") ?? authority.endIndex
    guard let end else { return nil }
    host = String(authority[..<end]).filter { $0 != "[" }
    let port = authority[end...].drop { $0 == "]" || $0 == ":" }
    guard let number = port.isEmpty ? 80 : UInt16(port), !host.isEmpty else { return nil }
    self.port = number
  }

  /// The addresses of the host, none if nobody knows it.
  ///
  /// A program of Swift alone is linked without the system's resolver: it knows numeric addresses and localhost.
  func addresses() -> [SocketAddress] {
    if let address = SocketAddress(host: host, port: port) { return [address] }
    if host == "localhost" {
      return ["127.0.0.1", "::1"].compactMap { SocketAddress(host: $0, port: port) }
    }
    var texts = [CChar](repeating: 0, count: 4 * Int(SHIM_LONGEST_ADDRESS))
    let count = Int(shim_resolve(host, &texts, 4))
    return (0..<max(0, count)).compactMap { index in
      let text = texts[(index * Int(SHIM_LONGEST_ADDRESS))...].prefix { $0 != 0 }
      return SocketAddress(host: String(decoding: text.map { UInt8(bitPattern: $0) }, as: UTF8.self), port: port)
    }
  }
}

/// The part of a collector's answer that says how many spans it has left out.
package enum PartialSuccess {
  /// `{"partialSuccess":{"rejectedSpans":"2"}}`, with a number of 64 bits as a string or a number.
  package static func rejected(_ body: [UInt8]) -> Int {
    let name = Array(#""rejectedSpans""#.utf8)
    let starts = body.count < name.count ? 0..<0 : 0..<(body.count - name.count + 1)
    guard let start = starts.first(where: { body[$0..<($0 + name.count)].elementsEqual(name) }) else { return 0 }
    let rest = body[(start + name.count)...].drop { " :\"\n\r\t".utf8.contains($0) }
    return Int(String(decoding: rest.prefix { (0x30...0x39).contains($0) }, as: UTF8.self)) ?? 0
  }
}
