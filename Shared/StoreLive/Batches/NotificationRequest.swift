package import FoundationEssentials
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

  /// A notice about an event and a part of the event that is announced after it, each in its own transaction.
  /// - Parameters:
  ///   - part: the name of the part.
  ///   - second: reads the part's announcement; it also gets the people of the first one.
  package static func announcements<First: Notice, Second: Notice>(
    _ event: EventContext, then part: String,
    first: @escaping @Sendable (EventReader) async throws -> Announcement<First>?,
    second: @escaping @Sendable (EventReader, [UUID]) async throws -> Announcement<Second>?
  ) -> NotificationRequest {
    let first = Unread(event: event, announcement: first)
    return NotificationRequest(
      work: .announcement(UnreadPair(first: first, partEvent: event.part(part), second: second)))
  }

  /// There is nothing to tell, and why.
  package static func nothing(_ event: EventContext, because reason: String) -> NotificationRequest {
    NotificationRequest(work: .nothing(.nothing(event, because: reason)))
  }
}

/// The announcements of an event, which have not been read.
protocol UnreadAnnouncement: Sendable {
  /// The event, or its parts: one for each announcement.
  var events: [EventContext] { get }

  /// Handles the event alone.
  func notify(with store: NotificationStore) async throws -> NotificationResult

  /// Reads the announcements and their people; `nil` if the event has to be handled alone.
  /// - Parameter size: an event with this many people or more is handled alone.
  func read(below size: Int, _ queries: GatheredQueries) async throws -> [any ReadAnnouncement]?
}

private struct Unread<N: Notice>: UnreadAnnouncement {
  let event: EventContext
  let announcement: @Sendable (EventReader) async throws -> Announcement<N>?

  var events: [EventContext] { [event] }

  func notify(with store: NotificationStore) async throws -> NotificationResult {
    try await store.notify(event, announcement)
  }

  func read(below size: Int, _ queries: GatheredQueries) async throws -> [any ReadAnnouncement]? {
    try await readOne(below: size, queries).map { [$0] }
  }

  func readOne(below size: Int, _ queries: GatheredQueries) async throws -> ReadNotice<N>? {
    var event = event
    event.isNew = true
    guard let found = try await announcement(EventReader(event, queries)) else {
      return ReadNotice<N>(event: event, announcement: nil, isExperiment: false, candidates: [])
    }
    guard found.notices.count <= 1 else { return nil }
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

private struct UnreadPair<First: Notice, Second: Notice>: UnreadAnnouncement {
  let first: Unread<First>
  let partEvent: EventContext
  let second: @Sendable (EventReader, [UUID]) async throws -> Announcement<Second>?

  var events: [EventContext] { [first.event, partEvent] }

  func notify(with store: NotificationStore) async throws -> NotificationResult {
    let told = try await first.notify(with: store)
    let people = told.decisions.compactMap { UUID(uuidString: $0.user) }
    return told.adding(try await store.notify(partEvent) { try await second($0, people) })
  }

  func read(below size: Int, _ queries: GatheredQueries) async throws -> [any ReadAnnouncement]? {
    guard let told = try await first.readOne(below: size, queries) else { return nil }
    let part = Unread(event: partEvent) { try await second($0, told.candidates.map(\.user)) }
    guard let other = try await part.readOne(below: size, queries) else { return nil }
    return [told, other]
  }
}
