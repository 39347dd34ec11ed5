import FoundationEssentials
import HTTP2
import Notifications

/// What pushes on one connection have in common.
struct APNsExchange: Sendable {
  let client: HTTP2Client
  let authority: String
  let authorization: String
  let timeout: Duration

  /// Sends one push and says how it went.
  func send(_ push: QueuedPush, to app: SenderHolds.App) async -> PushReport {
    var report = PushReport(verdict: .payloadTooLarge, environment: app.environment, topic: app.topic)
    let apnsID = UUID().uuidString.lowercased()
    guard
      let request = HTTP2Request(
        push, apnsID: apnsID, topic: app.topic, authority: authority, authorization: authorization)
    else {
      report.reason = APNsReason.payloadTooLarge.rawValue
      return report
    }
    let started = ContinuousClock.now
    let result = await client.send(request, timeout: timeout)
    (report.apnsID, report.duration) = (apnsID, started.duration(to: .now))
    switch result {
    case .success(let response):
      let answer = PushAnswer(response)
      (report.verdict, report.status, report.reason) = (PushVerdict(answer), answer.status, answer.reason)
    case .failure(.invalidRequest): (report.verdict, report.reason) = (.rejected, "InvalidRequest")
    case .failure(let failure):
      (report.verdict, report.reason) = (PushVerdict(PushSilence(failure)), Self.reason(failure))
    }
    return report
  }

  /// Sends pushes at once; the connection keeps to the server's limit of streams.
  func send(_ indices: some Collection<Int>, of batch: PushBatch) async -> [(index: Int, report: PushReport)] {
    await withTaskGroup(of: (Int, PushReport).self) { group in
      for index in indices {
        let (push, app) = (batch.pushes[index], batch.apps[index])
        group.addTask { (index, await send(push, to: app)) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  private static func reason(_ failure: StreamFailure) -> String {
    switch failure {
    case .timedOut: "TimedOut"
    case .refused: "Refused"
    case .reset: "Reset"
    case .connectionLost: "ConnectionLost"
    case .timedOutWaiting, .notSent: "NotSent"
    case .responseTooLarge: "ResponseTooLarge"
    case .invalidRequest: "InvalidRequest"
    }
  }
}
