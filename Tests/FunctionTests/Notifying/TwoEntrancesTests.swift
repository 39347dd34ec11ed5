import FoundationEssentials
import FunctionKit
import Postgres
import StoreLive
import TestSupport
import Testing

/// A row that reaches its function by two ways is told once; a row that is inserted again is told again.
@Suite(.heavy)
struct TwoEntrancesTests {
  @Test(arguments: RowInsertion.allCases, [Entrance.trigger, .http])
  func anInsertionIsToldByTheFirstEventAlone(_ insertion: RowInsertion, first: Entrance) async throws {
    let demo = try await insertion.demo()
    let others = Entrance.allCases.filter { $0 != first }
    let document = try await insertion.document(by: first, demo)
    // The function's own writes into the row are not part of its insertion.
    let repeats = try await others.asyncMap { try await insertion.document(by: $0, demo, id: "another") }

    let answer = try await insertion.tell(document, demo)
    let told = try await demo.told()
    let again = try await (repeats + repeats + [document]).asyncMap {
      // After the time in which the same words are not said again.
      try await insertion.tell($0, demo, minutes: 60)
    }

    #expect(answer.result.notified > 0)
    #expect(again.allSatisfy { $0.json == answer.json })
    #expect(try await demo.told() == told)
  }

  @Test(arguments: RowInsertion.allCases)
  func ofSeveralAtOnceOneTells(_ insertion: RowInsertion) async throws {
    let demo = try await insertion.demo()
    let documents = try await Entrance.allCases.asyncMap { try await insertion.document(by: $0, demo) }

    let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
      for document in documents + documents {
        group.addTask { try await insertion.tell(document, demo) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(answers.allSatisfy { $0.result.decisions == answers[0].result.decisions })
    #expect(answers[0].result.notified > 0)
    #expect(try await demo.told()[2] == answers[0].result.counts.values.reduce(0, +))
    let counts = "SELECT count(*) FROM notifications n JOIN deliveries d ON d.notification_id = n.id" as SQL
    #expect(try await demo.number("\(counts) WHERE n.type <> 'vote_count'") == answers[0].result.deliveries)
  }

  @Test(arguments: RowInsertion.allCases)
  func whatFailedIsToldByTheNext(_ insertion: RowInsertion) async throws {
    let demo = try await insertion.demo()
    let documents = try await Entrance.allCases.asyncMap { try await insertion.document(by: $0, demo) }
    try await demo.connection.script("ALTER TABLE deliveries ADD CONSTRAINT never CHECK (app = 'never')")
    await #expect(throws: (any Error).self) { try await insertion.tell(documents[0], demo) }
    #expect(try await demo.number("SELECT count(*) FROM handled_events") == 0)

    try await demo.connection.script("ALTER TABLE deliveries DROP CONSTRAINT never")
    let second = try await insertion.tell(documents[1], demo)
    let first = try await insertion.tell(documents[0], demo)

    #expect(second.result.notified > 0)
    #expect(first.json == second.json)
  }

  @Test(arguments: RowInsertion.allCases)
  func aDryRunLeavesNothingAndKnowsWhatWasTold(_ insertion: RowInsertion) async throws {
    let demo = try await insertion.demo()
    let documents = try await Entrance.allCases.asyncMap { try await insertion.document(by: $0, demo) }

    let before = try await insertion.tell(documents[0], demo, dryRun: true)
    #expect(try await demo.number("SELECT count(*) FROM handled_events") == 0)
    let real = try await insertion.tell(documents[1], demo)
    let effects = try await demo.effects()
    let after = try await insertion.tell(documents[0], demo, dryRun: true)

    #expect(before.result.alreadyApplied == false && after.result.alreadyApplied == true)
    #expect(before.result.decisions == real.result.decisions)
    // Once it was told, a new lead is no longer new, and an app's own entry counts as told.
    if ![.proposalVotes, .notifications].contains(insertion) {
      #expect(after.result.decisions == real.result.decisions)
    }
    #expect(try await demo.effects() == effects)
  }

  /// An app may call before its transaction has ended.
  @Test func aCallBeforeTheRowIsThereTakesNothingAway() async throws {
    let demo = try await Demo()
    let documents = try await Entrance.allCases.asyncMap { try await RowInsertion.votes.document(by: $0, demo) }
    try await demo.connection.script("CREATE TABLE kept AS SELECT * FROM votes; DELETE FROM votes")
    let early = try await RowInsertion.votes.tell(documents[1], demo)
    try await demo.connection.script("INSERT INTO votes SELECT * FROM kept")

    let told = try await RowInsertion.votes.tell(documents[0], demo)
    let late = try await RowInsertion.votes.tell(documents[2], demo)

    #expect(early.result.reason == "subject_gone")
    #expect(told.result.notified == 1)
    #expect(late.json == told.json)
  }

  /// The proposal's status and its event are two rows; the one that comes first waits for the other.
  @Test func anEventThatWaitsForAnotherRowTakesNothingAway() async throws {
    let demo = try await RowInsertion.events.demo()
    let documents = try await Entrance.allCases.asyncMap { try await RowInsertion.events.document(by: $0, demo) }
    try await demo.connection.script("UPDATE event_proposals SET status = 'open'")
    let early = try await RowInsertion.events.tell(documents[1], demo)
    try await demo.connection.script("UPDATE event_proposals SET status = 'confirmed'")

    let told = try await RowInsertion.events.tell(documents[0], demo)

    #expect(early.result.reason == "not_both_there")
    #expect(told.result.notified > 0)
  }

  @Test func aRowOfAnotherSchemaIsAnotherRow() async throws {
    let demo = try await Demo()
    let document = try await RowInsertion.comments.document(by: .trigger, demo)
    let other = try await RowInsertion.comments.document(by: .http, demo)
      .replacing(#""schema":"public""#, with: #""schema":"other""#)

    let first = try await RowInsertion.comments.tell(document, demo)
    let second = try await RowInsertion.comments.tell(other, demo, minutes: 60)

    #expect(first.result.notified == 3 && second.result.notified == 3)
    #expect(second.result.event == "7.1" && first.json == second.json)
    #expect(try await demo.told()[2] == 14)
  }

  @Test func aRowWithoutAnIDIsRefusedAsBefore() async throws {
    let demo = try await Demo()
    let document = RowInsertion.comments.document(by: .http, record: #"{"id":7}"#)

    await #expect(throws: FunctionError.self) { try await RowInsertion.comments.tell(document, demo) }
  }

  @Test func whatWasToldByAnotherEventIsExplained() async throws {
    let demo = try await Demo()
    let trigger = try await RowInsertion.votes.document(by: .trigger, demo, id: "7.1")
    let call = try await RowInsertion.votes.document(by: .http, demo, id: "call-1")
    _ = try await RowInsertion.votes.tell(trigger, demo)
    _ = try await RowInsertion.votes.tell(call, demo)

    let outcome = try await BuiltExecutables.run(
      "push", ["why", "call-1"], environment: ["DATABASE_URL": demo.url])
    let row = try await BuiltExecutables.run(
      "push", ["why", RowEvent.vote], environment: ["DATABASE_URL": demo.url])

    #expect(outcome.stdout.contains("No candidates: the same change of the row was told because of event 7.1."))
    #expect(row.exit == 66)
  }
}

extension Sequence {
  func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
