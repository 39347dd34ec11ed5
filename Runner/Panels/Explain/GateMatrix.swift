import Console
import Documents

/// People and gates: where each person was stopped, those of one gate together.
struct GateMatrix {
  /// Decisions with their gates.
  let people: [DecisionReport]
  /// How many there are in all.
  let total: Int
  /// The page of one person.
  let address: (RowID) -> Address?

  private struct Group {
    let title: String
    let outcome: DecisionOutcome
    var people: [DecisionReport]
  }

  var html: HTML {
    tag(.div) {
      if people.count < total { tag(.p, .class("faint")) { "\(people.count) of \(total) people." } }
      table("People and gates", ["person", "in words"] + gateTitles, class: "matrix") {
        for group in groups {
          tag(.tr) {
            tag(.th, .class("group"), .scope("colgroup"), .colspan(gateTitles.count + 2)) {
              group.outcome.html
              name(" \(group.people.count) \(group.title)", longest: 200)
            }
          }
          for decision in group.people { row(decision) }
        }
      }
    }
  }

  private var gateTitles: [String] {
    people.lazy.map(\.gates).first { !$0.isEmpty }?.map(\.title) ?? []
  }

  /// The people who were told, held and not told; of each, by the gate that stopped or held them, the earliest first.
  private var groups: [Group] {
    var groups: [String: Group] = [:]
    for decision in people {
      let stop = decision.gates.first { $0.verdict == .stopped }
      let place = stop?.number ?? (decision.gates.isEmpty ? 98 : 99)
      let title =
        stop.map { "\(GateEffect(of: $0, in: decision.verdict).rawValue) by “\($0.title)”" }
        ?? (decision.gates.isEmpty ? "gates not recorded" : "through all gates")
      let key = "\(decision.outcome.place) \(place + 100)"
      groups[key, default: Group(title: title, outcome: decision.outcome, people: [])].people.append(decision)
    }
    return groups.sorted { $0.key < $1.key }.map(\.value)
  }

  private func row(_ decision: DecisionReport) -> HTML {
    tag(.tr) {
      tag(.th, .scope("row")) { link(title(of: decision.person), to: address(decision.person.id)) }
      cell("text") {
        tag(.small) { sentence(decision.words, waitingUntil: decision.waits, longest: 200) }
        PushView.outages(of: decision)
      }
      for index in gateTitles.indices {
        gate(index < decision.gates.count ? decision.gates[index] : nil, of: decision)
      }
    }
  }

  private func gate(_ gate: GateReport?, of decision: DecisionReport) -> HTML {
    let input = gate?.input ?? ""
    return switch gate.map({ GateEffect(of: $0, in: decision.verdict) }) {
    case .passed: tag(.td, .class("gate passed"), .title(input)) { "✓" + unseen("passed: \(input)") }
    case .held: tag(.td, .class("gate held"), .title(input)) { "‖" + unseen("held: \(input)") }
    case .stopped: tag(.td, .class("gate stopped"), .title(input)) { "✕" + unseen("stopped: \(input)") }
    case .notAsked, nil: tag(.td, .class("gate")) { "·" + unseen("not asked") }
    }
  }
}

private func + (text: String, html: HTML) -> HTML { HTML(text) + html }
