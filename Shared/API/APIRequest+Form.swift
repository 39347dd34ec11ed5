import FoundationEssentials

extension APIRequest {
  /// Whether its sender would rather read JSON than a page.
  public var wantsJSON: Bool {
    let media = (header("accept") ?? "").lowercased()
    return media.contains("application/json") && !media.contains("text/html")
  }

  /// A field of a form, as a page sends it (`application/x-www-form-urlencoded`).
  ///
  /// - Returns: `nil` where it is not there, where the body is none, and where its value needs percent-encoding.
  public func formField(_ name: String) -> String? {
    let media = (header("content-type") ?? "").prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
    guard media == "application/x-www-form-urlencoded", let body = rawBody else { return nil }
    for pair in body.prefix(Self.largestBody).split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, parts[0] == name { return String(parts[1]) }
    }
    return nil
  }
}
