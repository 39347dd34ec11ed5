import FunctionKit

/// The place in an event that the message of its failure names, such as `record.type`.
struct NamedPlace: Equatable {
  /// Its line in ``RawJSON/pretty``, from 1.
  let line: Int
  /// Whether the event has all that is named; else it is the line of what lacks the rest.
  let isWhole: Bool

  /// The most words of a message in which a place is looked for.
  private static let mostWords = 100

  /// `nil` where the message names none.
  ///
  /// A word with dots may name a place, as may the first word and one in quotes. It begins with a member of the event, or
  /// of its `data`.
  init?(_ message: String, in event: RawJSON) {
    let words = message.split(separator: "\n").first?.split(separator: " ").prefix(Self.mostWords) ?? []
    let places = words.enumerated().compactMap { index, word -> NamedPlace? in
      guard let path = Self.path(word, isFirst: index == 0) else { return nil }
      return NamedPlace(path[...], in: event, from: 1)
        ?? NamedPlace((["data"] + path)[...], in: event, from: 1, least: 2)
    }
    guard let place = places.first(where: \.isWhole) ?? places.first else { return nil }
    self = place
  }

  /// The members that a word names, one inside the other; `nil` for a word of the sentence.
  private static func path(_ word: Substring, isFirst: Bool) -> [String]? {
    let quotes: Set<Character> = ["\"", "'", "`", "“", "”", "‘", "’"]
    let text = word.drop { quotes.contains($0) || $0 == "(" }
    let end = text.lastIndex { !quotes.contains($0) && !",;:.)".contains($0) }
    guard let end else { return nil }
    let parts = text[...end].replacing("[", with: ".").replacing("]", with: "")
      .split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !parts.contains(""), parts.count > 1 || isFirst || word.first.map(quotes.contains) == true else { return nil }
    return parts
  }

  /// - Parameters:
  ///   - line: where the value begins.
  ///   - least: how many members of the path there have to be.
  private init?(_ path: ArraySlice<String>, in value: RawJSON, from line: Int, least: Int = 1) {
    guard let name = path.first else { return nil }
    var next = line + 1
    let children =
      value.members.map { ($0.name, $0.value) }
      + (value.elements ?? []).enumerated().map { ("\($0.offset)", $0.element) }
    for (other, child) in children {
      if other == name {
        if let inner = NamedPlace(path.dropFirst(), in: child, from: next, least: least - 1) {
          self = inner
        } else {
          guard least <= 1 else { return nil }
          (self.line, isWhole) = (next, path.count == 1)
        }
        return
      }
      next += child.pretty.utf8.count { $0 == UInt8(ascii: "\n") } + 1
    }
    return nil
  }
}
