import CLI
import Documents
import FoundationEssentials
import FunctionKit
import Inspection

/// The way of an event: where it came from, each attempt, and what comes next.
struct EventTimeline {
  var event: EventSummary
  var attempts: [EventAttempt]
  var document: RawJSON?
  /// The consequences of the event, as entries.
  var sequel = HTML()
  /// The person whom its key names.
  var person: HTML?

  var html: HTML {
    tag(.ol, .class("timeline")) {
      origin
      for (index, attempt) in attempts.enumerated() { one(attempt, number: index + 1) }
      end
      sequel
    }
  }

  private var origin: HTML {
    tag(.li, .class("good")) {
      tag(.p) {
        time(event.at, hasSeconds: true)
        " "
        tag(.strong) { cause }
        if let key = event.key {
          if let person {
            " · for "
            person
          }
          " · key "
          tag(.code) { name(key) }
        }
      }
      if let from = document?["replayedfrom"]?.stringValue {
        tag(.p) {
          "It repeats "
          tag(.a, .href(Address("event", from).with("function", event.function))) { name(from) }
        }
      }
      facts(
        [("source", "source"), ("actor", "actor"), ("trace", "traceparent")].compactMap { label, member in
          guard let text = document?[member]?.stringValue else { return nil }
          return (label, tag(.code) { name(text, longest: 200) })
        })
    }
  }

  private var cause: String {
    switch event.kind {
    case "http": "A call over HTTP"
    case "queued": "A call over HTTP that did not wait"
    case "schedule": "A schedule came due"
    default: "A row changed: \(event.kind.clipped(to: 200))"
    }
  }

  private func one(_ attempt: EventAttempt, number: Int) -> HTML {
    tag(.li, .class(attempt.code == "OK" ? "good" : "bad")) {
      tag(.p) {
        time(attempt.endedAt, hasSeconds: true)
        " "
        tag(.strong) { "Attempt \(number): \(attempt.code)" }
        " after \(TimeText.length(attempt.milliseconds / 1_000))"
        if let exit = attempt.exit, exit != 0 { ", exit status \(exit)" }
      }
      if let error = attempt.error, !error.isEmpty { message(error, "Message of attempt \(number)") }
    }
  }

  /// The words of a function about its failure: long ones scroll.
  private func message(_ text: String, _ title: String) -> HTML {
    tag(.pre, .tabindex(0), .role("region"), .aria("label", title)) { Self.sentences(of: text).clipped(to: 8_000) }
  }

  /// The same without lines of the function's log that only repeat what was said: of these their cause stays.
  private static func sentences(of text: String) -> String {
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      guard line.hasPrefix("{"), let log = try? RawJSON(validating: Array(line.utf8)[...]),
        let message = log["error.message"]?.stringValue, lines.contains(where: { $0.contains(message) })
      else {
        lines.append(line)
        continue
      }
      if let cause = log["error.cause"]?.stringValue, !lines.contains(cause) { lines.append(cause) }
    }
    return lines.joined(separator: "\n")
  }

  private var end: HTML {
    switch event.state {
    case .waiting: next("It waits for its \(attempts.isEmpty ? "first" : "next") attempt")
    case .running: next("It runs now")
    case .retrying: next("It is tried again", at: event.runAt)
    case .dead:
      tag(.li, .class("bad")) {
        tag(.p) {
          if let died = event.endedAt { time(died, hasSeconds: true) }
          " "
          tag(.strong) { "A dead letter: \(event.code ?? "")" }
        }
        if attempts.isEmpty, let error = event.error { message(error, "Message") }
      }
    case .done, .failed: HTML()
    }
  }

  private func next(_ text: String, at date: Date? = nil) -> HTML {
    tag(.li, .class("next")) {
      tag(.p) {
        tag(.strong) {
          text
          if let date {
            " at "
            time(date, hasSeconds: true)
          }
        }
      }
    }
  }
}
