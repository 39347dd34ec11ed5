import FunctionKit
import Notifications
import StoreLive

/// Tells a person what an app has written into their inbox by itself.
@main
struct NotificationCreated: NotifyingFunction {
  static let summary = "Tells a person of a notification that an app inserted itself (insert into notifications)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<RowChange<Row>>, _ context: Context) async throws -> RawJSON {
    let row = try event.data.inserted(into: "notifications")
    let occurrence = Occurrence(event, context)
    guard row.origin == "app" else {
      return try NotificationResult.nothing(occurrence, because: "not_inserted_by_app").json
    }
    let kind = try row.kind()
    let entry = row.entry
    let notice: AppNotice
    do { notice = try AppNotice(kind, entry) } catch { throw FunctionError(.invalidEvent, error.sentence) }
    return try await store.tell(occurrence) { try await $0.announcement(of: notice, in: entry) }.json
  }
}
