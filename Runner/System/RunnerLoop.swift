package import EventLoop

/// The one event loop that carries the gateway, all workers' pipes and the runner's timers.
///
/// Whatever is isolated to it runs on its thread and may not block; SQL runs on the connections' own threads.
@globalActor
package actor RunnerLoop {
  package static let shared = RunnerLoop()

  // Measured: a call of a warm function takes 78 µs with it and 129 without, and 9 % more of them fit into a second.
  package nonisolated let loop = EventLoop(name: "runner", lingering: .microseconds(30))

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// The loop itself, for descriptors and timers.
  package static nonisolated var loop: EventLoop { shared.loop }

  /// Runs what is isolated to the loop from a C callback, which the compiler cannot know to be on it; traps elsewhere.
  static nonisolated func assumeOnLoop<Answer>(_ body: @RunnerLoop () -> Answer) -> Answer {
    shared.loop.checkIsolated()
    // A global actor has no `assumeIsolated` of its own. The check above has proved what the cast claims.
    return withoutActuallyEscaping(body) { unsafeBitCast($0, to: (() -> Answer).self)() }
  }
}
