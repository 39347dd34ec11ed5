package import FunctionKit
package import Notifications

/// A rule for a kind's notifications that stay unread: a function gets them.
package struct UnreadRule: Sendable, Equatable {
  /// The environment variable with the rules that `"kinds"` of `functions.json` has.
  package static let variable = "PUSH_UNREAD_RULES"

  /// How many seconds after it was written a rule is written again: what no runner confirms for a day is forgotten.
  package static let confirmation = 6 * 3_600

  package let kind: Kind
  /// How many seconds a notification stays unread before.
  package let after: Int
  /// Its name in `functions.json`.
  package let function: String

  /// The rules that the environment has; none without the variable.
  /// - Throws: ``FunctionError/Code/misconfigured``, with the name of an app or a kind that there is none of.
  package static func all(_ environment: Environment) throws(FunctionError) -> [UnreadRule] {
    guard let text = environment[variable], !text.isEmpty else { return [] }
    guard let document = try? RawJSON(validating: Array(text.utf8)[...]),
      let entries = try? JSONCoding.decode([Entry].self, from: document)
    else { throw FunctionError(.misconfigured, "\(variable) cannot be read.") }
    var rules: [UnreadRule] = []
    for entry in entries {
      guard let app = App(rawValue: entry.app) else {
        throw FunctionError(.misconfigured, "\"kinds\" of functions.json names \(entry.app), which is no app.")
      }
      guard let kind = Kind.named(entry.kind, of: app) else {
        let kinds = app.profile.kinds.map(\.name).joined(separator: ", ")
        throw FunctionError(
          .misconfigured,
          "\"kinds\" of functions.json names \(entry.kind), which \(app.rawValue) lacks: it has \(kinds).")
      }
      guard !rules.contains(where: { $0.kind == kind }) else {
        throw FunctionError(
          .misconfigured, "\"kinds\" of functions.json has \(app.rawValue)'s \(kind.name) twice: case does not matter.")
      }
      rules.append(UnreadRule(kind: kind, after: entry.after, function: entry.function))
    }
    return rules
  }

  private struct Entry: Decodable {
    let app: String
    let kind: String
    let after: Int
    let function: String
  }
}
