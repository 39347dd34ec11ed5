import Testing

@testable import Targets

struct CircuitTests {
  private let start = ContinuousClock.now

  /// A circuit whose changes an expectation may contain.
  private final class Held {
    private(set) var circuit = Circuit()

    var isClosed: Bool { circuit.isClosed }
    var nextTry: ContinuousClock.Instant? { circuit.nextTry }

    func maySend(at now: ContinuousClock.Instant) -> Bool { circuit.maySend(at: now) }
    func succeeded() -> Bool { circuit.succeeded() }
    func learntNothing(at now: ContinuousClock.Instant) -> Bool { circuit.learntNothing(at: now) }
    func tryNow(at now: ContinuousClock.Instant) { circuit.tryNow(at: now) }

    func failed(asking asked: Duration = .zero, at now: ContinuousClock.Instant) -> Bool {
      circuit.failed(asking: asked, at: now)
    }
  }

  /// A circuit that has just opened.
  private func opened() -> Held {
    let circuit = Held()
    for _ in 1...Circuit.threshold { _ = circuit.failed(at: start) }
    return circuit
  }

  @Test func onlyFailuresInARowOpenIt() {
    let circuit = Held()
    for _ in 1..<Circuit.threshold { #expect(!circuit.failed(at: start)) }
    #expect(!circuit.succeeded())
    for _ in 1..<Circuit.threshold { #expect(!circuit.failed(at: start)) }
    #expect(circuit.maySend(at: start))

    #expect(circuit.failed(at: start))

    #expect(!circuit.maySend(at: start))
    #expect(circuit.nextTry == start + Circuit.firstPause)
  }

  @Test func afterThePauseOneEventIsTheTry() {
    let circuit = opened()
    let later = start + Circuit.firstPause

    #expect(circuit.maySend(at: later))
    #expect(!circuit.maySend(at: later))
    #expect(circuit.succeeded())
    #expect(circuit.circuit == Circuit())
  }

  @Test func eachFailedTryDoublesThePauseUpToALimit() {
    let circuit = opened()
    var (now, pauses) = (start, [Duration]())
    for _ in 1...8 {
      guard let next = circuit.nextTry else { break }
      pauses.append(next - now)
      now = next
      #expect(circuit.maySend(at: now))
      #expect(circuit.failed(at: now))
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
  }

  @Test func whatWasSentBeforeItOpenedProlongsNothing() {
    let circuit = opened()
    #expect(!circuit.failed(at: start + .milliseconds(900)))
    #expect(circuit.nextTry == start + Circuit.firstPause)
    // But an answer proves that the target works.
    #expect(circuit.succeeded())
  }

  @Test(arguments: [(0, 1), (20, 20), (100_000, 300)])
  func theTargetMayAskForALongerPauseWithinALimit(asked: Int, pause: Int) {
    let circuit = Held()
    for _ in 1...Circuit.threshold { _ = circuit.failed(asking: .seconds(asked), at: start) }
    #expect(circuit.nextTry == start + .seconds(pause))
  }

  @Test func aTryThatCameToNothingIsFollowedByAnother() {
    let circuit = opened()
    let later = start + Circuit.firstPause
    #expect(!circuit.learntNothing(at: start))
    #expect(circuit.maySend(at: later))

    #expect(circuit.learntNothing(at: later))

    #expect(!circuit.isClosed)
    #expect(circuit.maySend(at: later))
    #expect(!circuit.maySend(at: later))
  }

  @Test func somebodyWhoHasMendedItNeedNotWait() {
    let circuit = opened()
    circuit.tryNow(at: start)
    #expect(circuit.maySend(at: start))
  }
}
