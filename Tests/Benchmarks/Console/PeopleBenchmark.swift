import FunctionKit
import Postgres
import TestSupport

/// The console of a bundle that tells very many people very much: how fast its pages are, also while much is written.
struct PeopleBenchmark {
  let effort: Effort

  private static let most = (kilobytes: 60.0, milliseconds: 100.0)

  func findings() async throws -> [Finding] {
    try await LocalCluster.with { cluster in
      let people = ManyPeople(
        notifications: effort.choose(quick: 2_000, normal: 100_000),
        devices: effort.choose(quick: 200, normal: 10_000), phones: effort.choose(quick: 50, normal: 1_000),
        audience: effort.choose(quick: 2_000, normal: 100_000),
        history: effort.choose(quick: 20_000, normal: 10_000_000))
      let project = try await QueueProject(cluster, manifest: try ManyPeople.manifest(), tables: Orders.table())
      try await connected(to: project.databaseURL) { try await people.fill($0) }
      let runner = try await project.start()
      try await project.waitUntilPushed()
      guard try await PageReadings.text(of: "phones", runner).contains("<article") else {
        throw BenchmarkError("No phone has got its push.")
      }
      let quiet = try await pages(runner, "")
      let writing = try await whileWriting(project) { try await pages(runner, ", while rows are inserted") }
      try await runner.stop()
      return quiet + writing
    }
  }

  private func pages(_ runner: ServingRunner, _ when: String) async throws -> [Finding] {
    let pages = [
      ("a person", "people/\(ManyPeople.person)"), ("a person's older decisions", try await older(runner)),
      ("people", "people"), ("phones", "phones"), ("a person's phones", "phones?user=\(ManyPeople.person)"),
      ("now", ""), ("an event's people", "explain/\(ManyPeople.event)"), ("events with people", "explain"),
    ]
    var findings: [Finding] = []
    for (name, path) in pages {
      findings += try await PageReadings.read(path, of: runner, times: effort.choose(quick: 10, normal: 100)).findings(
        "console-people: \(name)\(when)", kilobytes: Self.most.kilobytes, limit: 2_000, goal: Self.most.milliseconds)
    }
    return findings
  }

  /// The path of the page that follows a person's first.
  private func older(_ runner: ServingRunner) async throws -> String {
    let path = "people/\(ManyPeople.person)"
    let page = try await PageReadings.text(of: path, runner)
    guard let link = page.firstMatch(of: /id="older" href="\/_\/console\/([^"]*)"/)?.1 else {
      throw BenchmarkError("The person's page has no link to older decisions.")
    }
    return String(link).replacing("&amp;", with: "&")
  }

  /// Inserts rows again and again, 100,000 in each transaction, until the body has ended.
  private func whileWriting<Answer>(
    _ project: QueueProject, _ body: () async throws -> Answer
  ) async throws -> Answer {
    let rows = effort.choose(quick: 2_000, normal: 100_000)
    let url = project.databaseURL
    let writing = Task {
      try await connected(to: url) { database in
        // It ends after a script, and not within.
        while !Task.isCancelled { try await Task { try await database.script(Orders.rows(rows)) }.value }
      }
    }
    let answer: Answer
    do { answer = try await body() } catch {
      writing.cancel()
      _ = try? await writing.value
      throw error
    }
    writing.cancel()
    try await writing.value
    try await project.waitUntilEmpty(within: .seconds(600))
    return answer
  }
}
