import FoundationEssentials
import FunctionKit
import Notifications
import Postgres

extension NotificationStore {
  /// Decides about everybody and writes nothing.
  func rehearse<N: Notice>(
    _ event: Occurrence, _ announcement: (EventReader) async throws -> Announcement<N>?, _ transaction: Transaction
  ) async throws -> NotificationResult {
    let event = try await event.asFirst(transaction)
    var result = NotificationResult(of: event)
    result.alreadyApplied = try await event.wasApplied(transaction)
    guard let announcement = try await announcement(EventReader(event, transaction)) else {
      result.reason = Suppression.subjectGone.rawValue
      return result
    }

    var deciding = Deciding(
      announcement, isExperiment: try await announcement.isExperiment(transaction), at: event.now)
    var pages = Pages(of: chunk, connection)
    var end: Audience.Place?
    repeat {
      let page = try await pages.next(of: announcement, after: end, at: event.now, transaction)
      let remembered = try await page.remembering(announcement, event, transaction)
      for told in deciding.decide(remembered) { try result.rehearse(told) }
      end = page.count < pages.size ? nil : page.last.map(Audience.Place.init)
    } while end != nil
    try await result.name(transaction)
    return result
  }
}

extension NotificationResult {
  fileprivate mutating func name(_ transaction: Transaction) async throws {
    let rows = try await transaction.query(
      """
      SELECT u.id, concat_ws(' ', nullif(u.name, ''), '<' || u.email || '>') AS person
      FROM users u WHERE u.id = ANY (\(candidates.map(\.user))::uuid[])
      """)
    let people = Dictionary(rows.map { ($0["id"] ?? "", $0["person"]) }) { first, _ in first }
    for index in candidates.indices { candidates[index].person = people[candidates[index].user] ?? nil }
  }

  // A notification that is not written has no id: one of zeros stands in its place, alike in every rehearsal.
  fileprivate mutating func rehearse(_ told: Told) throws {
    add(told.candidate, told.decision)
    if candidates.count < Self.listLimit { candidates.append(Rehearsed(told)) }
    guard told.isPushed else { return }
    deliveries += told.candidate.devices.count
    guard payloads.count < Self.listLimit, let text = told.message.payloadOfNobody else { return }
    let user = RawJSON(told.candidate.user.uuidString.lowercased())
    let payload = try RawJSON(validating: Array(text.utf8)[...])
    payloads.append(RawJSON(object: [("user", user), ("payload", payload)]))
  }
}
