import FoundationEssentials
import Locales

/// The words that people read in a language, put together without any of the product's words: the texts are those of
/// its file, read line by line, and times and lists are CLDR's, which `LocaleFormatsTests` are about.
struct ToldLanguage {
  /// The values that may stand in the place of a fact.
  enum Fact {
    case one(of: [String])
    case anything
  }

  private enum Piece {
    case words(String)
    case fact(String)
  }

  /// The lines of each language's file: `name`, or `name[category]`, and the text.
  private static let files: [String: [String: String]] = (try? read()) ?? [:]

  private let language: String
  private let texts: [String: String]
  /// `nil` for American English.
  private let formats: LocaleFormats?

  /// The language of a person who has chosen a tag, or whose phone has it.
  init(_ tag: String?) {
    let parts = (tag ?? "en").split(separator: "-").map(String.init)
    let own = Self.files[parts[0]]
    language = own == nil ? "en" : parts[0]
    texts = own ?? Self.files["en"] ?? [:]
    formats =
      language == "en" && parts.count == 1 || own == nil
      ? nil : tag.flatMap { LanguageTag($0) }.flatMap(LocaleFormats.of)
  }

  private static func read() throws -> [String: [String: String]] {
    let folder = "Shared/Notifications/Languages"
    var files: [String: [String: String]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: Repository.path(folder)) {
      var lines: [String: String] = [:]
      for line in try Repository.text("\(folder)/\(name)").split(separator: "\n") where !line.hasPrefix("#") {
        guard let sign = line.firstRange(of: " = ") else { continue }
        lines[String(line[..<sign.lowerBound])] = String(line[sign.upperBound...]).spaced
      }
      files[String(name.prefix { $0 != "." })] = lines
    }
    return files
  }

  /// Whether something told is a text, as a whole, with these facts.
  /// - Parameter count: the number that chooses the plural form, which is the fact `count`.
  func says(_ told: String, _ name: String, _ facts: [String: Fact] = [:], of count: Int? = nil) -> Bool {
    var facts = facts
    if let count { facts["count"] = .one(of: [number(count)]) }
    let text = count.flatMap { texts["\(name)[\(category(of: $0))]"] ?? texts["\(name)[other]"] } ?? texts[name]
    return text.map { Self.fits(told.spaced[...], Self.pieces($0)[...], facts) } ?? false
  }

  /// The first number with which something told is a text.
  func count(_ told: String, _ name: String, _ facts: [String: Fact] = [:], from least: Int = 1) -> Int? {
    (least..<300).first { says(told, name, facts, of: $0) }
  }

  /// Whether something told is one of the texts whose names begin like this and hold a word, whatever its facts are.
  func saysAny(_ told: String, beginning: String, holding word: String) -> Bool {
    let facts = ["name", "event", "group", "subject", "slot", "time", "count", "amount", "feedback"]
    let anything = Dictionary(uniqueKeysWithValues: facts.map { ($0, Fact.anything) })
    return texts.contains { name, text in
      name.hasPrefix(beginning) && name.contains(word) && Self.fits(told.spaced[...], Self.pieces(text)[...], anything)
    }
  }

  /// A text without facts; `nil` if there is none.
  func text(_ name: String) -> String? { texts[name] }

  /// A text of people in a sentence: Arabic isolates each one.
  func value(_ text: String) -> Fact { .one(of: [isolated(text)]) }

  func isolated(_ text: String) -> String { language == "ar" ? "\u{2068}\(text)\u{2069}" : text }

  func number(_ number: Int) -> String { formats?.text(.number(number)) ?? "\(number)" }

  /// `25 min`.
  func minutes(_ number: Int) -> Fact {
    words(formats?.text(.amount(number, .minute, isShort: true)) ?? "\(number) min")
  }

  /// `in 30 minutes`.
  func away(minutes: Int) -> Fact { words(away(minutes, .minute)) }

  /// `in 2 hours`, for one of some numbers of seconds.
  func away(_ seconds: [Double]) -> Fact {
    .one(of: seconds.map { Self.amount($0).map(away) ?? texts["time.away.few_minutes"] ?? "" }.map(\.spaced))
  }

  /// `2 hours`, for one of some numbers of seconds.
  func amount(_ seconds: [Double]) -> Fact {
    .one(
      of: seconds.map { seconds in
        Self.amount(seconds).map { formats?.text(.amount($0, $1)) ?? Self.inEnglish($0, $1) }
          ?? texts["time.amount.few_minutes"] ?? ""
      }.map(\.spaced))
  }

  /// `Saturday`, by a clock on a wall in seconds.
  func weekday(_ wall: Int) -> Fact {
    words(moment(wall, "EEEE") ?? Self.weekdays[wall / 86_400 % 7])
  }

  /// `7:00 PM`.
  func time(_ wall: Int) -> Fact {
    words(moment(wall, "jmm") ?? "\(Self.hour(wall)):\(Self.minute(wall)) \(Self.half(wall))")
  }

