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
        decision.outcome.html
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
    return tag(.ol, .class("ladder")) {
      for gate in decision.gates {
        tag(.li, .class(gate.verdict.rawValue)) {
          tag(.strong) { name(gate.title) }
          " "
          switch gate.verdict {
          case .passed: tag(.span) { name(gate.input, longest: 400) }
          case .stopped:
            tag(.span) { name(gate.input, longest: 400) }
            badge((gate.outcome ?? "stopped").lowercased(), "calm")
          case .notAsked: tag(.span, .class("faint")) { "not asked any more" }
          }
        }
      }
    }
  }

  /// What was decided when a hold was over.
  private var later: HTML {
    guard !decision.later.isEmpty else { return HTML() }
    return tag(.ul) {
      for recheck in decision.later {
        tag(.li) {
          time(recheck.at, hasSeconds: true)
          " asked again: "
          let verdict = recheck.verdict
          name(
            [DecisionOutcome(verdict.decision).title, verdict.reason?.words].compactMap(\.self).joined(separator: ", "))
        }
      }
    }
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
