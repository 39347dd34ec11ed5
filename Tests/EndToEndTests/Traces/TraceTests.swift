import Foundation
import FunctionKit
import Glibc
import Postgres
import TestSupport
import Testing

/// Traces, from a row or a call to a provider's answer, as a collector of OpenTelemetry gets them.
@Suite(.heavy)
struct TraceTests {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let caller = "00-\(trace)-00f067aa0ba902b7-01"
  private static let echo = #"{"functions":{"echo":{"triggers":[{"http":"key"}]}}}"#

  /// Ends the runner, which sends what waits.
  private func spans(_ collector: Collector, after program: RunningProgram) async throws -> [ReceivedSpan] {
    program.send(SIGTERM)
    #expect(try await program.exit() == 0)
    return try collector.spans()
  }

  private func only(_ name: String, _ spans: [ReceivedSpan]) throws -> ReceivedSpan {
    let named = spans.filter { $0.name == name }
    #expect(named.count == 1, "\(name): \(spans.map(\.name))")
    return try #require(named.first)
  }

  @Test func aVoteIsOneTraceFromItsRowToTheProvidersAnswer() async throws {
    let collector = try Collector()
    let bundle = try await RunningBundle(environment: collector.environment)
    let phones = try await bundle.start()
    // Grace asks for something, and Ada votes for it when the apps have been deleted from all phones.
    let rows = try await bundle.runner.database.query(
      """
      INSERT INTO feedbacks (title, category, user_id, user_email, project_id)
        SELECT 'Night mode', 'feature_request', 'sdk-grace', 'grace@example.com', id FROM projects WHERE name = 'Harbor'
      RETURNING id::text AS id
      """)
    let feedback = try #require(rows.first?["id"])
    try await bundle.settle()
    try await phones.tell("/devices/*", #"{"state":"unregistered"}"#)
    try await bundle.runner.database.script(
      "INSERT INTO votes (feedback_id, user_id, user_email) VALUES ('\(feedback)', 'sdk-ada', 'ada@example.com')")
    try await bundle.settle()
    let secrets = try await bundle.runner.database.query("SELECT DISTINCT token FROM device_tokens")
      .map { $0["token"] ?? "" }
    let notification = try await bundle.runner.database.query(
      "SELECT source_event_id, traceparent FROM notifications WHERE function = 'vote-cast' AND feedback_id::text = \(feedback)"
    ).only()
    let event = try #require(notification["source_event_id"])

    let spans = try await spans(collector, after: phones.served.program)

    let ofVote = spans.filter { $0.attributes["cloudevents.event_id"] == event }
    let sent = try only("send vote-cast", ofVote)
    let attempt = try only("process vote-cast", ofVote)
    let run = try only("vote-cast", ofVote)
    #expect(notification["traceparent"] == "00-\(run.trace)-\(run.id)-01")
    #expect(sent.parent == nil && attempt.parent == sent.id && run.parent == attempt.id)
    #expect([sent, attempt, run].map(\.kind) == [4, 5, 2])
    #expect(run.service == "vote-cast" && run.attributes["faas.trigger"] == "datasource")
    #expect(attempt.attributes["messaging.destination.name"] == "vote-cast")
    #expect(attempt.attributes["cloudevents.event_source"] == "/postgres/public/votes")
    #expect(attempt.attributes["messaging.message.id"] == run.attributes["faas.invocation_id"])
    let pushes = spans.filter { $0.name == "POST /3/device/{token}" && $0.trace == sent.trace }
    #expect(!pushes.isEmpty)
    let runs = Set(spans.filter { $0.name == "push-delivery" }.map(\.id))
    for push in pushes {
      #expect(push.parent == run.id && push.kind == 3 && push.service == "push-delivery" && push.isFailed)
      #expect(push.attributes["http.response.status_code"] == "410" && push.attributes["push.reason"] == "Unregistered")
      #expect(push.links.count == 1 && runs.isSuperset(of: push.links))
    }
    #expect(Set([sent, attempt, run].map(\.trace)).count == 1)
    let text = collector.bodies.joined()
    for secret in secrets + ["Night mode", "grace@example.com", "ada@example.com"] { #expect(!text.contains(secret)) }
    guard let opinion = try await collector.secondOpinion() else { return }
    #expect(opinion.exit == 0 && opinion.stdout == "\(spans.count)\n", "\(opinion.stderr)")
  }

  @Test func aTransactionMayNameItsTrace() async throws {
    let collector = try Collector()
    let runner = try await RunningRunner(
      #"{"functions":{"f":{"executable":"f","mode":"oneshot","triggers":[{"table":"seats","events":["INSERT"]}]}}}"#,
      scripts: ["f": "cat >> got; echo '{}'"], environment: collector.environment)
    try await runner.database.script("CREATE TABLE seats (id int PRIMARY KEY)")
    let served = try await runner.start()
    try await runner.database.script(
      "BEGIN; SET LOCAL app.traceparent = '\(Self.caller)'; INSERT INTO seats VALUES (1); COMMIT")
    try await runner.wait(until: "SELECT count(*) = 1 FROM runner.history")

    let spans = try await spans(collector, after: served.program)

    #expect(try only("send f", spans).parent == "00f067aa0ba902b7")
    let attempt = try only("process f", spans)
    #expect(spans.allSatisfy { $0.trace == Self.trace })
    #expect(try runner.got()[0]["traceparent"]?.stringValue == "00-\(Self.trace)-\(attempt.id)-01")
  }

  @Test func aCallContinuesItsCallersTrace() async throws {
    let collector = try Collector()
    let runner = try await RunningRunner(Self.echo, environment: collector.environment)
    let served = try await runner.start()
    let headers = [(name: "traceparent", value: Self.caller), (name: "tracestate", value: "vendor=1")]

    let answer = try await served.call("echo", #"{"secret":"in the body"}"#, headers: headers)
    let queued = try await served.call("echo", headers: headers + [(name: "Prefer", value: "respond-async")])
    try await runner.wait(until: "SELECT count(*) = 2 FROM runner.history")
    let spans = try await spans(collector, after: served.program)

    #expect(answer.status == 200 && queued.status == 202)
    let calls = spans.filter { $0.name == "POST /functions/v1/echo" }
    let call = try #require(calls.first { $0.attributes["http.response.status_code"] == "200" })
    let later = try #require(calls.first { $0.attributes["http.response.status_code"] == "202" })
    #expect(calls.count == 2 && calls.allSatisfy { $0.parent == "00f067aa0ba902b7" && $0.kind == 2 })
    #expect(call.attributes["http.route"] == "/functions/v1/echo" && call.attributes["http.request.method"] == "POST")
    #expect(answer.json?["traceparent"]?.stringValue == "00-\(Self.trace)-\(call.id)-01")
    let runs = spans.filter { $0.name == "echo" }
    #expect(runs.count == 2 && runs.contains { $0.parent == call.id && $0.state == "vendor=1" })
    #expect(try only("send echo", spans).parent == later.id)
    #expect(spans.allSatisfy { $0.trace == Self.trace })
    #expect(!collector.bodies.joined().contains("in the body"))
  }

  @Test func theAttemptsOfAnEventShareATrace() async throws {
    let collector = try Collector()
    let runner = try await RunningRunner(
      #"{"functions":{"f":{"executable":"f","mode":"oneshot","triggers":[{"http":"key"}]}}}"#,
      scripts: ["f": #"cat > /dev/null; [ -e again ] && echo '{}' && exit; touch again; exit 75"#],
      environment: collector.environment)
    let served = try await runner.start()
    _ = try await served.call("f", headers: [(name: "Prefer", value: "respond-async")])
    try await runner.wait(until: "SELECT count(*) = 2 FROM runner.history")

    let spans = try await spans(collector, after: served.program)

    let sent = try only("send f", spans)
    let attempts = spans.filter { $0.name == "process f" }
    #expect(attempts.map { $0.attributes["push.attempt"] } == ["0", "1"])
    #expect(attempts.map(\.isFailed) == [true, false] && attempts[0].attributes["error.type"] != nil)
    #expect(attempts.allSatisfy { $0.parent == sent.id } && Set(spans.map(\.trace)).count == 1)
  }

  @Test(arguments: [
    ("always_off", caller), ("parentbased_always_on", caller.dropLast() + "0"), ("traceidratio", caller),
  ])
  func whatIsNotSampledIsNotSent(_ sampler: String, _ caller: String) async throws {
    let collector = try Collector()
    let runner = try await RunningRunner(
      Self.echo,
      environment: collector.environment.merging(
        ["OTEL_TRACES_SAMPLER": sampler, "OTEL_TRACES_SAMPLER_ARG": "0"]) { $1 })
    let served = try await runner.start()

    let answer = try await served.call("echo", headers: [(name: "traceparent", value: caller)])
    let spans = try await spans(collector, after: served.program)

    #expect(spans.isEmpty && collector.requests.isEmpty)
    // Others learn of the decision.
    let passedOn = answer.json?["traceparent"]?.stringValue
    #expect(passedOn?.hasPrefix("00-\(Self.trace)-") == true && passedOn?.hasSuffix("-00") == true)
  }

  enum Beginning: CaseIterable {
    case call, queuedCall, row
  }

  /// A function or another service that continues the trace does not record it either.
  @Test(arguments: Beginning.allCases) func anEventThatBeginsATraceThatIsNotSampledSaysSo(_ beginning: Beginning)
    async throws
  {
    let collector = try Collector()
    let runner = try await RunningRunner(
      """
      {"functions":{"f":{"executable":"f","mode":"oneshot",
        "triggers":[{"http":"key"},{"table":"items","events":["INSERT"]}]}}}
      """, scripts: ["f": #"cat > line; echo '{}'"#],
      environment: collector.environment.merging(["OTEL_TRACES_SAMPLER": "always_off"]) { $1 })
    try await runner.database.script("CREATE TABLE items (traceparent text PRIMARY KEY)")
    #expect(try await runner.run(["migrate"]).exit == 0)
    let served = try await runner.start()

    switch beginning {
    case .call: _ = try await served.call("f", #"{"traceparent":"mine"}"#)
    case .queuedCall:
      _ = try await served.call(
        "f", #"{"traceparent":"mine"}"#, headers: [(name: "Prefer", value: "respond-async")])
    case .row: try await runner.database.script("INSERT INTO items VALUES ('mine')")
    }
    if beginning != .call { try await runner.wait(until: "SELECT count(*) = 1 FROM runner.history") }
    let line = try RawJSON(validating: Array(Data(contentsOf: URL(filePath: "\(runner.project.path)/line")))[...])
    let spans = try await spans(collector, after: served.program)

    let traces = line.members.filter { $0.name == "traceparent" }
    #expect(traces.count == 1 && traces[0].value.stringValue?.hasSuffix("-00") == true)
    let data = beginning == .row ? line["data"]?["record"] : line["data"]
    #expect(data?["traceparent"]?.stringValue == "mine")
    #expect(line["type"]?.stringValue == (beginning == .row ? EventType.row : EventType.call))
    #expect(spans.isEmpty && collector.requests.isEmpty)
  }

  @Test(arguments: [
    ScriptedServer.Script.silence, .hangUp, .answer(Collector.refusal(503)), .answer(Collector.refusal(429)),
    .answer("HTTP/1.1 503 No\r\nRetry-After: 1000\r\nContent-Length: 0\r\n\r\n"), .greeting("nonsense"),
  ])
  func aCollectorThatDoesNotTakeSpansDelaysNobody(_ script: ScriptedServer.Script) async throws {
    let collector = try Collector(script)
    let runner = try await RunningRunner(Self.echo, environment: collector.environment)
    let served = try await runner.start()

    for _ in 0..<50 { #expect(try await served.call("echo").status == 200) }
    served.program.send(SIGTERM)

    #expect(try await served.program.exit() == 0)
    #expect(!collector.requests.isEmpty || script.isSilent)
  }

  @Test func aBusyCollectorGetsTheSpansLater() async throws {
    let collector = try Collector(.answers([Collector.refusal(503), Collector.taken]))
    let runner = try await RunningRunner(Self.echo, environment: collector.environment)
    let served = try await runner.start()

    #expect(try await served.call("echo").status == 200)
    while collector.requests.count < 2 { #expect(try await served.request("/_/health").status == 200) }
    let spans = try await spans(collector, after: served.program)

    #expect(collector.bodies[0] == collector.bodies[1] && spans.contains { $0.name == "echo" })
    #expect(!served.program.lines.contains { $0.contains("Spans are lost") })
  }

  @Test func spansThatAreRefusedAreCountedAndToldOnce() async throws {
    let collector = try Collector(.answer(Collector.refusal(400)))
    let runner = try await RunningRunner(Self.echo, environment: collector.environment)
    let served = try await runner.start()

    var lost = 0.0
    while lost < 20 {
      #expect(try await served.call("echo").status == 200)
      lost = try Exposition(try await served.request("/metrics").text)["push_runner_spans_lost_total", [:]] ?? -1
      try #require(lost >= 0)
    }
    _ = try await spans(collector, after: served.program)

    let told = served.program.lines.filter { $0.contains("Spans are lost") }
    #expect(told.count == 1 && told[0].contains("400") && !told[0].contains("a key"))
    // Nothing is sent twice.
    #expect(Set(collector.bodies).count == collector.bodies.count)
  }

  @Test func withoutTheVariableNothingHappens() async throws {
    let runner = try await RunningRunner(
      #"{"functions":{"f":{"executable":"f","mode":"oneshot","triggers":[{"http":"key"}]}}}"#,
      scripts: ["f": "env > environment; cat"])
    let served = try await runner.start()

    let answer = try await served.call("f")

    #expect(answer.json?["id"] != nil && answer.json?["traceparent"] == nil)
    let environment = try String(contentsOfFile: "\(runner.project.path)/environment", encoding: .utf8)
    #expect(!environment.contains("SPANS") && !environment.contains("OTEL"))
    #expect(try Exposition(try await served.request("/metrics").text)["push_runner_spans_lost_total", [:]] == 0)
  }

  @Test func whatAFunctionWritesAsASpanIsChecked() async throws {
    let collector = try Collector()
    let runner = try await RunningRunner(
      #"{"functions":{"f":{"executable":"f","mode":"oneshot","triggers":[{"http":"key"}]}}}"#,
      scripts: ["f": #"cat > /dev/null; echo '{"span":{"broken}' >&2; echo 'some words' >&2; echo '{}'"#],
      environment: collector.environment)
    let served = try await runner.start()

    #expect(try await served.call("f").status == 200)
    let spans = try await spans(collector, after: served.program)

    #expect(spans.map(\.name) == ["POST /functions/v1/f"])
    #expect(served.program.lines.contains("some words") && !served.program.lines.contains { $0.contains("broken") })
  }
}

extension ScriptedServer.Script {
  /// Whether it keeps no requests.
  var isSilent: Bool {
    switch self {
    case .silence, .hangUp, .greeting: true
    default: false
    }
  }
}
