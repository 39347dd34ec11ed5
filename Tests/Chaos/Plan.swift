import TestSupport

/// The course of a round, drawn from the seed and the round's number alone.
struct Plan: Equatable {
  /// A fault that is brought about.
  enum Fault: String, CaseIterable {
    case runnerKilled, runnerStopped, guardKilled, guardStopped, workerKilled, workerStopped
    case deliveryKilled, deliveryStopped, emulatorKilled, emulatorStopped
    case postmasterStopped, sessionKilled, sessionStopped, serverStopped, serverKilled, halfOpen, diskFull
    case secondJoins, secondLeaves
    case clockJumps, poolerKilled, poolerStopped, targetLeaves, targetReturns, targetStopped

    /// Why it cannot be brought about on this machine; nil where it can.
    var obstacle: String? {
      switch self {
      case .diskFull where !PrivateCluster.canMountDisks: "this user may mount no disk"
      case .clockJumps where !Clocks.canJump: "libfaketime is not there"
      case .poolerKilled where !PgBouncer.isInstalled, .poolerStopped where !PgBouncer.isInstalled:
        "PgBouncer is not there"
      default: nil
      }
    }
  }

  /// One fault.
  struct Step: Equatable {
    /// How long everything goes well before it.
    let pause: Duration
    let fault: Fault
    /// How long a stopped process or server stays stopped.
    let hold: Duration
    /// Chooses among several victims.
    let choice: UInt64

    /// Which clock is wrong, and how.
    var jump: Clocks.Jump { Clocks.Jump(choice: choice) }
  }

  /// How the runners end.
  enum Ending: String, CaseIterable {
    case stopped, killed, killedWithGuard
  }

  let number: Int
  let seed: UInt64
  /// Writers, each with its own series of transactions.
  let writers: Int
  /// Pairs of transactions that overtake each other.
  let racers: Int
  /// All that write at once, the import among them.
  var connections: Int { writers + 2 * racers + 1 }
  /// Whether functions and writers reach the database through a pooler in transaction mode.
  let hasPooler: Bool
  /// Whether clocks may be wrong.
  var hasClocks: Bool { steps.contains { $0.fault == .clockJumps } }
  /// More than there is time for; none in a round without faults.
  let steps: [Step]
  let ending: Ending

  /// - Parameter faults: those that can be brought about here.
  init(seed: UInt64, round number: Int, faults: [Fault] = Fault.allCases) {
    (self.seed, self.number) = (seed, number)
    var series = SplitMix(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
    let isCalm = number % 4 == 1
    let isFew = number % 2 == 1
    writers = isCalm ? .random(in: 1...2, using: &series) : isFew ? .random(in: 1...5, using: &series) : 20
    racers = isCalm ? 2 : isFew ? 1 : 0
    let (pools, jumps) = (number % 2 == 0, [2, 3].contains(number % 4))
    let own = faults.filter { fault in
      switch fault {
      case .poolerKilled, .poolerStopped: pools
      case .clockJumps: jumps
      default: true
      }
    }
    hasPooler = own.contains { [.poolerKilled, .poolerStopped].contains($0) }
    steps = isCalm || own.isEmpty ? [] : Self.steps(from: own, seed: seed, number, &series)
    ending = Ending.allCases[number % Ending.allCases.count]
  }

  /// The faults of all rounds come from one shuffled deck, so that none waits long for its turn.
  private static func steps(
    from faults: [Fault], seed: UInt64, _ number: Int, _ series: inout SplitMix
  ) -> [Step] {
    var shuffler = SplitMix(seed: seed)
    let deck = faults.shuffled(using: &shuffler)
    return (0..<200).map { index in
      Step(
        pause: .milliseconds(Int.random(in: 100...1_000, using: &series)),
        fault: deck[(number * 5 + index) % deck.count],
        hold: .milliseconds(Int.random(in: 200...2_000, using: &series)), choice: series.next())
    }
  }
}
