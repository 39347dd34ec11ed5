import Capture
import FunctionKit
import Gateway
import Manifest
import Postgres
import Queue
import System
import Workers

// What follows `functions.json` and the executables while the server runs.
extension Server {
  /// Looks for changed files until the task is cancelled.
  func followFiles() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: FileWatch.interval)
      guard fileWatch.look(project.watchedFiles, at: .now) else { continue }
      while !Task.isCancelled, !(await reload()) { try? await Task.sleep(for: .seconds(1)) }
    }
  }

  /// Reads `functions.json` again and follows it, where it fits; `false` when this should be tried again.
  ///
  /// Nothing is dropped: processes of what has changed finish their line before others take their place.
  private func reload() async -> Bool {
    var manifest = project.manifest
    var access: GatewayAccess?
    do {
      let read = try Manifest(directory: project.directory).selecting(options.selection)
      let settings = try Settings(directory: project.directory, names: read.variables)
      let allowed = try GatewayAccess(host: options.host, manifest: read, environment: settings.environment)
      if read != manifest { try await prepareDatabase(for: read) }
      (manifest, access, project.settings, environment.own) = (read, allowed, settings, settings.environment)
    } catch let error as PostgresError {
      log.warning("The changed functions wait for the database", ["error.cause": "\(error)"])
      return false
    } catch {
      log.error("The changed functions.json is not followed", ["error.message": "\(error)"])
    }
    if !Task.isCancelled { use(manifest, access) }
    return true
  }

  private func prepareDatabase(for manifest: Manifest) async throws {
    do { try await migrate(manifest) } catch let error as MigrationError where !mayMigrate {
      log.warning("The database does not have all that functions.json asks for", ["error.message": "\(error)"])
    }
  }

  private func use(_ manifest: Manifest, _ access: GatewayAccess?) {
    let old = project.manifest
    project.manifest = manifest
    if manifest.services != old.services { log.warning("Services follow functions.json at the next start") }
    slots.limit = manifest.concurrency
    usePools()
    engine?.use(pools, history: manifest.history)
    gateway?.publish(pools, elsewhere: manifest.elsewhere, access: access)
    followNotifications().forEach { $0.notify() }
    do { try schedules?.use(manifest) } catch {
      log.error("The changed schedules are not followed", ["error.message": "\(error)"])
    }
    pausedFunctions = PausedFunctions(project)
    for function in engine?.paused ?? [] where pools[function] != nil { resume(function) }
    log.info("The functions were loaded again", ["functions": "\(pools.count)"])
  }

  /// Those that go finish what they have; the events that they have not got yet wait in the queue.
  private func usePools() {
    for (name, pool) in pools where project.manifest[name] == nil {
      pools[name] = nil
      retired[name] = pool
      pool.close(grace: nil) { [self] in retired[name] = nil }
    }
    for entry in project.manifest.functions {
      guard let pool = pools[entry.name] ?? retired.removeValue(forKey: entry.name) else {
        pools[entry.name] = makePool(entry)
        continue
      }
      pool.report = report(on: entry)
      pool.use(entry, launch: launch(of: entry))
      pools[entry.name] = pool
    }
  }

  /// Lets the notified functions of the manifest, and no others, run when they are wanted.
  ///
  /// - Returns: those that are new.
  @discardableResult
  func followNotifications() -> [NotifiedFunction] {
    let wanted = Set(project.manifest.functions.filter { $0.triggers.contains(where: \.isNotify) }.map(\.name))
    for (name, function) in notified where !wanted.contains(name) {
      function.stop()
      notified[name] = nil
    }
    let new = wanted.subtracting(notified.keys)
    for name in new {
      guard let pool = pools[name], let wakeUps else { continue }
      notified[name] = NotifiedFunction(pool, clock: clock, wakeUps: wakeUps, log: log)
    }
    return new.compactMap { notified[$0] }
  }
}

extension Project {
  /// What is watched, as it is now: `functions.json` and the executables, those left out that are not complete.
  var watchedFiles: [String: FileStamp] {
    var files: [String: FileStamp] = [:]
    for path in [manifestFile, "\(directory)/.env"] { files[path] = FileStamp(path) }
    for path in manifest.functions.map(executable(of:)) {
      if let stamp = FileStamp(path), stamp.isProgram { files[path] = stamp }
    }
    return files
  }
}
