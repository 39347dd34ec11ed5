// A release build makes this library too, and has no test library then.
#if canImport(Testing)
  import Foundation
  package import Testing

  /// Lets only some tests run at the same time.
  ///
  /// Tests that start processes or databases of their own would otherwise all wait for the machine's few cores, and run
  /// into limits that are generous for one. Processes and databases share one budget.
  package struct Slots: SuiteTrait, TestTrait, TestScoping {
    /// Applies to every test of a suite.
    package var isRecursive: Bool { true }

    private let places: Places

    /// Runs the test when there is a place for it.
    @concurrent package func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
      // A suite may have the trait, and its test too.
      guard testCase != nil, !Self.isHeld else { return try await function() }
      await places.take()
      let began = ContinuousClock.now
      defer { TestTimes.note(test, began.duration(to: .now)) }
      do {
        try await Self.$isHeld.withValue(true) { try await TemporaryPostgres.dropping { try await function() } }
      } catch {
        await places.leave()
        throw error
      }
      await places.leave()
    }

    @TaskLocal private static var isHeld = false

    fileprivate static let heavy = Slots(places: Places(count))

    /// Such tests often wait: for a time limit, a disk, or each other.
    private static var count: Int {
      let cores = max(2, ProcessInfo.processInfo.activeProcessorCount)
      return getenv("TEST_PLACES").flatMap { Int(String(cString: $0)) } ?? 2 * cores
    }
  }

  extension Trait where Self == Slots {
    /// For tests that start programs or make databases.
    package static var heavy: Slots { .heavy }
  }

  /// How long each test took in its place, in the file that `TEST_TIMES` names: it shows what makes a run long.
  private enum TestTimes {
    private static let path = getenv("TEST_TIMES").map { String(cString: $0) }

    static func note(_ test: Test, _ time: Duration) {
      guard let path, let file = fopen(path, "a") else { return }
      fputs("\(time / .seconds(1)) \(test.id)\n", file)
      fclose(file)
    }
  }

  private actor Places {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) {
      free = count
    }

    func take() async {
      if free > 0 {
        free -= 1
      } else {
        await withCheckedContinuation { waiting.append($0) }
      }
    }

    func leave() {
      if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
  }
#endif
