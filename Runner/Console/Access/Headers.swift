import HTTP1

// What every answer of the console says to the browser.
extension HTTP1Answer {
  /// - Parameter keeps: whether the browser may keep it, which its own fields then say.
  func secured() -> HTTP1Answer {
    var answer = self
    let named = Set(headers.map { $0.0.lowercased() })
    answer.headers += Self.fields.filter { !named.contains($0.0.lowercased()) }
    return answer
  }

  /// Nothing is loaded but from here, no page of another site shows one of these, and no address is passed on to one.
  ///
  /// With `no-referrer` browsers say of a form of the console's own that it comes from nowhere (`Origin: null`).
  private static let fields = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
        + "base-uri 'none'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"), ("Cache-Control", "no-store"),
  ]

  static func html(_ status: Int, _ document: HTML) -> HTTP1Answer {
    HTTP1Answer(
      status: status, headers: [("Content-Type", "text/html; charset=utf-8")], body: Array(document.source.utf8))
  }

  /// Leads to another address by `GET`.
  static func redirect(_ address: String) -> HTTP1Answer {
    HTTP1Answer(status: 303, headers: [("Location", address)])
  }
}
