import Notifications
import Postgres

/// The place of an announcement in a batch.
struct BatchPlace: Sendable {
  /// The number of its event.
  let number: Int
  /// Its number among the announcements of the event, or among the slices of them.
  let part: Int
}

/// Decides on the announcements of a batch in their order, as far as their people's history was read.
struct DecidingRound: Sendable {
  private let read: [[any ReadAnnouncement]]
  /// Whether it is about more than one announcement.
  private let hasSeveral: Bool
  private var memory = BatchMemory()
  /// What has to wait until the decisions before it are written.
  private(set) var waiting: [BatchPlace] = []
  /// The events that have to be read again.
  private(set) var changed: [Int] = []
  /// The last decisions.
  private(set) var part = DecidedPart()

  init(_ read: [[any ReadAnnouncement]]) {
    self.read = read
    hasSeveral = read.joined().count(where: \.stage.isFirst) > 1
  }

  /// The round after some more announcements.
  func deciding(on places: [BatchPlace]) -> Self {
    var next = self
    next.part = DecidedPart()
    for place in places { next.decide(place) }
    if !next.part.needsSum { next.part.makeStatements() }
    return next
  }

  private mutating func decide(_ place: BatchPlace) {
    let announcement = read[place.number][place.part]
    if waiting.last?.number != place.number {
      if place.part == 0, read[place.number].contains(where: memory.hasChanged) {
        changed.append(place.number)
      } else if let plans = announcement.plans(after: memory) {
        return note(plans, of: announcement, place.number)
      }
    }
    waiting.append(place)
    memory.wait(for: announcement)
  }

  private mutating func note(_ plans: [NotificationPlan], of announcement: any ReadAnnouncement, _ number: Int) {
    let (event, stage) = (announcement.event, announcement.stage)
    let decided = announcement.kind.map { DecidedEvent(event, $0, entry: announcement.entry, plans) }
    var result = (stage.isFirst ? stage.earlier : nil) ?? NotificationResult(of: event)
    if let reason = announcement.reason { result.reason = reason }
    for plan in plans { result.add(plan.candidate, plan.decision) }
    part.announcements.append(
      DecidedAnnouncement(number: number, event: event, stage: stage, decided: decided, result: result))
    part.closing += announcement.closing
    if hasSeveral, let decided { memory.note(decided, on: announcement) }
  }
}

/// An announcement with the decisions about its people.
struct DecidedAnnouncement: Sendable {
  /// The number of its event in the batch.
  let number: Int
  let event: EventContext
  let stage: Stage
  /// `nil` without a notice.
  let decided: DecidedEvent?
  var result: NotificationResult
}

/// Decisions that are written together.
struct DecidedPart: Sendable {
  var announcements: [DecidedAnnouncement] = []
  /// The closing statements of the announcements.
  var closing: [SQL] = []
  /// The statements that write all of it; the last one returns the announcements' `number` and `deliveries`.
  private(set) var statements: [SQL] = []

  /// Whether a result has to be completed with those of the people before.
  var needsSum: Bool { announcements.contains { $0.stage.isLast && !$0.stage.isFirst } }

  mutating func makeStatements() {
    guard !announcements.isEmpty else { return }
    statements = announcements.compactMap(\.decided).statements + closing + [.record(announcements)]
  }
}
