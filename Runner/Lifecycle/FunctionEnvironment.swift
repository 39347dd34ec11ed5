package import FunctionKit
import Glibc
package import Manifest
import Targets
import Traces

/// The variables of each process: those that its entry names, and nothing else from the runner's own environment.
package struct FunctionEnvironment: Sendable {
  /// The database that functions use.
  package var databaseURL: String?
  /// The variables that services offer.
  package var services: [String: String] = [:]
  /// The variables that are set for the project; they win over those of services.
  package var own: FunctionKit.Environment
  /// Marks a process as the runner's, for the guard.
  package var marker: String?
  /// Whether the runner sets `now` in events.
  var stampsEvents = false
  /// The least level of lines that functions log; `nil` for what they log usually.
  package var logLevel: LogLevel?
  /// Whether the runner takes the spans of functions.
  package var gathersSpans = false
  /// Whether the database may record as done what only a stand-in did.
  package var isLocal = false

  package func variables(for entry: FunctionEntry) -> [String: String] {
    var variables = base
    variables["PUSH_FUNCTION_TIMEOUT"] = "\(entry.timeout)"
    if let batch = entry.batch { variables[Environment.batch] = "\(batch)" }
    if stampsEvents { variables[FunctionKit.Environment.clock] = "event" }
    variables[LogLevel.variable] = logLevel?.rawValue
    if gathersSpans { variables.merge(Traces.functionVariables) { _, own in own } }
    if isLocal { variables[FunctionKit.Environment.database] = FunctionKit.Environment.localDatabase }
    for name in entry.environment {
      if name == "DATABASE_URL" {
        variables[name] = databaseURL
      } else if let value = own[name] ?? entry.setting(name, besides: services[name]) {
        variables[name] = value
      }
    }
    return variables
  }

  /// The variables that a function needs but does not get.
  package func missing(for entry: FunctionEntry) -> [String] {
    let given = variables(for: entry)
    return entry.environment.filter { given[$0] == nil && !entry.optional.contains($0) }
  }

  /// The variables of every process.
  package var base: [String: String] {
    var variables = ["PATH": own["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"]
    if let parts = marker?.split(separator: "=", maxSplits: 1), parts.count == 2 {
      variables[String(parts[0])] = String(parts[1])
    }
    return variables
  }
}

// Functions that run elsewhere.
extension FunctionEnvironment {
  /// The targets' settings with the values of their variables, by their functions' names.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` if a value is missing or unusable.
  func targetSettings(
    of manifest: Manifest, in directory: String
  ) throws(FunctionError) -> [String: TargetSettings] {
    var settings: [String: TargetSettings] = [:]
    for entry in manifest.functions {
      settings[entry.name] = try TargetSettings(entry, variables(for: entry), directory: directory)
    }
    return settings
  }

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

extension Project {
  /// The environment of functions that a command runs; there may be no database.
  ///
  /// It has what the serving runner's services offer only if that runner uses this database.
  package func functionEnvironment() -> FunctionEnvironment {
    let databaseURL = try? databaseURL()
    let state = RunnerState.read(self).flatMap { $0.uses(databaseURL) ? $0 : nil }
    return FunctionEnvironment(
      databaseURL: try? functionDatabaseURL(), services: state?.environment ?? [:], own: environment,
      isLocal: hasOwnDatabase || state?.emulates(on: databaseURL) == true)
  }
}

extension FunctionEntry {
  /// A service's value of a variable, followed by that of `functions.json`: in a list the last value counts.
  package func setting(_ name: String, besides offered: String?) -> String? {
    let parts = [offered, settings[name]].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ",")
  }
}
