import FunctionKit
import HTTPClient
import Manifest
import Synchronization
import System
import Workers

@testable import Targets

/// A target and its pool, on the runner's loop.
@RunnerLoop
final class TargetScene {
  let pool: FunctionPool
  let target: Target
  let logged: LoggedLines
  private let client: LoopHTTPClient
  var onReady: (@RunnerLoop () -> Void)?

  init(
    port: Int, scheme: String = "http", timeout: Int = 60, concurrency: Int = 16, batch: Int? = nil,
    memory: Int = 64 << 20
  ) throws {
    client = LoopHTTPClient(on: RunnerLoop.loop, connections: 8, memory: memory)
    let settings = try TargetSettings.make(
      timeout: timeout, url: "\(scheme)://127.0.0.1:\(port)/events?key=hidden", concurrency: concurrency, batch: batch)
    let lines = LoggedLines()
    logged = lines
    target = Target(settings, client: client, log: Log { lines.add($0) })
    pool = FunctionPool(
      settings.entry, launch: Launch(executable: "/nonexistent", directory: "/"), log: { _ in })
    pool.use(target)
    target.onReady = { [weak self] in self?.onReady?() }
  }

  func outcome(_ id: String = "1", trigger: InvocationTrigger = .queue) async -> WorkerOutcome {
    await withCheckedContinuation { done in
      pool.submit(Job(id: id, line: Self.line(id), trigger: trigger) { done.resume(returning: $0) })
    }
  }

  /// The outcomes of events that come at once, by their ids; one whose id begins with `r` has failed before.
  func outcomes(_ ids: [String]) async -> [String: WorkerOutcome] {
    var ended: [String: WorkerOutcome] = [:]
    await withCheckedContinuation { done in
      for id in ids {
        pool.submit(
          Job(id: id, line: Self.line(id), chain: id, isRepeated: id.hasPrefix("r")) {
            ended[id] = $0
            if ended.count == ids.count { done.resume() }
          })
      }
    }
    return ended
  }

  private static func line(_ id: String) -> [UInt8] {
    Array(#"{"specversion":"1.0","id":"\#(id)","source":"/s","type":"t","data":{}}"#.utf8 + [0x0A])
  }

  func hear(_ body: @escaping @RunnerLoop () -> Void) { onReady = body }

  func close() async {
    await withCheckedContinuation { done in pool.close(grace: .seconds(1)) { done.resume() } }
    client.close()
  }
}

/// Lines of a log.
final class LoggedLines: Sendable {
  private let written = Mutex<[String]>([])

  var all: [String] { written.withLock { $0 } }

  func add(_ line: [UInt8]) { written.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }
}
