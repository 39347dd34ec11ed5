package import FunctionKit
import Glibc
package import Manifest

/// Gives each process the variables that its entry names, and no others: the runner's environment is not inherited.
package struct FunctionEnvironment: Sendable {
  /// The database that functions use.
  package var databaseURL: String?
  /// What services offer.
  package var services: [String: String] = [:]
  /// What is set for the project, which wins over what services offer.
  package var own: FunctionKit.Environment
  /// Marks the process as the runner's, for its guard.
  var marker: String?
  /// Whether the `now` of its events is the runner's.
  var stampsEvents = false
  /// Whether what only a stand-in did may be written down in the database as done.
  package var isLocal = false

  /// The variables of a function.
  package func variables(for entry: FunctionEntry) -> [String: String] {
    var variables = base
    variables["PUSH_FUNCTION_TIMEOUT"] = "\(entry.timeout)"
    if stampsEvents { variables[FunctionKit.Environment.clock] = "event" }
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

  /// The variables that a function needs and does not get.
  package func missing(for entry: FunctionEntry) -> [String] {
    let given = variables(for: entry)
    return entry.environment.filter { given[$0] == nil && !entry.optional.contains($0) }
  }

  /// What every process gets.
  var base: [String: String] {
    var variables = ["PATH": own["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"]
    if let parts = marker?.split(separator: "=", maxSplits: 1), parts.count == 2 {
      variables[String(parts[0])] = String(parts[1])
    }
    return variables
  }
}

extension Project {
  /// What functions get that a command runs: what the serving runner's services offer only where that has this database.
  package func functionEnvironment(_ databaseURL: String?) -> FunctionEnvironment {
    let state = RunnerState.read(self).flatMap { $0.uses(databaseURL) ? $0 : nil }
    return FunctionEnvironment(
      databaseURL: databaseURL, services: state?.environment ?? [:], own: environment,
      isLocal: hasOwnDatabase || state?.emulates(on: databaseURL) == true)
  }
}

extension FunctionEntry {
  /// What `functions.json` itself says for a variable, behind what a service offers: in a list the last counts.
  package func setting(_ name: String, besides offered: String?) -> String? {
    let parts = [offered, settings[name]].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ",")
  }
}
