import FoundationEssentials
import Notifications
import Testing

struct PushRoutingTests {
  @Test func reportsInTheOrderOfThePushesWhateverCarriedThem() async {
    let client = PushClient.routed(apns: answering("apns"), fcm: answering("fcm"))
    let pushes = [push("a", .fcm), push("b", .apns), push("c", .apns), push("d", .fcm), push("e", .apns)]

    let reports = await client.send(pushes, .now + .seconds(1))

    #expect(reports.map(\.reason) == ["fcm a", "apns b", "apns c", "fcm d", "apns e"])
  }

  @Test func bothProvidersAreAtWorkAtTheSameTime() async {
    let (apns, fcm) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
    let client = PushClient.routed(
      apns: PushClient { pushes, _ in
        apns.continuation.finish()
        for await _ in fcm.stream {}
        return pushes.map(report("apns"))
      },
      fcm: PushClient { pushes, _ in
        fcm.continuation.finish()
        for await _ in apns.stream {}
        return pushes.map(report("fcm"))
      })

    let reports = await client.send([push("a", .apns), push("b", .fcm)], .now + .seconds(1))

    #expect(reports.map(\.reason) == ["apns a", "fcm b"])
  }

  @Test func aPushWhoseProviderIsMissingWaits() async {
    let reports = await PushClient.routed(apns: answering("apns"), fcm: nil).send(
      [push("a", .fcm), push("b", .apns)], .now + .seconds(1))

    #expect(reports.map(\.reason) == ["ProviderNotConfigured", "apns b"])
    #expect(reports[0].verdict == .notSent(pause: RetryTiming.configuration) && reports[0].provider == .fcm)
  }

  @Test func aProviderWithoutPushesIsNotAsked() async {
    let client = PushClient.routed(
      apns: answering("apns"),
      fcm: PushClient { _, _ in
        Issue.record("asked")
        return []
      })

    _ = await client.send([push("b", .apns)], .now + .seconds(1))
  }

  private func answering(_ name: String) -> PushClient {
    PushClient { pushes, _ in pushes.map(report(name)) }
  }

  private func report(_ name: String) -> @Sendable (QueuedPush) -> PushReport {
    { PushReport(verdict: .accepted, reason: "\(name) \($0.device.token)", environment: .sandbox, topic: "t") }
  }

  private func push(_ token: String, _ provider: PushProvider) -> QueuedPush {
    let device = QueuedPush.Device(id: UUID(), provider: provider, token: token, registeredAt: .now)
    return QueuedPush(id: UUID(), device: device, payload: "{}", collapseID: "c", expiresAt: .now + 60)
  }
}
