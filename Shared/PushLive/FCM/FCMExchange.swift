import FoundationEssentials
import FunctionKit
import HTTP2
import Notifications

/// The common facts of messages that go out together.
struct FCMExchange: Sendable {
  let client: HTTP2Client
  let authority: String
  let projectID: String
  let token: AccessToken
  let timeout: Duration
  let now: @Sendable () -> Date

  /// Sends one push and reports the result.
  func send(_ push: QueuedPush) async -> PushReport {
    var report = PushReport.fcm(.rejected, push, projectID: projectID)
    guard let message = FCMMessage(push, now: now()) else {
      report.reason = "InvalidPayload"
      return report
    }
    guard let body = message.encoded() else {
      (report.verdict, report.reason) = (.payloadTooLarge, "PayloadTooLarge")
      return report
    }
    let started = ContinuousClock.now
    let result = await client.send(request(body), timeout: timeout)
    report.answered = .now
    report.duration = started.duration(to: .now)
    report.take(result) { response in
      let answer = FCMAnswer(response, now: now())
      return (PushVerdict(answer, push.device, earlierAttempts: push.attempts), answer.reason)
    }
    if report.verdict == .accepted { report.apnsID = try? result.get().messageID }
    return report
  }

  /// Sends pushes at once; the connection keeps to the server's limit of streams.
  func send(_ indices: some Collection<Int>, of pushes: [QueuedPush]) async -> [(index: Int, report: PushReport)] {
    await withTaskGroup(of: (Int, PushReport).self) { group in
      for index in indices { group.addTask { (index, await send(pushes[index])) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  private func request(_ body: [UInt8]) -> HTTP2Request {
    HTTP2Request(
      path: "/v1/projects/\(projectID)/messages:send", authority: authority,
      headers: [
        HTTP2Header("authorization", "Bearer \(token.value.exposed)", indexing: .never),
        HTTP2Header("content-type", "application/json"),
      ],
      body: body)
  }
}

extension PushReport {
  /// A report on a push through FCM, whose topic is the project.
  static func fcm(_ verdict: PushVerdict, _ push: QueuedPush, projectID: String, reason: String? = nil) -> PushReport {
    PushReport(
      verdict: verdict, reason: reason, provider: .fcm, environment: push.device.environment ?? .production,
      topic: projectID)
  }
}
