extension PushPayload {
  /// The payload with texts shortened so that its JSON has at most `limit` bytes, if possible.
  ///
  /// It shortens in this order, each as far as needed: the body to 500 bytes; the subtitle and the title to 200; the
  /// app's own texts, the longest first, to 100, then to 40. Then it leaves out the addresses of images and pages, the
  /// longest first, and finally cuts the body, subtitle and title further. Ids, types, links into the app and texts of
  /// at most 40 bytes stay as they are.
  func shortened(to limit: Int) -> PushPayload {
    var payload = self
    payload.shortenAlert(to: limit, keeping: (body: 500, others: 200))
    payload.shortenValues(to: limit, keeping: 100)
    payload.shortenValues(to: limit, keeping: Self.shortestValue)
    for name in payload.names(where: Self.isAddress) where payload.json.count > limit { payload.values[name] = nil }
    payload.shortenAlert(to: limit, keeping: (body: 0, others: 0))
    return payload
  }

  private static let shortestValue = 40

  private mutating func shortenAlert(to limit: Int, keeping least: (body: Int, others: Int)) {
    for part in [\Alert.body, \Alert.subtitle, \Alert.title] {
      let excess = json.count - limit
      guard excess > 0 else { return }
      alert?[keyPath: part]?.shorten(byEncoded: excess, keeping: part == \Alert.body ? least.body : least.others)
    }
  }

  private mutating func shortenValues(to limit: Int, keeping least: Int) {
    for name in names(where: Self.isText) {
      let excess = json.count - limit
      guard excess > 0 else { return }
      guard case .string(var text)? = values[name] else { continue }
      text.shorten(byEncoded: excess, keeping: least)
      values[name] = .string(text)
    }
  }

  /// The names of the app's own long texts of a sort, the longest text first.
  private func names(where isMeant: (String) -> Bool) -> [String] {
    let texts = values.compactMap { name, value -> (name: String, size: Int)? in
      guard case .string(let text) = value, text.utf8.count > Self.shortestValue, isMeant(name) else { return nil }
      return (name, text.utf8.count)
    }
    return texts.sorted { ($1.size, $0.name) < ($0.size, $1.name) }.map(\.name)
  }

  private static func isAddress(_ name: String) -> Bool {
    ["url", "uri"].contains { name.lowercased().hasSuffix($0) }
  }

  /// A cut id, type or link would lead nowhere.
  private static func isText(_ name: String) -> Bool {
    let isID = ["id", "ids", "Id", "Ids", "ID", "IDs"].contains { ending in
      guard name.hasSuffix(ending) else { return false }
      let rest = name.dropLast(ending.count)
      return rest.isEmpty || rest.last == "_" || ending.first == "I"
    }
    return !isID && !isAddress(name) && !["type", "deep_link", "deepLink", "tap_action"].contains(name)
  }
}
