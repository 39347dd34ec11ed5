import Console
import Documents

/// One person's way through the gates, with the fact that each gate used, and what became of the pushes.
struct LadderView {
  let decision: DecisionReport
  /// Distinguishes it from others of the page.
  let number: Int
  let links: PanelLinks

  var html: HTML {
    tag(.section, .class("block")) {
      tag(.h3) {
        link(title(of: decision.person), to: links.person(decision.person.id))
        " "
        decision.shownOutcome.html
      }
      if !decision.rest.isEmpty { tag(.p) { decision.restOnPage } }
      gates
      later
      pushes
      unread
      activities
    }
  }

  private var gates: HTML {
    guard !decision.gates.isEmpty else {
      return tag(.p, .class("faint")) { "The gates' facts were not recorded at that time." }
    }
    return ladder(decision.gates, to: decision.verdict)
  }

  private func ladder(_ gates: [GateReport], to verdict: Verdict) -> HTML {
    tag(.ol, .class("ladder")) {
      for gate in gates {
        let effect = GateEffect(of: gate, in: verdict)
        tag(.li, .class(effect.rawValue), .value("\(gate.number)")) {
          tag(.strong) { name(gate.title) }
          " "
          switch effect {
          case .passed: tag(.span) { name(gate.input, longest: 400) }
          case .held, .stopped:
            tag(.span) { name(gate.input, longest: 400) }
            badge((gate.outcome ?? effect.rawValue).lowercased(), effect == .held ? "notice" : "calm")
          case .notAsked: tag(.span, .class("faint")) { "not asked any more" }
          }
        }
      }
    }
  }

  /// The decisions when a hold was over, by which gates, and the words of the phone then.
  private var later: HTML {
    guard !decision.later.isEmpty else { return HTML() }
    return tag(.ul) {
      for (index, recheck) in decision.later.enumerated() {
        tag(.li) {
          time(recheck.at, hasSeconds: true)
          " asked again: "
          let verdict = recheck.verdict
          name(
            [DecisionOutcome(verdict.decision).title, verdict.reason?.words].compactMap(\.self).joined(separator: ", "))
          if index == telling, let said = decision.said { SaidView(said: said, app: decision.app).html }
          if !recheck.gates.isEmpty {
            tag(.details, .id("again-\(number)-\(index + 1)")) {
              tag(.summary) {
                "its gates"
                unseen(" for \(title(of: decision.person).clipped(to: 60)), time \(index + 2)")
              }
              ladder(recheck.gates, to: verdict)
            }
          }
        }
      }
    }
  }

  /// The decision after which the phone said its words; what has rung at once keeps the words of that push.
  private var telling: Int? {
    guard decision.verdict.decision == .hold, [.told, .merged].contains(decision.outcome) else { return nil }
    return decision.later.firstIndex { [.told, .merged].contains(DecisionOutcome($0.verdict.decision)) }
  }

  private var unread: HTML {
    guard let unread = decision.unread else { return HTML() }
    return tag(.p) { name(unread.words, longest: 400) }
  }

  private var activities: HTML {
    guard let activities = decision.activities else { return HTML() }
    return tag(.ul) {
      for activity in activities { tag(.li) { name(activity.words, longest: 400) } }
    }
  }

  private var pushes: HTML {
    guard !decision.pushes.isEmpty else { return HTML() }
    let pushes = table(
      "Pushes to \(title(of: decision.person)), \(number)", ["device", "state", "attempts", "then"], class: "stack"
    ) {
      for push in decision.pushes {
        let view = PushView(push: push)
        tag(.tr) {
          tag(.th, .scope("row")) { view.device }
          cell { view.state }
          cell("text") { view.answers }
          cell("text") { view.reaction }
        }
      }
    }
    guard decision.hasMorePushes == true else { return pushes }
    return pushes + tag(.p, .class("faint")) { "It was pushed to more devices than these." }
  }
}
