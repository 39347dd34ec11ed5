import CLI
import FunctionKit
import Notifications
import StoreLive

/// The kinds of `functions.json`: the runner, which refuses a function that there is none of, does not know the kinds.
struct UnreadRulesCheck {
  let findings: [Finding]

  init(_ environment: Environment) {
    do {
      let rules = try UnreadRule.all(environment)
      let named = rules.map { "\($0.kind.app.rawValue)'s \($0.kind.name) to \($0.function)" }
      findings = named.isEmpty ? [] : [.ok("unread", "given when it stays unread: \(named.joined(separator: ", "))")]
    } catch {
      findings = [.missing("unread", error.message)]
    }
  }
}
