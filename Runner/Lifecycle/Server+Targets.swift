import FunctionKit
package import Manifest
import Queue
import System
import Targets

extension FunctionEnvironment {
  /// Why no event can be sent to a function that runs elsewhere; `nil` if it can, and for one that runs here.
  package func problemOfTarget(_ entry: FunctionEntry, of project: Project) -> String? {
    do {
      _ = try TargetSettings(entry, variables(for: entry), directory: project.directory)
      return nil
    } catch {
      return error.message
    }
  }
}

// The functions that run elsewhere.
extension Server {
  /// The targets' settings with the values of their variables, by their functions' names.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` if a value is missing or unusable.
  func targetSettings(
    of manifest: Manifest, _ environment: FunctionEnvironment
  ) throws(FunctionError) -> [String: TargetSettings] {
    var settings: [String: TargetSettings] = [:]
    for entry in manifest.functions {
      settings[entry.name] = try TargetSettings(
        entry, environment.variables(for: entry), directory: project.directory)
    }
    return settings
  }

  /// The target of a function that runs elsewhere; `nil` for one that runs here.
  func target(of entry: FunctionEntry) -> Target? {
    guard let settings = targetSettings[entry.name] else {
      targets[entry.name] = nil
      return nil
    }
    if let target = targets[entry.name] {
      target.use(settings)
      return target
    }
    let target = Target(settings, client: client, log: log)
    target.onReady = { [weak self] in self?.queue?.resume(entry.name) }
    targets[entry.name] = target
    return target
  }

  /// How many connections may be open to targets.
  var mostSending: Int { project.manifest.functions.reduce(0) { $0 + ($1.target == nil ? 0 : $1.concurrency) } }
}
