import Formats
import HTTP1
import Tracing

/// Where traces go, as the variables of OpenTelemetry say it.
///
/// Source: https://opentelemetry.io/docs/specs/otel/protocol/exporter/
struct TraceSettings: Sendable, Equatable {
  /// The URL to which spans are posted.
  let url: String
  /// Such as a key of the collector: never logged.
  let headers: [Header]
  /// The time limit of a request.
  let timeout: Duration
  /// How long a span waits for others.
  let delay: Duration
  /// The value of `service.name` for all; `nil` for each program's own.
  private let service: String?
  private let resource: [Header]
  let sampler: TraceSampler

  struct Header: Sendable, Equatable {
    let name: String
    let value: String
  }

  /// Reads the variables.
  ///
  /// A wrong value is told and ignored, as OpenTelemetry demands.
  /// - Parameter problem: told what is wrong, without values.
  /// - Returns: `nil` if no traces are wanted.
  init?(_ variable: (String) -> String?, problem: (String) -> Void) {
    guard variable("OTEL_SDK_DISABLED")?.lowercased() != "true" else { return nil }
    guard let (endpoint, url) = Self.url(variable) else { return nil }
    switch variable("OTEL_TRACES_EXPORTER") ?? "otlp" {
    case "otlp": break
    case "none": return nil
    default: problem("OTEL_TRACES_EXPORTER must be otlp or none.")
    }
    guard Self.isUsable(endpoint) else {
      problem("OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as http://127.0.0.1:4318: no traces are sent.")
      return nil
    }
    self.url = url
    let protocols = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"]
    if let asked = protocols.compactMap({ variable($0) }).first, asked != "http/json" {
      problem("OTEL_EXPORTER_OTLP_PROTOCOL can only be http/json, which is what is sent.")
    }
    let fields = ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"]
    headers = fields.compactMap({ variable($0) }).first.map { Self.list($0, problem: problem) } ?? []
    var resource = variable("OTEL_RESOURCE_ATTRIBUTES").map { Self.list($0, problem: problem) } ?? []
    service = variable("OTEL_SERVICE_NAME") ?? resource.last { $0.name == "service.name" }?.value
    resource.removeAll { $0.name == "service.name" }
    self.resource = resource
    timeout = Self.milliseconds(
      ["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"], variable, or: 10_000, problem)
    delay = Self.milliseconds(["OTEL_BSP_SCHEDULE_DELAY"], variable, or: 5_000, problem)
    sampler = TraceSampler(variable, problem: problem)
  }

  /// The attributes of what has made a span.
  ///
  /// - Parameters:
  ///   - name: its `service.name` unless `OTEL_SERVICE_NAME` says another.
  ///   - isFunction: whether it is a function.
  func resource(of name: String, isFunction: Bool) -> [(name: String, value: Span.Value)] {
    [("service.name", .text(service ?? name))] + (isFunction ? [("faas.name", .text(name))] : [])
      + resource.map { ($0.name, .text($0.value)) }
  }

  /// The text of a variable, and the URL that it means.
  private static func url(_ variable: (String) -> String?) -> (endpoint: String, url: String)? {
    if let url = variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") { return (url, url) }
    return variable("OTEL_EXPORTER_OTLP_ENDPOINT").map { ($0, $0 + ($0.hasSuffix("/") ? "v1/traces" : "/v1/traces")) }
  }

  private static func isUsable(_ url: String) -> Bool {
    let scheme = ["http://", "https://"].first { url.lowercased().hasPrefix($0) }
    guard let scheme, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
    let place = url.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    return !place.contains("@") && Authority(place).map { !$0.host.isEmpty } == true
  }

  /// `name=value` separated by commas, with percent-encoded values.
  private static func list(_ text: String, problem: (String) -> Void) -> [Header] {
    text.split(separator: ",").compactMap { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0].filter { $0 != " " }
      let bytes = parts.count == 2 ? PercentEncoding.decoded(Array(parts[1].utf8)) : nil
      let value = bytes.flatMap { String(validating: $0, as: UTF8.self) }
      guard let value, !name.isEmpty, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        problem("A list of OpenTelemetry's variables must be name=value,name=value: an item is left out.")
        return nil
      }
      return Header(name: name, value: String(value.drop { $0 == " " }))
    }
  }

  private static func milliseconds(
    _ names: [String], _ variable: (String) -> String?, or usual: Int, _ problem: (String) -> Void
  ) -> Duration {
    guard let name = names.first(where: { variable($0) != nil }), let text = variable(name) else {
      return .milliseconds(usual)
    }
    guard let number = Int(text), 1...3_600_000 ~= number else {
      problem("\(name) must be a number of milliseconds.")
      return .milliseconds(usual)
    }
    return .milliseconds(number)
  }
}
