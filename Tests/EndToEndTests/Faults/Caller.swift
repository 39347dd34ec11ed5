import HTTPClient
import Synchronization

/// Calls the function `call` of a runner over HTTP, one call after the other, no matter what happens to the database.
final class Caller: Sendable {
  /// A call with its number, and what it was answered.
  struct Answer {
    let n: Int
    let status: Int
  }

  private let served: Served
  private let first: Int
  private let headers: [(name: String, value: String)]
  private let answered = Mutex<[Answer]>([])
  private let failure = Mutex<(any Error)?>(nil)
  private let isStopping = Atomic(false)

  /// - Parameters:
  ///   - first: the number of its first call.
  ///   - isQueued: whether calls are queued, and not waited for.
  init(_ served: Served, from first: Int, isQueued: Bool) {
    // A call may have to wait until the database is given up.
    let client = HTTPClient(limits: HTTPLimits(total: .seconds(120)))
    self.served = Served(runner: served.runner, program: served.program, url: served.url, client: client)
    self.first = first
    headers = isQueued ? [("Prefer", "respond-async")] : []
  }

  /// The answers until now; throws what kept a call from being answered.
  func answers() throws -> [Answer] {
    if let failure = failure.withLock({ $0 }) { throw failure }
    return answered.withLock { $0 }
  }

  /// The numbers of the calls that were answered with a status, from a place on.
  func numbers(_ status: Int, after count: Int = 0) throws -> Set<Int> {
    Set(try answers().dropFirst(count).filter { $0.status == status }.map(\.n))
  }

  /// Calls until ``stop()``.
  func run() async {
    var n = first
    while !isStopping.load(ordering: .relaxed) {
      do {
        let status = try await served.call("call", "{\"number\": \(n)}", headers: headers).status
        answered.withLock { $0.append(Answer(n: n, status: status)) }
        n += 1
        try await Task.sleep(for: .milliseconds(50))
      } catch {
        return failure.withLock { $0 = error }
      }
    }
  }

  func stop() { isStopping.store(true, ordering: .relaxed) }
}

/// Calls with several callers for as long as a body runs.
func calling(_ callers: [Caller], while body: () async throws -> Void) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for caller in callers { group.addTask { await caller.run() } }
    defer { callers.forEach { $0.stop() } }
    try await body()
  }
}
