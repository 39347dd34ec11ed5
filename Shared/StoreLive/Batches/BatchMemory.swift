import FoundationEssentials
import Notifications

/// What the decisions of a batch have changed for its later events, before they are written.
///
/// It knows what happens most: windows that were opened and limits that were used. For anything else, the later event
/// waits until the decisions before it are written, and reads its people's history again.
struct BatchMemory {
  private struct Person: Hashable {
    let user: UUID
    let app: App
  }

  /// A push that was decided.
  private struct Push {
    let time: Date
    let family: Kind.BatchingFamily?
    let subject: String?
    /// The window that it opened; `nil` for none.
    let window: Candidate.Window?
  }

  private var pushes: [Person: [Push]] = [:]
  private var peopleWithEntries: Set<Person> = []
  private var waiting: Set<Person> = []

  /// The candidate as the events before have left them; `nil` if that has to be read.
  func changing<N: Notice>(_ candidate: Candidate, for notice: N, at now: Date) -> Candidate? {
    let kind = notice.kind
    let person = Person(user: candidate.user, app: kind.app)
    if waiting.contains(person) { return nil }
    let asksHistory = kind.family == nil || notice.dedupeKey != nil || notice.stateKey != nil
    if asksHistory, peopleWithEntries.contains(person) { return nil }
    guard let pushes = pushes[person] else { return candidate }

    var candidate = candidate
    if candidate.hourlyLimit != nil {
      candidate.recentPushes += pushes.map(\.time).filter { $0 > now.addingTimeInterval(-HourlyLimit.window) }
    }
    guard let family = kind.family, kind.batches(for: candidate.reason) else { return candidate }
    // Several changes of a project's statuses close it for a while.
    if family == .statuses, pushes.contains(where: { $0.family == family }) { return nil }
    guard let last = pushes.last(where: { $0.family == family && $0.subject == notice.part?.subjectID }) else {
      return candidate
    }
    guard let window = last.window, last.time <= now, now < window.end else { return nil }
    (candidate.openWindow, candidate.shown) = (window, nil)
    return candidate
  }

  /// An event's people are decided on later; so is everything else about them.
  mutating func wait(for announcement: any ReadAnnouncement) {
    guard let app = announcement.kind?.app else { return }
    waiting.formUnion(announcement.candidates.map { Person(user: $0.user, app: app) })
  }

  /// Takes note of an event's decisions.
  mutating func note(_ decided: DecidedEvent) {
    for plan in decided.plans {
      guard let notification = plan.notification else { continue }
      let person = Person(user: plan.candidate.user, app: decided.kind.app)
      peopleWithEntries.insert(person)
      guard plan.isPushed else { continue }
      let end = plan.windowEnd(of: decided.kind, from: decided.event.now)
      pushes[person, default: []].append(
        Push(
          time: decided.event.now, family: decided.kind.family, subject: plan.message.part?.subjectID,
          window: end.map { Candidate.Window(opener: notification, end: $0) }))
    }
  }
}
