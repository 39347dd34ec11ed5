import FoundationEssentials

extension APIRequest {
  /// Whether the sender prefers JSON to a page.
  package var wantsJSON: Bool {
    let media = (header("accept") ?? "").lowercased()
    return media.contains("application/json") && !media.contains("text/html")
  }

  /// A field of a page's form (`application/x-www-form-urlencoded`).
  ///
  /// - Returns: its raw value, not percent-decoded; `nil` without the field or a form.
  /// - Throws: an ``APIError`` if the body is too large, even if it is no form.
  package func formField(_ name: String) throws(APIError) -> String? {
    guard rawBody?.utf8.count ?? 0 <= Self.largestBody else { throw .tooLarge }
    let media = (header("content-type") ?? "").prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
    guard media == "application/x-www-form-urlencoded", let body = rawBody else { return nil }
    for pair in body.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, parts[0] == name { return String(parts[1]) }
    }
    return nil
  }
}
