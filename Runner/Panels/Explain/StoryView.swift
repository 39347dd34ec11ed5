import Console
import Documents

/// An event in a few words: who was told of it, who was not and why, and what the push says.
struct StoryView {
  let people: [DecisionReport]
  /// All of them, by decision.
  let counts: [DecisionCount]
  /// Whether there are people who were not counted.
  let hasMore: Bool

  init(_ handled: RecentDocument.Handled) {
    (people, counts, hasMore) = (handled.people ?? [], handled.counts, handled.hasMore ?? false)
  }

  /// People with the same fate.
  private struct Fate {
    let outcome: DecisionOutcome
    let rest: String
    var names: [String]
  }

  /// People with the same fate together; numbers only where there are many.
  var fates: HTML {
    tag(.ul, .class("plain fates")) {
      if !hasMore, people.count == counts.reduce(0, { $0 + $1.people }) {
        for fate in groups {
          tag(.li) {
            fate.outcome.html
            name(" \(fate.names.joined(separator: ", "))\(fate.rest.isEmpty ? "" : ": \(fate.rest)")", longest: 300)
          }
        }
      } else {
        for count in counts { count.entry }
        if hasMore { tag(.li, .class("faint")) { "and more people" } }
      }
    }
  }

  /// The person who did it is named already, and need not be told.
  private var groups: [Fate] {
    let others = people.filter { $0.verdict.reason != "actor" }
    var fates: [Fate] = []
    for person in others.isEmpty ? people : others {
      let (name, rest) = (title(of: person.person), person.rest)
      if let index = fates.firstIndex(where: { $0.outcome == person.outcome && $0.rest == rest }) {
        fates[index].names.append(name)
      } else {
        fates.append(Fate(outcome: person.outcome, rest: rest, names: [name]))
      }
    }
    return fates
  }

  /// The push of the first person who got one, else of the first who will.
  var push: HTML {
    let addressed = people.filter { $0.hasRung && $0.said != nil }
    let first = addressed.first { $0.outcome != .held } ?? addressed.first
    return first.map { SaidView(decision: $0, isAddressed: true).html } ?? HTML()
  }
}

extension DecisionReport {
  /// Whether a phone shows it, or will.
  var hasRung: Bool { outcome != .notTold }
}

/// What a push says, as on a lock screen.
struct SaidView {
  let decision: DecisionReport
  /// Whether it says on whose phone: each may say something else.
  var isAddressed = false

  @HTMLBuilder var html: HTML {
    if let said = decision.said {
      tag(.div, .class("note said")) {
        tag(.p, .class("from")) {
          tag(.span, .class("app")) { name(decision.app) }
          if isAddressed {
            let later = decision.outcome == .held ? ", later" : ""
            tag(.span) { name("to \(title(of: decision.person))\(later)", longest: 60) }
          }
        }
        if let title = said.title {
          tag(.p, .dir("auto")) { tag(.strong) { title.clipped(to: 200) } }
        }
        if let body = said.body { quotation(.p, body, longest: 300) }
      }
    }
  }
}
