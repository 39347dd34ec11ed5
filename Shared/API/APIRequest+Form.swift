import FoundationEssentials

extension APIRequest {
  /// Whether its sender would rather read JSON than a page.
  public var wantsJSON: Bool {
    let media = (header("accept") ?? "").lowercased()
    return media.contains("application/json") && !media.contains("text/html")
  }

  /// A field of a form, as a page sends it (`application/x-www-form-urlencoded`).
  ///
  /// - Returns: its value as it was sent, so without percent-decoding; `nil` where it or the form is not there.
  /// - Throws: an ``APIError`` where the body is too large, whatever it is.
  public func formField(_ name: String) throws(APIError) -> String? {
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
