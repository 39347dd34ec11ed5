import FoundationEssentials

/// Counts, in windows of five minutes, the people of an app for whom APNs calls a good device token bad.
///
/// If the share jumps, the host, the key or the app's registration is wrong, not all those devices. It counts people
/// and not devices, because one person can register many.
struct Suspicion: Sendable {
  static let window = Duration.seconds(5 * 60)
  /// Fewer people prove nothing.
  static let minimum = 20
  /// A larger share is too much.
  static let share = 0.2
  /// If the share was larger than this before, it has not jumped.
  static let usualShare = 0.1

  var breaker = Breaker()
  private var current = Count()
  private var previous = Count()
  private var start: ContinuousClock.Instant

  /// Each person once, and whether one of their tokens was called bad.
  ///
  /// The first 10,000 are enough.
  private struct Count: Sendable {
    private var people: [UUID: Bool] = [:]
    private(set) var refused = 0

    var share: Double { people.isEmpty ? 0 : Double(refused) / Double(people.count) }
    var hasEnoughPeople: Bool { people.count >= Suspicion.minimum }

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

  /// Counts an answer; returns whether the share has jumped.
  mutating func note(isRefusal: Bool, of person: UUID, at now: ContinuousClock.Instant) -> Bool {
    turn(at: now)
    current.note(person, isRefused: isRefusal)
    guard isRefusal else { return false }
    let wasHigh = previous.hasEnoughPeople && previous.share > Self.usualShare
    return current.refused >= Self.minimum && current.share > Self.share && !wasHigh
  }

  /// Forgets the counts, so that the next jump is seen.
  mutating func reset(at now: ContinuousClock.Instant) {
    (current, previous, start) = (Count(), Count(), now)
  }

  private mutating func turn(at now: ContinuousClock.Instant) {
    let age = start.duration(to: now)
    guard age >= Self.window else { return }
    (previous, current, start) = (age < Self.window * 2 ? current : Count(), Count(), now)
  }
}
