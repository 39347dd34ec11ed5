import FunctionKit
import HTTP1

/// The proxies whose word counts about who calls: `--trusted-proxy`.
///
/// A proxy appends the address of its caller to `X-Forwarded-For` or `Forwarded`. What stands before the last
/// address that is no trusted proxy may be invented.
struct TrustedProxies: Sendable, Equatable {
  /// The environment variable, in place of the option.
  static let variable = "RUNNER_TRUSTED_PROXIES"

  private let networks: [IPNetwork]

  /// Whether nobody is trusted.
  var isEmpty: Bool { networks.isEmpty }

  /// - Parameter text: networks and addresses, separated by commas or spaces; `nil` for none.
  init(_ text: String?) throws(FunctionError) {
    var networks: [IPNetwork] = []
    for word in text?.split(whereSeparator: { ", ".contains($0) }) ?? [] {
      guard let network = IPNetwork(word) else {
        throw FunctionError(
          .usage,
          "--trusted-proxy and \(Self.variable) take addresses and networks such as 10.0.0.0/8, and not all addresses: "
            + "\(word) is none.")
      }
      networks.append(network)
    }
    self.networks = networks
  }

  /// The client that has sent a request.
  ///
  /// - Parameter peer: who has opened the connection.
  /// - Throws: if a trusted proxy says what nobody can read, or two different things.
  func client(of request: HTTP1Request, from peer: IPAddress?) throws(UnreadableClient) -> IPAddress? {
    guard !isEmpty, let peer, isTrusted(peer) else { return peer }
    let headers = request.headers
    let one = try last(
      of: headers.values(of: "x-forwarded-for").flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) })
    let other = try last(of: headers.values(of: "forwarded").flatMap(ForwardedField.clients))
    // A proxy that sets one of them may pass on the other as its client has sent it.
    if let one, let other, one != other { throw UnreadableClient() }
    return one ?? other ?? peer
  }

  private func isTrusted(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

  /// The last address that is no trusted proxy, or else the first; `nil` if there is none.
  private func last(of places: [Substring]) throws(UnreadableClient) -> IPAddress? {
    var address: IPAddress?
    for place in places.reversed() {
      guard let next = ForwardedField.address(place) else { throw UnreadableClient() }
      address = next
      if !isTrusted(next) { break }
    }
    return address
  }
}

/// The error that nobody can tell from whom a trusted proxy has got a request.
struct UnreadableClient: Error {}

/// The field `Forwarded`, and how it and `X-Forwarded-For` write addresses.
///
/// Source: https://www.rfc-editor.org/rfc/rfc7239
enum ForwardedField {
  /// The values of `for` in the elements of a field; one without it is empty.
  static func clients(_ field: String) -> [Substring] {
    split(field[...], at: ",").map { element in
      let value =
        split(element, at: ";").lazy.compactMap { pair -> Substring? in
          let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
          return parts.count == 2 && trimmed(parts[0]).lowercased() == "for" ? trimmed(parts[1]) : nil
        }.first ?? ""
      return value.first == "\"" && value.last == "\"" && value.count > 1 ? value.dropFirst().dropLast() : value
    }
  }

  /// `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`.
  static func address(_ text: Substring) -> IPAddress? {
    let text = trimmed(text)
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]"), isPort(text[text.index(after: end)...]) else { return nil }
      return IPAddress(text[..<end].dropFirst())
    }
    if let address = IPAddress(text) { return address }
    guard let colon = text.firstIndex(of: ":"), isPort(text[colon...]), !text.hasSuffix(":") else { return nil }
    return IPAddress(text[..<colon])
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.first == ":" && UInt16(text.dropFirst()) != nil && text.dropFirst().utf8.allSatisfy(\.isDigit)
  }

  /// Splits a text where no quotes are open.
  private static func split(_ text: Substring, at separator: Character) -> [Substring] {
    var (parts, start, isQuoted) = ([Substring](), text.startIndex, false)
    for index in text.indices {
      if text[index] == "\"" { isQuoted.toggle() }
      guard text[index] == separator, !isQuoted else { continue }
      parts.append(text[start..<index])
      start = text.index(after: index)
    }
    return parts + [text[start...]]
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var rest = text.drop { $0 == " " || $0 == "\t" }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return rest
  }
}
