import FoundationEssentials
import Notifications
import Synchronization

/// A push client that answers as a script says and remembers what it was given.
final class ScriptedClient: Sendable {
  private let script: @Sendable (QueuedPush) -> PushReport
  private let seen = Mutex<[QueuedPush]>([])

  init(_ script: @escaping @Sendable (QueuedPush) -> PushReport) {
    self.script = script
  }

  convenience init(_ verdict: PushVerdict, status: Int? = nil, reason: String? = nil) {
    self.init { .test(verdict, status: status, reason: reason, environment: $0.device.environment ?? .sandbox) }
  }

  /// Everything that it was asked to send.
  var pushes: [QueuedPush] { seen.withLock { $0 } }

  var client: PushClient {
    PushClient { [self] pushes, _ in
      seen.withLock { $0 += pushes }
      return pushes.map(script)
    }
  }
}

extension DeliverySettlement {
  /// The settlement that follows from a push that was accepted.
  static func accepted(_ push: QueuedPush, _ now: Date) -> DeliverySettlement {
    DeliverySettlement(push, .test(.accepted, status: 200), now: now, jitter: 0)
  }
}

extension PushReport {
  static func test(
    _ verdict: PushVerdict, status: Int? = nil, reason: String? = nil, environment: PushEnvironment = .sandbox
  ) -> PushReport {
    PushReport(
      verdict: verdict, status: status, reason: reason, apnsID: UUID().uuidString, environment: environment,
      topic: "com.example.app", duration: .milliseconds(7))
  }
}
