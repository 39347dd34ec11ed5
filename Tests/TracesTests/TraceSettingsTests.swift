import Testing
import Tracing

@testable import Traces

struct TraceSettingsTests {
  private func settings(_ variables: [String: String]) -> (settings: TraceSettings?, problems: [String]) {
    var problems: [String] = []
    let settings = TraceSettings({ variables[$0] }, problem: { problems.append($0) })
    return (settings, problems)
  }

  @Test(arguments: [
    [:], ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SDK_DISABLED": "TRUE"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_TRACES_EXPORTER": "none"],
  ])
  func nothingIsWanted(_ variables: [String: String]) {
    let read = settings(variables)

    #expect(read.settings == nil && read.problems.isEmpty)
  }

  @Test(arguments: [
    ("http://c:4318", "http://c:4318/v1/traces"), ("http://c:4318/", "http://c:4318/v1/traces"),
    ("https://otlp.example.com/in", "https://otlp.example.com/in/v1/traces"),
  ])
  func theEndpointGetsThePathOfTraces(_ endpoint: String, _ url: String) {
    #expect(settings(["OTEL_EXPORTER_OTLP_ENDPOINT": endpoint]).settings?.url == url)
  }

  @Test func theOwnVariablesOfTracesComeFirst() throws {
    let read = settings([
      "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t:1/x",
      "OTEL_EXPORTER_OTLP_HEADERS": "a=1", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "api-key=a%20b, x-team = c",
      "OTEL_EXPORTER_OTLP_TIMEOUT": "250",
    ])

    let settings = try #require(read.settings)
    #expect(settings.url == "http://t:1/x" && settings.timeout == .milliseconds(250))
    #expect(settings.headers.map(\.name) == ["api-key", "x-team"] && settings.headers.map(\.value) == ["a b", "c"])
    #expect(read.problems.isEmpty)
  }

  @Test(arguments: ["collector:4318", "ftp://c", "http://", "http://user:word@c", "http://c:x", "http://c d"])
  func anEndpointThatIsNoneIsToldAndSendsNothing(_ endpoint: String) {
    let read = settings(["OTEL_EXPORTER_OTLP_ENDPOINT": endpoint])

    #expect(read.settings == nil && read.problems.count == 1)
    #expect(!read.problems.joined().contains("word"))
  }

  @Test(arguments: [
    ("OTEL_TRACES_SAMPLER", "jaeger_remote"), ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon"),
    ("OTEL_EXPORTER_OTLP_HEADERS", "novalue"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
    ("OTEL_BSP_SCHEDULE_DELAY", "0"), ("OTEL_TRACES_EXPORTER", "zipkin"),
  ])
  func anotherWrongValueIsToldAndIgnored(_ name: String, _ value: String) {
    let read = settings(["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", name: value])

    #expect(read.settings != nil && read.problems.count == 1)
    #expect(read.settings == settings(["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"]).settings)
  }

  @Test func theResourceSaysWhoItIs() throws {
    let named = try #require(
      settings([
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_SERVICE_NAME": "push",
        "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=a%2Cb,service.name=other",
      ]).settings)
    let bare = try #require(settings(["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c"]).settings)

    let one = named.resource(of: "vote-cast", isFunction: true)
    #expect(one.map(\.name) == ["service.name", "faas.name", "deployment.environment.name"])
    #expect(one.map(\.value) == [.text("push"), .text("vote-cast"), .text("a,b")])
    #expect(bare.resource(of: "vote-cast", isFunction: false).map(\.value) == [.text("vote-cast")])
  }
}
