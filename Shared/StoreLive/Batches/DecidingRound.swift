import Notifications
import Postgres

/// Decides on the events of a batch in their order, as far as their people's history was read.
struct DecidingRound: Sendable {
  private let read: [[any ReadAnnouncement]]
  /// How many announcements of each event are decided.
  private var done: [Int]
  private var memory = BatchMemory()
  /// The events that have to wait until the decisions before them are written.
  private(set) var waiting: [Int] = []
  /// Those of them that have to be read again.
  private(set) var changed: [Int] = []
  /// The last decisions.
  private(set) var part = DecidedPart()

  init(_ read: [[any ReadAnnouncement]], after done: [Int]) {
    (self.read, self.done) = (read, done)
  }

  /// The round after some more events.
  func deciding(on numbers: ArraySlice<Int>) -> Self {
    var next = self
    next.part = DecidedPart()
    for number in numbers { next.decide(number) }
    next.part.makeStatements()
    return next
  }

  private mutating func decide(_ number: Int) {
    let announcements = read[number]
    if done[number] == 0, announcements.contains(where: memory.hasChanged) {
      changed.append(number)
    } else {
      while done[number] < announcements.count, let plans = announcements[done[number]].plans(after: memory) {
        note(plans, of: announcements[done[number]], number)
        done[number] += 1
      }
    }
    guard done[number] < announcements.count else { return }
    waiting.append(number)
    for announcement in announcements.dropFirst(done[number]) { memory.wait(for: announcement) }
  }

  private mutating func note(_ plans: [NotificationPlan], of announcement: any ReadAnnouncement, _ number: Int) {
    let (event, reason) = (announcement.event, announcement.isFound ? nil : Suppression.subjectGone.rawValue)
    let decided = announcement.kind.map { DecidedEvent(event, $0, entry: announcement.entry, plans) }
    var result = NotificationResult(of: event, reason: reason)
    for plan in plans { result.add(plan.candidate, plan.decision) }
    part.announcements.append(DecidedAnnouncement(number: number, event: event, decided: decided, result: result))
    guard let decided else { return }
    memory.note(decided, on: announcement)
    part.closing += announcement.closing
  }
}

/// An announcement with the decisions about its people.
struct DecidedAnnouncement: Sendable {
  /// The number of its event in the batch.
  let number: Int
  let event: EventContext
  /// `nil` without a notice.
  let decided: DecidedEvent?
  var result: NotificationResult
}

/// Decisions that are written together.
struct DecidedPart: Sendable {
  var announcements: [DecidedAnnouncement] = []
  /// The closing statements of the announcements.
  var closing: [SQL] = []
  /// What writes all of it; the last one returns the announcements' `number` and `deliveries`.
  private(set) var statements: [SQL] = []

  mutating func makeStatements() {
    guard !announcements.isEmpty else { return }
    statements = announcements.compactMap(\.decided).statements + closing + [.record(announcements)]
  }
}
