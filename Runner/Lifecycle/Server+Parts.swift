import FunctionKit
import LocalPostgres
import Manifest
import Queue

// What works beside the gateway and the queue as long as the server runs.
extension Server {
  /// Ends what dead runners of the project have left, and writes down by what this one's processes are known.
  func keepRecord(of watchman: Watchman) async {
    do {
      try await RunRecord.endLeftovers(of: project, log: log)
      record = try RunRecord(id: watchman.id, in: project)
    } catch {
      // The folder may be read-only.
      log.warning("What this runner leaves if it dies with its guard cannot be found", ["error.cause": "\(error)"])
    }
  }

  /// Starts the local PostgreSQL again when it has ended by itself.
  func keepPostgres() async {
    while !Task.isCancelled, let running = postgres {
      try? await Task.sleep(for: .seconds(1))
      guard !Task.isCancelled, Postmaster.running(in: running.dataDirectory) == nil else { continue }
      log.warning("PostgreSQL ended and is started again")
      do { postgres = try await LocalPostgres.start(project: project.directory) } catch {
        log.error("PostgreSQL could not be started", ["error.cause": "\(error)"])
      }
    }
  }

  /// Begins a new day of history in time, and drops days that are over.
  func rotate(_ engine: EventEngine) async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(3_600))
      guard !Task.isCancelled else { return }
      do { try await engine.rotate() } catch {
        log.warning("The history could not be rotated", ["error.cause": "\(error)"])
      }
    }
  }

  func resumeMended() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(1))
      for function in pausedFunctions.mended(engine?.paused ?? []) {
        log.info("The function is tried again", ["resumed": function])
        resume(function)
      }
    }
  }
}
