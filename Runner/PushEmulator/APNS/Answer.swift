import FunctionKit

/// What becomes of a request for a push.
enum Answer: Sendable, Equatable {
  /// 200.
  case accepted
  /// A refusal as APNs words it; the time, in milliseconds, only with 410.
  case refused(status: Int, reason: String, timestamp: Int?)
  /// The push is taken and the request never answered.
  case silence
  /// The push is taken and the connection dropped.
  case drop

  static func refused(_ reason: Reason, timestamp: Int? = nil) -> Answer {
    .refused(status: reason.status, reason: reason.rawValue, timestamp: timestamp)
  }

  /// The status as the sender sees it; `nil` when it sees none.
  var status: Int? {
    switch self {
    case .accepted: 200
    case .refused(let status, _, _): status
    case .silence, .drop: nil
    }
  }

  /// APNs' reason, or the name of the fault that takes its place.
  var reason: String? {
    switch self {
    case .accepted: nil
    case .refused(_, let reason, _): reason
    case .silence: "never"
    case .drop: "drop"
    }
  }

  /// Whether the push reaches the device.
  ///
  /// A push without an answer does: the case that a sender must be ready for.
  var reachesDevice: Bool { status == nil || status == 200 }

  /// The body of a refusal; empty otherwise.
  var body: [UInt8] {
    guard case .refused(_, let reason, let timestamp) = self else { return [] }
    let time = timestamp.map { [("timestamp", RawJSON($0))] } ?? []
    return Array(RawJSON(object: [("reason", RawJSON(reason))] + time).bytes)
  }
}
