import EventLoop

/// The thread for what blocks: files that may be on a slow disk, all of `/proc`, the start of a local PostgreSQL.
///
/// The runner's loop goes on while a call blocks here.
@globalActor
package actor BlockingThread {
  package static let shared = BlockingThread()

  private nonisolated let loop = EventLoop(name: "blocking")

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Runs a call that blocks.
  @BlockingThread
  package static func run<Answer: Sendable, Failure>(
    _ body: @BlockingThread () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    try body()
  }
}

/// The thread that reads `/proc` before a process is killed, which must not wait for a slow disk.
@globalActor
package actor ProcessThread {
  package static let shared = ProcessThread()

  private nonisolated let loop = EventLoop(name: "processes")

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
}
