import CLI
import Documents
import FunctionKit
import Inspection

/// The words that a person has entered to choose events, such as `function:vote-cast state:dead since:1h`, or an id.
struct EventQuery: Sendable {
  /// The query as it was entered.
  var text: String
  var filter = EventFilter()
  var state: EventSummary.State?

  static let fields = ["function", "state", "trigger", "key", "code", "since", "older-than", "id"]

  /// - Throws: ``FunctionError/Code/usage`` for a word that means nothing.
  init(_ text: String) throws(FunctionError) {
    self.text = text
    for word in Self.words(text) {
      guard let colon = word.firstIndex(of: ":"), Self.fields.contains(String(word[..<colon])) else {
        if let colon = word.firstIndex(of: ":"), word[..<colon].allSatisfy(\.isLetter), !word.contains("@") {
          let near = Suggestion.phrase(for: String(word[..<colon]), among: Self.fields)
          throw FunctionError(
            .usage, "There is no filter \(word[..<colon]):\(near) there are \(Self.fields.joined(separator: ", ")).")
        }
        filter.ids.append(EventID(word))
        continue
      }
      try take(String(word[..<colon]), String(word[word.index(after: colon)...]))
    }
  }

  /// Whether a text chooses events by a field, as `state:dead`.
  static func isFilter(_ text: String) -> Bool {
    words(text).contains { word in fields.contains { word.hasPrefix("\($0):") } }
  }

  var isEmpty: Bool { filter.isEmpty && state == nil }

  private mutating func take(_ name: String, _ value: String) throws(FunctionError) {
    switch name {
    case "function": filter.function = value
    case "key": filter.key = value
    case "code": filter.code = value
    case "since": filter.since = try TimeText.seconds(value)
    case "older-than": filter.olderThan = try TimeText.seconds(value)
    case "id": filter.ids.append(EventID(value))
    case "state": state = try Self.choice(value, name)
    default: filter.cause = try Self.choice(value, name)
    }
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ text: String, _ name: String
  ) throws(FunctionError) -> Choice {
    guard let choice = Choice(rawValue: text.lowercased()) else {
      let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw FunctionError(.usage, "\(name): takes one of \(known).")
    }
    return choice
  }

  /// The words of a text; one with spaces stands in quotes, or only its value does.
  static func words(_ text: String) -> [String] {
    var (words, word, isQuoted): ([String], String, Bool) = ([], "", false)
    for character in text {
      switch character {
      case "\"": isQuoted.toggle()
      case " " where !isQuoted, "\t" where !isQuoted, "\n" where !isQuoted:
        if !word.isEmpty { words.append(word) }
        word = ""
      default: word.append(character)
      }
    }
    return word.isEmpty ? words : words + [word]
  }
}
