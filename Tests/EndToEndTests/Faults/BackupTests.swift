import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// A dump that is made while everything works, restored into another database, from which a runner goes on.
@Suite(.heavy, .qualifiesReleases)
struct BackupTests {
  /// The pushes that phones show, by token and collapse id, and how often each was sent.
  private func shown(_ phones: Phones) async throws -> [String: Int] {
    try await phones.pushes().reduce(into: [:]) { shown, push in
      shown["\(push["token"]?.stringValue ?? "")/\(push["collapseID"]?.stringValue ?? "")", default: 0] += 1
    }
  }

  /// The keys of ``shown(_:)`` of a database's deliveries.
  private func deliveries(_ database: Connection, where condition: SQL) async throws -> Set<String> {
    Set(
      try await database.query(
        """
        SELECT t.token || '/' || coalesce(n.collapse_id, n.id::text) AS key FROM deliveries d
        JOIN notifications n ON n.id = d.notification_id JOIN device_tokens t ON t.id = d.device_token_id
        WHERE \(condition)
        """
      ).decode("key", as: String.self))
  }

  private func runProgram(_ name: String, _ words: String...) async throws {
    let outcome = try await BuiltExecutables.run(TemporaryPostgres.program(name), words, timeout: .seconds(300))
    try #require(outcome.exit == 0, "\(name): \(outcome.stderr)")
  }

  /// Sent pushes are not sent again, those that waited take their own place, and events that waited tell anew.
  @Test func aDumpThatIsMadeUnderLoadGoesOnInAnotherDatabase() async throws {
    let folder = try TemporaryDirectory()
    let emulator = try RunningProgram("push-emulator", ["serve", "--directory", "\(folder.path)/emulator"])
    let ready = try await emulator.line { $0.hasPrefix(#"{"ready":true"#) }
    let environment = (try RawJSON(validating: Array(ready.utf8)[...])["environment"]?.members ?? [])
      .reduce(into: [String: String]()) { $0[$1.name] = $1.value.stringValue }
    let bundle = try await RunningBundle(environment: environment)
    let phones = Phones(try await bundle.start().served, environment)
    try await bundle.settle()

    let dump = "\(folder.path)/dump"
    let database = bundle.runner.database
    async let votes: Void = database.vote(150)
    try await database.wait(until: "(SELECT count(*) FROM deliveries WHERE state = 'accepted') >= 30")
    // The runner is held, so that some events wait in the dump however fast it is.
    phones.served.program.send(SIGSTOP)
    try await votes
    try await database.vote(3)
    try await runProgram("pg_dump", "--format=custom", "--file", dump, "--dbname", bundle.runner.databaseURL)
    phones.served.program.send(SIGCONT)
    try await bundle.settle()
    phones.served.program.send(SIGTERM)
    #expect(try await phones.served.program.exit() == 0)
    let before = try await shown(phones)

    let url = try await TemporaryPostgres.database()
    try await runProgram("pg_restore", "--exit-on-error", "--dbname", url, dump)
    let restored = try await RunningBundle(environment: environment, database: url)
    let sent = try await deliveries(restored.runner.database, where: "d.state = 'accepted'")
    let waiting = try await restored.runner.database.query("SELECT count(*) AS events FROM runner.events").only()
    #expect(waiting["events"] != "0", "The dump had nothing left to do.")
    let known = try await deliveries(restored.runner.database, where: "true")
    for command in ["migrate", "doctor"] {
      let outcome = try await restored.runner.run([command])
      #expect(outcome.exit == 0, "\(command): \(outcome.stdout)\(outcome.stderr)")
    }
    let second = Phones(try await restored.start(migrates: false).served, environment)
    try await restored.settle()

    let after = try await shown(second)
    // Not again, unless its answer had not been recorded yet.
    #expect(sent.filter { before[$0] == 1 && after[$0] != 1 } == [])
    let counts = try await restored.runner.database.query(
      """
      SELECT (SELECT count(*) FROM votes) AS votes, (SELECT count(*) FROM runner.dead_letters) AS dead,
        (SELECT count(*) FROM handled_events WHERE function = 'vote-cast' AND source LIKE '/%') AS handled
      """
    ).only()
    #expect(
      counts["handled"] == counts["votes"] && counts["dead"] == "0",
      "\(counts["handled"] ?? "") of \(counts["votes"] ?? "") votes, \(counts["dead"] ?? "") dead letters")
    try await restored.runner.expectEachShownOnce(second, isRestored: true)
    // What the dump had as a notification stands on the phones in its place.
    let anew = Set(after.keys).subtracting(before.keys)
    let toldAnew = try await deliveries(restored.runner.database, where: "d.state = 'accepted'").subtracting(known)
    #expect(anew.isSubset(of: toldAnew))
  }
}
