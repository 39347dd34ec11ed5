// A release build makes this library too, and has no test library then.
#if canImport(Testing)
  package import Testing

  /// Lets only some tests run at the same time.
  ///
  /// Tests that start processes or databases of their own would otherwise all wait for two cores, and run into limits
  /// that are generous for one.
  package struct Slots: SuiteTrait, TestTrait, TestScoping {
    /// Applies to every test of a suite.
    package var isRecursive: Bool { true }

    private let places: Places

    /// Runs the test when there is a place for it.
    @concurrent package func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
      guard testCase != nil else { return try await function() }
      await places.take()
      do {
        try await TemporaryPostgres.dropping { try await function() }
      } catch {
        await places.leave()
        throw error
      }
      await places.leave()
    }

    fileprivate static let processes = Slots(places: Places(4))
    fileprivate static let databases = Slots(places: Places(6))
  }

  extension Trait where Self == Slots {
    /// For tests that start whole runners or servers: four at a time.
    package static var startsProcesses: Slots { .processes }
    /// For tests that make databases: six at a time.
    package static var makesDatabases: Slots { .databases }
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
