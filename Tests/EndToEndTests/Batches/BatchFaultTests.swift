import FunctionKit
import Glibc
import Postgres
import TestSupport
import Testing

/// Faults in the middle of a batch neither lose an event nor tell anybody twice.
@Suite(.heavy)
struct BatchFaultTests {
  private func function(_ url: String, batch: Int? = nil) throws -> StreamedFunction {
    var environment = BatchRun.environment(url, .inBatches)
    if let batch { environment[Environment.batch] = "\(batch)" }
    return try StreamedFunction("vote-cast", environment: environment)
  }

  @Test func aRowThatTheDatabaseRefusesFailsOnlyItsOwnEvent() async throws {
    let scene = try await VotesScene()
    let usual = try await scene.undisturbed()
    try await BatchRun.write(
      [
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''refused''; END'",
        """
        CREATE TRIGGER refuse BEFORE INSERT ON deliveries FOR EACH ROW
          WHEN (NEW.user_id = '\(try await id(of: 40, scene))') EXECUTE FUNCTION refuse()
        """,
      ], to: scene.url)

    let answers = try await function(scene.url).answers(to: scene.lines).map { try BatchRun.canonical($0) }

    let failed = answers.indices.filter { !answers[$0].contains(#""exit":0"#) }
    #expect(failed == [39])
    #expect(answers.indices.allSatisfy { $0 == 39 || answers[$0] == usual.answers[$0] })
    let image = try await scene.image()
    for table in ["deliveries", "decisions", "notifications", "handled_events"] {
      let lost = usual.image.count(table) - image.count(table)
      // The event and the change of its row are taken together.
      #expect(lost == (table == "handled_events" ? 2 : 1), "\(table)")
    }
  }

  private func id(of person: Int, _ scene: VotesScene) async throws -> String {
    try await BatchRun.connected(to: scene.url) { database in
      try await database.query("SELECT \(SQL(unescaped: VotesScene.person(person)))::text AS id").only().decode("id")
    }
  }

  @Test(arguments: [1, 20, 41, 64]) func anotherProcessDoesWhatAKilledOneLeft(person: Int) async throws {
    let scene = try await VotesScene()
    let usual = try await scene.undisturbed()

    try await resume(after: try await killed(by: Self.lock(person), scene), scene, usual)
  }

  /// A batch is written in thirds if people are told of several events.
  @Test(arguments: [10, 40, 64]) func anotherProcessDoesWhatOneLeftThatWasKilledWhileItWrote(vote: Int) async throws {
    let scene = try await VotesScene(people: 16)
    let usual = try await scene.undisturbed()
    try await BatchRun.write(
      [
        """
        CREATE FUNCTION hesitate() RETURNS trigger LANGUAGE plpgsql
          AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END'
        """,
        """
        CREATE TRIGGER hesitate BEFORE INSERT ON decisions FOR EACH ROW
          WHEN (NEW.event_id = 'vote \(vote)') EXECUTE FUNCTION hesitate()
        """,
      ], to: scene.url)

    try await resume(after: try await killed(by: "SELECT pg_advisory_xact_lock(1)", scene), scene, usual)
  }

  /// Another process gets all lines, and does what it would have done alone.
  private func resume(
    after killed: StreamedFunction, _ scene: VotesScene, _ usual: (answers: [String], image: DatabaseImage)
  ) async throws {
    let answers = try await scene.answers(of: function(scene.url), to: scene.lines)

    #expect(scene.lines.map { answers[$0] } == usual.answers)
    let differences = usual.image.differences(from: try await scene.image())
    if !differences.isEmpty { Issue.record("\(differences.joined(separator: "\n"))") }
    withExtendedLifetime(killed) {}
  }

  /// It answers what it has begun, and leaves the other lines alone.
  @Test(arguments: [1, 20, 64]) func aProcessThatIsToldToEndAnswersWhatItHasDone(person: Int) async throws {
    let scene = try await VotesScene()
    let usual = try await scene.undisturbed()

    let ended = try await stopped(by: Self.lock(person), scene) { $0.send(SIGTERM) }
    let answers = try await ended.rest().map { try BatchRun.canonical($0) }
    let image = try await scene.image()
    let others = try await scene.answers(of: function(scene.url), to: Array(scene.lines.dropFirst(answers.count)))

    #expect(answers.count >= person && answers == Array(usual.answers.prefix(answers.count)))
    #expect(image.count("decisions") == answers.count)
    #expect(
      scene.lines.dropFirst(answers.count).map { others[$0] } == usual.answers.dropFirst(answers.count).map(\.self))
    let differences = usual.image.differences(from: try await scene.image())
    if !differences.isEmpty { Issue.record("\(differences.joined(separator: "\n"))") }
  }

  @Test func linesBeforeTheEndOfTheInputAreAnswered() async throws {
    let scene = try await VotesScene()
    let usual = try await scene.undisturbed()
    let function = try function(scene.url)

    try await function.give(scene.lines)
    try function.close()
    let answers = try await function.rest().map { try BatchRun.canonical($0) }

    #expect(answers == usual.answers)
  }

  private static func lock(_ person: Int) -> SQL {
    "SELECT FROM users WHERE id = \(SQL(unescaped: VotesScene.person(person))) FOR UPDATE"
  }

  private func killed(by lock: SQL, _ scene: VotesScene) async throws -> StreamedFunction {
    try await stopped(by: lock, scene) { function in
      function.send(SIGKILL)
      _ = try await function.rest()
    }
  }

  /// A function that got all lines, and to which something is done while it waits for a lock.
  private func stopped(
    by lock: SQL, _ scene: VotesScene, _ body: (StreamedFunction) async throws -> Void
  ) async throws -> StreamedFunction {
    let function = try function(scene.url)
    try await BatchRun.connected(to: scene.url) { database in
      try await database.transaction { transaction in
        _ = try await transaction.query(lock)
        try await function.give(scene.lines)
        try await BatchRun.connected(to: scene.url) { onlooker in
          try await onlooker.wait(
            until: """
              EXISTS (
                SELECT FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'vote-cast' AND wait_event_type = 'Lock')
              """)
        }
        try await body(function)
      }
    }
    return function
  }

  @Test(arguments: [1, 2, 3]) func aCommitWithoutAnAnswerCountsOnce(each: Int) async throws {
    let scene = try await VotesScene()
    let usual = try await scene.undisturbed()
    let link = try DatabaseLink(to: scene.url)
    link.loseAnswers(each: each)

    // Batches of eight make enough commits to lose some of them.
    let answers = try await scene.answers(of: function(link.linkedURL, batch: 8), to: scene.lines) { round in
      if round == 3 { link.loseAnswers(each: nil) }
    }

    #expect(link.lost > 0)
    #expect(scene.lines.map { answers[$0] } == usual.answers)
    let differences = usual.image.differences(from: try await scene.image())
    if !differences.isEmpty { Issue.record("\(differences.joined(separator: "\n"))") }
  }

  /// Each has three quarters of the events, and takes them in another order.
  @Test(arguments: [VotesScene.count, 4]) func twoProcessesWithTheSameEventsTellOfEachOnce(people: Int) async throws {
    let scene = try await VotesScene(people: people)
    let usual = try await scene.undisturbed()
    let (one, other) = (try function(scene.url), try function(scene.url))

    async let first = scene.answers(of: one, to: Array(scene.lines.dropLast(16)))
    async let second = scene.answers(of: other, to: scene.lines.dropFirst(16).reversed())
    let (answers, others) = try await (first, second)

    let differing = answers.filter { others[$0.key] != nil && others[$0.key] != $0.value }
    #expect(differing.isEmpty)
    #expect((answers.count, others.count) == (48, 48))
    let image = try await scene.image()
    if people == VotesScene.count {
      let differences = usual.image.differences(from: image)
      if !differences.isEmpty { Issue.record("\(differences.joined(separator: "\n"))") }
    } else {
      for table in ["decisions", "notifications", "handled_events"] {
        #expect(image.count(table) == usual.image.count(table), "\(table)")
      }
      for number in 1...VotesScene.count {
        #expect(image.count("decisions", containing: #""event_id": "vote \#(number)""#) == 1, "vote \(number)")
      }
    }
  }

  @Test func linesThatAreThereShareATransaction() async throws {
    let scene = try await VotesScene()

    _ = try await function(scene.url).answers(to: scene.lines)

    let transactions: Int = try await BatchRun.connected(to: scene.url) { database in
      try await database.query("SELECT count(DISTINCT xmin::text) AS n FROM decisions").only().decode("n")
    }
    // The first lines may be taken before all of them are there.
    #expect(transactions <= 2)
  }
}
