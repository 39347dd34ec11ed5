import Testing

@testable import Tracing

struct TraceContextTests {
  @Test(arguments: [
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
    "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes-later",
  ])
  func isPassedOn(_ value: String) {
    let context = TraceContext(value)

    #expect(context?.isSampled == value.contains("-01"))
    #expect(context?.traceparent.dropFirst(2).prefix(53) == value.dropFirst(2).prefix(53))
  }

  @Test(arguments: [
    "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
    "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more",
    "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
    "00-4bf92f3577b34da6a3ce929d0e0e473x-00f067aa0ba902b7-01",
  ])
  func isIgnored(_ value: String) {
    #expect(TraceContext(value) == nil)
  }

  @Test func followsFromSourceAndId() {
    let one = TraceContext(source: "/postgres/public/votes", id: "3.17")

    #expect(one == TraceContext(source: "/postgres/public/votes", id: "3.17"))
    #expect(one.traceparent == "00-912317270e48f67f83eeadd47568a687-8844e1344479ee0f-01")
    let others = [
      ("/postgres/public/votes", "3.18"), ("/postgres/public/vote", "s3.17"), ("3.17", "/postgres/public/votes"),
    ]
    for (source, id) in others { #expect(TraceContext(source: source, id: id).traceID != one.traceID) }
  }

  @Test func childrenStayInTheTrace() throws {
    let caller = try #require(
      TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", state: "vendor=1"))
    let (one, other) = (caller.child(), caller.child())

    #expect(one.traceID == caller.traceID && one.span != caller.span && one.span != other.span)
    #expect(one.state == "vendor=1")
    #expect(TraceContext(caller.traceparent, state: String(repeating: "x", count: 513))?.state == nil)
  }
}
