import Console
import FunctionKit

/// The delivery of a notification to one device: the provider's answers, and what the person did with it.
struct PushView {
  let push: RawJSON

  var device: HTML {
    name(push["device"]?.string("platform") ?? "") + HTML(" ")
      + tag(.code) { "\(push["device"]?.string("token") ?? "")…" }
  }

  var state: HTML {
    badge(
      push.words("state"),
      ["accepted": "good", "opened": "good", "acted": "good", "queued": "busy"][push.string("state") ?? ""] ?? "bad")
  }

  /// One line for each attempt.
  @HTMLBuilder var answers: HTML {
    for attempt in push["attempts"]?.list ?? [] {
      tag(.div) {
        if let at = attempt.date("at") { time(at) }
        let answer = [
          attempt["httpStatus"]?.numberText, attempt.string("reason"),
          attempt["milliseconds"]?.numberText.map { "after \($0) ms" },
        ]
        name(" " + answer.compactMap(\.self).joined(separator: " "), longest: 200)
      }
    }
    if let outage = push.string("outage"), let since = push.date("outageSince") {
      tag(.div) { HTML("could not be sent since ") + time(since) + name(": " + outage, longest: 300) }
    }
  }

  /// Why pushes of a decision could not be sent, each reason once.
  @HTMLBuilder static func outages(of decision: RawJSON) -> HTML {
    for outage in Set(decision["pushes"]?.list.compactMap { $0.string("outage") } ?? []).sorted() {
      tag(.small) { " could not be sent: \(outage.clipped(to: 300))" }
    }
  }

  @HTMLBuilder var reaction: HTML {
    if let at = push.date("openedAt") { HTML("opened ") + time(at) + HTML(" ") }
    if let at = push.date("actedAt") { HTML("acted on ") + time(at) }
  }
}
