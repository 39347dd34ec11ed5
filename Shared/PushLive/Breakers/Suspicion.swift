import FoundationEssentials

/// Counts the people of an app for whom APNs calls a once good device token bad, in windows of five minutes.
///
/// A jump means that the host, the key or the app's own registration is at fault, and not all those devices at once.
/// People are counted, not devices: one person can register many.
struct Suspicion: Sendable {
  static let window = Duration.seconds(5 * 60)
  /// Fewer prove nothing.
  static let minimum = 20
  /// A larger share is too much.
  static let share = 0.2
  /// A share that was larger than this before is no jump.
  static let usualShare = 0.1

  var breaker = Breaker()
  private var current = Count()
  private var previous = Count()
  private var start: ContinuousClock.Instant

  /// Each person once, with whether one of their tokens was called bad; the first 10,000 tell enough.
  private struct Count: Sendable {
    private var people: [UUID: Bool] = [:]
    private(set) var refused = 0

    var share: Double { people.isEmpty ? 0 : Double(refused) / Double(people.count) }
    var isTelling: Bool { people.count >= Suspicion.minimum }

    mutating func note(_ person: UUID, isRefused: Bool) {
      let known = people[person]
      guard known != true, known != nil || people.count < 10_000, known == nil || isRefused else { return }
      people[person] = isRefused
      if isRefused { refused += 1 }
    }
  }

  init(at now: ContinuousClock.Instant) {
    start = now
  }

  /// Counts an answer; answers whether the share has jumped.
  mutating func note(isRefusal: Bool, of person: UUID, at now: ContinuousClock.Instant) -> Bool {
    turn(at: now)
    current.note(person, isRefused: isRefusal)
    guard isRefusal else { return false }
    let wasHigh = previous.isTelling && previous.share > Self.usualShare
    return current.refused >= Self.minimum && current.share > Self.share && !wasHigh
  }

  /// Forgets what was counted, so that another jump is seen as one.
  mutating func reset(at now: ContinuousClock.Instant) {
    (current, previous, start) = (Count(), Count(), now)
  }

  private mutating func turn(at now: ContinuousClock.Instant) {
    let age = start.duration(to: now)
    guard age >= Self.window else { return }
    (previous, current, start) = (age < Self.window * 2 ? current : Count(), Count(), now)
  }
}
