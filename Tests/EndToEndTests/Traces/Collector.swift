import Foundation
import FunctionKit
import TestSupport
import Testing

/// A collector of OpenTelemetry, as far as it gets spans over HTTP: what it answers is a script.
struct Collector {
  static let taken =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"

  static func refusal(_ status: Int) -> String {
    "HTTP/1.1 \(status) No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
  }

  private let server: ScriptedServer

  init(_ script: ScriptedServer.Script = .answer(taken)) throws { server = try ScriptedServer(script) }

  /// The variables of a program that sends its spans here at once.
  var environment: [String: String] {
    [
      "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:\(server.port)", "OTEL_BSP_SCHEDULE_DELAY": "1",
      "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20key",
    ]
  }

  var requests: [String] { server.requests }

  var bodies: [String] {
    requests.map { request in request.firstRange(of: "\r\n\r\n").map { String(request[$0.upperBound...]) } ?? "" }
  }

  /// All spans, each read as the protocol's JSON demands.
  func spans() throws -> [ReceivedSpan] {
    for request in requests {
      let head = request.lowercased()
      #expect(head.hasPrefix("post /v1/traces http/1.1\r\n") && head.contains("\r\ncontent-type: application/json\r\n"))
      #expect(head.contains("\r\nx-key: a key\r\n"))
    }
    return try bodies.flatMap { body in
      let document = try RawJSON(validating: Array(body.utf8)[...])
      #expect(document.members.map(\.name) == ["resourceSpans"])
      return try (document["resourceSpans"]?.elements ?? []).flatMap { part in
        let resource = attributes(part["resource"]?["attributes"])
        let scopes = try #require(part["scopeSpans"]?.elements)
        return try scopes.flatMap { scope in
          #expect(scope["scope"]?["name"]?.stringValue?.isEmpty == false)
          return try (scope["spans"]?.elements ?? []).map { try ReceivedSpan($0, resource) }
        }
      }
    }
  }

  /// The opinion of the protocol's own library about everything that has come; `nil` if it is not installed.
  func secondOpinion() async throws -> BuiltExecutables.Outcome? {
    let python = House.root.appending(path: ".build/validators/bin/python").path
    guard FileManager.default.isExecutableFile(atPath: python) else { return nil }
    return try await BuiltExecutables.run(
      python, ["-c", Self.reader], stdin: bodies.joined(separator: "\n"), environment: ["HOME": "/nonexistent"])
  }

  // The mapping of protocol buffers to JSON has bytes in Base64. OTLP has ids in hexadecimal digits instead.
  private static let reader = """
    import base64, json, sys
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    def with_base64(value):
        if isinstance(value, dict):
            return {k: base64.b64encode(bytes.fromhex(v)).decode() if k in ("traceId", "spanId", "parentSpanId")
                    else with_base64(v) for k, v in value.items()}
        return [with_base64(v) for v in value] if isinstance(value, list) else value

    count = 0
    for line in sys.stdin:
        if line.strip():
            request = json_format.ParseDict(with_base64(json.loads(line)), ExportTraceServiceRequest())
            for resource in request.resource_spans:
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        assert len(span.trace_id) == 16 and len(span.span_id) == 8 and span.name
                        assert len(span.parent_span_id) in (0, 8)
                        assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano
                        count += 1
    print(count)
    """
}

/// The values of a list of attributes, by their names.
private func attributes(_ list: RawJSON?) -> [String: String] {
  var values: [String: String] = [:]
  for attribute in list?.elements ?? [] {
    let value = attribute["value"]
    let text = value?["stringValue"]?.stringValue ?? value?["intValue"]?.stringValue
    guard let key = attribute["key"]?.stringValue, let text, value?.members.count == 1, values[key] == nil else {
      Issue.record("\(attribute)")
      continue
    }
    values[key] = text
  }
  return values
}

/// A span that a collector has got.
struct ReceivedSpan {
  let trace: String
  let id: String
  let parent: String?
  let name: String
  let kind: Int
  let service: String
  let attributes: [String: String]
  let links: [String]
  let isFailed: Bool
  let state: String?

  fileprivate init(_ span: RawJSON, _ resource: [String: String]) throws {
    func digits(_ name: String, _ count: Int) throws -> String {
      let text = try #require(span[name]?.stringValue)
      #expect(
        text.utf8.count == count && text.allSatisfy { "0123456789abcdef".contains($0) } && text.contains { $0 != "0" })
      return text
    }
    (trace, id) = (try digits("traceId", 32), try digits("spanId", 16))
    parent = span["parentSpanId"] == nil ? nil : try digits("parentSpanId", 16)
    name = try #require(span["name"]?.stringValue)
    kind = try #require(span["kind"]?.intValue)
    service = try #require(resource["service.name"])
    attributes = EndToEndTests.attributes(span["attributes"])
    links = try (span["links"]?.elements ?? []).map { try #require($0["spanId"]?.stringValue) }
    isFailed = span["status"]?["code"]?.intValue == 2
    state = span["traceState"]?.stringValue
    let times = ["startTimeUnixNano", "endTimeUnixNano"].map { span[$0]?.stringValue.flatMap { UInt64($0) } ?? 0 }
    #expect(times[0] > 1_600_000_000_000_000_000 && times[0] <= times[1], "\(span)")
  }
}
