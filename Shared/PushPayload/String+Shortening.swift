extension String {
  /// Drops characters from the end and adds `…`, so that the JSON text becomes shorter by at least that many bytes.
  mutating func shorten(byEncoded excess: Int) {
    let ellipsis = "…"
    var excess = excess + ellipsis.utf8.count
    while excess > 0, let last = popLast() {
      excess -= JSONObject.encodedSize(of: last)
    }
    if excess <= 0 { self += ellipsis }
  }

  /// The text, or as many of its characters as leave room for `…` within a number of Unicode scalars.
  ///
  /// Scalars are what `varchar(n)` of PostgreSQL counts.
  public func shortened(toScalars limit: Int) -> String {
    guard unicodeScalars.count > limit else { return self }
    var room = limit - 1
    let kept = prefix { character in
      room -= character.unicodeScalars.count
      return room >= 0
    }
    return kept + "…"
  }
}
