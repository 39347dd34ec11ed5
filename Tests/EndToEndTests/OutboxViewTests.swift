import Foundation
import Postgres
import TestSupport
import Testing

/// The view for Kafka Connect that the runner's page gives.
@Suite(.heavy)
struct OutboxViewTests {
  @Test func showsWhatWaitsInTheShapeOfDebeziumsOutbox() async throws {
    let page = try House.text("Runner/README.md")
    let view = try #require(page.firstMatch(of: /```sql\n(CREATE VIEW outbox AS\n[^`]*)```/))
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(Ledger.function("ledger")), scripts: ["ledger": Ledger.script("ledger")])
    #expect(try await runner.run(["migrate"]).exit == 0)
    try await runner.database.script(String(view.1))

    try await runner.database.script("INSERT INTO entries VALUES (7, 'k')")

    let row = try await runner.database.query(
      """
      SELECT o.aggregatetype, o.aggregateid, o.type, (o.payload ->> 'number')::int AS number,
        o.id = e.partition || '.' || e.id AND o.timestamp = e.at AS is_same
      FROM outbox AS o, runner.events AS e
      """
    ).only()
    #expect(
      [row["aggregatetype"], row["aggregateid"], row["type"], row["number"], row["is_same"]]
        == ["entries", "k", "INSERT", "7", "t"])
  }
}
