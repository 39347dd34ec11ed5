import Foundation
import FunctionKit
import HTTP1
import Postgres
import TestSupport
import Testing

/// `runner host` in AWS Lambda: against ``RuntimeAPIServer``.
@Suite(.heavy)
struct LambdaHostTests {
  private static let away = ["DATABASE_URL": "postgres:///d?host=/nowhere"]

  /// The processes that a process has started.
  private func children(of parent: pid_t) throws -> [pid_t] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }.filter { process in
      let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      let fields = status?.split(separator: ")").last?.split(separator: " ")
      return fields?.dropFirst().first.flatMap { pid_t($0) } == parent
    }
  }

  @Test func eventsAreAnsweredOneAfterTheOther() async throws {
    let api = try RuntimeAPIServer([.init(id: "a", body: #"{"n":1}"#), .init(id: "b", body: "2")])
    let echo = try api.start("echo")

    let said = await api.said(2)

    #expect(said.map(\.path) == ["invocation/a/response", "invocation/b/response"])
    #expect(said[0].body.contains(#""id":"a","source":"/lambda/echo""#) && said[0].body.contains(#""data":{"n":1}"#))
    echo.send(SIGTERM)
    #expect(try await echo.exit() == 0)
  }

  /// Without an extension, Lambda would send no SIGTERM.
  @Test func anExtensionIsRegisteredAndWaits() async throws {
    let api = try RuntimeAPIServer([.init(id: "a", body: "1")])
    let echo = try api.start("echo")
    _ = await api.said(1)
    while api.waitingExtensions < 1, echo.ended == nil { await Task.yield() }
    #expect(api.waitingExtensions == 1)
    echo.send(SIGTERM)
    #expect(try await echo.exit() == 0)
  }

  @Test func asManyProcessesAskForEventsAsMayBeHandledAtOnce() async throws {
    let api = try RuntimeAPIServer(atOnce: 3)
    let echo = try api.start("echo", ["AWS_LAMBDA_MAX_CONCURRENCY": "3"])
    while api.waiting < 3, echo.ended == nil { await Task.yield() }
    while api.waitingExtensions < 1, echo.ended == nil { await Task.yield() }

    for number in 1...30 { api.add(.init(id: "\(number)", body: "\(number)")) }
    let said = await api.said(30)

    #expect(Set(said.map(\.path)) == Set((1...30).map { "invocation/\($0)/response" }))
    #expect(api.waitingExtensions == 1)
    echo.send(SIGTERM)
    #expect(try await echo.exit() == 0)
  }

  @Test func ifThereAreNoEventsForOneTheOthersEndToo() async throws {
    let api = try RuntimeAPIServer(faults: [HTTP1Answer(status: 500)], atOnce: 3)
    let echo = try api.start("echo", ["AWS_LAMBDA_MAX_CONCURRENCY": "3"])
    #expect(try await echo.exit() == 75)
    #expect(echo.lines.count { $0.contains("Lambda's Runtime API gives no event") } == 1)
  }

  @Test func theHandlerNamesTheFunction() async throws {
    let api = try RuntimeAPIServer([.init(id: "a", body: "1")])
    let variables = api.environment.merging(["_HANDLER": "echo"]) { $1 }
    let echo = try RunningProgram("runner", ["host", "--project", House.root.path], environment: variables)

    #expect(await api.said(1).map(\.path) == ["invocation/a/response"])
    echo.send(SIGTERM)
    #expect(try await echo.exit() == 0)
  }

  @Test func aNumberOfEventsThatIsNoneIsNamed() async throws {
    let echo = try RuntimeAPIServer().start("echo", ["AWS_LAMBDA_MAX_CONCURRENCY": "many"])
    #expect(try await echo.exit() == 78)
    let problem = "AWS_LAMBDA_MAX_CONCURRENCY must be a number from 1 to 1000, not many."
    #expect(echo.lines.contains { $0.contains(problem) })
  }

  @Test func aFailureIsAnErrorAndTheNextEventIsAsked() async throws {
    let body = try House.text("Tests/Events/vote-cast.json")
    let api = try RuntimeAPIServer([
      .init(id: "a", body: "{}"), .init(id: "b", body: "{"), .init(id: "c", body: body),
    ])
    let vote = try api.start("vote-cast", Self.away)

    let said = await api.said(3)

    #expect(said.map(\.path) == ["a", "b", "c"].map { "invocation/\($0)/error" })
    #expect(said.map(\.errorType) == ["Function.InvalidEvent", "Function.InvalidEvent", "Function.DatabaseAway"])
    #expect(said[2].body.contains(#""errorType":"DATABASE_AWAY"#))
    #expect(vote.ended == nil)
  }

  /// Lambda freezes a process between two events, and meanwhile the server may end its session.
  @Test func anEventAfterTheThawOpensAnotherSession() async throws {
    let url = try await BatchRun.emptyDatabase()
    let body = try House.text("Tests/Events/vote-cast.json")
    let api = try RuntimeAPIServer([.init(id: "a", body: body)])
    let vote = try api.start("vote-cast", ["DATABASE_URL": url])
    _ = await api.said(1)
    while api.waiting < 1, vote.ended == nil { await Task.yield() }

    let frozen = [vote.processID] + (try children(of: vote.processID))
    frozen.forEach { kill($0, SIGSTOP) }
    let ended = try await BatchRun.connected(to: url) { database in
      try await database.endSessions(where: "application_name = 'vote-cast'")
    }
    api.add(.init(id: "b", body: body))
    frozen.forEach { kill($0, SIGCONT) }
    let said = await api.said(2)

    #expect(ended == 1)
    #expect(said.map(\.path) == ["invocation/a/response", "invocation/b/response"])
    #expect(said[0].body == said[1].body && said[1].body.contains(#""function":"vote-cast""#))
  }

  @Test func aFunctionThatCannotStartSaysSo() async throws {
    let (api, folder) = (try RuntimeAPIServer(), try TemporaryDirectory())
    try folder.write(#"{"functions":{"vote-cast":{"environment":["DATABASE_URL"]}}}"#, to: "functions.json")
    let outcome = try await BuiltExecutables.run(
      "runner", ["host", "vote-cast", "--project", folder.path], environment: api.environment)

    let said = await api.said(1)

    #expect(outcome.exit == 78)
    #expect(said.map(\.path) == ["init/error"] && said[0].errorType == "Function.Misconfigured")
  }

  @Test func aTextThatNobodyWouldBeToldIsSaidAtTheStart() async throws {
    let (api, folder) = (try RuntimeAPIServer(), try TemporaryDirectory())
    try folder.write("page.on.titel = Aus?\n", to: "de.strings")
    try folder.write(
      #"""
      {"languages":".","functions":{"echo":{"executable":"echo"}},
       "commands":{"doctor push":{"executable":"push","arguments":["doctor"]}}}
      """#, to: "functions.json")
    let outcome = try await BuiltExecutables.run(
      "runner", ["host", "echo", "--project", folder.path], environment: api.environment)

    let said = await api.said(1)

    #expect(outcome.exit == 78 && outcome.stderr.contains("de.strings:1 has page.on.titel"), "\(outcome)")
    #expect(said.map(\.path) == ["init/error"] && said[0].errorType == "Function.Misconfigured")
  }

  @Test func aRequestOfAGatewayGetsAnAnswerWithAStatus() async throws {
    let request = { (method: String, path: String) in
      #"""
      {"version":"2.0","rawPath":"\#(path)","rawQueryString":"","headers":{},
       "requestContext":{"http":{"method":"\#(method)"}},"isBase64Encoded":false}
      """#
    }
    let first = #"{"resource":"/","path":"/nowhere","httpMethod":"GET","headers":null,"requestContext":{},"body":null}"#
    let balanced = #"""
      {"requestContext":{"elb":{"targetGroupArn":"arn"}},"httpMethod":"GET","path":"/api/v1/devices",
       "multiValueQueryStringParameters":{},"multiValueHeaders":{"host":["h"]},"body":"","isBase64Encoded":false}
      """#
    let api = try RuntimeAPIServer([
      .init(id: "a", body: request("GET", "/api/v1/devices")), .init(id: "b", body: first),
      .init(id: "c", body: balanced),
    ])
    let devices = try api.start("devices", Self.away)

    let answers = try await api.said(3).map { try RawJSON(validating: Array($0.body.utf8)[...]) }

    #expect(answers.map { $0["statusCode"]?.intValue } == [401, 404, 401])
    #expect(answers[0]["body"]?.stringValue?.contains(#""error":true"#) == true)
    #expect(answers[2]["statusDescription"]?.stringValue == "401 Unauthorized" && answers[2]["headers"] == nil)
    #expect(answers[2]["multiValueHeaders"]?["X-Call-Id"]?.elements?.map(\.stringValue) == ["c"])
    #expect(devices.ended == nil)
  }

  @Test func anEventThatIsTooLargeIsAnError() async throws {
    let text = String(repeating: "x", count: 6 << 20)
    let api = try RuntimeAPIServer([
      .init(id: "a", body: "\"\(text)\(String(repeating: "x", count: 200))\""), .init(id: "b", body: "\"\(text)\""),
      .init(id: "c", body: "1"),
    ])
    let echo = try api.start("echo")

    let said = await api.said(3)

    // The second event fits, but not its result.
    #expect(said.map(\.path) == ["invocation/a/error", "invocation/b/error", "invocation/c/response"])
    #expect(said.map(\.errorType) == ["Function.InvalidEvent", "Function.InvalidOutput", nil])
    #expect(echo.ended == nil)
  }

  /// The database is a server that never answers.
  @Test(arguments: [1.5, -1e10]) func anEventIsAnsweredBeforeLambdaEndsTheProcess(_ seconds: Double) async throws {
    let (listener, port) = try Sockets.listen()
    defer { close(listener) }
    let body = try House.text("Tests/Events/vote-cast.json")
    let api = try RuntimeAPIServer([.init(id: "a", body: body, deadline: .now.addingTimeInterval(seconds))])
    let vote = try api.start(
      "vote-cast", ["DATABASE_URL": "postgres://u@127.0.0.1:\(port)/d?sslmode=disable&connect_timeout=100"])

    let said = await api.said(1)

    #expect(said.map(\.path) == ["invocation/a/error"] && said[0].errorType == "Function.Unavailable")
    #expect(try await vote.exit() == 75)
  }

  @Test func anAPIThatAnswersOutOfOrderIsAskedAgain() async throws {
    let faults = [
      HTTP1Answer(status: 403), HTTP1Answer(status: 200, body: Array("{}".utf8)),
      HTTP1Answer(status: 200, headers: [("Lambda-Runtime-Aws-Request-Id", "../../x")]),
    ]
    let api = try RuntimeAPIServer([.init(id: "a", body: "1")], faults: faults)
    let echo = try api.start("echo")

    #expect(await api.said(1).map(\.path) == ["invocation/a/response"])
    echo.send(SIGTERM)
    #expect(try await echo.exit() == 0)
    #expect(echo.lines.count { $0.contains("Lambda's Runtime API gives no event") } == 3)
  }

  @Test(arguments: [[500], [403, 403, 403, 403, 403]])
  func anAPIThatGivesNoEventsEndsTheProcess(_ statuses: [Int]) async throws {
    let api = try RuntimeAPIServer(faults: statuses.map { HTTP1Answer(status: $0) })
    let echo = try api.start("echo")

    #expect(try await echo.exit() == 75)
    #expect(echo.lines.count { $0.contains("gives no event") } == statuses.count)
  }

  @Test func anAPIThatIsAwayEndsTheProcess() async throws {
    let port = try RunningProgram.freePort()
    let outcome = try await BuiltExecutables.run(
      "runner", ["host", "echo", "--project", House.root.path],
      environment: ["AWS_LAMBDA_RUNTIME_API": "127.0.0.1:\(port)"])

    #expect(outcome.exit == 75 && outcome.stderr.contains("Lambda's Runtime API is away"))
  }
}
