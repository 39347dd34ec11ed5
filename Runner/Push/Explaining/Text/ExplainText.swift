import Documents
import FoundationEssentials
import FunctionKit
import Notifications
import Terminal

extension ExplainDocument {
  var text: String {
    let parts = handlings.map(\.lines)
    let head = dryRun ? ["This event has not happened: nothing was written, nobody was told.", ""] : []
    return (head + parts.joined(separator: [""])).map(\.onOneCleanLine.trimmedAtEnd).joined(separator: "\n")
  }
}

extension ExplainDocument.Handling {
  fileprivate var lines: [String] {
    let clock = LocalClock(zone: nil)
    let head = [function, kind, "event \(event)", "from \(source)", "\(clock.full(at)) UTC"].compactMap(\.self)
    return [head.joined(separator: " · ")] + summary + people.flatMap { [""] + $0.lines } + rest
  }

  /// The kind's name; `nil` if there is no decision.
  private var kind: String? { people.first?.kind }

  private var summary: [String] {
    guard candidates > 0 else {
      let why = reason.map { ": \(Verdict.plain($0, in: nil))" } ?? isFinishedWords
      return ["No candidates\(why)."]
    }
    let count = candidates == 1 ? "1 candidate" : "\(candidates) candidates"
    let tally = counts.map { "\($0.people) \($0.words)" }
    return ["\(count)\(isFinished ? "" : " so far, and more are being found")."] + tally.map { "  \($0)" }
      + (reason.map { ["\(Verdict.plain($0, in: people.first?.app))."] } ?? [])
  }

  private var isFinishedWords: String { isFinished ? ": nobody had to know" : " yet: it is being handled" }

  private var rest: [String] {
    let others = candidates - people.count
    return others > 0 && !people.isEmpty ? ["", "and \(others) more; --user shows one of them."] : []
  }
}

extension DecisionReport {
  fileprivate var lines: [String] {
    let clock = LocalClock(zone: person.timeZone)
    let role = RoleWords.of(recipientReason)
    let head = "\(person.title)\(role): \(words(clock)) (\(clock.full(at)) \(clock.zone))"
    return [head] + GateReport.table(gates, indent: 2) + note + fate(clock).map { "  \($0)" }
  }

  /// Says what became of it, when everything else is known.
  mutating func conclude() {
    let clock = LocalClock(zone: person.timeZone)
    words = words(clock)
    unread?.conclude(clock, from: at, in: app)
    for index in activities?.indices ?? 0..<0 { activities?[index].conclude(clock, from: at) }
    switch later.last?.verdict.decision ?? verdict.decision {
    case .notify: outcome = .told
    case .merge, .summarize: outcome = .merged
    case .hold: outcome = mergedInto == nil ? .held : .merged
    case .suppress: outcome = .notTold
    }
  }

  /// The decision; after a hold, also the last decision.
  func words(_ clock: LocalClock) -> String {
    let first = verdict.words(
      clock, at: at, in: app, mutedIn: mutedPlace, isOver: !later.isEmpty && waitsUntil == nil)
    guard let last = later.last?.verdict else { return first }
    let isRepeated = verdict.decision == .notify && last.decision != .suppress
    let words = last.words(clock, at: at, in: app, others: toldWith, mutedIn: mutedPlace)
    return "\(first); \(isRepeated ? "later" : "then") \(words)"
  }

  private var note: [String] {
    gates.isEmpty ? ["  The gates' inputs were not recorded at that time."] : []
  }

  /// The lines about what came after the decision.
  private func fate(_ clock: LocalClock) -> [String] {
    var lines: [String] = []
    for recheck in later {
      let word = [.notify, .merge, .summarize].contains(recheck.verdict.decision) ? "released" : "asked again"
      let words = recheck.verdict.words(clock, at: recheck.at, in: app, others: toldWith, mutedIn: mutedPlace)
      lines.append("\(clock.exact(recheck.at, from: at))  \(word): \(words)")
      if recheck.verdict.decision != .notify {
        lines += GateReport.table(recheck.gates.filter { $0.verdict == .stopped }, indent: 2)
      }
    }
    if let waitsUntil { lines.append("It still waits: due at \(clock.brief(waitsUntil, from: at)).") }
    if let mergedInto { lines.append("Told in one message with notification \(mergedInto):") }
    return lines + pushes.flatMap { $0.lines(clock, from: at) }
      + (hasMorePushes == true ? ["It was pushed to more devices than these."] : [])
      + [unread?.words].compactMap(\.self) + (activities ?? []).map(\.words)
  }
}

extension DecisionCount {
  /// - Parameter app: whose people they are.
  init(_ decision: Verdict.Word, because reason: String?, in app: String, _ people: Int) {
    let words = Verdict(decision: decision, reason: reason).title(in: app)
    self.init(decision: decision, reason: reason, people: people, words: words)
  }
}

extension GateReport {
  /// A line for each gate that was asked, and one for the others.
  fileprivate static func table(_ gates: [GateReport], indent: Int) -> [String] {
    let asked = gates.filter { $0.verdict != .notAsked }
    let width = asked.map(\.input.columns).max() ?? 0
    let space = String(repeating: " ", count: indent)
    let others = gates.dropFirst(asked.count).map(\.number)
    let rest = others.count > 1 ? "\(others[others.startIndex])–\(others[others.endIndex - 1])" : "\(others.first ?? 0)"
    return asked.map { gate in
      let number = gate.number < 10 ? " \(gate.number)" : "\(gate.number)"
      let verdict = gate.outcome ?? "passed"
      return space
        + "\(number) \(gate.title.padded(to: 19))\(gate.input.padded(to: width + 2))\(verdict)"
    } + (others.isEmpty ? [] : ["\(space)\(others[others.startIndex] < 10 ? " " : "")\(rest) not asked any more"])
  }
}

extension DeliveryReport {
  /// A line for each attempt, and one for what waits.
  fileprivate func lines(_ clock: LocalClock, from reference: Date) -> [String] {
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
  fileprivate func words(_ carrier: String) -> String {
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
