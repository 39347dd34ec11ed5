import Console
import Documents

/// A text, as a link where there is somewhere to go.
func link(_ text: String, to address: Address?) -> HTML {
  guard let address else { return name(text) }
  return tag(.a, .href(address)) { name(text) }
}

extension DecisionOutcome {
  /// What a decision leads to at first.
  init(_ decision: Verdict.Word) {
    switch decision {
    case .notify: self = .told
    case .merge, .summarize: self = .merged
    case .hold: self = .held
    case .suppress: self = .notTold
    }
  }

  var title: String {
    switch self {
    case .told: "told"
    case .merged: "told in one"
    case .held: "held"
    case .notTold: "not told"
    }
  }

  /// What a sentence says besides the outcome, such as `they muted the group` of `not told: they muted the group`.
  func rest(of sentence: String) -> String {
    guard sentence.hasPrefix(title) else { return sentence }
    return String(sentence.dropFirst(title.count).drop { ": ".contains($0) })
  }

  var html: HTML {
    switch self {
    case .told, .merged: badge(title, "good")
    case .held: badge(title, "notice")
    case .notTold: badge(title, "bad")
    }
  }
}

extension DecisionCount {
  /// How many people one decision is about, as an entry of a list.
  var entry: HTML {
    let outcome = DecisionOutcome(decision)
    let rest = outcome.rest(of: words)
    return tag(.li) {
      outcome.html
      name(" \(people)\(rest.isEmpty ? "" : " · \(rest)")", longest: 200)
    }
  }
}

extension String {
  /// A name of the program's in words: `vote_cast` → `vote cast`.
  var words: String { replacing("_", with: " ") }
}

/// A person's name, else their address or id.
func title(of person: PersonSummary?) -> String {
  person.map { $0.name ?? $0.email ?? $0.id.description } ?? "somebody"
}
