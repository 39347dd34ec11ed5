package import EventLoop

/// The one event loop that carries the gateway, all workers' pipes and the runner's timers.
///
/// Code that is isolated to it runs on its thread and may not block. SQL runs on the connections' threads, and what
/// blocks runs on ``BlockingThread``.
@globalActor
package actor RunnerLoop {
  package static let shared = RunnerLoop()

  // Measured: with lingering, a call of a warm function takes 78 µs instead of 129, and a second has 9 % more of them.
  package nonisolated let loop = EventLoop(name: "runner", lingering: .microseconds(30))

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// The loop itself, for descriptors and timers.
  package static nonisolated var loop: EventLoop { shared.loop }
}
