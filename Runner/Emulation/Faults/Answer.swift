import FunctionKit

/// What the sender of a push gets to see.
package enum Answer: Sendable, Equatable {
  /// 200.
  case accepted
  /// A refusal as APNs words it; the time, in milliseconds, only with 410; `retryAfter` in seconds.
  case refused(status: Int, reason: String, timestamp: Int? = nil, retryAfter: Int? = nil)
  /// The request is never answered.
  case silence
  /// The connection is dropped.
  case drop
  /// The stream is reset, with a code of RFC 9113 §7.
  case reset(code: UInt32)
  /// The connection is said to end.
  case goAway(GoAway)

  /// How a connection is said to end.
  package struct GoAway: Sendable, Equatable {
    /// The word in the JSON that APNs sends along.
    package var reason: String?
    /// A code of RFC 9113 §7.
    package var code: UInt32 = 0
    /// How many of the newest streams are named as not processed, the push's own among them.
    ///
    /// 0 is an orderly end: all streams that have arrived are answered.
    package var skip = 0

    /// What is sent along with the frame.
    package var data: [UInt8] { reason.map { Array(RawJSON(object: [("reason", RawJSON($0))]).bytes) } ?? [] }
  }

  package static func refused(_ reason: Reason, timestamp: Int? = nil) -> Answer {
    .refused(status: reason.status, reason: reason.rawValue, timestamp: timestamp)
  }

  /// The status as the sender sees it; `nil` when it sees none.
  package var status: Int? {
    switch self {
    case .accepted: 200
    case .refused(let status, _, _, _): status
    case .goAway(let goAway): goAway.skip == 0 ? 200 : nil
    case .silence, .drop, .reset: nil
    }
  }

  /// The service's reason, or the name of the fault that takes its place.
  package var reason: String? {
    switch self {
    case .accepted: nil
    case .refused(_, let reason, _, _): reason
    case .silence: "never"
    case .drop: "drop"
    case .reset: "reset"
    case .goAway: "goaway"
    }
  }

  /// Whether the push reaches the device unless it is said otherwise.
  ///
  /// One without an answer does: the case that a sender must be ready for. Streams that are refused by their code or by
  /// a GOAWAY do not: HTTP/2 promises it.
  package var isTaken: Bool {
    switch self {
    case .accepted, .silence, .drop: true
    case .refused: false
    case .reset(let code): code != StreamErrorCode.refusedStream.rawValue
    case .goAway(let goAway): goAway.skip == 0
    }
  }

  /// The body of APNs' refusal; empty otherwise.
  package var body: [UInt8] {
    guard case .refused(_, let reason, let timestamp, _) = self else { return [] }
    let time = timestamp.map { [("timestamp", RawJSON($0))] } ?? []
    return Array(RawJSON(object: [("reason", RawJSON(reason))] + time).bytes)
  }

  package var retryAfter: Int? {
    guard case .refused(_, _, _, let seconds) = self else { return nil }
    return seconds
  }
}
