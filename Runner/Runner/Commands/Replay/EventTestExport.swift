import Capture
import Documents
import FoundationEssentials
import FunctionKit
import Inspection
import Manifest
import Postgres
import System

/// `runner export ID --as-test`: an event with the rows that its decision was made of, and what was decided.
enum EventTestExport {
  /// Functions that take away what they decide by, so that the same decision cannot be made again.
  private static let consuming = [
    "proposal-updated": "proposal-updated takes away the votes by which it chooses people"
  ]

  /// - Throws: ``FunctionError`` if nothing was decided, about too many people, or the event is no longer kept.
  static func document(
    of event: EventSummary, body: RawJSON, _ database: Connection, _ project: Project
  ) async throws -> RawJSON {
    let words = [event.id, "--function", event.function, "--count", "\(ExpectedDecision.most)"]
    let events = Set([event.id, body["id"]?.stringValue ?? event.id])
    let all = try await Explanation(project).ask(words).handlings.filter { handling in
      events.contains { handling.event == $0 || handling.event.hasPrefix("\($0)/") }
    }
    // Another source may have sent another event of this id.
    let source = Set(all.map(\.source)).count > 1 ? body["source"]?.stringValue : nil
    let handlings = all.filter { source == nil || $0.source == source }
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
    let manifest = project.manifest
    let catalog = try await FixtureCatalog(database, manifest)
    var fixture = FixtureRows(database, catalog, of: event.function, events: events, at: at)
    let rows = try await fixture.collect(ids.sorted())
    let doubts = (consuming[event.function].map { [ReplayDoubt($0)] } ?? []) + fixture.doubts
    let test = EventTest(
      function: event.function, at: at, event: body, rows: rows, expected: expected, doubts: doubts)
    var pseudonyms = Pseudonyms(
      columns: catalog.tables.mapValues { Set($0.columns) }, sample: sample(of: event.function, manifest),
      redacted: manifest.functions.flatMap(\.redact))
    return try pseudonyms.replaced(test).document()
  }

  private static func sample(of function: String, _ manifest: Manifest) -> RawJSON? {
    manifest[function]?.sample.flatMap { TextFile.read("\(manifest.directory)/\($0)") }
      .flatMap { try? RawJSON(validating: Array($0.utf8)[...]) }
  }

  private static func nothing(_ event: EventSummary) -> FunctionError {
    FunctionError(.noInput, "\(event.function) has decided about nobody because of this event.")
  }
}
