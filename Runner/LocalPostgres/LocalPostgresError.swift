/// Why the local PostgreSQL cannot be used, in sentences for the person at the terminal.
struct LocalPostgresError: Error, CustomStringConvertible {
  enum Code: Sendable {
    /// The server's programs are missing, or have another version than the cluster.
    case notInstalled
    /// A file or folder belongs to another user, or is open to others.
    case notOurs
    /// The server or initdb failed; the text ends with the last lines of the log.
    case failed
    /// Something took longer than allowed.
    case timedOut
  }

  let code: Code
  let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
