import FunctionKit
import LocalPostgres
import Manifest
import Queue
import System

// The parts of the server beside the gateway and the queue.
extension Server {
  /// Ends what dead runners of the project have left, and records the id that marks this runner's processes.
  func keepRecord(of watchman: Watchman) async {
    let (project, id) = (project, watchman.id)
    do {
      try await RunRecord.endLeftovers(of: project, log: log)
      record = try await BlockingThread.run { try RunRecord(id: id, in: project) }
    } catch {
      // The folder may be read-only.
      log.warning(
        "If this runner and its guard are killed, the next start will not find what they leave",
        ["error.cause": "\(error)"])
    }
  }

  /// Waits until the local PostgreSQL has ended; starts it first if it has.
  func keepPostgres() async throws {
    if await postgres?.isRunning == false { postgres = try await LocalPostgres.start(project: project.directory) }
    while let running = postgres, await running.isRunning { try await Task.sleep(for: .seconds(1)) }
  }

  /// Resumes paused functions whose files have changed, and held ones whose tables are as they were.
  func resumeMended(of queue: EventQueue) async {
    var looked = ContinuousClock.now
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(1))
      if ContinuousClock.now - looked > Self.heldInterval {
        await lookAtHeld()
        looked = .now
      }
      let paused = queue.paused.filter { held[$0] == nil }
      guard !paused.isEmpty else { continue }
      let files = await readFiles()
      for function in pausedFunctions.mended(paused, files) {
        log.info("The function is tried again", ["resumed": function])
        queue.resume(function)
      }
    }
  }

  /// Reads the present state of the project's files.
  func readFiles() async -> ProjectFiles {
    let project = project
    return await BlockingThread.run { ProjectFiles(project) }
  }
}
