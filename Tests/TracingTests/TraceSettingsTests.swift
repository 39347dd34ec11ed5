import Testing

@testable import Tracing

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

struct TraceSamplerTests {
  private func sampler(_ name: String, _ argument: String? = nil) -> TraceSampler {
    TraceSampler({ ["OTEL_TRACES_SAMPLER": name, "OTEL_TRACES_SAMPLER_ARG": argument ?? ""][$0] }, problem: { _ in })
  }

  @Test func aRatioTakesThatShareAndEverybodyTheSame() {
    let (one, other) = (sampler("traceidratio", "0.25"), sampler("parentbased_traceidratio", "0.25"))
    let traces = (0..<10_000).map { TraceContext(source: "/postgres/public/votes", id: "1.\($0)") }

    let taken = traces.filter { one.samples($0, isRoot: true) }
    #expect(2_200...2_800 ~= taken.count)
    #expect(taken == traces.filter { other.samples($0, isRoot: true) })
    #expect(traces.allSatisfy { !sampler("always_off").samples($0, isRoot: true) })
    #expect(traces.allSatisfy { sampler("always_on").samples($0, isRoot: true) })
  }

  @Test(arguments: [
    ("parentbased_always_on", false, false), ("parentbased_always_off", true, true), ("always_on", false, true),
    ("always_off", true, false), ("parentbased_traceidratio", true, true),
  ])
  func aCallersDecisionCountsWhereItIsAsked(_ name: String, _ isSampled: Bool, _ expected: Bool) {
    let caller = TraceContext(source: "a", id: "b").with(isSampled: isSampled)

    #expect(sampler(name, "0").samples(caller, isRoot: false) == expected)
  }
}
