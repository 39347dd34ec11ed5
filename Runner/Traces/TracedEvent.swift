import FoundationEssentials
import FunctionKit
import Tracing

/// An event on a line, as far as its trace needs.
struct TracedEvent {
  private let members: [RawJSON.Member]

  /// Reads a whole line; `nil` if it is no JSON object.
  init?(_ line: [UInt8]) {
    guard let members = try? RawJSON.members(validating: line.dropLast()) else { return nil }
    self.members = members
  }

  subscript(name: String) -> String? { members.first { $0.name == name }?.value.stringValue }

  var attempt: Int { members.first { $0.name == "attempt" }?.value.intValue ?? 0 }

  /// When it happened, in nanoseconds since 1970; `nil` if it does not say, or by a virtual clock.
  var time: UInt64? {
    guard self["now"] == nil, let date = self["time"].flatMap(RFC3339.date) else { return nil }
    return UInt64(max(0, date.timeIntervalSince1970 * 1e9))
  }

  /// The event with that place in its trace; `nil` if it would be larger than a function takes.
  func line(in context: TraceContext) -> [UInt8]? {
    let others = members.filter { $0.name != "traceparent" && $0.name != "data" }.map { ($0.name, $0.value) }
    let data = members.last { $0.name == "data" }.map { [("data", $0.value)] } ?? []
    let line = RawJSON(object: others + [("traceparent", RawJSON(context.traceparent))] + data).line
    return line.count > Envelope.maximumSize ? nil : line
  }
}

extension Traces {
  /// The line of an event that has no `traceparent`, with that one; `nil` if it would be larger than a function takes.
  package nonisolated static func line(_ line: [UInt8], with traceparent: String) -> [UInt8]? {
    let member = #"{"traceparent":"\#(traceparent)","#.utf8
    guard line.first == UInt8(ascii: "{"), line.count + member.count <= Envelope.maximumSize else { return nil }
    var traced: [UInt8] = []
    traced.reserveCapacity(line.count + member.count)
    traced += member
    traced += line.dropFirst()
    return traced
  }
}
