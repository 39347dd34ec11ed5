import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import PushLive
import StoreLive

/// Creates a group's broadcast channel at APNs, says on it what has changed, and deletes it after the end.
///
/// The event only means that something may be due: the row of `activity_channels` is read again.
@main
struct ActivityChannels: Function {
  struct Row: Decodable, Sendable {
    let id: UUID
  }

  typealias Payload = RowChange<Row>

  static let summary = "Creates, uses and deletes APNs' broadcast channels of Live Activities (activity_channels)."

  let store: ChannelStore
  let channels: APNsChannels
  /// The clock of provider tokens.
  var clock = SenderClock(isFollowing: false)

  static func live(_ environment: Environment) throws -> Self {
    guard APNsConfiguration.isWanted(by: environment) else { throw FunctionError.noKey }
    let apns = try APNsConfiguration(environment)
    let connection = try Connection(environment, name: name, parameters: [("enable_seqscan", "off")])
    let clock = SenderClock(isFollowing: !apns.isForApple)
    return Self(
      store: ChannelStore(connection),
      channels: APNsChannels(
        apns, tokens: .postgres(connection), countsEmulated: environment.isDatabaseLocal,
        log: Log(["function": name]), now: { clock.now }),
      clock: clock)
  }

  /// The deeds of a run, in their order.
  struct Result: Encodable, Equatable {
    enum Deed: String, Encodable { case created, refused, said, deleted, lost }

    var deeds: [Deed] = []
  }

  func handle(_ event: Event<RowChange<Row>>, _ context: Context) async throws -> Result {
    let row = try event.data.insertedOrUpdated(in: "activity_channels").new.id
    var result = Result()
    guard !context.dryRun else { return result }
    clock.follow(context.now)
    while let step = try await store.next(row, at: context.now) {
      result.deeds.append(try await perform(step, context))
    }
    return result
  }

  private func perform(_ step: ChannelStore.Step, _ context: Context) async throws(FunctionError) -> Result.Deed {
    let owner = APNsChannels.Owner(topic: step.topic, step.environment)
    switch step.deed {
    case .create: return try await create(step.row, owner, context)
    case .say(let saying, let channel): return try await say(saying, step.row, on: channel, owner, context)
    case .delete(let channel):
      do { try await channels.delete(channel, of: owner) } catch { throw FunctionError(error) }
      try await store.gone(step.row, because: nil, at: context.now)
      return .deleted
    }
  }

  /// Creates a channel at most once: without an answer it is refused, and its activities get tokens.
  private func create(
    _ row: UUID, _ owner: APNsChannels.Owner, _ context: Context
  ) async throws(FunctionError) -> Result.Deed {
    let channel: String
    do {
      channel = try await channels.create(for: owner)
    } catch .undone(let words) {
      try await store.postponed(row, at: context.now)
      throw FunctionError(APNsChannels.Failure.undone(words))
    } catch {
      context.log.warning(
        "No broadcast channel is used: activities get tokens", ["push.topic": owner.topic, "push.reason": "\(error)"])
      try await store.refused(row, because: error.reason, at: context.now)
      return .refused
    }
    if try await store.opened(row, as: channel, at: context.now) { return .created }
    // Another run has taken this one for dead, so nobody will use the channel.
    do { try await channels.delete(channel, of: owner) } catch {
      context.log.warning("A broadcast channel that nobody uses stays at APNs", ["error.cause": "\(error)"])
    }
    return .deleted
  }

  private func say(
    _ saying: ChannelStore.Saying, _ row: UUID, on channel: String, _ owner: APNsChannels.Owner, _ context: Context
  ) async throws(FunctionError) -> Result.Deed {
    if let payload = saying.payload {
      let broadcast = APNsChannels.Broadcast(payload, priority: saying.priority, expiresAt: saying.expiresAt)
      do {
        try await channels.send(broadcast, on: channel, of: owner)
      } catch .refused(let answer) where answer.isChannelGone {
        try await store.gone(row, because: answer.reason, at: context.now)
        return .lost
      } catch {
        throw FunctionError(error)
      }
    } else {
      context.log.error("The content of a broadcast cannot be read", ["push.channel.row": row.uuidString])
    }
    try await store.said(saying, row: row, at: context.now)
    return .said
  }
}

extension APNsChannels.Failure {
  /// APNs' word, or what stands in its place.
  fileprivate var reason: String {
    guard case .refused(let answer) = self else { return "answer lost" }
    return answer.reason ?? "\(answer.status)"
  }
}

extension FunctionError {
  fileprivate init(_ failure: APNsChannels.Failure) {
    self.init(.unavailable, "APNs has not done what a broadcast channel asks for.", retryAfter: 5, cause: failure)
  }

  fileprivate static let noKey = FunctionError(
    .misconfigured,
    """
    APNs is not configured: set APNS_KEY_ID, APNS_TEAM_ID, APNS_BUNDLE_ID, APNS_KEY_PATH (or APNS_KEY) and \
    APNS_PRODUCTION.
    """)
}
