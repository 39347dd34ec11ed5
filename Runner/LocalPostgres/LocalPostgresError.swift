/// Why the local PostgreSQL is not to be had, in sentences for the person at the terminal.
struct LocalPostgresError: Error, CustomStringConvertible {
  enum Code: Sendable {
    /// The server's programs are missing, or not of the version that made the cluster.
    case notInstalled
    /// A file or folder belongs to somebody else, or is open to others.
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
