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
  static let batchSize = 500
  /// After this time no batch is leased, so that an invocation ends within its limit.
  static let working = Duration.seconds(20)
  /// The time for sending a batch, shorter than its lease.
  static let sending = Duration.seconds(35)
  /// After this time, the next invocation writes the kept answers.
  static let writing = Duration.seconds(65)
  /// The time for writing kept answers at the end of the process; the runner allows two seconds.
  static let ending = Duration.seconds(30)
  /// The pause between two tries.
  static let pause = Duration.milliseconds(500)

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

  // Planning a claim takes a good part of the time of its rows. A plan from a small table has to work when it has grown:
  // otherwise the first answers are looked for in the whole table.
  private static func connection(_ environment: Environment) throws(FunctionError) -> Connection {
    try Connection(
      environment, name: name, givesWay: true,
      parameters: [("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off"), ("jit", "off")])
  }

  func handle(_ event: Event<RawJSON>, _ context: Context) async throws -> DeliverySummary {
    var summary = DeliverySummary()
    let end = ContinuousClock.now + Self.writing
    for clock in clocks { clock.follow(context.now) }
    do {
      if !context.dryRun {
        do {
          try await drain(into: &summary, context)
        } catch {
          guard try await settlesKept(until: end) else { throw error }
        }
      }
      summary.wakeAt = try await uncancelled { [store, providers] in try await store.nextDue(providers, context.now) }
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
    return summary
  }

  /// Tries a last time to write kept answers.
  func end() async {
    _ = try? await settlesKept(until: .now + Self.ending)
  }

  /// Writes kept answers as soon as the database accepts them again; `false` if there are none.
  private func settlesKept(until end: ContinuousClock.Instant) async throws -> Bool {
    while true {
      do {
        return try await uncancelled { [store] in try await store.settleKept() } > 0
      } catch {
        guard .now < end else { throw error }
      }
      try await uncancelled { try await Task.sleep(for: Self.pause) }
    }
  }

  private func drain(into summary: inout DeliverySummary, _ context: Context) async throws {
    var settling = Settling()
    do {
      try await drain(into: &summary, &settling, context)
    } catch {
      try? await settling.finish()
      throw error
    }
    try await settling.finish()
  }

  private func drain(
    into summary: inout DeliverySummary, _ settling: inout Settling, _ context: Context
  ) async throws {
    let end = ContinuousClock.now + Self.working
    var prefetched: LeasedBatch?
    // If the process has to end with a prefetched batch, sending returns the batch: none of it goes out.
    while prefetched != nil || !Task.isCancelled {
      if prefetched == nil {
        // The deliveries of the last answers may be due again.
        try await settling.finish()
        if ContinuousClock.now >= end { return }
      }
      let leased = if let prefetched { prefetched } else { try await lease(context.now) }
      context.log.report(leased.batch, isFirst: summary.claimed == 0)
      guard leased.batch.taken > 0 else { return }
      // While this batch is sent, the last two are written and the next one fetched, unless this one is the last.
      async let following = leased.batch.taken >= Self.batchSize && .now < end ? lease(context.now) : nil
      let settlements = await send(leased.batch, until: leased.answersUntil, context)
      await settling.start(store, leased.batch.lease, settlements, context.now)
      summary.add(leased.batch, settlements)
      prefetched = try await following
    }
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

  private func lease(_ now: Date) async throws -> LeasedBatch {
    let answersUntil = ContinuousClock.now + Self.sending
    let batch = try await uncancelled { [store, providers] in try await store.claim(Self.batchSize, providers, now) }
    return LeasedBatch(batch: batch, answersUntil: answersUntil)
  }

  // A cancelled statement may have leased deliveries without returning them, or may have lost answers.
  private func uncancelled<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await Task { try await body() }.value
  }

  /// What the environment says of the providers, and of what is logged.
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

  private struct LeasedBatch {
    let batch: DeliveryBatch
    let answersUntil: ContinuousClock.Instant
  }

  /// Writes the answers of two batches at once.
  private struct Settling {
    private var tasks: [Task<Void, any Error>] = []
    private var failure: (any Error)?

    // A separate task is not cancelled with the invocation, so APNs' answers are always written. The store keeps
    // answers that it cannot write, so it can still get the next batch's answers.
    mutating func start(_ store: DeliveryStore, _ lease: UUID, _ settlements: [DeliverySettlement], _ now: Date) async {
      if tasks.count == 2 { await wait() }
      tasks.append(Task { try await store.settle(lease, settlements, now) })
    }

    /// - Throws: the first failure.
    mutating func finish() async throws {
      while !tasks.isEmpty { await wait() }
      if let failure { throw failure }
    }

    private mutating func wait() async {
      do { try await tasks.removeFirst().value } catch { failure = failure ?? error }
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
