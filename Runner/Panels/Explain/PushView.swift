import Console
import Documents

/// The delivery of a notification to one device: the provider's answers, and what the person did with it.
struct PushView {
  let push: DeliveryReport

  var device: HTML {
    name(push.device.platform) + HTML(" ") + tag(.code) { "\(push.device.token)…" }
  }

  var state: HTML {
    badge(
      push.state.words,
      ["accepted": "good", "opened": "good", "acted": "good", "queued": "busy"][push.state] ?? "bad")
  }

  /// One line for each attempt.
  @HTMLBuilder var answers: HTML {
    for attempt in push.attempts {
      tag(.div) {
        time(attempt.at, hasSeconds: true)
        let answer = [
          attempt.httpStatus.map { "\($0)" }, attempt.reason, attempt.milliseconds.map { "after \($0) ms" },
        ]
        name(" " + answer.compactMap(\.self).joined(separator: " "), longest: 200)
      }
    }
    if let outage = push.outage, let since = push.outageSince {
      tag(.div) { HTML("could not be sent since ") + time(since) + name(": " + outage, longest: 300) }
    }
  }

  /// Why pushes of a decision could not be sent, each reason once.
  @HTMLBuilder static func outages(of decision: DecisionReport) -> HTML {
    for outage in Set(decision.pushes.compactMap(\.outage)).sorted() {
      tag(.small) { " could not be sent: \(outage.clipped(to: 300))" }
    }
  }

  @HTMLBuilder var reaction: HTML {
    if let at = push.openedAt { HTML("opened ") + time(at) + HTML(" ") }
    if let at = push.actedAt { HTML("acted on ") + time(at) }
  }
}
