import Documents
import FoundationEssentials

extension DeliveryReport {
  /// A line for each attempt, and one for what waits.
  func lines(_ clock: LocalClock, from reference: Date) -> [String] {
    var lines = attempts.map { attempt in
      "\(clock.exact(attempt.at, from: reference))  \(device.title)  \(attempt.words(device.provider.title))"
    }
    if state == "queued" {
      let due = "\(clock.exact(dueAt, from: reference))  \(device.title)  "
      lines.append(due + (attempts.isEmpty ? "queued, to be sent then\(because)" : "to be sent again then"))
    } else if attempts.isEmpty {
      lines.append("\(clock.exact(dueAt, from: reference))  \(device.title)  never sent: \(state)\(because)")
    }
    if let outage, let outageSince {
      lines.append("\(clock.exact(outageSince, from: reference))  \(device.title)  could not be sent since: \(outage)")
    }
    for (date, word) in [(openedAt, "opened by the person"), (actedAt, "acted on by the person")] {
      if let date { lines.append("\(clock.exact(date, from: reference))  \(device.title)  \(word)") }
    }
    return lines
  }

  private var because: String { reason.map { " (\($0))" } ?? "" }
}

extension DeliveryReport.Attempt {
  func words(_ carrier: String) -> String {
    let answer = [httpStatus.map { "\($0)" }, reason].compactMap(\.self).joined(separator: " ")
    let time = milliseconds.map { ", after \($0) ms" } ?? ""
    let meaning =
      switch status {
      case "sent": "accepted"
      case "token_expired": "the token is no longer valid"
      case "deferred": "asked us to wait"
      case "unknown": "no answer came"
      default: "not accepted"
      }
    return "\(carrier)\(answer.isEmpty ? "" : " \(answer)"): \(meaning)\(time)"
  }
}
