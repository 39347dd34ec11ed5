import Console
import Documents
import FunctionKit

/// How APNs and FCM answer the next pushes.
struct FaultDesk {
  let faults: [PhoneFault]
  let phones: [Phone]
  let forms: PhoneForms

  private static let answers = [
    ("410", "410: the app is no longer there"), ("429", "429: too many requests"), ("503", "503: not available"),
    ("slow", "accepted 3 seconds late"), ("reset", "the stream ends without an answer"),
  ]

  var html: HTML {
    part("Faults", id: "faults") {
      tag(.p) { "The emulator answers the next pushes so; then it accepts them again." }
      if forms.mayAct {
        forms.act("Let them fail", "fail", [], at: "faults", isDangerous: true, sure: RandomID.make()) {
          tag(.label) {
            "Answer"
            tag(.select, .name("answer")) {
              for (value, title) in Self.answers { tag(.option, .value(value)) { title } }
            }
          }
          tag(.label) {
            "Phone"
            tag(.select, .name("device")) {
              tag(.option, .value("")) { "all phones" }
              for phone in phones {
                if let id = phone.id {
                  tag(.option, .value(id.description)) {
                    let owner = title(of: phone.person).clipped(to: 40).isolated
                    let device = [phone.app, phone.platform, phone.token]
                    HTML("\(owner) · \(device.compactMap(\.self).joined(separator: " "))…")
                  }
                }
              }
            }
          }
          tag(.label) {
            "Pushes"
            tag(.input, .type("number"), .name("times"), .value("1"), .min(1), .max(1_000), .required)
          }
        }
      }
      tag(.div, .region("faults")) { list }
    }
  }

  private var list: HTML {
    guard !faults.isEmpty else { return emptiness("None is set: every push is accepted.") }
    return table("Faults", ["phones", "answer", "hit", ""], numbers: ["hit"], class: "stack") {
      for fault in faults {
        let number = "\(fault.number)"
        tag(.tr) {
          tag(.th, .scope("row")) {
            if let token = fault.token { tag(.code) { "\(token)…" } } else { "all" }
          }
          cell("text") { name(fault.words) }
          cell("number") { "\(fault.fired)\(fault.times.map { " of \($0)" } ?? "")" }
          cell {
            if forms.mayAct {
              forms.act(
                "End", "mend", [(name: "fault", value: number)], at: "faults", describes: "End fault \(number)",
                button: "mend-\(number)")
            }
          }
        }
      }
    }
  }
}
