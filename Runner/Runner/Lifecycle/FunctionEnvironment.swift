import FunctionKit
import Glibc

/// Gives each process the variables that its entry names, and no others: the runner's environment is not inherited.
struct FunctionEnvironment: Sendable {
  /// The database that functions use.
  var databaseURL: String?
  /// What services offer.
  var services: [String: String] = [:]
  /// The runner's own environment, which wins over what services offer.
  var own = FunctionKit.Environment.current()
  /// Marks the process as the runner's, for its guard.
  var marker: String?
  /// Whether the `now` of its events is the runner's.
  var stampsEvents = false

  /// The variables of a function.
  func variables(for entry: FunctionEntry) -> [String: String] {
    var variables = base
    variables["PUSH_FUNCTION_TIMEOUT"] = "\(entry.timeout)"
    if stampsEvents { variables[FunctionKit.Environment.clock] = "event" }
    for name in entry.environment {
      if name == "DATABASE_URL" {
        variables[name] = databaseURL
      } else if let value = own[name] ?? entry.setting(name, besides: services[name]) {
        variables[name] = value
      }
    }
    return variables
  }

  /// The variables that a function asks for and does not get.
  func missing(for entry: FunctionEntry) -> [String] {
    let given = variables(for: entry)
    return entry.environment.filter { given[$0] == nil }
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

extension FunctionEntry {
  /// What `functions.json` itself says for a variable, behind what a service offers: in a list the last counts.
  func setting(_ name: String, besides offered: String?) -> String? {
    let parts = [offered, settings[name]].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ",")
  }
}
