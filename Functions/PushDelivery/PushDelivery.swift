import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import PushLive
import StoreLive

/// Sends every delivery that is due, and returns when the next one is.
///
/// The content of the event does not matter: it only means that there may be work.
@main
struct PushDelivery: Function {
  static let summary = "Sends the deliveries that are due to APNs and FCM."
  static let endsEarly = true
  /// The time for writing kept answers at the end of the process; the runner allows two seconds.
  static let ending = Duration.seconds(30)

  let store: DeliveryStore
  let client: PushClient
  /// The providers whose deliveries are leased; those of other providers wait.
  var providers = PushProvider.allCases
  /// Whether a push that an emulator accepted counts as sent.
  var countsEmulated = true
  /// The senders' clocks.
  var clocks: [SenderClock] = []
  /// The parts of a sent push that the log keeps; `nil` for nothing.
  var payloads: PayloadLog? = PayloadLog()
  var jitter: @Sendable () -> Double = { .random(in: 0..<1) }

  static func live(_ environment: Environment) async throws -> Self {
    let settings: Settings
    do {
      settings = try Settings(environment)
    } catch {
      await note(error.message.trimmedStop, environment)
      throw error
    }
    let (apns, fcm) = (settings.apns, settings.fcm)
    guard apns != nil || fcm != nil else {
      await note(nil, environment)
      throw FunctionError.noProvider
    }
    let (connection, claims) = (try Self.connection(environment), try Self.connection(environment))
    let second = try Self.connection(environment)
    let apnsClock = SenderClock(isFollowing: apns?.isForApple == false)
    let fcmClock = SenderClock(isFollowing: fcm?.isForGoogle == false)
    let sender = apns.map { apns in
      APNsSender(apns, tokens: .postgres(connection), log: Log(["function": name]), now: { apnsClock.now })
    }
    return Self(
      store: .postgres(connection, second, claims: claims, log: Log(["function": name])),
      client: .routed(
        apns: sender.map(PushClient.apns), fcm: fcm.map { .fcm(FCMSender($0, now: { fcmClock.now })) }),
      providers: (apns == nil ? [] : [.apns]) + (fcm == nil ? [] : [.fcm]),
      countsEmulated: environment.isDatabaseLocal, clocks: [apnsClock, fcmClock], payloads: settings.payloads)
  }

  /// Notes why nothing is sent: who asks why pushes wait is told so.
  /// - Parameter reason: `nil` if no provider is configured.
  private static func note(_ reason: String?, _ environment: Environment) async {
    guard !environment.isDryRun, let url = try? environment.databaseURL() else { return }
    let connection = Connection(url: url, applicationName: name, statementTimeout: .seconds(5))
    // A database that is away learns it at the next try.
    try? await DeliveryStore.noteNothingIsSent(because: reason, connection)
    await connection.close()
  }

  // Otherwise the first answers would be looked for in the whole table.
  private static func connection(_ environment: Environment) throws(FunctionError) -> Connection {
    try Connection(environment, name: name, givesWay: true, parameters: Connection.plansOnce)
  }

  private var deliveries: DeliveryLoop { DeliveryLoop(store, of: providers) }

  func handle(_ event: Event<RawJSON>, _ context: Context) async throws -> DeliverySummary {
    var summary = DeliverySummary()
    for clock in clocks { clock.follow(context.now) }
    do {
      if !context.dryRun {
        try await deliveries.run(at: context.now, log: context.log) { batch, deadline in
          let settlements = await send(batch, until: deadline, context)
          summary.add(batch, settlements)
          return settlements
        }
      }
      summary.wakeAt = try await deliveries.nextDue(context.now)
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
    return summary
  }

  /// Tries a last time to write kept answers.
  func end() async {
    _ = try? await deliveries.settlesKept(until: .now + Self.ending)
  }

  private func send(
    _ batch: DeliveryBatch, until deadline: ContinuousClock.Instant, _ context: Context
  ) async -> [DeliverySettlement] {
    let answers = await client.send(batch.pushes, deadline)
    let reports = countsEmulated ? answers : answers.map(\.withoutEmulator)
    context.log.report(reports)
    context.trace?.record(batch.pushes, reports)
    return zip(batch.pushes, reports).map { push, report in
      var settlement = DeliverySettlement(push, report, now: context.now, jitter: jitter())
      if settlement.log != nil || !report.earlier.isEmpty { settlement.payload = payloads?.text(of: push) }
      return settlement
    }
  }

  /// The environment's settings of the providers, and of what is logged.
  private struct Settings {
    let apns: APNsConfiguration?
    let fcm: FCMConfiguration?
    let payloads: PayloadLog?

    init(_ environment: Environment) throws(FunctionError) {
      apns = APNsConfiguration.isWanted(by: environment) ? try APNsConfiguration(environment) : nil
      fcm = try FCMConfiguration(environment)
      payloads = try PayloadLog.configured(by: environment)
    }
  }
}

extension String {
  /// The sentence without its full stop.
  fileprivate var trimmedStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

extension FunctionError {
  fileprivate static let noProvider = FunctionError(
    .misconfigured,
    """
    Neither APNs nor FCM is configured: set APNS_KEY_ID, APNS_TEAM_ID, APNS_BUNDLE_ID, APNS_KEY_PATH (or \
    APNS_KEY) and APNS_PRODUCTION for APNs, or FCM_SERVICE_ACCOUNT_PATH (or FCM_SERVICE_ACCOUNT) for FCM.
    """)
}
