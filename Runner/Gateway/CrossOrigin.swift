import HTTP1

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
