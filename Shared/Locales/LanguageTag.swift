/// A language, with its script and region where they are known, as BCP 47 writes it: `de`, `pt-BR`, `zh-Hant-TW`.
package struct LanguageTag: Sendable, Hashable {
  /// The tag in its usual case.
  package let text: String

  private static let longest = 35

  /// Reads a tag in any case, also in the form of a locale (`de_AT`, `de_AT.UTF-8`); `nil` if it is none.
  ///
  /// Extensions are left out: they change no text.
  package init?(_ text: String) {
    let tag = text.prefix { $0 != "." && $0 != "@" }
    let parts = tag.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
    guard tag.utf8.count <= Self.longest, let language = parts.first, (2...8).contains(language.utf8.count),
      language.utf8.allSatisfy(\.isLetter), parts.allSatisfy({ $0.isSubtag })
    else { return nil }
    let kept = parts.dropFirst().prefix { $0.utf8.count > 1 }
    self.text = kept.reduce(language.lowercased()) { "\($0)-\($1.usualCase)" }
  }

  /// The language without its region.
  var language: LanguageTag { LanguageTag(String(text.prefix { $0 != "-" })) ?? self }

  /// The region, such as `AT` or `419`; `nil` without one.
  package var region: Substring? {
    text.split(separator: "-").dropFirst().first { part in
      part.utf8.count == 2 || part.utf8.count == 3 && part.utf8.allSatisfy { !$0.isLetter }
    }
  }

  /// Whether it is written from right to left.
  package var isRightToLeft: Bool {
    let parts = text.split(separator: "-")
    let scripts: Set<Substring> = ["Arab", "Hebr", "Thaa", "Syrc", "Nkoo", "Adlm"]
    if let script = parts.dropFirst().first(where: { $0.utf8.count == 4 }) { return scripts.contains(script) }
    return parts.first.map(Self.fromRightToLeft.contains) ?? false
  }

  private static let fromRightToLeft: Set<Substring> = [
    "ar", "ckb", "dv", "fa", "he", "iw", "ku", "ps", "sd", "ug", "ur", "yi",
  ]

  /// The nearest of some tags: this one, or it without its last parts; `nil` if its language is not among them.
  ///
  /// Source: RFC 4647, section 3.4 (Lookup).
  package func nearest(where isKnown: (String) -> Bool) -> String? {
    var parts = text.split(separator: "-")
    while !parts.isEmpty {
      let tag = parts.joined(separator: "-")
      if isKnown(tag) { return tag }
      parts.removeLast()
    }
    return nil
  }

  /// The tags of a header field `Accept-Language`, the most wanted first.
  package static func accepted(_ field: String) -> [LanguageTag] {
    let wanted = field.split(separator: ",").prefix(20).compactMap { range -> (tag: LanguageTag, weight: Double)? in
      let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
      guard let tag = parts.first.flatMap({ LanguageTag(String($0)) }) else { return nil }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      return weight > 0 ? (tag, weight) : nil
    }
    return wanted.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
      .map(\.element.tag)
  }
}

extension Substring {
  fileprivate var isSubtag: Bool { (1...8).contains(utf8.count) && utf8.allSatisfy { $0.isLetter || $0.isDigit } }

  fileprivate var usualCase: String {
    switch utf8.count {
    case 2: uppercased()
    case 4 where utf8.allSatisfy(\.isLetter): prefix(1).uppercased() + dropFirst().lowercased()
    default: lowercased()
    }
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
  fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
}
