import CLI
import Documents
import FoundationEssentials
import FunctionKit
import Inspection
import System

/// The page of one event, from what was read for it.
struct EventView {
  var event: EventSummary
  var attempts: [EventAttempt]
  /// The event as its function got it, with redacted members null; `nil` if it is no longer kept.
  var document: RawJSON?
  /// Whether `functions.json` has the function, and so says what to redact.
  var isKnown: Bool
  var why: WhyReport
  var redacted: [String]
  var url: String
  var mayAct: Bool
  /// Whether its function can be started here.
  var mayTry: Bool
  /// The consequences of the event.
  var sequel: Sequel
  var token: String
  /// The act that has just been done.
  var done: String?
  var trial: Trial?
  /// The person whom its key names.
  var person: HTML?
  var now = Date.now

  var page: Page {
    Page(sequel.title?.clipped(to: 200) ?? kind, in: "", live: trial == nil ? [.events] : []) {
      if let done = Self.sentences[done ?? ""] { tag(.p, .class("callout good"), .role("status")) { done } }
      tag(.div, .region("event"), .data("news", "The event is \(event.state.rawValue).")) {
        tag(.p) {
          StateOfEvent.of(event.state)
          " "
          if sequel.title != nil {
            name(kind, longest: 200)
            " "
          }
          tag(.code) { name(event.id, longest: 300) }
        }
        if event.state != .done {
          tag(.div, .class(event.state == .dead || event.state == .failed ? "callout bad" : "callout")) {
            for words in why.sentences.dropLast(hasAdvice ? 1 : 0) {
              tag(.p) { sentence(words, longest: 1_000) }
            }
            if hasAdvice { tag(.p) { advice } }
          }
        }
        buttons
        part("What happened") {
          EventTimeline(event: event, attempts: attempts, document: document, sequel: sequel.entries, person: person)
            .html
        }
      }
      if let trial { outcome(trial) }
      part("The event") { body }
      part("Use it elsewhere") { commands }
    }
  }

  /// A link to what is folded away unfolds it.
  private static let field = "correction"

  private var kind: String { "\(event.function): \(event.kind)" }

  private static let sentences = [
    "resent": "This is the new event; it says which one it repeats.",
    "retried": "It is tried again, from the start.",
    "sent": "This is the new event, with what you have changed; it says which one it repeats.",
    "sent-before": "It had been sent before: this is that event, and nothing was sent again.",
  ]

  /// Whether the page says what to do itself: the last sentence names commands for what its buttons do.
  ///
  /// Trying a refused event again cannot help, so the commands stay where the page cannot correct it.
  private var hasAdvice: Bool { mayAct && event.state == .dead && (!isRefused || (document != nil && !isLong)) }

  /// Whether the event itself is to be corrected.
  private var isRefused: Bool { event.isRefused }

  @HTMLBuilder private var advice: HTML {
    tag(.strong) { "What to do: " }
    if isRefused {
      "correct "
      tag(.a, .href(to: Self.field)) { "the event below" }
      " and send it; then purge this one."
    } else if event.isTooLarge {
      "make the row smaller, which is a new event; then purge this one."
    } else {
      "mend the \(event.code == "INVALID_OUTPUT" ? "function" : "cause") and retry it; or purge it, if nobody needs it any more."
    }
  }

  /// The buttons, those that can help first.
  ///
  /// The button for the same event once more, where it was refused, stands only after the words when that helps.
  @HTMLBuilder private var buttons: HTML {
    if mayAct {
      if event.isHopeless {
        if isDead {
          tag(.div, .class("buttons")) {
            if isRefused, hasAdvice { tag(.a, .class("button"), .href(to: Self.field)) { "Correct the event" } }
            purge
          }
        }
        if isRefused, isDead || document != nil {
          tag(.div, .class("buttons")) {
            tag(.span, .class("faint")) { "Only if its function has changed since:" }
            if isDead { retry }
            resend
          }
        }
      } else {
        tag(.div, .class("buttons")) {
          if isDead { retry + purge }
          resend
        }
      }
    }
  }

  private var retry: HTML { button(.retry) }
  private var purge: HTML { button(.purge) }

  private func button(_ act: DeadLetterAct) -> HTML {
    let died = event.endedAt.map { [(DeadLetterAct.field, TimeText.exact($0))] } ?? []
    return ActForm(
      act.label, at: Address("event", event.id, act.rawValue), [("function", event.function)] + died,
      isDangerous: act == .purge, id: act.rawValue
    ).html(token: token)
  }

  @HTMLBuilder private var resend: HTML {
    if hasEnded, document != nil {
      ActForm(
        "Send again unchanged", at: Address("event", event.id, "resend"),
        [("function", event.function), ("sure", repetition)], id: "resend"
      ).html(token: token)
    }
  }

  /// The id of the event that the button sends: two presses send one event.
  ///
  /// It is the same for a minute, so that a page that is read again stays as it is.
  private var repetition: String {
    let minute = Int(now.timeIntervalSince1970 / 60)
    return String(SHA256.hex("\(token)\n\(event.function)\n\(event.id)\n\(minute)".utf8).prefix(32))
  }

