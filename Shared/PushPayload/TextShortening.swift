extension String {
  /// From this scalar on, a character may be cut; no letter or emoji has as many.
  private static let longestWholeCharacter = 32

  /// Cuts the end off and adds `…`, so that the JSON text becomes at least `excess` bytes shorter.
  ///
  /// If that is not possible, it becomes as short as allowed.
  /// - Parameter least: how many bytes in UTF-8 are always kept; with 0, even the `…` may be dropped.
  package mutating func shorten(byEncoded excess: Int, keeping least: Int = 0) {
    let size = unicodeScalars.reduce(0) { $0 + JSONObject.encodedSize(of: $1) }
    shorten(to: size - excess, keeping: least, size: JSONObject.encodedSize)
  }

  /// Cuts the end off a text of more than `limit` units and adds `…`, so that it has at most `limit`.
  ///
  /// It is cut between two characters, or within one that is very long. What the kept part opens is closed.
  /// - Parameters:
  ///   - least: how many bytes in UTF-8 are always kept; with 0, even the `…` may be dropped.
  ///   - size: the units of a scalar.
  package mutating func shorten(to limit: Int, keeping least: Int = 0, size: (Unicode.Scalar) -> Int) {
    let mark = size("…")
    var (used, here, open) = (0, Cut(), OpenDirections())
    var (longest, shortest): (Cut?, Cut?)
    search: for character in self {
      for (number, scalar) in character.unicodeScalars.enumerated() {
        if number == 0 || number >= Self.longestWholeCharacter {
          here.ends = open.ends
          if used + mark + here.ends.reduce(0, { $0 + size($1) }) <= limit { longest = here }
          if shortest == nil, here.bytes >= least { shortest = here }
          if used + mark > limit, shortest != nil { break search }
        }
        _ = open.read(scalar, at: here.scalars)
        used += size(scalar)
        (here.scalars, here.bytes) = (here.scalars + 1, here.bytes + scalar.utf8.count)
      }
    }
    guard let shortest else { return }
    if let longest, longest.bytes >= shortest.bytes {
      self = ending(at: longest)
    } else {
      let text = least == 0 ? "" : ending(at: shortest)
      if text.utf8.count < utf8.count { self = text }
    }
  }

  /// The text, cut if necessary so that it and a `…` fit into `limit` Unicode scalars.
  ///
  /// PostgreSQL's `varchar(n)` counts scalars.
  public func shortened(toScalars limit: Int) -> String {
    guard unicodeScalars.count > limit else { return self }
    var text = self
    text.shorten(to: limit) { _ in 1 }
    return text
  }

  private func ending(at cut: Cut) -> String {
    var kept = UnicodeScalarView(unicodeScalars.prefix(cut.scalars))
    kept.append("…")
    kept.append(contentsOf: cut.ends)
    return String(kept)
  }
}

/// A place where a text may be cut.
private struct Cut {
  /// How many scalars are before it, and how many bytes in UTF-8.
  var scalars = 0
  var bytes = 0
  /// The marks that close the embeddings, overrides and isolates that are open there.
  var ends: [Unicode.Scalar] = []
}
