import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import TestSupport
import Testing

/// The number of analyses that a person gets, and the answer to a repeated one.
@Suite(.heavy)
struct AnalysisLimitTests {
  private func excess(_ answer: RawJSON) throws -> RawJSON {
    #expect(answer["statusCode"]?.intValue == 429)
    let body = try RawJSON(validating: Array(try #require(answer["body"]?.stringValue).utf8)[...])
    #expect(answer["fallback"] == body["fallback"] && answer["resetAt"] == body["resetAt"])
    return body
  }

  @Test(arguments: [
    ("NULL", "simple_rules"), ("'simple_rules'", "simple_rules"), ("'notify_all'", "notify_all"),
    ("'suppress_all'", "suppress_all"),
  ])
  func overTheLimitTheCallerLearnsWhatToDoAndWhenThereIsRoom(column: String, fallback: String) async throws {
    let scene = try await AnalysisScene()
    try await scene.set("max_analyses_per_hour = 2, fallback_strategy = \(SQL(unescaped: column))")
    _ = try await scene.analyze("m-1")
    _ = try await scene.analyze("m-2", ["shouldNotify": "false"], at: Demo.now + 600)
    let effects = try await scene.demo.effects()

    let answer = try await scene.analyze("m-3", ["priority": "\"high\""], at: Demo.now + 1_200.25)

    let body = try excess(answer)
    #expect(body["fallback"]?.stringValue == fallback && body["limit"]?.intValue == 2)
    #expect(body["resetAt"]?.stringValue.flatMap(RFC3339.date) == Demo.now + 3_600)
    #expect(body.members.count == 3)
    #expect(answer["headers"]?["Retry-After"]?.stringValue == "2400")
    #expect(try await scene.demo.effects() == effects)
    #expect(try await scene.demo.number("SELECT count(*) FROM analyses") == 2)
  }

  @Test func theHourRolls() async throws {
    let scene = try await AnalysisScene()
    try await scene.set("max_analyses_per_hour = 2")
    for (message, time) in [("m-1", 0.0), ("m-2", 1_800)] { _ = try await scene.analyze(message, at: Demo.now + time) }

    let early = try await scene.analyze("m-3", at: Demo.now + 3_599)
    let atReset = try await scene.analyze("m-3", at: Demo.now + 3_600)
    let next = try await scene.analyze("m-4", at: Demo.now + 3_601)

    #expect(early["statusCode"]?.intValue == 429)
    #expect(atReset.outcome == "delivered")
    #expect(try excess(next)["resetAt"]?.stringValue.flatMap(RFC3339.date) == Demo.now + 5_400)
  }

  @Test func whoHasSaidNothingGetsTenAnHour() async throws {
    let scene = try await AnalysisScene()
    for number in 1...10 { #expect(try await scene.analyze("m-\(number)").outcome != nil) }

    let body = try excess(try await scene.analyze("m-11"))

    #expect(body["limit"]?.intValue == 10 && body["fallback"]?.stringValue == "simple_rules")
    #expect(try await scene.analyze("m-11", ["userId": "\"\(Person.ben.id)\""]).outcome == "no_device")
  }

  @Test func ofManyAtOnceOnlyOneGetsTheLastPlace() async throws {
    let scene = try await AnalysisScene()
    try await scene.set("max_analyses_per_hour = 2")
    _ = try await scene.analyze("m-0", ["shouldNotify": "false"])

    let answers = try await withThrowingTaskGroup(of: RawJSON.self) { group in
      for number in 1...6 { group.addTask { try await scene.analyze("m-\(number)") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(answers.count { $0.outcome == "delivered" } == 1)
    #expect(answers.count { $0["statusCode"]?.intValue == 429 } == 5)
    #expect(try await scene.demo.number("SELECT count(*) FROM deliveries") == 1)
  }

  @Test(arguments: [("m-1", "e-2"), ("m-2", "e-1")])
  func aRepeatedMessageOrEventGetsTheRecordedAnswer(message: String, event: String) async throws {
    let scene = try await AnalysisScene()
    try await scene.set("max_analyses_per_hour = 1")
    let first = try await scene.analyze("m-1", event: "e-1")
    let effects = try await scene.demo.effects()
    try await scene.set("is_enabled = false")

    let again = try await scene.analyze(message, ["shouldNotify": "false"], event: event, at: Demo.now + 60)

    #expect(first.outcome == "delivered" && again.outcome == "delivered")
    #expect(try await scene.demo.effects() == effects)
    #expect(try await scene.demo.number("SELECT count(*) FROM analyses") == 1)
  }

  @Test func copiesAtOnceAreToldOnce() async throws {
    let scene = try await AnalysisScene()
    try await scene.set("max_analyses_per_hour = 1")

    let outcomes = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 1...6 { group.addTask { try await scene.analyze().outcome } }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(outcomes == Array(repeating: "delivered", count: 6))
    #expect(try await scene.demo.effects() == [1, 1, 1, 1, 1])
  }
}
