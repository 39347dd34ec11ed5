import Glibc

/// The configuration of a function: its environment, and the address of the local database.
package struct Environment: Sendable {
  /// In their order; the last one of a name counts.
  ///
  /// No dictionary: its first use has Swift look through all conformances of the program for that of its keys, which
  /// would be a quarter of the work of a process for one event.
  private let variables: [(name: String, value: String)]
  private let workingDirectory: String
  /// Whether nothing may be changed for the events that come.
  package private(set) var isDryRun = false

  /// An environment of given values, for tests and for other processes.
  package init(_ values: [String: String], workingDirectory: String = ".") {
    self.init(values.map { (name: $0.key, value: $0.value) }, workingDirectory: workingDirectory)
  }

  private init(_ variables: [(name: String, value: String)], workingDirectory: String) {
    self.variables = variables
    self.workingDirectory = workingDirectory
  }

  /// The environment of this process, read once.
  package static func current() -> Environment {
    var variables: [(name: String, value: String)] = []
    var entry = environ
    while let text = entry.pointee {
      let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables.append((String(parts[0]), String(parts[1]))) }
      entry += 1
    }
    return Environment(variables, workingDirectory: ".")
  }

  /// The same environment for a process that changes nothing.
  func rehearsing(_ isDryRun: Bool) -> Environment {
    var environment = self
    environment.isDryRun = isDryRun
    return environment
  }

  /// The variable that makes an event's `now` count.
  ///
  /// Only if it is set, events may say what time it is.
  package static let clock = "PUSH_FUNCTION_CLOCK"

  /// The variable in which a runner says that the database is only its developer's: ``localDatabase``.
  package static let database = "PUSH_FUNCTION_DATABASE"
  /// The value of ``database`` that says so.
  package static let localDatabase = "local"

  /// Whether the database may record as done what only a stand-in did.
  ///
  /// It may if it is the local runner's own, or if a runner was told that it is only for tests.
  package var isDatabaseLocal: Bool {
    if self[Self.database] == Self.localDatabase { return true }
    guard let own = try? FoundFiles(self).databaseURL(from: workingDirectory) else { return false }
    return own == self["DATABASE_URL"] ?? own
  }

  /// Whether the `now` of events counts, because a runner sets it and drops that of callers.
  var believesEvents: Bool { self[Self.clock] == "event" }

  /// The variable in which a runner says how many events a process may take together.
  package static let batch = "PUSH_FUNCTION_BATCH"

  /// How many events it may take together; 1 unless a runner says more.
  var batchSize: Int { self[Self.batch].flatMap(Int.init).map { max(1, $0) } ?? 1 }

  /// The variable in which a host says how large an event may be that it writes, in bytes.
  package static let largestEvent = "PUSH_FUNCTION_LARGEST_EVENT"

  /// The largest event on a line of a stream, in bytes: ``Envelope/maximumSize`` unless a host says more.
  var largestEvent: Int {
    max(Envelope.maximumSize, self[Self.largestEvent].flatMap(Int.init) ?? 0)
  }

  /// The function's time limit in seconds, if its runner or host has set `PUSH_FUNCTION_TIMEOUT`.
  package var timeLimit: Double? { self["PUSH_FUNCTION_TIMEOUT"].flatMap(Double.init).flatMap { $0 > 0 ? $0 : nil } }

  /// Every variable.
  package var all: [String: String] {
    Dictionary(variables.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }

  /// The value of a variable, `nil` when it is absent or empty.
  package subscript(name: String) -> String? {
    variables.last { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
  }

  /// The value of a variable that must be set.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` that names the variable.
  package func require(_ name: String) throws(FunctionError) -> String {
    guard let value = self[name] else {
      throw FunctionError(.misconfigured, "The environment variable \(name) is missing.")
    }
    return value
  }

  /// The database: `DATABASE_URL`, else the one that the nearest `.runner/` upward from the working directory names.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` if there is neither, or if that `.runner/` is somebody else's.
  package func databaseURL() throws(FunctionError) -> String {
    if let url = self["DATABASE_URL"] { return url }
    return try FoundFiles(self).databaseURL(from: workingDirectory)
  }
}
