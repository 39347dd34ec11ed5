import FunctionKit
package import Notifications
import Postgres

/// What a function wants to tell because of an event; nothing is read yet.
package struct NotificationRequest: Sendable {
  let work: Work

  enum Work: Sendable {
    case nothing(NotificationResult)
    case announcement(any UnreadAnnouncement)
  }

  /// A notice about an event.
  /// - Parameter announcement: reads the announcement; `nil` if the event's object is gone. It is called once for each
  ///   transaction.
  package static func announcement<N: Notice>(
    _ event: EventContext, _ announcement: @escaping @Sendable (EventReader) async throws -> Announcement<N>?
  ) -> NotificationRequest {
    NotificationRequest(work: .announcement(Unread(event: event, announcement: announcement)))
  }

  /// There is nothing to tell, and why.
  package static func nothing(_ event: EventContext, because reason: String) -> NotificationRequest {
    NotificationRequest(work: .nothing(.nothing(event, because: reason)))
  }
}

/// An announcement that has not been read.
protocol UnreadAnnouncement: Sendable {
  var event: EventContext { get }

  /// Handles the event alone.
  func notify(with store: NotificationStore) async throws -> NotificationResult

  /// Reads the announcement and its people; `nil` if the event has to be handled alone.
  /// - Parameter size: an event with this many people or more is handled alone.
  func read(below size: Int, _ queries: GatheredQueries) async throws -> (any ReadAnnouncement)?
}

private struct Unread<N: Notice>: UnreadAnnouncement {
  let event: EventContext
  let announcement: @Sendable (EventReader) async throws -> Announcement<N>?

  func notify(with store: NotificationStore) async throws -> NotificationResult {
    try await store.notify(event, announcement)
  }

  func read(below size: Int, _ queries: GatheredQueries) async throws -> (any ReadAnnouncement)? {
    guard let found = try await announcement(EventReader(event, queries)) else {
      return ReadNotice<N>(event: event, announcement: nil, isExperiment: false, candidates: [])
    }
    guard found.notices.count <= 1, found.closing.isEmpty else { return nil }
    guard let kind = found.kind else {
      return ReadNotice(event: event, announcement: found, isExperiment: false, candidates: [])
    }
    guard try await !found.audience.isLarger(than: size, queries) else { return nil }
    let people = found.audience.candidates(of: kind, after: nil, at: event.now)
    var zones = Zones()
    let candidates = try await queries.query("\(people) LIMIT \(size)").map { row in
      try Candidate(row, except: found.actor, in: kind.app, at: event.now, &zones)
    }
    guard candidates.count < size else { return nil }
    return ReadNotice(
      event: event, announcement: found, isExperiment: try await found.isExperiment(queries), candidates: candidates)
  }
}
