import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// Every function of `functions.json`, with its sample event, under the watchdogs and as an HTTP server.
@Suite(.heavy)
struct EveryFunctionTests {
  /// So that one event may be tried often.
  private static let dryRun = ["--dry-run"]
  /// So that events keep their sources.
  private static let open = ["--open"]

  private let folder = try? TemporaryDirectory()

  @Test(arguments: try SampledFunction.all())
  func itAnswersAlikeUnderEveryHost(_ function: SampledFunction) async throws {
    let variables = try await function.variables(database: Self.database(), #require(folder))
    let expected = try await Expected(
      BuiltExecutables.run(
        function.name, Self.dryRun, stdin: function.event.text, environment: variables), of: function)

    for request in function.requests {
      for watchdog in Watchdog.allCases {
        expected.check(try await watchdog.answer(request, by: function.name, Self.dryRun, variables))
      }
    }
    let hosted = try await HostedFunction(function.name, Self.dryRun + Self.open, environment: variables)
    for request in function.requests { expected.check(try await hosted.answer(request)) }
  }

  @Test(arguments: try SampledFunction.all().filter(\.recordsResults))
  func anEventTakesEffectOnceUnderAllHosts(_ function: SampledFunction) async throws {
    let database = try await Self.database()
    let variables = try function.variables(database: database, #require(folder))
    let hosted = try await HostedFunction(function.name, Self.open, environment: variables)

    let first = try await hosted.answer(function.requests[0])
    let repeated = try await Watchdog.serializing.answer(function.requests[1], by: function.name, [], variables)
    let piped = try await BuiltExecutables.run(function.name, stdin: function.event.text, environment: variables)

    #expect(first.status == 200 && repeated.exit == 0 && piped.exit == 0, "\(first.body)\(repeated.log)\(piped.stdout)")
    #expect(repeated.body == first.body && piped.stdout == first.body)
    let source = try #require(function.event["source"]?.stringValue)
    let id = try #require(function.event["id"]?.stringValue)
    let connection = Connection(url: database, applicationName: "test")
    let handled = try await connection.query(
      """
      SELECT count(*)::int AS n FROM handled_events
      WHERE source = \(source) AND event_id = \(id) AND function = \(function.name)
      """)
    #expect(try handled.only().decode("n", as: Int.self) == 1)
    await connection.close()
  }

  @Test(arguments: try SampledFunction.all())
  func aBadRequestIsRefusedUnderEveryHost(_ function: SampledFunction) async throws {
    let variables = try function.variables(database: "postgres:///d?host=/nowhere", #require(folder))
    let bad =
      function.isProxied ? HostedRequest(method: "GET", path: "/nowhere") : HostedRequest(headers: [], body: "{")
    // The description of the API is the same on every path.
    guard function.name != "openapi" else { return }

    for watchdog in Watchdog.allCases {
      let answer = try await watchdog.answer(bad, by: function.name, [], variables)
      #expect(answer.exit == 65 && answer.body.hasSuffix("exit status 65\(watchdog == .classic ? "\n" : "")"))
      #expect(answer.log.contains(#""level":"error""#))
    }
    let answer = try await HostedFunction(function.name, environment: variables).answer(bad)
    #expect(answer.status == (function.isProxied ? 404 : 400), "\(answer.body)")
  }

  /// The sample of `unsubscribe` has no valid link, and `mail-unread` has no mail server: they ask no database.
  @Test(
    arguments: try SampledFunction.all().filter {
      $0.needsDatabase && !["unsubscribe", "mail-unread"].contains($0.name)
    })
  func aDatabaseThatIsAwayIsSaidUnderEveryHost(_ function: SampledFunction) async throws {
    let variables = try function.variables(database: "postgres:///d?host=/nowhere", #require(folder))
    let hosted = try await HostedFunction(function.name, environment: variables)
    for request in function.requests {
      for watchdog in Watchdog.allCases {
        let answer = try await watchdog.answer(request, by: function.name, [], variables)
        #expect(answer.exit == 75 && answer.status == 500 && !answer.body.contains("{"), "\(answer.body)\(answer.log)")
      }
      let answer = try await hosted.answer(request)
      #expect(answer.status == 503 && answer.headers["retry-after"] != nil, "\(answer.body)")
    }
  }

  /// A database with the demo's people, on which the samples are.
  static func database() async throws -> String {
    try await TemporaryPostgres.database(
      migrated: { url in
        let bundle = try await RunningBundle(database: url)
        let migrated = try await bundle.runner.run(["migrate"], timeout: .seconds(240))
        guard migrated.exit == 0 else { throw ProgramFailure(description: migrated.stderr) }
        try await bundle.runner.database.script(try House.text("Runner/Demo/demo.sql"))
        await bundle.runner.database.close()
      }, named: "hosts")
  }
}

/// The answer of a function for its sample event on stdin.
private struct Expected {
  let function: SampledFunction
  let outcome: BuiltExecutables.Outcome
  /// In the proxy shape.
  let status: Int
  let body: String

  init(_ outcome: BuiltExecutables.Outcome, of function: SampledFunction) throws {
    (self.outcome, self.function) = (outcome, function)
    try #require(outcome.exit == 0, "\(function.name): \(outcome.stdout)\(outcome.stderr)")
    let result = try RawJSON(validating: Array(outcome.stdout.utf8)[...])
    let proxied = result["statusCode"]?.intValue
    status = proxied ?? 200
    body = proxied == nil ? outcome.stdout : result["body"]?.stringValue ?? ""
  }

  func check(_ answer: Watchdog.Answer) {
    guard status < 400 else {
      #expect(answer.exit == (status == 503 ? 75 : 65))
      #expect(!answer.body.contains("{") && !answer.body.contains("<"), "\(answer.body)")
      #expect(answer.log.contains(#""http.status":"\#(status)""#))
      return
    }
    #expect(answer.status == 200, "\(answer.log)")
    #expect(isSame(answer.body), "\(function.name): \(answer.body)")
  }

  func check(_ answer: HostedFunction.Answer) {
    #expect(answer.status == status, "\(answer.body)")
    #expect(isSame(answer.body), "\(function.name): \(answer.body)")
    #expect(answer.headers["x-call-id"] != nil)
  }

  /// Echo shows its event, in which header fields come in their own order.
  private func isSame(_ other: String) -> Bool {
    guard function.name == "echo" else { return body == other }
    guard let mine = try? RawJSON(validating: Array(body.utf8)[...]),
      let theirs = try? RawJSON(validating: Array(other.utf8)[...])
    else { return false }
    return ["id", "source", "type", "data"].allSatisfy { mine[$0] != nil && mine[$0]?.text == theirs[$0]?.text }
  }
}
