import Foundation
import Notifications
import Postgres
import TestSupport
import Testing

@testable import PushDelivery

/// The log of attempts is only added to.
///
/// No trigger guards that: foreign keys and pruning have to change it.
@Suite(.makesDatabases)
struct AttemptLogTests {
  @Test func aLineIsNeverWrittenAgain() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueueOne(to: ["aa", "bb"])
    var lines: [String] = []
    let verdicts: [PushVerdict] = [.unknown, .retryLater(atLeast: nil), .holdDevice(atLeast: nil), .holdApp, .accepted]

    for (round, verdict) in verdicts.enumerated() {
      try await fixture.deliver(ScriptedClient(verdict, reason: "Reason").client, after: Double(round) * 4_000)
      let now = try await fixture.connection.query(
        "SELECT id || ' ' || xmin || ' ' || ctid AS line FROM push_notification_logs"
      ).decode("line", as: String.self)
      #expect(Set(now).isSuperset(of: lines) && now.count == 2 * (round + 1))
      lines = now
    }
    try await fixture.report(event: "acted", action: "REPLY")

    let after = try await fixture.connection.query(
      "SELECT id || ' ' || xmin || ' ' || ctid AS line FROM push_notification_logs")
    #expect(Set(try after.decode("line", as: String.self)) == Set(lines))
    #expect(try await fixture.log("aa").sorted() == ["deferred", "deferred", "failed", "sent", "unknown"])
  }

  @Test func noStatementChangesTheLogOrTheInteractions() throws {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    for folder in ["Shared", "Functions", "Runner"] {
      let files = FileManager.default.enumerator(atPath: "/\(root)/\(folder)")?.compactMap { $0 as? String } ?? []
      #expect(!files.isEmpty)
      for file in files where file.hasSuffix(".swift") || file.hasSuffix(".sql") {
        let text = try String(contentsOfFile: "/\(root)/\(folder)/\(file)", encoding: .utf8).lowercased()
        for table in ["push_notification_logs", "notification_interactions"] {
          #expect(!text.contains("update \(table)"), "\(file)")
        }
      }
    }
  }
}
