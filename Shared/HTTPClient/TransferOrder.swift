import Synchronization

/// A call on its way to the transfer thread, and whether it is cancelled.
final class TransferOrder: Sendable {
  let call: HTTPCall
  let trust: HTTPTrust
  let limits: HTTPLimits
  private let cancelled = Atomic<Bool>(false)

  init(call: HTTPCall, trust: HTTPTrust, limits: HTTPLimits) {
    self.call = call
    self.trust = trust
    self.limits = limits
  }

  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  func cancel() {
    cancelled.store(true, ordering: .releasing)
  }

  /// The authority without user information.
  ///
  /// An error may show nothing else of a URL.
  var host: String {
    guard let scheme = call.url.firstRange(of: "://") else { return "the server" }
    let authority = call.url[scheme.upperBound...].prefix { !"/?#".contains($0) }
    return String(authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority)
  }

  /// Whether the call stays on this machine and uses no proxy.
  var isLoopback: Bool {
    ["127.0.0.1", "[::1]", "localhost"].contains { host == $0 || host.hasPrefix("\($0):") }
  }

  /// What is wrong with a call that cannot be sent; `nil` if nothing is.
  var defect: String? {
    guard call.url.hasPrefix("https://") || call.url.hasPrefix("http://") else {
      return "the URL begins with neither https:// nor http://"
    }
    guard call.url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return "the URL is not percent-encoded" }
    for header in call.headers {
      guard !header.name.isEmpty, header.name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") })
      else { return "a header has no proper name" }
      guard header.value.utf8.allSatisfy({ $0 != 0 && $0 != 10 && $0 != 13 }) else {
        return "the header \(header.name) has a line break in it"
      }
    }
    return nil
  }
}
