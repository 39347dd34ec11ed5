import Foundation
import Glibc
import Postgres
import TestSupport

/// A fault that was brought about, in seconds since 1970.
struct Outage {
  let kind: Plan.Fault
  let began: Double
  /// When everything was as before.
  let ended: Double
  /// By how many seconds a clock was wrong meanwhile.
  var ahead = 0
}

extension Stage {
  /// How long a fault still counts when it is over, in seconds.
  private static func aftermath(of fault: Plan.Fault, after length: Double) -> Double {
    switch fault {
    // Everything runs again 20 s after a connection was cut off.
    case .halfOpen: max(0, 10 - length)
    // A minute after a clock was set right.
    case .clockJumps: 50
    // A target that was away is asked again after a pause, which has doubled with each try.
    case .targetReturns, .targetStopped: min(60, length) + 1
    default: 0
    }
  }

  /// Brings a fault about and waits until it is over.
  ///
  /// - Returns: nil where there was nothing that could suffer the fault.
  func suffer(_ step: Plan.Step) async throws -> Outage? {
    try await keepServing()
    let awaySince = step.fault == .targetReturns ? target.awaySince : nil
    let began = awaySince ?? Date.now.timeIntervalSince1970
    guard try await carryOut(step) else { return nil }
    try await keepServing()
    try await waitForServer()
    let over = Date.now.timeIntervalSince1970
    return Outage(
      kind: step.fault, began: began, ended: over + Self.aftermath(of: step.fault, after: over - began),
      ahead: step.fault == .clockJumps ? step.jump.ahead : 0)
  }

  private func carryOut(_ step: Plan.Step) async throws -> Bool {
    switch step.fault {
    case .runnerKilled: try await killRunner()
    case .runnerStopped: return try await stop(runner.program.processID, for: step.hold)
    case .guardKilled: return try await signal(guards(), step, kills: true)
    case .guardStopped: return try await signal(guards(), step, kills: false)
    case .workerKilled: return try await signal(workers(), step, kills: true)
    case .workerStopped: return try await signal(workers(), step, kills: false)
    case .deliveryKilled: return try await signal(named("push-delivery"), step, kills: true)
    case .deliveryStopped: return try await signal(named("push-delivery"), step, kills: false)
    case .emulatorKilled: return try await signal(named("push-emulator"), step, kills: true)
    case .emulatorStopped: return try await signal(named("push-emulator"), step, kills: false)
    case .postmasterStopped:
      guard let session = try await sessions().first, let postmaster = RunningProcess(session)?.parent else {
        return false
      }
      return try await stop(postmaster, for: step.hold)
    case .sessionKilled:
      guard let session = try await session(step) else { return false }
      _ = Glibc.kill(session, SIGKILL)
    case .sessionStopped:
      guard let session = try await session(step) else { return false }
      return try await stop(session, for: step.hold)
    case .serverStopped:
      try await cluster.stop()
      try await Task.sleep(for: step.hold)
      try await cluster.start()
    case .serverKilled:
      try await cluster.kill()
      try await Task.sleep(for: step.hold)
      try await cluster.start()
    case .halfOpen: link.fallSilent()
    case .diskFull:
      try await cluster.fillDisk()
      try await Task.sleep(for: step.hold)
      try await cluster.freeDisk()
      // It may have ended itself over a full log.
      try? await cluster.start()
    case .secondJoins: try await join()
    case .secondLeaves:
      guard second != nil else { return false }
      try await leave(bySignal: step.choice % 2 == 0 ? SIGTERM : SIGKILL)
    case .clockJumps:
      guard let clocks else { return false }
      try await clocks.suffer(step.jump, for: step.hold)
    case .poolerKilled:
      guard let pooler else { return false }
      try await pooler.kill()
      try await Task.sleep(for: step.hold)
      try await pooler.start()
    case .poolerStopped:
      guard let process = pooler?.processID else { return false }
      return try await stop(process, for: step.hold)
    case .targetLeaves:
      guard target.awaySince == nil else { return false }
      try await target.vanish(bySignal: step.choice % 2 == 0 ? SIGTERM : SIGKILL)
    case .targetReturns:
      guard target.awaySince != nil else { return false }
      try await target.comeBack()
      remember()
    case .targetStopped:
      guard target.awaySince == nil else { return false }
      // Some of its time limits of 3 s run out.
      return try await stop(target.program.processID, for: step.hold + .seconds(3))
    }
    return true
  }

  /// Waits until the server has written something.
  func waitForServer() async throws {
    let deadline = ContinuousClock.now + .seconds(30)
    while (try? await database.query("SELECT pg_current_xact_id()")) == nil {
      guard ContinuousClock.now < deadline else { throw ChaosError("PostgreSQL does not come back.") }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Processes of functions.
  private func workers() -> [RunningProcess] {
    let runners = [runner, second].compactMap { $0?.program.processID }
    return processes().filter {
      runners.contains($0.parent) && $0.arguments.dropFirst().first != "guard"
        && !["push-delivery", "push-emulator"].contains($0.name)
    }
  }

  private func named(_ name: String) -> [RunningProcess] { processes().filter { $0.name == name } }

  private func signal(_ processes: [RunningProcess], _ step: Plan.Step, kills: Bool) async throws -> Bool {
    guard let victim = processes.map(\.id).sorted().chosen(by: step.choice) else { return false }
    guard kills else { return try await stop(victim, for: step.hold) }
    return Glibc.kill(victim, SIGKILL) == 0
  }

  /// Stops a process for a while.
  private func stop(_ process: pid_t, for hold: Duration) async throws -> Bool {
    guard Glibc.kill(process, SIGSTOP) == 0 else { return false }
    defer { _ = Glibc.kill(process, SIGCONT) }
    try await Task.sleep(for: hold)
    return true
  }

  private func session(_ step: Plan.Step) async throws -> pid_t? { try await sessions().chosen(by: step.choice) }

  /// The server's processes that serve clients, all but the stage's own.
  private func sessions() async throws -> [pid_t] {
    try await database.query(
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY pid"
    ).decode("pid", as: Int.self).map { pid_t($0) }
  }
}

extension Array {
  fileprivate func chosen(by choice: UInt64) -> Element? {
    isEmpty ? nil : self[Int(choice % UInt64(count))]
  }
}
