import Dispatch

/// Says whether an error that was thrown on another executor is caught on the catcher's own; traps where it is not.
///
/// With the fault that `Package.swift` switches off, an optimised build does not come back to the loop. It takes two
/// calls in ``Store/write(_:)``, and none of the functions inlined.
@main
struct ExecutorProbe {
  static func main() async {
    await History().write()
  }
}

/// It is to its calls what the runner's loop is to calls over HTTP.
@globalActor
private actor Loop {
  static let shared = Loop()
  nonisolated let executor = QueueExecutor("loop")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

@Loop
private final class History {
  private let store = Store(database: Database())

  @inline(never)
  func write() async {
    do throws(Refusal) {
      try await store.write([1, 2, 3])
    } catch {
      dispatchPrecondition(condition: .onQueue(Loop.shared.executor.queue))
      print("on the loop")
    }
  }
}

private struct Store: Sendable {
  let database: Database

  @inline(never)
  func write(_ rows: [Int]) async throws(Refusal) {
    _ = try await query(rows.count)
    _ = try await query(rows.count)
  }

  @inline(never)
  private func query(_ rows: Int) async throws(Refusal) -> Int {
    try await database.query(rows)
  }
}

private actor Database {
  private nonisolated let executor = QueueExecutor("database")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  @inline(never)
  func query(_ rows: Int) throws(Refusal) -> Int {
    if rows > 0 { throw Refusal() }
    return rows
  }
}

private struct Refusal: Error {}

/// Runs jobs on a queue of its own.
private final class QueueExecutor: SerialExecutor {
  let queue: DispatchQueue

  init(_ name: String) {
    queue = DispatchQueue(label: name)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let (job, executor) = (UnownedJob(job), asUnownedSerialExecutor())
    queue.async { job.runSynchronously(on: executor) }
  }
}
