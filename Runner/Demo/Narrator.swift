import Terminal

/// Tells the story as text.
struct Narrator: Sendable {
  let style: Style

  /// The lines before a step: what it does.
  func opening(of step: Step, number: Int, functionURL: (String) -> String) -> String {
    let actions = step.actions.map { action in
      switch action {
      case .sql(let text): text
      case .call(let function, let body):
        "curl -X POST \(functionURL(function)) -H 'content-type: application/json' -d '\(body)'"
      }
    }
    let lines = actions.joined(separator: "\n").split(separator: "\n").map { style.faint("     \($0)") }
    return (["\n\(style.title("\(number)  \(step.title)"))"] + lines).joined(separator: "\n") + "\n\n"
  }

  /// The lines after a step: its result.
  func ending(of outcome: Outcome) -> String {
    let width = (outcome.pushes.map(\.person) + outcome.notNotified.map(\.person)).map(\.count).max() ?? 0
    let kinds = outcome.pushes.map(\.kind.count).max() ?? 0
    var lines = outcome.pushes.map { push in
      let facts = style.faint("\(push.kind.filled(to: kinds))  \(push.device.filled(to: 8))")
      return "   \(style.good("push")) \(push.person.filled(to: width))  \(facts)  \(push.title): \(push.body)"
    }
    lines += outcome.notNotified.map { one in
      "      - \(one.person.filled(to: width))  " + style.faint("not told: \(Self.sentence(one.reason))")
    }
    lines += outcome.failures.map { style.bad("   failed: \($0)") }
    if outcome.unfinished > 0 { lines.append(style.bad("   \(outcome.unfinished) deliveries did not end in time")) }
    return lines.map { "\($0)\n" }.joined()
  }

  /// A reason of `decisions` in words.
  static func sentence(_ reason: String) -> String {
    let words: [String: String] = [
      "actor": "it is their own act", "disabled": "they have switched push notifications off",
      "project_muted": "they have muted it", "type_disabled": "they do not want this kind",
      "already_handled": "they have already done what is asked", "subject_gone": "it no longer exists",
      "not_permitted": "they are no longer a member", "duplicate": "they were told before",
      "viewing": "they are looking at it", "no_device": "no device is registered",
      "batched": "it is merged with others", "quiet_hours": "it waits for the end of their quiet hours",
      "rate_limited": "they got enough pushes for now", "unencodable": "it is too large for a push",
    ]
    return words[reason].map { "\($0) (\(reason))" } ?? reason
  }
}

extension String {
  fileprivate func filled(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
