package import FoundationEssentials
package import Notifications
package import Postgres
package import PushPayload

/// The subject of an app's Live Activities, as PostgreSQL has it.
///
/// A change is noted by the app's triggers, as rows of `activity_changes`; the subject is read when it is looked at, and
/// again when a push goes out.
package protocol ActivitySubject: Sendable {
  associatedtype Attributes: LiveActivityAttributes where Attributes.ContentState: ActivityState

  static var app: App { get }
  /// The part that stays the same.
  var attributes: Attributes { get }
  /// How it stands.
  var state: Attributes.ContentState { get }
  /// How many people may see it, so that a large group gets a broadcast channel; `nil` if that is unknown.
  var people: Int? { get }

  /// The priority of a push that updates its activities: 5 or 10.
  func updatePriority(at now: Date) -> Int

  /// The subjects with these ids that are there.
  static func all(_ ids: [UUID], at now: Date, _ transaction: Transaction) async throws -> [UUID: Self]

  /// The id of the subject of a notification, a UUID; `NULL` if it has none.
  static func subject(of notification: SQL) -> SQL
  /// Whether a notification `n` is about a subject; an index finds all of them.
  static func isAbout(_ subject: UUID) -> SQL
  /// Until when a subject, given as text, is open if nothing changes; `NULL` if it is not.
  static func openUntil(_ subject: SQL) -> SQL
  /// A row `user_id, scope_id, proposal_id` if a person may see a subject, given as text; the last two may be `NULL`.
  static func seen(_ subject: SQL, by person: SQL) -> SQL
  /// Queues what devices get instead whose activity is gone; `nil` if they get nothing.
  static func insteadOfActivity(about subject: UUID, on devices: [UUID], _ event: EventContext) -> SQL?
}

extension ActivitySubject {
  package var isOpen: Bool { state.isOpen }

  package static func insteadOfActivity(about subject: UUID, on devices: [UUID], _ event: EventContext) -> SQL? { nil }
}

extension App {
  /// The subject of its Live Activities; `nil` if it has none.
  package var activitySubject: (any ActivitySubject.Type)? {
    switch self {
    case .lockItIn: ShownProposal.self
    case .repairMinder: ShownOrder.self
    case .feedbackKit, .mugshot, .messageAI: nil
    }
  }
}
