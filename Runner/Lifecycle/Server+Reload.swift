import Capture
import FunctionKit
import Gateway
import Manifest
import Postgres
import Queue
import System
import Workers

// Follows changes of `functions.json` and of executables while the server runs.
extension Server {
  /// Looks for changed files until the task is cancelled.
  func followFiles() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: FileWatch.interval)
      guard fileWatch.look(await readFiles().watched, at: .now) else { continue }
      while !Task.isCancelled, !(await reload()) { try? await Task.sleep(for: .seconds(1)) }
    }
  }

  /// Reads `functions.json` again and uses it if it is valid; `false` if this must be tried again.
  ///
  /// No event is dropped: the old processes finish theirs before new ones take their place.
  private func reload() async -> Bool {
    var manifest = project.manifest
    var access: GatewayAccess?
    do {
      let (read, settings) = try await readSettings()
      var changed = environment
      changed.own = settings.environment
      let targets = try targetSettings(of: read, changed)
      let allowed = try GatewayAccess(
        host: options.host, manifest: read, environment: settings.environment, trustedProxies: options.trustedProxies)
      queue?.expect(read.functions.map(\.name))
      if read != manifest { try await prepareDatabase(for: read) }
      (manifest, access, project.settings, environment.own) = (read, allowed, settings, settings.environment)
      targetSettings = targets
    } catch let error as PostgresError {
      log.warning("The changed functions wait for the database", ["error.cause": "\(error)"])
      return false
    } catch {
      log.error("The changed functions.json cannot be used", ["error.message": "\(error)"])
    }
    guard !Task.isCancelled else { return true }
    let old = project.manifest
    project.manifest = manifest
    files = await readFiles()
    await use(access, insteadOf: old)
    return true
  }

  private func readSettings() async throws -> (Manifest, Settings) {
    let (project, selection) = (project, options.selection)
    return try await BlockingThread.run {
      let (manifest, settings) = try project.reading()
      return (manifest.selecting(selection), settings)
    }
  }

  private func prepareDatabase(for manifest: Manifest) async throws {
    do { try await migrate(manifest) } catch let error as MigrationError where !mayMigrate {
      log.warning("The database lacks something that functions.json needs", ["error.message": "\(error)"])
    }
  }

  private func use(_ access: GatewayAccess?, insteadOf old: Manifest) async {
    let manifest = project.manifest
    if let advice = access?.advice { log.warning(advice) }
    if manifest.services != old.services { log.warning("The changed services are used after the next start") }
    slots.limit = manifest.concurrency
    usePools()
    gateway?.publish(manifest.takesCalls ? pools : [:], elsewhere: manifest.calledElsewhere, access: access)
    await queue?.use(manifest, pools: pools)
    pausedFunctions = PausedFunctions(project, files)
    for function in queue?.paused ?? [] where pools[function] != nil && held[function] == nil {
      queue?.resume(function)
    }
    log.info("The functions were loaded again", ["functions": "\(pools.count)"])
  }

  /// A pool that is no longer wanted finishes its events.
  ///
  /// The events that it has not received wait in the queue.
  private func usePools() {
    for (name, pool) in pools where project.manifest[name] == nil {
      (pools[name], targets[name]) = (nil, nil)
      retired[name] = pool
      pool.close(grace: nil) { [self] in retired[name] = nil }
    }
    for entry in project.manifest.functions {
      guard let pool = pools[entry.name] ?? retired.removeValue(forKey: entry.name) else {
        pools[entry.name] = makePool(entry)
        continue
      }
      pool.observer.report = report(on: entry)
      pool.use(entry, launch: launch(of: entry))
      pool.use(target(of: entry))
      pools[entry.name] = pool
    }
  }
}
