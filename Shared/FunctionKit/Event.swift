package import FoundationEssentials

/// An event as a function sees it: the envelope's facts and the decoded payload.
package struct Event<Payload: Sendable>: Sendable {
  /// The CloudEvents envelope that it came in.
  package let envelope: Envelope
  /// The envelope's `data`, decoded.
  package let data: Payload

  /// An event from its envelope and the payload decoded from it.
  package init(envelope: Envelope, data: Payload) {
    self.envelope = envelope
    self.data = data
  }

  /// Identifies the event within its source; the same on every attempt.
  package var id: String { envelope.id }
  /// Where the event comes from.
  package var source: String { envelope.source }
  /// The kind of event, such as ``EventType/notify``.
  package var type: String { envelope.type }
  /// The object that the event is about, in the source's own terms.
  package var subject: String? { envelope["subject"]?.stringValue }
  /// When it happened.
  package var time: Date? { envelope["time"]?.stringValue.flatMap(RFC3339.date) }
  /// The W3C trace context of the event's cause.
  package var traceparent: String? { envelope["traceparent"]?.stringValue }
  /// The number of this attempt, from 0.
  package var attempt: Int { envelope["attempt"]?.intValue ?? 0 }
  /// The virtual time, from a runner with a virtual clock or from a caller.
  ///
  /// ``Context/now`` decides whether it counts.
  package var now: Date? { envelope["now"]?.stringValue.flatMap(RFC3339.date) }
  /// The person whose act caused the event, if the application said so.
  package var actorID: String? { envelope["actorid"]?.stringValue }
}
