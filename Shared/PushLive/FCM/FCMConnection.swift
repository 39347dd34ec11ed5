import EventLoop
import HTTP2
import Notifications

/// The only connection to FCM, for all projects. It is opened when it is needed, and after failures with growing
/// pauses.
actor FCMConnection {
  private let configuration: FCMConfiguration
  private let timeout: Duration
  private let loop: EventLoop
  private let time: SenderTime
  private var client: HTTP2Client?
  private var opening: Task<Result<HTTP2Client, Outage>, Never>?
  private var isProven = false
  private var reconnection = Reconnection()
  private var usedAt: ContinuousClock.Instant

  /// After this time without a message the connection is checked.
  ///
  /// The process may have been frozen, or a router may have forgotten the way.
  private static let idle = Duration.seconds(30)

  init(_ configuration: FCMConfiguration, timeout: Duration, loop: EventLoop, time: SenderTime) {
    (self.configuration, self.timeout, self.loop) = (configuration, timeout, loop)
    (self.time, usedAt) = (time, time.instant())
  }

  /// The open connection, or a new one.
  func usable() async -> Result<HTTP2Client, Outage> {
    if let client {
      if await isAlive(client) { return .success(client) }
      if self.client === client { self.client = nil }
    }
    if let opening { return await opening.value }
    if let outage = reconnection.outage(at: time.instant()) { return .failure(outage) }
    let task = Task { await open() }
    opening = task
    return await task.value
  }

  /// FCM has answered on the connection.
  func proved(_ client: HTTP2Client) {
    guard self.client === client else { return }
    (isProven, usedAt) = (true, time.instant())
    reconnection.proved()
  }

  /// Drops a connection.
  ///
  /// The next may follow at once if this one was useful.
  func drop(_ client: HTTP2Client, because reason: String, isSilent: Bool) async {
    guard self.client === client else { return }
    self.client = nil
    if isSilent || !isProven { reconnection.failed(reason, at: time.instant()) }
    await client.close()
  }

  func close() async {
    await client?.close()
    client = nil
  }

  private func isAlive(_ client: HTTP2Client) async -> Bool {
    guard await client.isUsable else { return false }
    guard usedAt.duration(to: time.instant()) > Self.idle else { return true }
    if case .success = await client.ping(timeout: .seconds(2)) {
      usedAt = time.instant()
      return true
    }
    await client.close()
    return false
  }

  private func open() async -> Result<HTTP2Client, Outage> {
    defer { opening = nil }
    do {
      let client = try await configuration.connect(within: timeout, on: loop)
      (self.client, isProven, usedAt) = (client, false, time.instant())
      return .success(client)
    } catch {
      return .failure(reconnection.failed(error.words(through: configuration.proxy), at: time.instant()))
    }
  }
}
