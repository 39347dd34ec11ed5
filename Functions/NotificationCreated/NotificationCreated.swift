import FunctionKit
import Notifications
import StoreLive

/// Notifies a person of a row that an app itself has inserted into their inbox.
@main
struct NotificationCreated: BatchNotifyingFunction {
  typealias Payload = RowChange<NotificationRow>

  static let summary = "Tells a person of a notification that an app inserted itself (insert into notifications)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func request(_ event: Event<RowChange<NotificationRow>>, _ context: Context) throws -> NotificationRequest {
    let row = try event.data.inserted(into: "notifications")
    let eventContext = EventContext(event, context)
    guard row.origin == "app" else { return .nothing(eventContext, because: "not_inserted_by_app") }
    let kind = try row.kind()
    let entry = row.entry
    let notice: AppNotice
    do { notice = try AppNotice(kind, entry) } catch { throw FunctionError(.invalidEvent, error.sentence) }
    return .announcement(eventContext) { try await $0.announcement(of: notice, in: entry) }
  }
}
