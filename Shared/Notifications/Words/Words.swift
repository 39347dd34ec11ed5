package import Locales
import PushPayload
import Synchronization

/// The words of a language: its texts, and its ways to write times, numbers and lists.
package struct Words: Sendable {
  /// A fact that a text has a place for.
  package enum Fact: Sendable {
    /// A name, a title or another text of people.
    case value(String)
    /// Words of ours.
    case words(Sentence)
    /// A number that chooses the plural form.
    case count(Int)
    /// Any other number.
    case number(Int)
  }

  package let language: Language
  /// Whether the language is written from right to left: its tag would have to be read each time.
  private let isRightToLeft: Bool
  private let texts: TextCatalogue
  /// `nil` for American English, and where ICU is missing.
  private let formats: LocaleFormats?

  /// The words for people whose language is not known.
  package static let english = Words(.english)

  private static let known = Mutex<[Language: Words]>([:])
  private static let mostKnown = 1_000

  /// The words of a language.
  package static func of(_ language: Language) -> Words {
    if language == .english { return english }
    return known.withLock { known in
      if let words = known[language] { return words }
      let words = Words(language)
      if known.count < mostKnown { known[language] = words }
      return words
    }
  }

  private init(_ language: Language) {
    (self.language, isRightToLeft) = (language, language.isRightToLeft)
    texts = Texts.texts(in: language.texts)
    formats = language.formats.flatMap(LocaleFormats.of)
  }

  /// A text with its facts; the English one if the language lacks it.
  package func callAsFunction(_ name: String, _ facts: [String: Fact] = [:]) -> Sentence {
    known(name, facts) ?? Sentence(said: name)
  }

  /// The parts of a text without plural forms, for who writes its facts otherwise than as plain text; the English ones if
  /// the language lacks it.
  package func parts(of name: String) -> [CatalogueText.Piece] {
    (texts.texts[name] ?? Words.english.texts.texts[name])?.form(CatalogueText.other) ?? [.words(name)]
  }

  /// A text with its facts, as ``callAsFunction(_:_:)``; `nil` if English lacks it too.
  package func known(_ name: String, _ facts: [String: Fact] = [:]) -> Sentence? {
    guard let form = texts.texts[name]?.form(category(of: facts)) else {
      return language == .english ? nil : Words.english.known(name, facts)
    }
    let text = form.reduce(into: "") { text, piece in
      switch piece {
      case .words(let words): text += words
      case .fact(let name): text += facts[name].map(said) ?? ""
      }
    }
    return Sentence(said: text)
  }

  /// The names of a text's facts; `nil` if there is no such text.
  package func facts(of name: String) -> Set<String>? {
    (texts.texts[name] ?? Words.english.texts.texts[name])?.facts()
  }

  /// A text of people inside of a sentence: it does not turn the words around it.
  package func isolated(_ value: String) -> String { value.isolated(fromRightToLeft: isRightToLeft) }

  /// `a, b and c`.
  package func list(_ texts: [String]) -> String {
    if let list = formats?.text(.list(texts)) { return list }
    guard let last = texts.last, texts.count > 1 else { return texts.first ?? "" }
    return "\(texts.dropLast().joined(separator: ", ")) and \(last)"
  }

  /// `in 2 hours`.
  func away(_ time: TimeLeft) -> Sentence {
    guard let (number, unit) = time.amount else { return self("time.away.few_minutes") }
    return away(number, unit)
  }

  /// `in 1 minute`.
  func away(minutes: Int) -> Sentence { away(minutes, .minute) }

  private func away(_ number: Int, _ unit: LocaleFormats.Unit) -> Sentence {
    Sentence(said: formats?.text(.away(number, unit)) ?? "in \(Self.inEnglish(number, unit))")
  }

  /// `2 hours`.
  func amount(_ time: TimeLeft) -> Sentence {
    guard let (number, unit) = time.amount else { return self("time.amount.few_minutes") }
    return Sentence(said: formats?.text(.amount(number, unit)) ?? Self.inEnglish(number, unit))
  }

  /// `25 min`.
  func minutes(_ number: Int) -> Sentence {
    Sentence(said: formats?.text(.amount(number, .minute, isShort: true)) ?? "\(number) min")
  }

  /// `Saturday, September 26 at 7:00 PM`.
  package func moment(_ time: LocalTime) -> String {
    formats?.text(.moment(time.seconds, fields: "EEEEMMMMdjmm"))
      ?? "\(time.weekday), \(time.month) \(time.day) at \(time.time)"
  }

  /// `Saturday`.
  package func weekday(_ time: LocalTime) -> Sentence {
    Sentence(said: formats?.text(.moment(time.seconds, fields: "EEEE")) ?? time.weekday)
  }

  /// `7:00 PM`.
  package func time(_ time: LocalTime) -> Sentence {
    Sentence(said: formats?.text(.moment(time.seconds, fields: "jmm")) ?? time.time)
  }

  /// `Sun 7pm`.
  func slot(_ time: LocalTime) -> Sentence {
    Sentence(said: formats?.text(.moment(time.seconds, fields: "Ejmm")) ?? time.slot)
  }

  private func said(_ fact: Fact) -> String {
    switch fact {
    case .value(let value): isolated(value)
    case .words(let words): words.text
    case .count(let number), .number(let number): formats?.text(.number(number)) ?? "\(number)"
    }
  }

  private func category(of facts: [String: Fact]) -> String {
    for fact in facts.values {
      guard case .count(let number) = fact else { continue }
      return formats?.text(.category(number)) ?? (number == 1 ? "one" : CatalogueText.other)
    }
    return CatalogueText.other
  }

  private static func inEnglish(_ number: Int, _ unit: LocaleFormats.Unit) -> String {
    "\(number) \(unit.rawValue)\(number == 1 ? "" : "s")"
  }
}

/// Words of the catalogue, or a text of people that stands alone.
package struct Sentence: Sendable, Hashable, ExpressibleByStringLiteral {
  package let text: String

  package init(stringLiteral text: String) { self.text = text }

  /// Words that are complete: what they hold turns nothing around it.
  init(said text: String) { self.text = text }

  /// A value that stands alone: it turns nothing, and closes what it opens.
  init(alone value: String) { text = value.closed }
}