  /// `Sun 7pm`.
  func slot(_ wall: Int) -> Fact {
    let minutes = Self.minute(wall) == "00" ? "" : ":\(Self.minute(wall))"
    return words(
      moment(wall, "Ejmm")
        ?? "\(Self.weekdays[wall / 86_400 % 7].prefix(3)) \(Self.hour(wall))\(minutes)\(Self.half(wall).lowercased())")
  }

  /// Whether something told names one or two people, and counts the others.
  func lists(_ told: String, _ people: [String], after: String = "") -> Bool {
    let named = people.filter(told.contains)
    guard (1...2).contains(named.count) else { return false }
    return [named, named.reversed()].contains { names in
      ([nil] + (1..<200).map(Optional.some)).contains { others in
        let rest = others.flatMap { count in
          texts["names.others[\(category(of: count))]"]?.replacing("{count}", with: number(count))
        }
        return told.spaced == (list(names.map(isolated) + [rest].compactMap(\.self)) + after).spaced
      }
    }
  }

  private func list(_ texts: [String]) -> String {
    if let list = formats?.text(.list(texts)) { return list }
    guard let last = texts.last, texts.count > 1 else { return texts.first ?? "" }
    return "\(texts.dropLast().joined(separator: ", ")) and \(last)"
  }

  private func words(_ text: String) -> Fact { .one(of: [text.spaced]) }

  private func moment(_ wall: Int, _ fields: String) -> String? {
    formats?.text(.moment(Int64(wall), fields: fields))
  }

  private func away(_ number: Int, _ unit: LocaleFormats.Unit) -> String {
    formats?.text(.away(number, unit)) ?? "in \(Self.inEnglish(number, unit))"
  }

  /// The plural categories of the languages that the worlds speak.
  private func category(of number: Int) -> String {
    switch language {
    case "ja": "other"
    case "fr": number < 2 ? "one" : "other"
    case "ar":
      switch (number, number % 100) {
      case (0, _): "zero"
      case (1, _): "one"
      case (2, _): "two"
      case (_, 3...10): "few"
      case (_, 11...99): "many"
      default: "other"
      }
    default: number == 1 ? "one" : "other"
    }
  }

  private static let weekdays = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
  private static func hour(_ wall: Int) -> Int { (wall / 3_600 % 24 + 11) % 12 + 1 }
  private static func half(_ wall: Int) -> String { wall / 3_600 % 24 < 12 ? "AM" : "PM" }

  private static func minute(_ wall: Int) -> String {
    let minute = wall / 60 % 60
    return minute < 10 ? "0\(minute)" : "\(minute)"
  }

  private static func inEnglish(_ number: Int, _ unit: LocaleFormats.Unit) -> String {
    "\(number) \(unit)\(number == 1 ? "" : "s")"
  }

  /// Days from two on, hours from an hour and a half on, an hour from 55 minutes on, then every five minutes.
  private static func amount(_ seconds: Double) -> (Int, LocaleFormats.Unit)? {
    let minutes = Int(max(0, seconds) / 60)
    return switch minutes {
    case ..<5: nil
    case ..<55: (minutes - minutes % 5, .minute)
    case ..<90: (1, .hour)
    case ..<2_880: (Int((Double(minutes) / 60).rounded()), .hour)
    default: (Int((Double(minutes) / 1_440).rounded()), .day)
    }
  }

  private static func pieces(_ text: String) -> [Piece] {
    let parts = text.split(separator: "{", omittingEmptySubsequences: false)
    return parts.enumerated().flatMap { place, part -> [Piece] in
      guard place > 0, let end = part.firstIndex(of: "}") else { return [.words(String(part))] }
      return [.fact(String(part[..<end])), .words(String(part[part.index(after: end)...]))]
    }
  }

  private static func fits(_ told: Substring, _ pieces: ArraySlice<Piece>, _ facts: [String: Fact]) -> Bool {
    guard let piece = pieces.first else { return told.isEmpty }
    func goesOn(after words: String) -> Bool {
      guard told.utf8.starts(with: words.utf8) else { return false }
      let end = told.utf8.index(told.startIndex, offsetBy: words.utf8.count)
      return fits(told[end...], pieces.dropFirst(), facts)
    }
    switch piece {
    case .words(let words): return goesOn(after: words)
    case .fact(let name):
      switch facts[name] {
      case .one(let texts): return texts.contains(where: goesOn)
      case .anything:
        return told.unicodeScalars.indices.dropFirst().contains { fits(told[$0...], pieces.dropFirst(), facts) }
          || !told.isEmpty && fits(told[told.endIndex...], pieces.dropFirst(), facts)
      case nil: return false
      }
    }
  }
}

extension String {
  /// The text with the same space everywhere: releases of CLDR differ in its width.
  var spaced: String { String(map { $0.isWhitespace ? " " : $0 }) }
}
