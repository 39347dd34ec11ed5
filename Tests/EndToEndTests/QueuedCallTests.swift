import FunctionKit
import Postgres
import TestSupport
import Testing

/// Calls that are queued: `Prefer: respond-async`.
@Suite(.heavy)
struct QueuedCallTests {
  private static let manifest = #"{"functions":{"f":{"executable":"f.sh","mode":"oneshot"}}}"#
  private static let prefer = ("Prefer", "respond-async")

  private func serve() async throws -> Served {
    try await RunningRunner(Self.manifest, scripts: ["f.sh": "cat > got.new; mv got.new got"]).start()
  }

  private func got(_ served: Served) async throws -> RawJSON {
    let got = "\(served.runner.project.path)/got"
    let text = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "while [ ! -e \(got) ]; do sleep 0.01; done; cat \(got)"]
    ).stdout
    return try RawJSON(validating: Array(text.utf8)[...])
  }

  @Test func isAnsweredAtOnceAndRunLater() async throws {
    let served = try await serve()
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    let answer = try await served.call("f", #"{"a":1}"#, headers: [Self.prefer, ("traceparent", trace)])

    #expect(answer.status == 202)
    #expect(answer.headers.contains { $0.name.lowercased() == "preference-applied" && $0.value == "respond-async" })
    #expect(answer.headers.contains { $0.name.lowercased() == "x-call-id" })
    let event = try await got(served)
    #expect(event["id"]?.stringValue == answer.json?["id"]?.stringValue)
    #expect(event["source"]?.stringValue == "/http/f")
    #expect(event["type"]?.stringValue == EventType.call)
    #expect(event["traceparent"]?.stringValue == trace)
    #expect(event["data"]?["a"]?.intValue == 1)
  }

  @Test func aBatchIsQueuedEventByEvent() async throws {
    let served = try await serve()
    let events = [#""b""#, #""\u0000""#].map { data in
      #"{"specversion":"1.0","id":"1","source":"/s","type":"t","data":\#(data)}"#
    }
    let headers = [Self.prefer, ("Content-Type", "application/cloudevents-batch+json")]

    let good = try await served.call("f", "[\(events[0])]", headers: headers)
    let mixed = try await served.call("f", "[\(events[1]),\(events[0])]", headers: headers)

    #expect((good.status, mixed.status) == (202, 400))
    #expect(mixed.json?.elements?.map { $0["status"]?.intValue } == [400, 202])
    #expect(try await got(served)["data"]?.stringValue == "b")
  }

  @Test func manyAtOnceArePutInLineTogether() async throws {
    let served = try await serve()

    let ids = try await withThrowingTaskGroup(of: String?.self) { group in
      for number in 0..<30 {
        group.addTask {
          let headers = [
            Self.prefer, ("ce-specversion", "1.0"), ("ce-source", "/s"), ("ce-type", "t"), ("ce-id", "\(number)"),
          ]
          return try await served.call("f", "{}", headers: headers).json?["id"]?.stringValue
        }
      }
      return try await group.reduce(into: Set<String>()) { if let id = $1 { $0.insert(id) } }
    }

    #expect(ids == Set((0..<30).map { "\($0)" }))
  }

  @Test func whatPostgreSQLCannotHoldIsABadEvent() async throws {
    let served = try await serve()

    async let good = served.call("f", #"{"a":1}"#, headers: [Self.prefer])
    async let bad = served.call("f", #"{"a":"\u0000"}"#, headers: [Self.prefer])

    #expect(try await bad.status == 400)
    #expect(try await good.status == 202)
  }

  @Test func withoutADatabaseNothingIsPromised() async throws {
    let served = try await serve()
    try await served.runner.database.script("ALTER TABLE runner.events RENAME TO elsewhere")

    let answer = try await served.call("f", headers: [Self.prefer])

    #expect(answer.status == 503)
    #expect(answer.headers.contains { $0.name.lowercased() == "retry-after" })
    try await served.runner.database.script("ALTER TABLE runner.elsewhere RENAME TO events")
    #expect(try await served.call("f", headers: [Self.prefer]).status == 202)
  }
}
