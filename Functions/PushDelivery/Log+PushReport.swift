import FunctionKit
import Notifications

extension Log {
  /// One line for each way in which pushes of a batch failed.
  func report(_ reports: [PushReport]) {
    for (failure, count) in Dictionary(grouping: reports.compactMap(PushFailure.init), by: \.self).mapValues(\.count) {
      let facts: KeyValuePairs = [
        "push.reason": failure.reason, "push.status": failure.status.map(String.init) ?? "",
        "push.environment": failure.environment.rawValue, "push.topic": failure.topic, "push.count": "\(count)",
      ]
      switch failure.kind {
      case .defect: error("APNs refuses a push that should not have been made", facts)
      case .unreachable: warning("Pushes were not sent", facts)
      case .other: warning("Pushes were not accepted", facts)
      }
    }
  }
}

/// A way in which a push failed.
private struct PushFailure: Hashable {
  enum Kind { case defect, unreachable, other }

  let kind: Kind
  let reason: String
  let status: Int?
  let environment: PushEnvironment
  let topic: String

  init?(_ report: PushReport) {
    switch report.verdict {
    case .accepted: return nil
    // The sender says once what it holds, and once that it holds it no longer.
    case .holdApp, .holdTeam, .holdCredential, .holdSuspect, .noKey: return nil
    case .notSent where report.reason == "Held": return nil
    case .rejected, .payloadTooLarge: kind = .defect
    case .notSent: kind = .unreachable
    default: kind = .other
    }
    (reason, status) = (report.reason ?? "", report.status)
    (environment, topic) = (report.environment, report.topic)
  }
}
