package import FoundationEssentials

/// A CloudEvents 1.0 event in structured JSON, read only as far as delivery needs; `data` stays raw.
///
/// Source: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md
package struct Envelope: Sendable {
  /// The largest event on stdin or on a line of a stream, in bytes.
  package static let maximumSize = 1 << 20

  private let members: [RawJSON.Member]

  /// Identifies the event within its source.
  package let id: String
  /// The origin of the event; `source` and `id` together are unique.
  package let source: String
  /// The kind of event, in reverse-DNS notation.
  package let type: String

  /// Reads a CloudEvent, or wraps any other document as one.
  ///
  /// A bare row change (what Supabase Database Webhooks post) gets the SHA-256 of its text as `id`, any other bare
  /// payload a random one.
  /// - Parameters:
  ///   - source: the source of a bare payload.
  ///   - eventID: the `id` to give to a bare payload.
  ///   - randomID: makes a random one.
  package init(
    _ document: RawJSON, source: String = "/stdin", eventID: String? = nil,
    randomID: @autoclosure () -> String = RandomID.make()
  ) throws(FunctionError) {
    let members = document.members
    guard members.contains(where: { $0.name == "specversion" }) else {
      let isRow = Self.isRowChange(members)
      self.init(
        id: eventID ?? (isRow ? SHA256.hex(document.bytes) : randomID()), source: source,
        type: isRow ? EventType.row : EventType.call, data: document)
      return
    }
    let strings = try Self.strings(in: members)
    func string(_ name: String) -> String? { strings.first { $0.name == name }?.text }
    guard string("specversion") == "1.0" else { throw Self.invalid("specversion must be \"1.0\"") }
    guard let id = string("id"), !id.isEmpty else { throw Self.invalid("id is missing") }
    guard let source = string("source"), !source.isEmpty else { throw Self.invalid("source is missing") }
    guard let type = string("type"), !type.isEmpty else { throw Self.invalid("type is missing") }
    self.init(members: try Self.decodingData(of: members), id: id, source: source, type: type)
  }

  private init(members: [RawJSON.Member], id: String, source: String, type: String) {
    (self.members, self.id, self.source, self.type) = (members, id, source, type)
  }

  /// Makes an event from its parts.
  /// - Parameter extensions: further members, such as `time`, `subject`, `partitionkey`, `traceparent`, `attempt`.
  package init(id: String, source: String, type: String, extensions: [(String, RawJSON)] = [], data: RawJSON) {
    (self.id, self.source, self.type) = (id, source, type)
    let required = [("specversion", "1.0"), ("id", id), ("source", source), ("type", type)]
    let all = required.map { ($0.0, RawJSON($0.1)) } + extensions + [("data", data)]
    members = all.map { RawJSON.Member(name: $0.0, value: $0.1) }
  }

  /// The same event with members replaced, added or removed.
  ///
  /// The runner sets `source`, `attempt` and `now` this way.
  package func with(_ replacements: [(String, RawJSON)], without gone: [String] = []) -> Envelope {
    let taken = replacements.map(\.0) + gone + ["specversion", "id", "source", "type", "data"]
    let kept = members.filter { !taken.contains($0.name) }.map { ($0.name, $0.value) }
    let value = { (name: String) in replacements.last { $0.0 == name }?.1.stringValue }
    return Envelope(
      id: value("id") ?? id, source: value("source") ?? source, type: value("type") ?? type,
      extensions: kept + replacements.filter { !["id", "source", "type"].contains($0.0) }, data: data)
  }

  /// The same event with a further member, whose name it does not have.
  package func adding(_ name: String, _ value: RawJSON) -> Envelope {
    Envelope(members: members + [RawJSON.Member(name: name, value: value)], id: id, source: source, type: type)
  }

  /// The payload; `null` when the event carries none.
  package var data: RawJSON { self["data"] ?? .null }

  /// Any member by its name, extensions included.
  package subscript(name: String) -> RawJSON? { members.first { $0.name == name }?.value }

  /// The whole event on one line.
  package var document: RawJSON { RawJSON(object: members).onOneLine }

  private static func isRowChange(_ members: [RawJSON.Member]) -> Bool {
    func has(_ name: String) -> Bool { members.contains { $0.name == name } }
    guard has("table"), has("schema"), let type = members.first(where: { $0.name == "type" })?.value.stringValue
    else { return false }
    return ["INSERT", "UPDATE", "DELETE"].contains(type)
  }

  /// The members that must be strings, each once.
  ///
  /// They are few, so that a search is quicker than a dictionary; see also ``Environment``.
  private static func strings(
    in members: [RawJSON.Member]
  ) throws(FunctionError) -> [(name: String, text: String)] {
    var strings: [(name: String, text: String)] = []
    var data: String?
    for member in members {
      switch member.name {
      // What is null is not there.
      case "datacontenttype" where member.value.kind == .null, "data_base64" where member.value.kind == .null: break
      case "specversion", "id", "source", "type", "datacontenttype":
        guard let text = member.value.stringValue else { throw invalid("\(member.name) must be a string") }
        guard !strings.contains(where: { $0.name == member.name }) else {
          throw invalid("\(member.name) is given twice")
        }
        strings.append((member.name, text))
      case "data", "data_base64":
        guard data == nil else {
          let isSame = data == member.name
          throw invalid(isSame ? "\(member.name) is given twice" : "data and data_base64 exclude each other")
        }
        data = member.name
      default: break
      }
    }
    return strings
  }

  /// The members with the JSON of `data_base64` as `data`.
  ///
  /// Only `datacontenttype` can say that bytes are JSON.
  ///
  /// Source: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md#31-handling-of-data
  private static func decodingData(of members: [RawJSON.Member]) throws(FunctionError) -> [RawJSON.Member] {
    guard let index = members.firstIndex(where: { $0.name == "data_base64" && $0.value.kind != .null }) else {
      return members
    }
    let type = members.lazy.filter { $0.name == "datacontenttype" }.compactMap(\.value.stringValue).first
    guard type.map(isJSON) == true else {
      throw invalid("data_base64 is only accepted with a datacontenttype of JSON: a function's data is JSON")
    }
    guard let bytes = members[index].value.stringValue.flatMap({ Data(base64Encoded: $0) }) else {
      throw invalid("data_base64 is not Base64")
    }
    var members = members
    do {
      members[index] = RawJSON.Member(name: "data", value: try RawJSON(validating: Array(bytes)[...]))
    } catch {
      throw invalid("data_base64 is \(error)")
    }
    return members
  }

  private static func isJSON(_ mediaType: String) -> Bool {
    let type = mediaType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    return type.hasSuffix("/json") || type.hasSuffix("+json")
  }

  private static func invalid(_ problem: String) -> FunctionError {
    FunctionError(.invalidEvent, "Not a CloudEvents 1.0 event: \(problem).")
  }
}

/// The types of the events that the bundle itself makes.
package enum EventType {
  /// A row was inserted, updated or deleted; `data` is a ``RowChange``.
  package static let row = "dev.push-functions.row"
  /// A schedule came due; `data` is a ``ScheduleTick``.
  package static let schedule = "dev.push-functions.schedule"
  /// An HTTP call; `data` is what the caller sent.
  package static let call = "dev.push-functions.call"
  /// There may be work.
  ///
  /// The event has no data.
  package static let notify = "dev.push-functions.notify"
}

extension RawJSON {
  /// `null`.
  package static let null = RawJSON(trusted: Array("null".utf8)[...])
}

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
