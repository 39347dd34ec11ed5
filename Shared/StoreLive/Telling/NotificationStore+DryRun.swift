import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import PushPayload

extension NotificationStore {
  /// Decides about everybody and writes nothing.
  func rehearse<N: Notice>(
    _ event: Occurrence, _ announcement: (EventReader) async throws -> Announcement<N>?, _ transaction: Transaction
  ) async throws -> NotificationResult {
    var result = NotificationResult(of: event)
    result.alreadyApplied = try await event.wasApplied(transaction)
    guard let announcement = try await announcement(EventReader(event: event, transaction: transaction)) else {
      result.reason = Suppression.subjectGone.rawValue
      return result
    }

    var deciding = Deciding(
      announcement, isExperiment: try await announcement.isExperiment(transaction), at: event.now)
    var cursor: Audience.Cursor?
    repeat {
      var page = try await self.page(of: announcement, after: cursor, at: event.now, transaction)
      let isLast = page.count <= chunk
      page.removeLast(isLast ? 0 : 1)
      page = try await page.remembering(announcement, event, transaction)
      for told in try deciding.decide(page) { try result.rehearse(told) }
      cursor = isLast ? nil : page.last.map { .init(user: $0.user, subject: $0.subjectID) }
    } while cursor != nil
    return result
  }
}

extension NotificationResult {
  // A notification that is not written has no id: one of zeros stands in its place, alike in every rehearsal.
  fileprivate mutating func rehearse(_ told: Told) throws {
    add(told.candidate, told.decision)
    if candidates.count < Self.listLimit { candidates.append(Rehearsed(told)) }
    guard told.isPushed else { return }
    deliveries += told.candidate.devices.count
    guard payloads.count < Self.listLimit else { return }
    let user = RawJSON(told.candidate.user.uuidString.lowercased())
    let text = PushPayload.insertID(.zero, as: told.message.kind.app.idKey, into: told.message.payload)
    let payload = try RawJSON(validating: Array(text.utf8)[...])
    payloads.append(RawJSON(object: [("user", user), ("payload", payload)]))
  }
}

extension UUID {
  fileprivate static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
