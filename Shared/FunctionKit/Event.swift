public import FoundationEssentials

/// An event as a function sees it: the envelope's facts and the decoded payload.
public struct Event<Payload: Sendable>: Sendable {
  /// The CloudEvents envelope that it came in.
  public let envelope: Envelope
  /// The payload.
  public let data: Payload

  /// An event from its envelope and the payload decoded from it.
  public init(envelope: Envelope, data: Payload) {
    self.envelope = envelope
    self.data = data
  }

  /// Identifies the event within its source; the same on every attempt.
  public var id: String { envelope.id }
  /// Where the event comes from.
  public var source: String { envelope.source }
  /// What happened.
  public var type: String { envelope.type }
  /// What it happened to.
  public var subject: String? { envelope["subject"]?.stringValue }
  /// When it happened.
  public var time: Date? { envelope["time"]?.stringValue.flatMap(RFC3339.date) }
  /// Events of one key are handled in order.
  public var partitionKey: String? { envelope["partitionkey"]?.stringValue }
  /// The W3C trace context of the event's cause.
  public var traceparent: String? { envelope["traceparent"]?.stringValue }
  /// The number of this attempt, from 0.
  public var attempt: Int { envelope["attempt"]?.intValue ?? 0 }
  /// The virtual time: a runner's while its clock is a virtual one, or what a caller says; ``Context/now`` knows which.
  public var now: Date? { envelope["now"]?.stringValue.flatMap(RFC3339.date) }
  /// The person whose act caused the event, where the application said so.
  public var actorID: String? { envelope["actorid"]?.stringValue }
}
