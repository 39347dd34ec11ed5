import EventLoop

/// An actor bound to a loop of its own, for tests to run things on it.
actor LoopActor {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private(set) var count = 0

  init(loop: EventLoop) {
    self.loop = loop
  }

  func increment() {
    count += 1
  }

  /// Runs `body` on the loop with what resumes the caller.
  func wait<Value: Sendable>(_ body: (EventLoop, @escaping (Value) -> Void) -> Void) async -> Value {
    await withCheckedContinuation { continuation in
      body(loop) { continuation.resume(returning: $0) }
    }
  }

  nonisolated func incrementFromLoop() {
    assumeIsolated { $0.increment() }
  }
}

/// Runs a test with a loop that is stopped afterwards.
func withLoop<Value: Sendable>(_ body: (LoopActor) async throws -> Value) async rethrows -> Value {
  let loop = EventLoop(name: "test")
  defer { loop.stop() }
  return try await body(LoopActor(loop: loop))
}
