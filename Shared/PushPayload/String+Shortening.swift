extension String {
  /// Cuts characters from the end and adds `…`, so that the JSON text becomes at least `excess` bytes shorter.
  ///
  /// If that is not possible, it becomes as short as allowed.
  /// - Parameter least: how many bytes in UTF-8 are always kept; with 0, even the `…` may be dropped.
  mutating func shorten(byEncoded excess: Int, keeping least: Int = 0) {
    let ellipsis = "…"
    let size = utf8.count
    var excess = excess + ellipsis.utf8.count
    while excess > 0, let last, utf8.count - last.utf8.count >= least {
      excess -= JSONObject.encodedSize(of: last)
      removeLast()
    }
    if excess <= 0 || least > 0 && utf8.count + ellipsis.utf8.count < size { self += ellipsis }
  }

  /// The text, cut if necessary so that it and a `…` fit into `limit` Unicode scalars.
  ///
  /// PostgreSQL's `varchar(n)` counts scalars.
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
