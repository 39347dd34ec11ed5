import Console
import FunctionKit

/// A text, as a link where there is somewhere to go.
func link(_ text: String, to address: Address?) -> HTML {
  guard let address else { return name(text) }
  return tag(.a, .href(address)) { name(text) }
}

/// What became of a notification, in a word.
struct Outcome {
  /// One of the words of the documents: `told`, `merged`, `held`, `not_told`.
  let word: String

  static let all = ["told", "merged", "held", "not_told"]

  /// From a decision of the database: `notify`, `hold`, `suppress`.
  init(decision: String) { word = ["notify": "told", "hold": "held"][decision] ?? "not_told" }

  init(_ word: String) { self.word = word }

  var title: String {
    switch word {
    case "told": "told"
    case "merged": "told in one"
    case "held": "held"
    case "not_told": "not told"
    default: word
    }
  }

  /// What a sentence says besides the word, such as `they muted the group` of `not told: they muted the group`.
  func rest(of sentence: String) -> String {
    guard sentence.hasPrefix(title) else { return sentence }
    return String(sentence.dropFirst(title.count).drop { ": ".contains($0) })
  }

  /// How many people one decision is about, as an entry of a list.
  static func counted(_ count: RawJSON) -> HTML {
    let outcome = Outcome(decision: count.string("decision") ?? "")
    let rest = outcome.rest(of: count.string("words") ?? "")
    return tag(.li) {
      outcome.html
      name(" \(count["people"]?.numberText ?? "")\(rest.isEmpty ? "" : " · \(rest)")", longest: 200)
    }
  }

  var html: HTML {
    badge(title, ["told": "good", "merged": "good", "held": "notice", "not_told": "bad"][word] ?? "")
  }
}

extension RawJSON {
  /// The members of an array; none for other JSON.
  var list: [RawJSON] { elements ?? [] }

  /// A kind's name for people.
  func words(_ name: String) -> String { (self[name]?.stringValue ?? "").replacing("_", with: " ") }
}

/// A person's name, else their address or id.
func title(of person: RawJSON?) -> String {
  person?.string("name") ?? person?.string("email") ?? person?.string("id") ?? "somebody"
}
