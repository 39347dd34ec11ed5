/// A line of `Package.swift` that declares a target.
struct Declaration {
  /// The function that makes it.
  let kind: String
  let name: String
  let uses: [String]

  fileprivate static let all = Result {
    try House.text("Package.swift").matches(
      of: /\.(\w+)\(\s*"(\w+)"(?:,\s*uses: "+([^"]*)"+)?/
    ).map { match in
      let words = (match.3 ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
      return Declaration(
        kind: String(match.1), name: String(match.2), uses: words.filter { !$0.contains(/\W/) })
    }
  }
}

extension House {
  /// The kinds of C modules: libraries, and files that programs hold.
  static let kindsOfC = ["c", "loaded", "stamped", "embedded"]

  static func declarations(_ kinds: String...) throws -> [Declaration] { try declarations(kinds) }

  static func declarations(_ kinds: [String]) throws -> [Declaration] {
    try Declaration.all.get().filter { kinds.contains($0.kind) }
  }
}
