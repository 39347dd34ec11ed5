import Console
import FunctionKit

/// One person's way through the gates, with the fact that each gate used, and what became of the pushes.
struct LadderView {
  let decision: RawJSON
  /// Distinguishes it from others of the page.
  let number: Int
  let links: PanelLinks

  var html: HTML {
    let person = decision["person"]
    return tag(.section, .class("block")) {
      tag(.h3) {
        link(title(of: person), to: person?.string("id").flatMap(links.person))
        " "
        Outcome(decision.string("outcome") ?? "").html
      }
      tag(.p) { name(decision.string("words") ?? "", longest: 400) }
      gates
      later
      pushes
    }
  }

  private var gates: HTML {
    let gates = decision["gates"]?.list ?? []
    guard !gates.isEmpty else { return tag(.p, .class("faint")) { "The gates' facts were not recorded at that time." } }
    return tag(.ol, .class("ladder")) {
      for gate in gates {
        let verdict = gate.string("verdict") ?? ""
        tag(.li, .class(verdict)) {
          tag(.strong) { name(gate.string("title") ?? "") }
          " "
          switch verdict {
          case "passed": tag(.span) { name(gate.string("input") ?? "", longest: 400) }
          case "stopped":
            tag(.span) { name(gate.string("input") ?? "", longest: 400) }
            badge((gate.string("outcome") ?? "stopped").lowercased(), "bad")
          default: tag(.span, .class("faint")) { "not asked any more" }
          }
        }
      }
    }
  }

  /// What was decided when a hold was over.
  private var later: HTML {
    let rechecks = decision["later"]?.list ?? []
    guard !rechecks.isEmpty else { return HTML() }
    return tag(.ul) {
      for recheck in rechecks {
        tag(.li) {
          if let at = recheck.date("at") { time(at) }
          " asked again: "
          let verdict = recheck["verdict"]
          name([verdict?.words("decision"), verdict?.string("reason")].compactMap(\.self).joined(separator: ", "))
        }
      }
    }
  }

  /// How many devices are listed.
  private static let mostDevices = 50

  private var pushes: HTML {
    let pushes = decision["pushes"]?.list ?? []
    guard !pushes.isEmpty else { return HTML() }
    return table(
      "Pushes to \(title(of: decision["person"])), \(number)", ["device", "state", "attempts", "then"], class: "stack"
    ) {
      for push in pushes.prefix(Self.mostDevices) {
        let view = PushView(push: push)
        tag(.tr) {
          tag(.th, .scope("row")) { view.device }
          cell { view.state }
          cell("text") { view.answers }
          cell("text") { view.reaction }
        }
      }
    }
  }
}
