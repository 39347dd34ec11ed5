import Formats
import FunctionKit
import HTTPClient
import Manifest
import Signing
import System
import Workers

/// An event, or a batch of events, as a request to a target.
///
/// Source: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md
struct EventRequest {
  let call: HTTPCall
  /// Whether the body is a list of events.
  let isBatch: Bool

  /// - Parameter time: real time, in seconds since 1970.
  /// - Returns: `nil` if an event is no JSON object.
  @RunnerLoop
  init?(_ jobs: [Job], to settings: TargetSettings, time: Int) {
    guard settings.entry.batch != nil, jobs.allSatisfy({ $0.trigger == .queue }) else {
      self.init(jobs[0].line, id: jobs[0].id, to: settings, time: time)
      return
    }
    let body = [UInt8(ascii: "[")] + jobs.map { $0.line.dropLast() }.joined(separator: [UInt8(ascii: ",")]) + [0x5D]
    let type = ("Content-Type", "application/cloudevents-batch+json")
    // The same events may come in other batches.
    self.init(call: Self.call(settings, [type], body, id: RandomID.make(), time: time), isBatch: true)
  }

  /// - Parameters:
  ///   - line: the whole CloudEvent and a line end.
  ///   - time: real time, in seconds since 1970.
  /// - Returns: `nil` if the line is no JSON object.
  init?(_ line: [UInt8], id: String, to settings: TargetSettings, time: Int) {
    guard let members = try? RawJSON.members(validating: line.dropLast()) else { return nil }
    var headers: [(name: String, value: String)] = []
    for field in ["traceparent", "tracestate"] {
      guard let trace = members.first(where: { $0.name == field })?.value.stringValue else { continue }
      headers.append((field, Self.encoded(trace)))
    }
    let body: [UInt8]
    switch settings.format {
    case .structured:
      headers.append(("Content-Type", "application/cloudevents+json"))
      body = Array(line.dropLast())
    case .binary:
      headers.append(("Content-Type", Self.contentType(members)))
      headers += Self.attributes(members)
      body = members.last { $0.name == "data" }.map { Array($0.value.bytes) } ?? []
    }
    self.init(call: Self.call(settings, headers, body, id: id, time: time), isBatch: false)
  }

  private init(call: HTTPCall, isBatch: Bool) { (self.call, self.isBatch) = (call, isBatch) }

  private static func call(
    _ settings: TargetSettings, _ own: [(name: String, value: String)], _ body: [UInt8], id: String, time: Int
  ) -> HTTPCall {
    var headers = settings.headers.exposed
    if !headers.contains(where: { $0.name.lowercased() == "user-agent" }) {
      headers.append(("User-Agent", "push-functions-runner/\(bundleVersion)"))
    }
    headers += own
    if let keys = settings.keys {
      headers.append(("webhook-id", id))
      headers.append(("webhook-timestamp", "\(time)"))
      headers.append(("webhook-signature", keys.signatures(id: id, time: "\(time)", body: body)))
    }
    var call = HTTPCall(.post, settings.url.exposed, headers: headers, body: body)
    call.signature = settings.aws
    return call
  }

  private static func contentType(_ members: [RawJSON.Member]) -> String {
    members.first { $0.name == "datacontenttype" }?.value.stringValue.flatMap { type in
      type.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ? type : nil
    } ?? "application/json"
  }

  private static func attributes(_ members: [RawJSON.Member]) -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    for member in members where !["data", "datacontenttype"].contains(member.name) && isAttribute(member.name) {
      guard let value = member.value.stringValue ?? scalar(member.value) else { continue }
      fields.append(("ce-\(member.name)", encoded(value)))
    }
    return fields
  }

  private static func isAttribute(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
  }

  /// A number or a Boolean as its text; `nil` for what no attribute can be.
  private static func scalar(_ value: RawJSON) -> String? {
    switch value.kind {
    case .object, .array, .null: nil
    default: String(decoding: value.bytes, as: UTF8.self)
    }
  }

  /// Percent-encodes what is not a printable character of ASCII, the space, the quote and the percent sign.
  private static func encoded(_ text: String) -> String {
    PercentEncoding.encoded(text) { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x25 }
  }
}
