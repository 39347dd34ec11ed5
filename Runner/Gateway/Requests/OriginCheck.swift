import HTTP1

/// Refuses calls of web pages: a page of another site must not call functions through a browser on this machine.
struct OriginCheck: Sendable {
  private let hosts: Set<String>
  private let variable: String?

  /// - Parameters:
  ///   - hosts: the server's own names and addresses, besides those of the loopback.
  ///   - variable: the environment variable that names further ones, if there may be any.
  init(hosts: [String] = [], from variable: String? = nil) {
    self.variable = variable
    self.hosts = Set(["localhost", "127.0.0.1", "[::1]"] + hosts.map { Self.written($0) })
  }

  /// The refusal of a request for a foreign host name or from another site; `nil` for any other.
  func refusal(of request: HTTP1Request) -> HTTP1Answer? {
    if let refusal = foreignHost(of: request) { return refusal }
    if let site = request.headers["sec-fetch-site"], !["same-origin", "none"].contains(site) {
      return .failure(403, "CROSS_SITE", "Calls from another site are refused.")
    }
    if let origin = request.headers["origin"], !isOwn(origin, of: request) {
      return .failure(403, "CROSS_SITE", "Calls from another site are refused.")
    }
    return nil
  }

  /// The refusal of a request for a foreign host name; `nil` for any other.
  func foreignHost(of request: HTTP1Request) -> HTTP1Answer? {
    guard let host = request.headers["host"], !hosts.contains(Authority(host)?.host ?? "") else { return nil }
    let hint = variable.map { " If it is this server's, \($0) has to name it." } ?? ""
    return .failure(403, "FOREIGN_HOST", "There is nothing here for the host \(host).\(hint)")
  }

  /// Whether a browser opens a page of the server, by fields that no script can set.
  func isFollowedLink(_ request: HTTP1Request) -> Bool {
    request.method == "GET" && request.headers["sec-fetch-mode"] == "navigate"
      && request.headers["sec-fetch-dest"] == "document" && request.headers["origin"] == nil
      && foreignHost(of: request) == nil
  }

  /// Whether an origin is the server's own, by its name and its port.
  ///
  /// Another port of this machine may serve anybody's page. Where a proxy in front passes on another port in `Host`, the
  /// browser's word counts that both are the same; browsers before 2023 say nothing.
  private func isOwn(_ origin: String, of request: HTTP1Request) -> Bool {
    let schemes = [(prefix: "http://", port: 80), (prefix: "https://", port: 443)]
    guard let scheme = schemes.first(where: { origin.hasPrefix($0.prefix) }),
      let page = Authority(origin.dropFirst(scheme.prefix.count)), hosts.contains(page.host)
    else { return false }
    if request.headers["sec-fetch-site"] == "same-origin" { return true }
    guard let own = request.headers["host"].flatMap({ Authority($0) }) else { return false }
    return (page.port ?? scheme.port) == (own.port ?? scheme.port)
  }

  /// A name or address as the field `Host` has it.
  private static func written(_ host: String) -> String {
    host.contains(":") && !host.hasPrefix("[") ? "[\(host.lowercased())]" : host.lowercased()
  }
}

/// The web pages of other sites that may call functions which check their callers themselves.
///
/// Unless some are named, none may.
///
/// Source: https://fetch.spec.whatwg.org/#http-cors-protocol
package struct CrossOrigin: Sendable {
  /// The environment variable with the origins, such as `https://app.example.com`, separated by spaces.
  package static let variable = "RUNNER_CORS_ORIGINS"

  private let origins: Set<String>

  /// - Throws: ``MistakenOrigin`` for a text that is not an origin, such as `*`.
  init(_ text: String?) throws(MistakenOrigin) {
    var origins: Set<String> = []
    for word in (text ?? "").split(separator: " ") {
      guard Self.isOrigin(word) else { throw MistakenOrigin(text: String(word)) }
      origins.insert(word.lowercased())
    }
    self.origins = origins
  }

  struct MistakenOrigin: Error {
    let text: String
  }

  /// The origin of a request that comes from one of these pages.
  func origin(of request: HTTP1Request) -> String? {
    guard !origins.isEmpty, let origin = request.headers["origin"], origins.contains(origin.lowercased()) else {
      return nil
    }
    return origin
  }

  /// The answer to a browser that asks whether it may call.
  static func preflight(_ methods: [String], for origin: String) -> HTTP1Answer {
    HTTP1Answer(
      status: 204,
      headers: [
        ("Access-Control-Allow-Methods", methods.joined(separator: ", ")),
        ("Access-Control-Allow-Headers", "Authorization, Content-Type"), ("Access-Control-Max-Age", "600"),
      ]
    ).allowing(origin)
  }

  private static func isOrigin(_ word: Substring) -> Bool {
    guard let scheme = ["https://", "http://"].first(where: word.hasPrefix) else { return false }
    let host = word.dropFirst(scheme.count)
    return Authority(host).map { !$0.host.isEmpty && !$0.host.contains("*") } ?? false
  }
}

extension HTTP1Answer {
  /// The same answer, which a page of that origin may read even if the function says otherwise.
  func allowing(_ origin: String) -> HTTP1Answer {
    var answer = self
    answer.headers.removeAll { $0.0.lowercased() == "access-control-allow-origin" }
    return answer.with("Access-Control-Allow-Origin", origin).with("Vary", "Origin")
  }
}
