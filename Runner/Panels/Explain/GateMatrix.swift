import Console
import FunctionKit

/// People and gates: where each person was stopped, those of one gate together.
struct GateMatrix {
  /// Decisions with their gates.
  let people: [RawJSON]
  /// How many there are in all.
  let total: Int
  /// The page of one person.
  let address: (String) -> Address?

  private struct Group {
    let title: String
    let outcome: String
    var people: [RawJSON]
  }

  var html: HTML {
    tag(.div) {
      if people.count < total { tag(.p, .class("faint")) { "\(people.count) of \(total) people, some of each group." } }
      table("People and gates", ["person"] + gateTitles + ["in words"], class: "matrix") {
        for group in groups {
          tag(.tr) {
            tag(.th, .class("group"), .scope("colgroup"), .colspan(gateTitles.count + 2)) {
              Outcome(group.outcome).html
              name(" \(group.people.count) \(group.title)", longest: 200)
            }
          }
          for decision in group.people { row(decision) }
        }
      }
    }
  }

  private var gateTitles: [String] {
    people.lazy.compactMap { $0["gates"]?.list }.first { !$0.isEmpty }?.map { $0.string("title") ?? "" } ?? []
  }

  /// By the gate that stopped them, the earliest first; those who passed all gates come last.
  private var groups: [Group] {
    var groups: [String: Group] = [:]
    for decision in people {
      let gates = decision["gates"]?.list ?? []
      let stop = gates.first { $0.string("verdict") == "stopped" }
      let place = stop?["number"]?.intValue ?? (gates.isEmpty ? 98 : 99)
      let outcome = decision.string("outcome") ?? ""
      let title =
        stop.map { "stopped by “\($0.string("title") ?? "")”" }
        ?? (gates.isEmpty ? "gates not recorded" : "through all gates")
      let key = "\(place + 100) \(outcome)"
      groups[key, default: Group(title: title, outcome: outcome, people: [])].people.append(decision)
    }
    return groups.sorted { $0.key < $1.key }.map(\.value)
  }

  private func row(_ decision: RawJSON) -> HTML {
    let person = decision["person"]
    let id = person?.string("id") ?? ""
    let gates = decision["gates"]?.list ?? []
    return tag(.tr) {
      tag(.th, .scope("row")) { link(title(of: person), to: address(id)) }
      for index in gateTitles.indices { gate(index < gates.count ? gates[index] : nil) }
      cell("text") {
        tag(.small) { name(decision.string("words") ?? "", longest: 200) }
        PushView.outages(of: decision)
      }
    }
  }

  private func gate(_ gate: RawJSON?) -> HTML {
    let input = gate?.string("input") ?? ""
    return switch gate?.string("verdict") {
    case "passed": tag(.td, .class("gate passed"), .title(input)) { "✓" + unseen("passed: \(input)") }
    case "stopped": tag(.td, .class("gate stopped"), .title(input)) { "✕" + unseen("stopped: \(input)") }
    default: tag(.td, .class("gate")) { "·" + unseen("not asked") }
    }
  }
}

private func + (text: String, html: HTML) -> HTML { HTML(text) + html }
