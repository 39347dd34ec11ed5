package import EventLoop
package import FoundationEssentials
import HTTP2
import HTTPClient
package import Notifications

/// Sends batches of pushes to FCM over one connection that stays open between batches, each project at its own pace.
///
/// It decides nothing about deliveries. It refreshes a refused access token once, sends again at once only what FCM has
/// certainly not processed, and reports.
package actor FCMSender {
  private let configuration: FCMConfiguration
  private let limits: Limits
  private let loop: EventLoop
  private let now: @Sendable () -> Date
  private let time: SenderTime
  private let connection: FCMConnection
  private var projects: [String: FCMProject]

  /// A sender without connections.
  /// - Parameters:
  ///   - now: the clock for assertions, times to live and the ends of holds.
  ///   - time: paces the messages and the connections; the deadlines of batches are moments of it.
  package init(
    _ configuration: FCMConfiguration, limits: Limits = Limits(), loop: EventLoop = EventLoop(name: "fcm"),
    now: @escaping @Sendable () -> Date = { .now }, time: SenderTime = .machine
  ) {
    (self.configuration, self.limits, self.loop) = (configuration, limits, loop)
    (self.now, self.time) = (now, time)
    connection = FCMConnection(configuration, timeout: limits.connecting, loop: loop, time: time)
    projects = [:]
    for account in configuration.projects {
      let http = configuration.tokenClient(for: account, within: limits.connecting)
      projects[account.projectID] = FCMProject(
        account,
        tokens: AccessTokens(
          account, http: http, through: configuration.tokenProxies[account.tokenServer], now: now, time: time),
        messagesPerMinute: configuration.messagesPerMinute, at: time.instant())
    }
  }

  // The connection lives on the loop, so a call to it needs no change of thread.
  /// The loop's thread.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Sends pushes and reports on each, in their order.
  ///
  /// A push that cannot be answered before the deadline is not sent.
  package func send(_ pushes: [QueuedPush], until deadline: ContinuousClock.Instant) async -> [PushReport] {
    let indices = Dictionary(grouping: pushes.indices) { configuration.account(for: pushes[$0].device.app)?.projectID }
    let reports = await withTaskGroup(of: [Int: PushReport].self) { group in
      for (projectID, indices) in indices {
        group.addTask {
          let reports = await self.send(indices.map { pushes[$0] }, to: projectID, until: deadline)
          return Dictionary(uniqueKeysWithValues: zip(indices, reports))
        }
      }
      var reports: [Int: PushReport] = [:]
      for await some in group { reports.merge(some) { first, _ in first } }
      return reports
    }
    return pushes.indices.map { reports[$0] ?? .fcm(.notSent(pause: nil), pushes[$0], projectID: "") }
  }

  /// Closes the connection.
  package func close() async { await connection.close() }

  private func send(
    _ pushes: [QueuedPush], to projectID: String?, until deadline: ContinuousClock.Instant
  ) async -> [PushReport] {
    var batch = FCMBatch(pushes, projectID: projectID ?? "")
    guard let projectID, let account = projects[projectID]?.account else {
      batch.giveBack(.noServiceAccount)
      return batch.reports
    }
    let paceEnd = time.instant() + limits.pacing
    while !batch.queue.isEmpty {
      guard !Task.isCancelled, !batch.hasFailed, time.instant() + limits.round < deadline else {
        batch.giveBack(.notSent)
        break
      }
      if let outage = projects[projectID]?.outage(at: time.moment(by: now)) {
        batch.giveBack(outage)
        break
      }
      switch await exchange(for: account) {
      case .failure(let outage): batch.giveBack(outage)
      case .success(let exchange):
        let count = projects[projectID]?.pace.take(batch.queue.count, at: time.instant()) ?? 0
        if count > 0 {
          await send(count, of: &batch, by: exchange)
        } else if let wait = projects[projectID]?.pace.wait, time.instant() + wait < paceEnd {
          await time.pass(wait)
        } else {
          batch.giveBack(Outage(reason: "Paced", pause: .seconds(1)))
        }
      }
    }
    return batch.reports
  }

  private func send(_ count: Int, of batch: inout FCMBatch, by exchange: FCMExchange) async {
    let wave = batch.next(count)
    let sentAt = time.instant()
    var results = await exchange.send(wave, of: batch.pushes)
    projects[exchange.projectID]?.judge(&results, of: batch.pushes)
    let concluded = batch.note(results)
    if batch.hasRefusedToken { await projects[exchange.projectID]?.tokens.giveUp(exchange.token) }
    projects[exchange.projectID]?.note(
      concluded, sentAt: sentAt, answeredAt: time.instant(), at: time.moment(by: now))
    let reports = results.map(\.report)
    if reports.contains(where: { $0.status != nil }) { await connection.proved(exchange.client) }
    let isSilent = reports.allSatisfy { $0.verdict == .unknown }
    let isLost = await !exchange.client.isUsable
    if isSilent || isLost || reports.contains(where: { $0.verdict.isUnprocessed }) {
      await connection.drop(exchange.client, because: "no answer", isSilent: isSilent && !isLost)
    }
  }

  private func exchange(for account: ServiceAccount) async -> Result<FCMExchange, Outage> {
    guard let tokens = projects[account.projectID]?.tokens else {
      return .failure(.noServiceAccount)
    }
    async let connected = connection.usable()
    let token = await tokens.token()
    return await connected.flatMap { client in
      token.map { token in
        FCMExchange(
          client: client, authority: configuration.endpoint.authority, projectID: account.projectID, token: token,
          timeout: limits.answer, now: now)
      }
    }
  }
}

extension PushClient {
  /// Sends through FCM.
  package static func fcm(_ sender: FCMSender) -> PushClient {
    PushClient { pushes, deadline in await sender.send(pushes, until: deadline) }
  }
}
