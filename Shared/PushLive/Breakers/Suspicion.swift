/// How many of an app's answers call the device token bad, in windows of five minutes.
///
/// A jump means that the host, the key or the app's own registration is at fault, and not so many devices at once.
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

  private struct Count: Sendable {
    var answers = 0
    var refusals = 0

    var share: Double { answers == 0 ? 0 : Double(refusals) / Double(answers) }
    var isTelling: Bool { answers >= Suspicion.minimum }
  }

  init(at now: ContinuousClock.Instant) {
    start = now
  }

  /// Counts an answer; answers whether the share has jumped.
  mutating func note(isRefusal: Bool, at now: ContinuousClock.Instant) -> Bool {
    turn(at: now)
    current.answers += 1
    guard isRefusal else { return false }
    current.refusals += 1
    let wasHigh = previous.isTelling && previous.share > Self.usualShare
    return current.refusals >= Self.minimum && current.share > Self.share && !wasHigh
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
