@testable import System

/// Writers that signal a notified function or do not, and the runner that holds their signals back for a while.
///
/// The steps of `SignalGate` and `NotifiedFunction` in their order; a limit of time may pass where a step says so.
struct SignalGateModel: SmallModel, Hashable {
  struct Scope: Hashable {
    var writers: Int
    /// How often the runner's session fails, and how often ``SignalGate/settlingLimit`` passes.
    var failures = 0
    var limits = 0
    /// Whether it no longer looks after a failure, and after the limit: wrong.
    var givesUp = false
  }

  /// A transaction that signals as `runner.notify_trigger()` does; one that finds the lock free has it to the end.
  struct Writer: Hashable {
    enum Phase: Int { case idle, running, sure, visible, unlocked, ended }

    var phase = Phase.idle
    var number: Int64 = 0
    var signals = false

    var isRunning: Bool { phase == .running || phase == .sure }
    var isVisible: Bool { phase.rawValue >= Phase.visible.rawValue }
    var hasLock: Bool { signals && (phase == .sure || phase == .visible) }
    var isPending: Bool { signals && (phase == .visible || phase == .unlocked) }
  }

  enum GatePhase: Hashable {
    case idle, trying, holding, released, settling(after: Int64)
  }

  var scope: Scope
  var writers: [Writer]
  var latestCompleted: Int64 = 0
  var nextNumber: Int64 = 1
  var gate = GatePhase.idle
  var isLocked = false
  /// Whether the limit has passed: then the function is run with each look.
  var isLong = false
  /// The function: whether it runs and has looked for work, and whether it is to run once more.
  var isRunning = false
  var hasLooked = false
  var isWanted = false
  var seen: Set<Int> = []

  init(_ scope: Scope) {
    self.scope = scope
    writers = Array(repeating: Writer(), count: scope.writers)
  }

  var key: Self { self }

  var violation: String? {
    guard !isRunning, !isWanted, gate == .idle else { return nil }
    let unseen = writers.indices.filter { writers[$0].isVisible && !writers[$0].isPending && !seen.contains($0) }
    return unseen.isEmpty ? nil : "The function does not run for what writers \(unseen) have committed."
  }

  var steps: [(name: StepName, next: Self)] {
    var steps: [(StepName, Self)] = []
    func step(_ name: StepName, _ change: (inout Self) -> Void) {
      var next = self
      change(&next)
      steps.append((name, next))
    }
    for index in writers.indices { write(index, step) }
    if isRunning, !hasLooked {
      step(StepName("has its function look for work")) {
        $0.seen.formUnion($0.writers.indices.filter { writers[$0].isVisible })
        $0.hasLooked = true
      }
    } else if isRunning {
      step(StepName("has its function end")) {
        $0.isRunning = false
        $0.start()
      }
    }
    notify(step)
    return steps
  }

  /// `NotifiedFunction.notify()`.
  private mutating func run() {
    isWanted = true
    start()
  }

  private mutating func start() {
    guard isWanted, !isRunning else { return }
    (isWanted, isRunning, hasLooked) = (false, true, false)
  }

  private mutating func rest() {
    (gate, isLong) = (.idle, false)
    run()
  }

  private func write(_ index: Int, _ step: (StepName, (inout Self) -> Void) -> Void) {
    switch writers[index].phase {
    case .idle:
      step(StepName(index, "takes a transaction number")) {
        ($0.writers[index].number, $0.writers[index].phase) = ($0.nextNumber, .running)
        $0.nextNumber += 1
      }
    case .running:
      step(StepName(index, isLocked ? "finds the lock taken" : "finds the lock free")) {
        ($0.writers[index].signals, $0.writers[index].phase) = (!isLocked, .sure)
      }
    case .sure:
      step(StepName(index, "commits")) {
        $0.latestCompleted = max($0.latestCompleted, $0.writers[index].number)
        $0.writers[index].phase = .visible
      }
    case .visible: step(StepName(index, "releases its locks")) { $0.writers[index].phase = .unlocked }
    case .unlocked:
      step(StepName(index, "ends, and is heard if it signals")) {
        $0.writers[index].phase = .ended
        if $0.writers[index].signals { $0.run() }
      }
      guard writers[index].signals, gate == .idle else { return }
      step(StepName(index, "is heard, and that is a load")) {
        ($0.writers[index].phase, $0.gate) = (.ended, .trying)
        $0.run()
      }
    case .ended: break
    }
  }

  private func notify(_ step: (StepName, (inout Self) -> Void) -> Void) {
    switch gate {
    case .idle: return
    case .trying:
      step(StepName("tries the lock")) {
        $0.isLocked = !writers.contains(where: \.hasLock)
        if $0.isLocked { $0.gate = .holding } else { $0.rest() }
      }
    case .holding:
      step(StepName("runs the function instead of hearing signals")) { $0.run() }
      step(StepName("gives the lock back")) { ($0.isLocked, $0.gate) = (false, .released) }
    case .released:
      step(StepName("takes a transaction number")) {
        $0.gate = .settling(after: $0.nextNumber)
        $0.latestCompleted = max($0.latestCompleted, $0.nextNumber)
        $0.nextNumber += 1
      }
    case .settling(let bound):
      let xmax = latestCompleted + 1
      let xmin = min(xmax, writers.filter(\.isRunning).map(\.number).min() ?? xmax)
      step(StepName("looks whether everybody has committed")) {
        if xmin >= bound { $0.rest() } else if isLong { $0.run() }
      }
      if scope.limits > 0 {
        step(StepName("has looked for long")) {
          $0.scope.limits -= 1
          if scope.givesUp { $0.rest() } else { $0.isLong = true }
        }
      }
    }
    guard scope.failures > 0 else { return }
    for isLost in [true, false] {
      step(StepName(isLost ? "loses its session" : "has a statement fail")) {
        $0.scope.failures -= 1
        if isLost || scope.givesUp { $0.isLocked = false }
        if scope.givesUp { return $0.rest() }
        if case .settling = gate { return }
        // The lock is given back by the next statement.
        $0.gate = .holding
      }
    }
  }
}
