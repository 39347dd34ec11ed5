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

  private var pushes: HTML {
    let pushes = decision["pushes"]?.list ?? []
    guard !pushes.isEmpty else { return HTML() }
    return table(
      "Pushes to \(title(of: decision["person"])), \(number)", ["device", "state", "attempts", "then"], class: "stack"
    ) {
      for push in pushes {
        tag(.tr) {
          tag(.th, .scope("row")) {
            name(push["device"]?.string("platform") ?? "")
            " "
            tag(.code) { "\(push["device"]?.string("token") ?? "")…" }
          }
          cell {
            badge(
              push.words("state"),
              ["accepted": "good", "opened": "good", "acted": "good", "queued": "busy"][push.string("state") ?? ""]
                ?? "bad")
          }
          cell("text") {
            for attempt in push["attempts"]?.list ?? [] {
              tag(.div) {
                if let at = attempt.date("at") { time(at) }
                let answer = [
                  attempt["httpStatus"]?.numberText, attempt.string("reason"),
                  attempt["milliseconds"]?.numberText.map { "after \($0) ms" },
                ]
                " " + answer.compactMap(\.self).joined(separator: " ")
              }
            }
          }
          cell("text") {
            if let at = push.date("openedAt") { HTML("opened ") + time(at) + HTML(" ") }
            if let at = push.date("actedAt") { HTML("acted on ") + time(at) }
          }
        }
      }
    }
  }
}
