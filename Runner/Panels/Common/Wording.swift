import Console
import Documents
import FoundationEssentials

/// A text, as a link where there is somewhere to go.
func link(_ text: String, to address: Address?) -> HTML {
  guard let address else { return name(text) }
  return tag(.a, .href(address)) { name(text) }
}

extension DecisionOutcome {
  /// The first outcome of a decision.
  init(_ decision: Verdict.Word) {
    switch decision {
    case .notify: self = .told
    case .merge, .summarize: self = .merged
    case .hold: self = .held
    case .suppress: self = .notTold
    }
  }

  /// Where its people stand on a page: first who was told, then who was held, then who was not told.
  var place: Int {
    switch self {
    case .told: 0
    case .merged: 1
    case .held: 2
    case .notTold: 3
    }
  }

  var title: String {
    switch self {
    case .told: "told"
    case .merged: "told in one message"
    case .held: "held"
    case .notTold: "not told"
    }
  }

  /// The part of a sentence besides the outcome and the code of its reason, such as `they muted the group` of
  /// `not told: they muted the group (project_muted)`.
  func rest(of sentence: String, code: String?) -> String {
    let code = code.map { " (\($0))" } ?? ""
    let sentence = sentence.hasSuffix(code) ? String(sentence.dropLast(code.count)) : sentence
    guard sentence.hasPrefix(title) else { return sentence }
    return String(sentence.dropFirst(title.count).drop { ":; ".contains($0) })
  }

  var html: HTML {
    switch self {
    case .told, .merged: badge(title, "good")
    case .held: badge(title, "notice")
    case .notTold: badge(title, "calm")
    }
  }
}

extension DecisionCount {
  /// The rest of its sentence, besides the outcome.
  var rest: String { DecisionOutcome(decision).rest(of: words, code: reason) }

  /// How many people one decision is about, as an entry of a list.
  var entry: HTML {
    tag(.li) {
      DecisionOutcome(decision).html
      name(" \(people)\(rest.isEmpty ? "" : " · \(rest)")", longest: 200)
    }
  }
}

extension Sequence {
  /// First who was told, then who was held, then who was not told; of each, in the order that they had.
  func inOrder(of outcome: (Element) -> DecisionOutcome) -> [Element] {
    enumerated().sorted { (outcome($0.element).place, $0.offset) < (outcome($1.element).place, $1.offset) }
      .map(\.element)
  }
}

extension [DecisionCount] {
  /// The counts by what was decided; of each, the largest first.
  var inOrder: [DecisionCount] { inOrder { DecisionOutcome($0.decision) } }
}

extension DecisionReport {
  /// The outcome that stands before its sentence: what has rung at once was told, whatever tells of it once more later.
  var shownOutcome: DecisionOutcome { outcome == .merged && verdict.decision == .notify ? .told : outcome }

  /// The rest of its sentence, besides the outcome.
  var rest: String { shownOutcome.rest(of: words, code: verdict.reason) }

  /// The same for a page.
  var restOnPage: HTML { sentence(rest, waitingUntil: waits, longest: 400) }

  /// The ends of the waits that its sentence names, in their order.
  var waits: [Date] {
    let first = verdict.decision == .hold ? verdict.until : nil
    // A list of events comes without what was decided later.
    let last = later.last.map { $0.verdict.decision == .hold ? $0.verdict.until : nil } ?? waitsUntil
    return [first, last].compactMap(\.self)
  }
}

/// A sentence about a person, with the ends of their waits as all pages write instants: the text has them by the person's
/// clock.
func sentence(_ text: String, waitingUntil ends: [Date], longest: Int) -> HTML {
  var (html, rest) = (HTML(), text[...])
  for end in ends {
    guard let start = rest.firstRange(of: "until ")?.upperBound,
      let colon = rest[start...].firstIndex(of: ":"),
      let next = rest.index(colon, offsetBy: 3, limitedBy: rest.endIndex)
    else { break }
    html += HTML(String(rest[..<start]).clipped(to: longest)) + time(end)
    rest = rest[next...]
  }
  return html.isEmpty ? name(text, longest: longest) : tag(.bdi) { html + HTML(String(rest).clipped(to: longest)) }
}

extension [DecisionReport] {
  /// One decision for each push, where it tells a person of several: that of its own notification, else the first one.
  var oneOfEachPush: [DecisionReport] {
    var places: [Push: Int] = [:]
    return reduce(into: []) { kept, decision in
      guard let push = Push(decision) else { return kept.append(decision) }
      guard let place = places[push] else {
        places[push] = kept.count
        return kept.append(decision)
      }
      if decision.outcome == .told, kept[place].outcome == .merged { kept[place] = decision }
    }
  }

  /// The event in words, such as `Night mode · new vote by Ada`; `nil` if there is nobody.
  var title: String? {
    guard let first else { return nil }
    let actor = self.first { $0.verdict.reason == "actor" }.map { Panels.title(of: $0.person) }
    let by = (lazy.compactMap(\.actorName).first ?? actor).map { " by \($0.isolated)" } ?? ""
    return [first.subjectName?.isolated, "\(first.kind.words)\(by)"].compactMap(\.self).joined(separator: " · ")
  }
}

/// A push that has told a person of one decision or several.
private struct Push: Hashable {
  let person: RowID
  /// The notification that had it.
  let notification: RowID

  /// `nil` where the person was not told.
  init?(_ decision: DecisionReport) {
    guard [.told, .merged].contains(decision.outcome),
      let notification = decision.mergedInto ?? decision.notification
    else { return nil }
    (person, self.notification) = (decision.person.id, notification)
  }
}

extension RecentDocument.Handled {
  /// Its title: what happened, or which wait was over, and about what; `nil` if nobody is named.
  var whatHappened: String? {
    guard let title else { return people?.title }
    guard let subjectName else { return title }
    let others = otherSubjects.map { " and \($0) more" } ?? ""
    return "\(title) · \(subjectName.isolated)\(others)"
  }
}

extension String {
  /// The text as a part of a sentence that it does not turn, if it may be written from right to left.
  var isolated: String { utf8.contains { $0 >= 0xD6 } ? "\u{2068}\(self)\u{2069}" : self }

  /// A name of the program's in words: `vote_cast` → `vote cast`.
  var words: String { replacing("_", with: " ") }
}

/// A person's name, else their address or id.
func title(of person: PersonSummary?) -> String {
  person.map { $0.name ?? $0.email ?? $0.id.description } ?? "somebody"
}