  private var body: HTML {
    guard let document else {
      return tag(.p, .class("faint")) {
        isKnown
          ? "The event itself is no longer kept; its outcome is."
          : "functions.json has no such function, so nobody knows what to redact in the body."
      }
    }
    let place = isDead ? event.error.flatMap { NamedPlace($0, in: document) } : nil
    guard mayAct, mayTry || hasEnded, !isLong else {
      return Self.mistake(at: place) + json(document, marking: place?.line) + note
    }
    let text = document.pretty
    var form = ActForm("Dry run", at: Address("event", event.id, "try"), [("function", event.function)], id: "try")
    let (sending, target) = ("Send the changed event…", Address("event", event.id, "send"))
    if !mayTry {
      (form.label, form.address) = (sending, target)
    } else if hasEnded {
      form.other = (label: sending, address: target)
    }
    let purpose =
      mayTry
      ? "Change it and try it: a dry run, in which the function is told to change nothing"
        + (hasEnded ? "; or send it" : "")
      : "Change it and send it"
    let field = form.html(token: token) {
      tag(.label, .class("wide")) {
        "The event"
        tag(.textarea, .id(Self.field), .name("body"), .rows(isDead ? 24 : 16), .noSpelling) { trial?.body ?? text }
      }
    }
    // What is to be corrected is read where it can be changed, and stands there alone.
    guard !isDead else {
      return Self.mistake(at: place, in: text) + note
        + tag(.div, .id("edit")) { tag(.p) { "\(purpose)." } + field }
    }
    return json(document) + note
      + tag(.details, .id("edit"), trial == nil ? nil : .open) { tag(.summary) { purpose } + field }
  }

  private var isDead: Bool { event.state == .dead }

  /// Where the mistake is, with the line itself if there is a text in which none can be marked.
  @HTMLBuilder private static func mistake(at place: NamedPlace?, in text: String? = nil) -> HTML {
    if let place {
      let lines = text?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
      tag(.p) {
        "The message names line \(place.line)"
        if !place.isWhole { ", which has no such member" }
        if lines.indices.contains(place.line - 1) {
          ": "
          tag(.code) { tag(.mark) { name(String(lines[place.line - 1].drop { $0 == " " }), longest: 200) } }
        } else {
          ", which is marked."
        }
      }
    }
  }

  private var hasEnded: Bool { [.done, .failed, .dead].contains(event.state) }

  /// Whether the page shows only its beginning.
  private var isLong: Bool { (document?.pretty.unicodeScalars.count ?? 0) > longestJSON }

  private var note: HTML {
    redacted.isEmpty
      ? HTML()
      : tag(.p, .class("faint")) {
        "The values of "
        name(redacted.joined(separator: ", "))
        " never leave the database: they are null here\(mayAct ? "; if you leave one null, it keeps its value" : "")."
      }
  }

  private func outcome(_ trial: Trial) -> HTML {
    part("What it would do now", id: "trial") {
      if let problem = trial.problem {
        tag(.p, .class("callout bad"), .role("alert")) { name(problem, longest: 2_000) }
      }
      trial.comparison
      if let result = trial.result { json(result) }
    }
  }

  private var commands: HTML {
    let (quoted, function) = (Self.quoted(event.id), "--function \(event.function)")
    let id = event.id.hasPrefix("-") ? "\(function) -- \(quoted)" : "\(quoted) \(function)"
    let pipe = "runner export \(id) | runner invoke \(event.function) --dry-run"
    return tag(.div) {
      tag(.h3) { "As a pipe" }
      copied("pipe", pipe)
      if document != nil {
        tag(.h3) { "As a call" }
        copied(
          "curl",
          """
          runner export \(id) | curl -s \(url)/functions/v1/\(event.function) \\
            -H "apikey: $RUNNER_KEY" -H 'content-type: application/cloudevents+json' -d @-
          """)
        tag(.p) {
          tag(
            .a, .class("button"),
            .href(Address("event", event.id, "fixture").with("function", event.function)),
            .download("\(event.function).json")
          ) { isLong ? "Save all of it as a fixture" : "Save as a fixture" }
          if event.state == .done, (1...ExpectedDecision.most).contains(sequel.people) {
            " "
            tag(
              .a, .class("button"), .href(Address("event", event.id, "test").with("function", event.function)),
              .download("\(event.function)-test.json")
            ) { "Export as a test" }
          }
        }
        if event.state == .done, sequel.people > ExpectedDecision.most {
          tag(.p, .class("faint")) {
            "It cannot be exported as a test: a test is about \(ExpectedDecision.most) people at most."
          }
        }
      }
    }
  }

  private func copied(_ id: String, _ text: String) -> HTML {
    tag(.pre, .id("copy-\(id)"), .tabindex(0)) { text }
      + tag(.p) { tag(.button, .type("button"), .data("copy", "copy-\(id)"), .hidden) { "Copy" } }
  }

  /// A word for a shell.
  private static func quoted(_ text: String) -> String { "'\(text.escaping("'", as: "'\\''"))'" }
}
