import Synchronization

/// A call on its way to the loop, and whether it is cancelled.
final class TransferOrder: Sendable {
  let call: HTTPCall
  let trust: HTTPTrust
  let proxy: HTTPProxy
  let limits: HTTPLimits
  let place: CallPlace
  private let cancelled = Atomic<Bool>(false)

  /// - Parameter place: that of the call's URL, where it is known already.
  init(
    call: HTTPCall, trust: HTTPTrust, proxy: HTTPProxy = .environment, limits: HTTPLimits, place: CallPlace? = nil
  ) {
    self.call = call
    self.place = place ?? CallPlace(call.url)
    (self.trust, self.proxy, self.limits) = (trust, proxy, limits)
  }

  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  func cancel() {
    cancelled.store(true, ordering: .releasing)
  }

  /// The authority without user information: an error may show nothing else of a URL.
  var host: String { place.host }

  /// The fault of a call that cannot be sent; `nil` if it has none.
  var defect: String? {
    if let defect = place.defect { return defect }
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

/// The place where a call goes, as a URL says it.
struct CallPlace {
  /// The authority without user information.
  let host: String
  /// Whether the call stays on this machine and uses no proxy.
  let isLoopback: Bool
  /// The fault of the URL; `nil` if it has none.
  let defect: String?

  init(_ url: String) {
    let host = Self.host(url)
    self.host = host
    isLoopback = ["127.0.0.1", "[::1]", "localhost"].contains { host == $0 || host.hasPrefix("\($0):") }
    if !url.hasPrefix("https://"), !url.hasPrefix("http://") {
      defect = "the URL begins with neither https:// nor http://"
    } else {
      defect = url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? nil : "the URL is not percent-encoded"
    }
  }

  private static func host(_ url: String) -> String {
    guard let scheme = url.firstRange(of: "://") else { return "the server" }
    let authority = url[scheme.upperBound...].prefix { !"/?#".contains($0) }
    return String(authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority)
  }
}
