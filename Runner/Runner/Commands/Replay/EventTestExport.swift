import Documents
import FoundationEssentials
import FunctionKit
import Inspection
import Manifest
import Postgres

/// `runner export ID --as-test`: an event with the rows that its decision was made of, and what was decided.
enum EventTestExport {
  /// - Throws: ``FunctionError`` if nothing was decided, about too many people, or the event is no longer kept.
  static func document(
    of event: EventSummary, body: RawJSON, _ database: Connection, _ project: Project
  ) async throws -> RawJSON {
    let words = [event.id, "--function", event.function, "--count", "\(ExpectedDecision.most)"]
    let handlings = try await Explanation(project).ask(words).handlings
    guard let at = handlings.map(\.at).min() else { throw nothing(event) }
    let people = handlings.flatMap(\.people)
    guard !people.isEmpty else { throw nothing(event) }
    let number = handlings.reduce(0) { $0 + $1.candidates }
    guard number <= ExpectedDecision.most else {
      throw FunctionError(
        .usage, "The event is about \(number) people, and a test is about \(ExpectedDecision.most) at most.")
    }
    let expected = people.map(ExpectedDecision.init)
    let named = "\(body.printable) \(expected.map { "\($0.person) \($0.subject)" })"
    let ids = Set(
      named.matches(of: /[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/).map { $0.output.lowercased() })
    var fixture = try await FixtureRows(database, event: event.id, at: at, people: project.manifest.people?.into.table)
    let rows = try await fixture.collect(ids.sorted())
    let test = EventTest(function: event.function, at: at, event: body, rows: rows, expected: expected)
    var pseudonyms = Pseudonyms(
      words: try await fixture.words(), redacted: project.manifest[event.function]?.redact ?? [])
    return try pseudonyms.replaced(test.document())
  }

  private static func nothing(_ event: EventSummary) -> FunctionError {
    FunctionError(.noInput, "\(event.function) has decided about nobody because of this event.")
  }
}
