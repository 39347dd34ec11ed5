import CLI
import Documents
import FoundationEssentials
import Inspection
import Metrics

/// The list of dead letters.
struct DeadView {
  var query: EventQuery
  var events: [EventSummary]
  /// How many match in all.
  var number: Int
  var mayAct: Bool
  var token: String
  /// The act that has just been done, and to how many.
  var done: (what: String, number: Int)?
  /// The events' clock.
  var now = Date.now
  /// Whether this runner reads events.
  var isServing: Bool
  /// People by the keys of events that are about them.
  var people: [String: HTML] = [:]

  var page: Page {
    Page("Dead letters", in: "dead", live: [.events]) {
      if let done {
        tag(.p, .class(done.number == 0 ? "callout notice" : "callout good"), .role("status")) {
          done.number == 0
            ? "None was \(done.what): the chosen events are no dead letters any more. Somebody was faster."
            : "\(done.number) dead letter\(done.number == 1 ? "" : "s") \(done.what)."
        }
      }
      EventSearch(
        query: query.text, address: Address("dead"),
        suggestions: [("crashes", "code:WORKER_CRASH"), ("last hour", "since:1h")]
      ).html
      tag(.div, .region("dead"), .data("news", "\(number) dead letters")) {
        if mayAct, events.contains(where: \.isHopeless) {
          tag(.p) {
            "What was refused ("
            tag(.code) { "INVALID_EVENT" }
            ") or too large ("
            tag(.code) { "TOO_LARGE" }
            ") fails again as it is: open it to see what to do."
          }
        }
        if mayAct, number > 1, (try? DeadLetterAct.purge.command(query)) != nil { all }
        if events.isEmpty { nothing } else { list }
      }
    }
  }

  private var nothing: HTML {
    emptiness(query.isEmpty ? "There is no dead letter." : "No dead letter matches “\(query.text.clipped(to: 200))”.") {
      tag(.p) {
        "An event ends here when its attempts are used up, or when trying again cannot help. "
        isServing ? "This runner reads events." : "This runner holds no part of the queue."
      }
    }
  }

  /// First what can help.
  private var acts: [DeadLetterAct] { events.allSatisfy(\.isHopeless) ? [.purge, .retry] : [.retry, .purge] }

  private var all: HTML {
    let subject = query.isEmpty ? "all \(PulseReading.text(number))" : "the \(PulseReading.text(number)) that match"
    return tag(.div, .class("buttons")) {
      for act in acts {
        ActForm(
          "\(act.label) \(subject)…", at: Address("dead", "all"), [("act", act.rawValue), ("q", query.text)],
          isDangerous: act == .purge, id: "all-\(act.rawValue)"
        ).html(token: token)
      }
    }
  }

  private var list: HTML {
    tag(.form, .post, .action(Address("dead", "chosen")), .id("chosen")) {
      tag(.input, .type("hidden"), .name("token"), .value(token))
      if let last = events.compactMap(\.endedAt).max() {
        tag(.input, .type("hidden"), .name(DeadLetterAct.field), .value(TimeText.exact(last)))
      }
      if mayAct {
        tag(.div, .class("buttons block")) {
          for act in acts {
            tag(
              .button, .name("act"), .value(act.rawValue), .id("do-\(act.rawValue)"),
              act == .purge ? .class("danger") : nil
            ) { "\(act.label) the chosen ones" }
          }
        }
      }
      table(
        "Dead letters", (mayAct ? ["chosen"] : []) + ["died", "function", "key", "code", "attempts", "error"],
        numbers: ["attempts"], class: "stack"
      ) {
        for event in events { row(event) }
      }
      if number > events.count {
        tag(.p, .class("faint")) { "The newest \(events.count) of \(PulseReading.text(number)) are shown." }
      }
    }
  }

  private func row(_ event: EventSummary) -> HTML {
    let choice = ChosenEvent(event.function, event.id)
    return tag(.tr) {
      if mayAct {
        cell {
          tag(
            .input, .type("checkbox"), .name("chosen"), .value(choice.text), .id("c-\(choice.text)"),
            .aria("label", "\(event.function) \(event.id.clipped(to: 80))"))
        }
      }
      cell("tight") {
        tag(.a, .id("d-\(choice.text)"), .href(event.address)) {
          event.endedAt.map { ago($0, now: now) } ?? HTML(event.id)
        }
      }
      cell { name(event.function) }
      cell {
        if let key = event.key {
          if let person = people[key] {
            person
            tag(.br)
          }
          tag(.code) { name(key) }
        }
      }
      cell { badge(event.code ?? "", "bad") }
      cell("number") {
        "\(event.attempts)"
        unseen(event.attempts == 1 ? " attempt" : " attempts")
      }
      cell("text") { tag(.small) { name(event.error?.firstLine ?? "", longest: 300) } }
    }
  }
}

/// Asks before something is done to many.
struct DeadQuestion {
  var act: DeadLetterAct
  var number: Int
  /// The filter; not asked for if some were chosen.
  var query: String
  var chosen: [ChosenEvent]
  /// When the page was made on which somebody has chosen.
  var diedBy: String?
  var token: String

  var page: Page {
    Page("\(act.label) \(PulseReading.text(number)) dead letter\(number == 1 ? "" : "s")?", in: "dead") {
      tag(.div, .class("callout \(act == .purge ? "bad" : "notice")")) {
        tag(.p) {
          act == .purge
            ? "They are deleted for good; only the outcomes of their attempts stay in the history."
            : "Each is tried again under its id, from the start."
        }
        if !query.isEmpty {
          tag(.p) {
            "Those that match "
            tag(.code) { name(query, longest: 300) }
          }
        }
      }
      tag(.div, .class("buttons")) {
        ActForm(
          "\(act.label) \(PulseReading.text(number))", at: Address("dead", chosen.isEmpty ? "all" : "chosen"),
          [("act", act.rawValue), ("q", query), ("sure", "\(number)")] + chosen.map { ("chosen", $0.text) }
            + (diedBy.map { [(DeadLetterAct.field, $0)] } ?? []),
          isDangerous: act == .purge
        ).html(token: token)
        tag(.a, .class("button"), .href(Address("dead").with("q", query))) { "Leave them" }
      }
    }
  }
}
