import Console
import Documents
import FoundationEssentials

/// An event in a few words: who was told of it, who was not and why, and what the push says.
struct StoryView {
  let people: [DecisionReport]
  /// Further pushes that the people got, each with its decision.
  let otherPushes: [DecisionReport]
  /// All of them, by decision.
  let counts: [DecisionCount]
  /// Whether there are people who were not counted.
  let hasMore: Bool

  init(_ handled: RecentDocument.Handled) {
    (people, otherPushes) = (handled.people ?? [], handled.otherPushes ?? [])
    (counts, hasMore) = (handled.counts, handled.hasMore ?? false)
  }

  /// People with the same fate.
  private struct Fate {
    let outcome: DecisionOutcome
    /// Why, as a page says it; empty if there is nothing to say.
    let rest: HTML
    var people: [PersonSummary]

    var names: [String] { people.map { title(of: $0).isolated } }
  }

  /// People with the same fate together; numbers only where there are many.
  var fates: HTML {
    tag(.ul, .class("plain fates")) {
      if !hasMore, people.count == counts.reduce(0, { $0 + $1.people }) {
        for fate in groups {
          tag(.li) {
            fate.outcome.html
            name(" \(fate.names.joined(separator: ", "))", longest: 300)
            if !fate.rest.isEmpty {
              ": "
              fate.rest
            }
          }
        }
      } else {
        for count in counts.inOrder { count.entry }
        if hasMore { tag(.li, .class("faint")) { "and more people" } }
      }
    }
  }

  /// The person who did it is named already, and need not be told.
  private var groups: [Fate] {
    let others = people.filter { $0.verdict.reason != "actor" }
    var fates: [Fate] = []
    for person in (others.isEmpty ? people : others).oneOfEachPush {
      let rest = person.rest.isEmpty ? HTML() : person.restOnPage
      if let index = fates.firstIndex(where: { $0.outcome == person.shownOutcome && $0.rest == rest }) {
        // They may have been told of several things, each in a push of its own.
        if !fates[index].people.contains(where: { $0.id == person.person.id }) {
          fates[index].people.append(person.person)
        }
      } else {
        fates.append(Fate(outcome: person.shownOutcome, rest: rest, people: [person.person]))
      }
    }
    return fates.inOrder(of: \.outcome)
  }

  /// The most texts that are drawn.
  private static let mostTexts = 2

  /// The words of phones, now or later, each text once, with those to whom it is said.
  var push: HTML {
    texts.prefix(Self.mostTexts).reduce(into: HTML()) { html, text in
      html +=
        SaidView(
          said: text.said, app: text.decisions[0].app, addressees: Self.addressees(text.decisions), isBrief: true
        ).html
    }
  }

  /// How many texts are not drawn.
  var otherTexts: Int { max(0, texts.count - Self.mostTexts) }

  /// The decisions by what is said, first what has rung already.
  private var texts: [(said: DecisionReport.Words, decisions: [DecisionReport])] {
    let told = people.flatMap { person in [person] + otherPushes.filter { $0.person.id == person.person.id } }
    let addressed = told.filter(\.hasRung)
    var texts: [(said: DecisionReport.Words, decisions: [DecisionReport])] = []
    for decision in addressed.filter({ $0.outcome != .held }) + addressed.filter({ $0.outcome == .held }) {
      guard let said = decision.said else { continue }
      if let index = texts.firstIndex(where: { $0.said == said }) {
        texts[index].decisions.append(decision)
      } else {
        texts.append((said, [decision]))
      }
    }
    return texts
  }

  /// `to Grace, Hugo`, or `to Grace; Hugo, later`.
  private static func addressees(_ decisions: [DecisionReport]) -> String {
    let (held, told) = (decisions.filter { $0.outcome == .held }, decisions.filter { $0.outcome != .held })
    let parts = [names(of: told), held.isEmpty ? nil : names(of: held).map { "\($0), later" }]
    return "to \(parts.compactMap(\.self).joined(separator: "; "))"
  }

  private static func names(of decisions: [DecisionReport]) -> String? {
    var names: [String] = []
    for decision in decisions where !names.contains(title(of: decision.person)) {
      names.append(title(of: decision.person))
    }
    guard !names.isEmpty else { return nil }
    let shown = names.prefix(3).map { $0.clipped(to: 40).isolated }.joined(separator: ", ")
    return names.count > 3 ? "\(shown) and \(names.count - 3) more" : shown
  }
}

extension DecisionReport {
  /// Whether a phone shows it, or will.
  var hasRung: Bool { outcome != .notTold }
}

/// The words of a push, as on a lock screen.
struct SaidView {
  let said: DecisionReport.Words
  let app: String
  /// The owners of the phones, such as `to Grace`: each may say something else; `nil` where the page names them beside it.
  var addressees: String?
  /// Whether it is one of many on a page: of a long text, the rest is not even a hint.
  var isBrief = false

  var html: HTML {
    tag(.div, .class("note said")) {
      tag(.p, .class("from")) {
        tag(.span, .class("app")) { name(app) }
        if let addressees { tag(.span) { name(addressees, longest: 140) } }
      }
      if let title = said.title {
        tag(.p, .dir("auto")) { tag(.strong) { title.clipped(to: isBrief ? 80 : 200) } }
      }
      if let body = said.body {
        if isBrief { tag(.p, .dir("auto")) { body.clipped(to: 160) } } else { quotation(.p, body, longest: 300) }
      }
    }
  }
}
