import EventLoop
import Glibc

/// The results of a load.
struct LoadResult {
  /// The time of each call.
  var milliseconds: [Double] = []
  var time = Duration.zero

  var perSecond: Double { Double(milliseconds.count) / (time / .seconds(1)) }

  static func += (left: inout Self, right: Self) {
    left.milliseconds += right.milliseconds
    left.time += right.time
  }
}

/// Keeps connections to the gateway busy, each with one call after the other, from one thread.
actor HTTPLoad {
  nonisolated let loop = EventLoop(name: "load")
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// The body of each call.
  static let body = #"{"greeting":"hello"}"#

  private let port: UInt16
  private var connections: [CallConnection] = []
  private var milliseconds: [Double] = []
  private var isMeasuring = false
  private var done: CheckedContinuation<Void, any Error>?

  init(port: UInt16) {
    self.port = port
  }

  /// Calls a function for a time; every answer must have the status 200.
  func run(function: String, connections count: Int, warmUp: Duration, time: Duration) async throws -> LoadResult {
    try await run(
      """
      POST /functions/v1/\(function) HTTP/1.1\r
      Host: 127.0.0.1:\(port)\r
      Content-Type: application/json\r
      Content-Length: \(Self.body.utf8.count)\r
      \r
      \(Self.body)
      """, connections: count, warmUp: warmUp, time: time)
  }

  /// Sends the same request for a time; every answer must have the status 200.
  func run(
    _ request: String, connections count: Int, warmUp: Duration, time: Duration
  ) async throws -> LoadResult {
    (milliseconds, isMeasuring) = ([], false)
    connections = try (0..<count).map { _ in try CallConnection(port: port, request: Array(request.utf8)) }
    defer { close() }
    for connection in connections {
      loop.watch(connection.descriptor, for: .read) { [self] _ in receive(on: connection) }
      try connection.call()
    }
    try await work(for: warmUp)
    isMeasuring = true
    let start = ContinuousClock.now
    try await work(for: time)
    return LoadResult(milliseconds: milliseconds, time: .now - start)
  }

  private func work(for time: Duration) async throws {
    try await withCheckedThrowingContinuation { continuation in
      done = continuation
      loop.schedule(after: time) { [self] in finish(.success(())) }
    }
  }

  private func receive(on connection: CallConnection) {
    do {
      guard let time = try connection.receive() else { return }
      if isMeasuring { milliseconds.append(time) }
      try connection.call()
    } catch {
      finish(.failure(error))
    }
  }

  private func finish(_ result: Result<Void, any Error>) {
    done?.resume(with: result)
    done = nil
  }

  private func close() {
    for connection in connections { loop.unwatch(connection.descriptor) }
    connections = []
  }
}
