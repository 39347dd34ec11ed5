import Postgres
import TestSupport
import Testing

extension ContainerTests {
  /// From one package to the next on a machine with systemd, while clients call and people vote without end; then it is
  /// removed, and purged.
  ///
  /// Both packages have the programs under test. The later one has a migration more.
  @Test func aPackageIsUpgradedUnderLoadAndThenTakenAway() async throws {
    let site = try await Site("upgrade", 12)
    let place = try await UnitPlace(site)
    try await note("`make dist`, upgraded under systemd", of: [place], [.built, .served, .pushed, .drained]) { isDone in
      try await place.makeLaterPackage()
      isDone(.built)
      try await place.migrate()
      try await place.loadPeople()
      try await place.start()
      try await awaitReady(place)
      let voting = site.keepVoting()
      let calling = Self.keepCalling(place)
      defer {
        voting.cancel()
        calling.cancel()
      }
      try await site.database.wait(until: Self.votes(20))
      isDone(.served)

      try await place.upgrade()
      try await awaitReady(place)
      let count = try await site.database.query("SELECT count(*)::int AS n FROM votes").decode("n", as: Int.self)
      try await site.database.wait(until: Self.votes((count.first ?? 0) + 20))
      voting.cancel()
      calling.cancel()
      try await voting.value
      // In the pause nobody is reached, and nothing else fails.
      let answers = try await calling.value
      let pause = answers.drop { $0 == "200" }.reversed().drop { $0 == "200" }
      try #require(answers.first == "200" && answers.last == "200" && pause.allSatisfy { $0 == "000" }, "\(answers)")
      let later = try await site.database.query("SELECT FROM runner.migrations WHERE name = 'apps/9999_later'")
      try #require(later.count == 1, "It was not migrated.")
      let journal = try await place.journal()
      try #require(journal.contains("Deactivated successfully"), "\(journal)")
      try #require(!journal.contains("Main process exited"), "\(journal)")
      isDone(.drained)

      try await site.expectToldOnce()
      try await place.expectShown()
      isDone(.pushed)

      let left = try await place.take(away: "remove")
      #expect(left.contains("/etc/push-functions") && !left.contains("/opt/push-functions"), "\(left)")
      #expect(try await place.users() == [])
      #expect(try await place.take(away: "purge") == [])
    }
  }

  private static func votes(_ count: Int) -> SQL { "(SELECT count(*) FROM votes) >= \(count)" }

  /// Calls one time after the other until it is cancelled; what each was answered, 000 if nobody did.
  private static func keepCalling(_ place: UnitPlace) -> Task<[String], any Error> {
    Task {
      var answers: [String] = []
      while !Task.isCancelled {
        answers.append(try await Task { try await place.call("/functions/v1/echo") }.value)
      }
      return answers
    }
  }
}
