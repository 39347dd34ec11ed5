import CLI
import FunctionKit
import Notifications
import Postgres
import StoreLive

/// The kinds of `functions.json`: the runner, which refuses a function that there is none of, does not know the kinds.
struct UnreadRulesCheck {
  let findings: [Finding]
  private let rules: [UnreadRule]

  init(_ environment: Environment) {
    do {
      rules = try UnreadRule.all(environment)
      let named = rules.map { "\($0.kind.app.rawValue)'s \($0.kind.name) to \($0.function)" }
      findings = named.isEmpty ? [] : [.ok("unread", "given when it stays unread: \(named.joined(separator: ", "))")]
    } catch {
      (rules, findings) = ([], [.missing("unread", error.message)])
    }
  }

  /// Whether the database notes what these rules are for: `unread-check` writes them when a runner starts or loads
  /// `functions.json` again.
  func findings(in database: Connection) async throws(PostgresError) -> [Finding] {
    guard !rules.isEmpty else { return [] }
    if let problem = try await TableRights.problem("unread_rules", ["SELECT"], database) {
      return [.warning("unread", problem)]
    }
    let stored = try await database.query("SELECT app, kind, function, after_seconds::text AS after FROM unread_rules")
      .map { [$0["app"], $0["kind"], $0["function"], $0["after"]] }
    let lacking = rules.filter { rule in
      !stored.contains([rule.kind.app.rawValue, rule.kind.name, rule.function, "\(rule.after)"])
    }
    guard !lacking.isEmpty else { return [] }
    let named = lacking.map { "\($0.kind.app.rawValue)'s \($0.kind.name)" }.joined(separator: ", ")
    return [
      .warning(
        "unread",
        "the database has another rule or none for \(named): unread-check writes it when a runner runs with this functions.json"
      )
    ]
  }
}
