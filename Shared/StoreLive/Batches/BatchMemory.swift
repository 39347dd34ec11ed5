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

  /// What a person gets about a subject, as far as it is batched.
  private struct Thread: Hashable {
    let person: Person
    let family: Kind.BatchingFamily?
    let subject: String?
  }

  /// A push that was decided.
  private struct Push {
    let time: Date
    let thread: Thread
    /// The window that it opened; `nil` for none.
    let window: Candidate.Window?
  }

  private var pushes: [Person: [Push]] = [:]
  /// The openers of windows in which something waits.
  private var gatherings: [Thread: UUID] = [:]
  private var peopleWithEntries: Set<Person> = []
  private var waiting: Set<Person> = []
  private var newLeads: Set<UUID> = []

  /// Whether an announcement has to be read again, because the lead that it is made from may be another one.
  func hasChanged(_ announcement: any ReadAnnouncement) -> Bool { announcement.lead.map(newLeads.contains) ?? false }

  /// The candidate as the events before have left them; `nil` if that has to be read.
  func changing<N: Notice>(_ candidate: Candidate, for notice: N, at now: Date) -> Candidate? {
    let kind = notice.kind
    let person = Person(user: candidate.user, app: kind.app)
    if waiting.contains(person) { return nil }
    let asksHistory =
      kind.family == nil || kind.family == .conflicts || notice.dedupeKey != nil || !notice.stateKeys.isEmpty
    if asksHistory, peopleWithEntries.contains(person) { return nil }
    let pushes = pushes[person] ?? []

    var candidate = candidate
    if candidate.hourlyLimit != nil {
      candidate.recentPushes += pushes.map(\.time).filter { $0 > now.addingTimeInterval(-HourlyLimit.window) }
    }
    guard let family = kind.family, kind.batches(for: candidate.reason) else { return candidate }
    // Several changes of a project's statuses close it for a while.
    if family == .statuses, pushes.contains(where: { $0.thread.family == family }) { return nil }
    let thread = Thread(person: person, family: family, subject: notice.part?.subjectID)
    if let last = pushes.last(where: { $0.thread == thread }) {
      guard let window = last.window, last.time <= now, now < window.end else { return nil }
      (candidate.openWindow, candidate.shown) = (window, nil)
    }
    // A window stays open until what waits in it goes out.
    if let opener = gatherings[thread], opener != candidate.openWindow?.opener { return nil }
    return candidate
  }

  /// An event's people are decided on later; so is everything else about them.
  mutating func wait(for announcement: any ReadAnnouncement) {
    if let lead = announcement.newLead { newLeads.insert(lead) }
    guard let app = announcement.kind?.app else { return }
    waiting.formUnion(announcement.candidates.map { Person(user: $0.user, app: app) })
  }

  /// Takes note of an event's decisions.
  mutating func note(_ decided: DecidedEvent, on announcement: any ReadAnnouncement) {
    if let lead = announcement.newLead { newLeads.insert(lead) }
    for plan in decided.plans {
      guard let notification = plan.notification else { continue }
      let person = Person(user: plan.candidate.user, app: decided.kind.app)
      peopleWithEntries.insert(person)
      let thread = Thread(person: person, family: decided.kind.family, subject: plan.message.part?.subjectID)
      if let opener = plan.opener { gatherings[thread] = opener }
      guard plan.isPushed else { continue }
      let end = plan.windowEnd(of: decided.kind, from: decided.event.now)
      pushes[person, default: []].append(
        Push(
          time: decided.event.now, thread: thread, window: end.map { Candidate.Window(opener: notification, end: $0) }))
    }
  }
}
