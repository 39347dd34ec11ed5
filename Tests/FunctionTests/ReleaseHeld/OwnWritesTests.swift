import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// The function that follows people's acts does not react to the functions' own writes.
@Suite(.heavy)
struct OwnWritesTests {
  /// A person with several votes that wait to be told of, in a database that makes events as `functions.json` says.
  private func scene(votes: Int) async throws -> DeliveryPolicyScene {
    let scene = try await DeliveryPolicyScene()
    let start = Date.now.addingTimeInterval(-3_600)
    for number in 0..<votes { try await scene.vote(number, at: start.addingTimeInterval(Double(number))) }
    let project = try TemporaryDirectory()
    try project.write(Schema.manifest(try Repository.text("functions.json")), to: "functions.json")
    let migrating = try await BuiltExecutables.run(
      "runner", ["migrate", "--project", project.path], environment: ["DATABASE_URL": scene.demo.url])
    try #require(migrating.exit == 0, "\(migrating.stdout) \(migrating.stderr)")
    _ = try await scene.demo.connection.query("DELETE FROM runner.events")
    return scene
  }

  private func events(_ scene: DeliveryPolicyScene) async throws -> Int {
    try await scene.demo.number("SELECT count(*) FROM runner.events WHERE function = 'action-completed'")
  }

  @Test func theArchivingOfWhatReleaseHeldMergedMakesNoEventAndAPersonsDoes() async throws {
    let scene = try await scene(votes: 40)

    let released = try await BuiltExecutables.run(
      "release-held", stdin: "{}", environment: ["DATABASE_URL": scene.demo.url])

    #expect(released.exit == 0, "\(released.stdout)")
    #expect(
      try await scene.demo.number("SELECT count(*) FROM notifications WHERE is_archived AND merged_into IS NOT NULL")
        == 39)
    #expect(try await events(scene) == 0)

    _ = try await scene.demo.connection.query("UPDATE notifications SET is_archived = true WHERE NOT is_archived")
    #expect(try await events(scene) == 1)
  }
}
