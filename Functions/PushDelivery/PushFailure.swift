import FunctionKit
import Notifications

extension Log {
  /// Logs one line for each sort of failure in a batch.
  func report(_ reports: [PushReport]) {
    for (failure, count) in Dictionary(grouping: reports.compactMap(PushFailure.init), by: \.self).mapValues(\.count) {
      let facts: KeyValuePairs = [
        "push.provider": failure.provider.rawValue, "push.reason": failure.reason,
        "push.status": failure.status.map(String.init) ?? "", "push.environment": failure.environment.rawValue,
        "push.topic": failure.topic, "push.count": "\(count)",
      ]
      switch (failure.kind, failure.provider) {
      case (.configuration, _): error("FCM refuses the project's configuration; its deliveries are held", facts)
      case (.defect, .apns): error("APNs refuses a push that should not have been made", facts)
      case (.defect, .fcm): error("FCM refuses a message that should not have been made", facts)
      case (.emulated, _):
        error("A push emulator is configured beside a database that is not local: its deliveries wait", facts)
      case (.unreachable, _): warning("Pushes were not sent", facts)
      case (.other, _): warning("Pushes were not accepted", facts)
      }
    }
  }
}

/// A sort of failure.
private struct PushFailure: Hashable {
  enum Kind { case configuration, defect, emulated, unreachable, other }

  let kind: Kind
  let provider: PushProvider
  let reason: String
  let status: Int?
  let environment: PushEnvironment
  let topic: String

  init?(_ report: PushReport) {
    switch report.verdict {
    case .accepted: return nil
    case .holdApp where report.provider == .fcm, .holdTopic where report.provider == .fcm: kind = .configuration
    // The sender to APNs itself logs the begin and the end of each hold.
    case .holdApp, .holdTopic, .holdTeam, .holdCredential, .holdSuspect, .noKey: return nil
    case .notSent where report.reason == "Held": return nil
    case .notSent where report.reason == PushReport.emulatorReason: kind = .emulated
    case .rejected, .payloadTooLarge: kind = .defect
    case .notSent: kind = .unreachable
    default: kind = .other
    }
    (provider, reason, status) = (report.provider, report.reason ?? "", report.status)
    (environment, topic) = (report.environment, report.topic)
  }
}
