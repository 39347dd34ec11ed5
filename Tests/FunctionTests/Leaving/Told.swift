import FoundationEssentials
import Notifications
import Postgres

/// How a notification is decided and becomes untrue: a row of the table of ``LeavingTests``.
///
/// In SQL and JSON, `{k}` is the scene's number and `{n}` that of the act; `{p}` is the person who is told, `{q}` and `{r}`
/// are two others. Ids end in the number.
struct Told: Sendable {
  /// Runs a function on an event.
  typealias Run = @Sendable (_ event: String, _ demo: Demo, _ now: Date) async throws -> Void

  /// The rows that it is about.
  var facts = ""
  /// The act that it tells of; families tell of a first and a second act.
  var act = "SELECT"
  /// The event of the act, or a query that finds it.
  var event: @Sendable (String) -> String
  let run: Run
  /// Makes it untrue.
  var end: String
  /// Changes what it says; `nil` where the app words it.
  var change: String?
  /// Words that it says at first.
  var before: [String] = ["Game Night"]
  /// Words that it says after the change.
  var after = "Quiz"
  /// Whether its event says a state that another event changes; at once it says that of its own event.
  var saysItsEvent = false

  /// Every kind's scene by its app and name; `nil` for a kind that nobody has thought of.
  static func of(_ kind: Kind) -> Told? {
    switch kind.app {
    case .lockItIn: lockItIn[kind.name]
    case .feedbackKit: feedbackKit[kind.name]
    case .repairMinder, .mugshot, .messageAI: row(of: kind)
    }
  }

  /// The ids that begin with two characters, such as `f4`, in SQL and JSON.
  static func id(_ prefix: String) -> String { "\(prefix)000000-0000-4000-8000-000000000{k}" }

  /// An event about a row of a table.
  static func event(
    _ type: String, _ table: String, _ record: String, from old: String = "null"
  ) -> @Sendable (String) -> String {
    { id in RowEvent.event(type, table, record: record, oldRecord: old, id: id) }
  }
}
