import Foundation
import FunctionKit
import Postgres
import TestSupport

/// One round: everything happens, then it is counted again.
struct Round {
  /// How long everything has to be handled when writers and faults have ended: a lease of deliveries is 60 s.
  static let quiet = Duration.seconds(100)

  let plan: Plan
  let seconds: Int
  let prepares: Bool
  /// Where to write what is left when it was wrong.
  let kept: String?

  /// Plays it.
  ///
  /// - Parameter bundle: its `functions.json`.
  func play(_ bundle: RawJSON) async throws -> RoundResult {
    let stage = try await Stage(bundle: bundle, for: plan)
    do {
      let result = try await play(on: stage)
      await stage.clear()
      return result
    } catch {
      await stage.clear()
      throw error
    }
  }

  private func play(on stage: Stage) async throws -> RoundResult {
    let state = WritersState()
    var outages: [Outage] = []
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in writers(stage.clientURL, state) { group.addTask { await writer() } }
      defer { state.stop() }
      do { outages = try await suffer(on: stage) } catch {
        state.stop()
        throw error
      }
      state.stop()
      try await group.waitForAll()
    }
    try await Writer.settlePrepared(stage.database)

    var recount = try await recount(stage, outages)
    let deadline = ContinuousClock.now + Self.quiet
    while recount.isIncomplete, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(500))
      try await stage.keepServing()
      recount = try await self.recount(stage, outages)
    }
    // Duplicates come a moment later.
    try await Task.sleep(for: .seconds(2))
    recount = try await self.recount(stage, outages)
    await stage.lookForOvertaken()
    let left = try await stage.end(plan.ending)
    let result = RoundResult(
      plan, recount, outages, left: left, ended: stage.ended, failures: state.failures, overtaken: stage.overtaken,
      disordered: stage.disordered)
    if let kept, !result.isRight { try keep(stage, outages, in: "\(kept)/\(plan.seed)-\(plan.number)") }
    return result
  }

  private func keep(_ stage: Stage, _ outages: [Outage], in folder: String) throws {
    let files = FileManager.default
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (number, program) in stage.programs.enumerated() {
      try Data(program.lines.joined(separator: "\n").utf8).write(
        to: URL(filePath: "\(folder)/runner-\(number + 1).log"))
    }
    let faults = outages.map { outage in
      let times = [outage.began, outage.ended].map { RFC3339.string(Date(timeIntervalSince1970: $0)) }
      let ahead = outage.ahead == 0 ? "" : ", ahead by \(outage.ahead) s"
      return "\(times[0]) to \(times[1]) \(outage.kind.rawValue)\(ahead)\n"
    }
    try Data(faults.joined().utf8).write(to: URL(filePath: "\(folder)/faults.txt"))
    try Data(Project(folder: stage.folder.path).effects().utf8).write(to: URL(filePath: "\(folder)/effects.txt"))
    try Data(journal(of: stage).utf8).write(to: URL(filePath: "\(folder)/pushes.ndjson"))
  }

  /// The emulator's, which turns over when it is full.
  private func journal(of stage: Stage) -> String {
    let path = "\(stage.folder.path)/.runner/push-emulator/pushes.ndjson"
    return Project.completeLines("\(path).1") + Project.completeLines(path)
  }

  private func writers(_ url: String, _ state: WritersState) -> [@Sendable () async -> Void] {
    let (plan, prepares) = (plan, prepares)
    let writers = (0..<plan.writers).map { number -> @Sendable () async -> Void in
      {
        var writer = Writer(number + 1, plan, url: url, prepares: prepares, state)
        await writer.run()
      }
    }
    let racers = (0..<plan.racers).map { number -> @Sendable () async -> Void in
      {
        var racer = Racer(101 + number, plan, url: url, state)
        await racer.run()
      }
    }
    let importer: @Sendable () async -> Void = {
      var importer = Importer(201, plan, url: url, state)
      await importer.run()
    }
    return writers + racers + [importer]
  }

  /// Goes through the plan's faults for as long as the round lasts.
  private func suffer(on stage: Stage) async throws -> [Outage] {
    let end = ContinuousClock.now + .seconds(seconds)
    var outages: [Outage] = []
    for step in plan.steps where ContinuousClock.now < end {
      try await Task.sleep(for: step.pause)
      if let outage = try await stage.suffer(step) { outages.append(outage) }
    }
    try await Task.sleep(until: max(end, .now))
    if stage.target.awaySince != nil {
      let step = Plan.Step(pause: .zero, fault: .targetReturns, hold: .zero, choice: 0)
      if let outage = try await stage.suffer(step) { outages.append(outage) }
    }
    return outages
  }

  private func recount(_ stage: Stage, _ outages: [Outage]) async throws -> Recount {
    try await Recount(
      stage.cluster.url(), effects: Project(folder: stage.folder.path).effects(),
      pushes: journal(of: stage), faults: outages)
  }
}
