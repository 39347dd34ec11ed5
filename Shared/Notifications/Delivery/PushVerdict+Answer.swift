extension PushVerdict {
  /// Judges an answer by its reason, or by the class of its status if the reason is unknown.
  package init(_ answer: PushAnswer) {
    if answer.status == 200 {
      self = .accepted
    } else {
      self = answer.reason.flatMap(APNsReason.init)?.verdict(for: answer) ?? Self.byStatus(answer)
    }
  }

  /// Judges a push without an answer.
  package init(_ silence: PushSilence) {
    switch silence {
    case .unknown: self = .unknown
    case .refused: self = .retryAtOnce(otherwise: .notSent(pause: nil))
    case .unsent: self = .notSent(pause: nil)
    }
  }

  /// The verdict after a second attempt on a fresh connection ended the same way.
  package var final: PushVerdict {
    switch self {
    case .retryAtOnce(let otherwise): otherwise.final
    case .renewToken: .holdTeam
    default: self
    }
  }

  /// Whether the connection works: APNs answered and did not refuse the provider token or the topic.
  package var provesConnection: Bool {
    switch self {
    case .accepted, .deviceGone, .deviceSuspect, .deviceNotForTopic, .retryLater, .backOff, .holdDevice, .rejected,
      .payloadTooLarge:
      true
    case .retryAtOnce, .renewToken, .holdTeam, .holdApp, .unknown, .notSent: false
    case .holdCredential, .holdSuspect, .holdTopic, .noKey: false
    }
  }

  /// Whether the connection that gave this verdict must not be used again.
  package var spoilsConnection: Bool {
    switch self {
    case .retryAtOnce, .renewToken, .holdTeam, .holdCredential: true
    default: false
    }
  }

  package var wasNeverSent: Bool { if case .notSent = self { true } else { false } }

  private static func byStatus(_ answer: PushAnswer) -> PushVerdict {
    switch answer.status {
    case 201..<300: .accepted
    case 401, 403: .holdCredential
    case 410: .deviceGone(at: answer.timestamp)
    case 413: .payloadTooLarge
    case 429: .holdDevice(atLeast: answer.retryAfter)
    case 400..<500: .rejected
    default: .retryLater(atLeast: answer.retryAfter)
    }
  }
}
