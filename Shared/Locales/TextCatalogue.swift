/// The texts of a file, by their names.
///
/// A line is `name = text`, or `name[few] = text` for a plural form by its category in CLDR; `{fact}` stands for a fact.
/// Lines that begin with `#` and empty lines say nothing.
package struct TextCatalogue: Sendable {
  /// The texts by their names.
  package private(set) var texts: [String: CatalogueText] = [:]

  /// No text.
  package init() {}

  /// - Throws: the first line that cannot be read.
  package init(_ file: String) throws(CatalogueFault) {
    let lines = file.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    texts.reserveCapacity(lines.count)
    for (place, line) in lines.enumerated() {
      do throws(UnusableLine) {
        try read(line.trimmed)
      } catch {
        throw CatalogueFault(line: place + 1, sentence: error.sentence)
      }
    }
  }

  /// The catalogue with the texts of another one in the places of its own.
  ///
  /// Plural forms without one for all other numbers join those that are there.
  package func overridden(by own: TextCatalogue) -> TextCatalogue {
    var all = self
    all.texts.merge(own.texts) { $0.overridden(by: $1) }
    return all
  }

  /// The texts that another catalogue has too, and that have no other facts there.
  package func fitting(_ places: TextCatalogue) -> TextCatalogue {
    var all = self
    all.texts = texts.filter { name, text in
      places.texts[name].map { text.facts().isSubset(of: $0.facts()) } ?? false
    }
    return all
  }

  private mutating func read(_ line: Bytes) throws(UnusableLine) {
    guard let first = line.first, first != UInt8(ascii: "#") else { return }
    guard let sign = line.firstIndex(of: UInt8(ascii: "=")) else { throw UnusableLine(sentence: "It has no `=`.") }
    var name = line[..<sign].trimmed
    var category = CatalogueText.other
    if let open = name.firstIndex(of: UInt8(ascii: "[")), name.last == UInt8(ascii: "]") {
      category = String(Substring(name[name.index(after: open)...].dropLast()))
      name = name[..<open]
      guard CatalogueText.categories.contains(category) else {
        throw UnusableLine(sentence: "\(category) is no plural category.")
      }
    }
    guard !name.isEmpty, name.allSatisfy(\.isInName) else {
      throw UnusableLine(sentence: "Its name has other characters than a-z, 0-9, `.` and `_`.")
    }
    let text = line[line.index(after: sign)...].trimmed
    guard !text.isEmpty else { throw UnusableLine(sentence: "It has no text.") }
    let isNew = try texts[String(Substring(name)), default: CatalogueText()].add(CatalogueText.pieces(text), category)
    guard isNew else { throw UnusableLine(sentence: "\(Substring(name)) is there twice.") }
  }
}

/// Why a catalogue cannot be used.
package struct CatalogueFault: Error, Equatable, CustomStringConvertible {
  /// The number of the line, from 1.
  package let line: Int
  /// One sentence about it.
  package let sentence: String

  package var description: String { "line \(line): \(sentence)" }
}

/// A text with its plural forms.
package struct CatalogueText: Sendable {
  /// The categories of plural forms, and the one of a text without any.
  package static let categories: Set = ["zero", "one", "two", "few", "many", other]
  /// The category of all other numbers, and of texts without plural forms.
  package static let other = "other"

  private var forms: [String: [Piece]] = [:]

  /// A part of a form.
  package enum Piece: Sendable, Equatable {
    /// Words.
    case words(String)
    /// The place of a fact, by its name.
    case fact(String)
  }

  /// The categories of its forms.
  package var categories: Set<String> { Set(forms.keys) }

  /// The names of the facts that a form has; of any, if it is `nil`.
  package func facts(in category: String? = nil) -> Set<String> {
    let pieces = forms.filter { category == nil || $0.key == category }.values.joined()
    return Set(pieces.compactMap { if case .fact(let name) = $0 { name } else { nil } })
  }

  /// The form of a category, or else that of all other numbers; `nil` if the text lacks both.
  package func form(_ category: String) -> [Piece]? { forms[category] ?? forms[Self.other] }

  /// A form as a file has it; `nil` if the text lacks the category.
  package func written(_ category: String) -> String? {
    forms[category]?.reduce(into: "") { text, piece in
      switch piece {
      case .words(let words): text += words
      case .fact(let name): text += "{\(name)}"
      }
    }
  }

  fileprivate func overridden(by own: CatalogueText) -> CatalogueText {
    guard own.forms[Self.other] == nil else { return own }
    var all = self
    all.forms.merge(own.forms) { $1 }
    return all
  }

  /// Returns whether the category had no form.
  fileprivate mutating func add(_ pieces: [Piece], _ category: String) -> Bool {
    forms.updateValue(pieces, forKey: category) == nil
  }

  fileprivate static func pieces(_ text: Bytes) throws(UnusableLine) -> [Piece] {
    var (pieces, rest): ([Piece], Bytes) = ([], text)
    while let brace = rest.firstIndex(where: \.isBrace) {
      guard rest[brace] == UInt8(ascii: "{"), let end = rest[brace...].dropFirst().firstIndex(where: \.isBrace),
        rest[end] == UInt8(ascii: "}"), rest.index(after: brace) < end,
        rest[brace..<end].dropFirst().allSatisfy(\.isInName)
      else { throw UnusableLine(sentence: "Its braces do not hold the name of a fact.") }
      if brace > rest.startIndex { pieces.append(.words(String(Substring(rest[..<brace])))) }
      pieces.append(.fact(String(Substring(rest[brace..<end].dropFirst()))))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { pieces.append(.words(String(Substring(rest)))) }
    return pieces
  }
}

private struct UnusableLine: Error {
  let sentence: String
}

private typealias Bytes = Substring.UTF8View

extension Bytes {
  fileprivate var trimmed: Self {
    let rest = drop { $0.isSpace }
    guard let last = rest.lastIndex(where: { !$0.isSpace }) else { return rest.prefix(0) }
    return rest[...last]
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0D }
  fileprivate var isBrace: Bool { self == UInt8(ascii: "{") || self == UInt8(ascii: "}") }
  fileprivate var isInName: Bool {
    (0x61...0x7A).contains(self) || (0x30...0x39).contains(self) || self == UInt8(ascii: "_")
      || self == UInt8(ascii: ".")
  }
}

extension TextCatalogue {
  /// The most bytes of a file with texts.
  package static let largestFile = 1 << 20
}
