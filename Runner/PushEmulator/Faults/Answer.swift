import FunctionKit

/// The answer that the sender of a push sees.
enum Answer: Sendable, Equatable {
  /// 200.
  case accepted
  /// A refusal in APNs' words. Only 410 has a time, in milliseconds; `retryAfter` is in seconds.
  case refused(status: Int, reason: String, timestamp: Int? = nil, retryAfter: Int? = nil)
  /// The request is never answered.
  case silence
  case drop
  /// The stream is reset, with a code of RFC 9113 §7.
  case reset(code: UInt32)
  /// The end of the connection is announced.
  case goAway(GoAway)

  /// How the end of a connection is announced.
  struct GoAway: Sendable, Equatable {
    /// The word in APNs' JSON.
    var reason: String?
    /// A code of RFC 9113 §7.
    var code: UInt32 = 0
    /// How many of the newest streams are not processed, the push's own included.
    ///
    /// 0 is an orderly end: all streams so far are answered.
    var skip = 0

    /// The debug data of the frame.
    var data: [UInt8] { reason.map { Array(RawJSON(object: [("reason", RawJSON($0))]).bytes) } ?? [] }
  }

  static func refused(_ reason: Reason, timestamp: Int? = nil) -> Answer {
    .refused(status: reason.status, reason: reason.rawValue, timestamp: timestamp)
  }

  /// The status that the sender sees; `nil` if it sees none.
  var status: Int? {
    switch self {
    case .accepted: 200
    case .refused(let status, _, _, _): status
    case .goAway(let goAway): goAway.skip == 0 ? 200 : nil
    case .silence, .drop, .reset: nil
    }
  }

  /// The service's reason, or the name of the fault instead.
  var reason: String? {
    switch self {
    case .accepted: nil
    case .refused(_, let reason, _, _): reason
    case .silence: "never"
    case .drop: "drop"
    case .reset: "reset"
    case .goAway: "goaway"
    }
  }

  /// Whether the push reaches the device unless the effect says otherwise.
  ///
  /// A push without an answer does, and a sender must be ready for that. A stream that is refused by its code or by a
  /// GOAWAY does not, as HTTP/2 promises.
  var isTaken: Bool {
    switch self {
    case .accepted, .silence, .drop: true
    case .refused: false
    case .reset(let code): code != StreamErrorCode.refusedStream.rawValue
    case .goAway(let goAway): goAway.skip == 0
    }
  }

  /// The body of APNs' refusal; empty otherwise.
  var body: [UInt8] {
    guard case .refused(_, let reason, let timestamp, _) = self else { return [] }
    let time = timestamp.map { [("timestamp", RawJSON($0))] } ?? []
    return Array(RawJSON(object: [("reason", RawJSON(reason))] + time).bytes)
  }

  var retryAfter: Int? {
    guard case .refused(_, _, _, let seconds) = self else { return nil }
    return seconds
  }
}
