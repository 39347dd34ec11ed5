import Testing

@testable import Tracing

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
