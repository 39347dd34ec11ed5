import FoundationEssentials
import FunctionKit
import Glibc

/// Where PostgreSQL's server programs are.
struct ServerBinaries: Equatable {
  let directory: String

  var server: String { "\(directory)/postgres" }
  var initdb: String { "\(directory)/initdb" }

  /// Looks in `PATH`, then where distributions put them, the newest version first.
  ///
  /// - Parameter version: The major version of the cluster; `nil` if there is no cluster yet.
  static func find(
    version: Int?, path: String?, distributions: [String] = ["/usr/lib/postgresql", "/usr/local/pgsql"]
  ) throws(LocalPostgresError) -> ServerBinaries {
    let inPath = (path ?? "").split(separator: ":").map(String.init)
    let directories = (inPath + distributions.flatMap(versions)).filter(holdsServer)
    guard let first = directories.first else {
      throw LocalPostgresError(
        .notInstalled,
        "DATABASE_URL is not set, and PostgreSQL's server is not installed. Set DATABASE_URL to a database of your own, "
          + "or on Debian and Ubuntu: apt-get install postgresql.")
    }
    guard let version else { return ServerBinaries(directory: first) }
    guard let fitting = directories.first(where: { (majorVersion(of: $0) ?? version) == version }) else {
      throw LocalPostgresError(
        .notInstalled,
        "PostgreSQL \(version) has created the local database and is not installed (found: "
          + "\(directories.joined(separator: ", "))). On Debian and Ubuntu: apt-get install postgresql-\(version).")
    }
    return ServerBinaries(directory: fitting)
  }

  private static func versions(below directory: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    let numbered = names.filter { Int($0) != nil }.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
    return numbered.map { "\(directory)/\($0)/bin" } + ["\(directory)/bin"]
  }

  private static func holdsServer(_ directory: String) -> Bool {
    access("\(directory)/postgres", X_OK) == 0 && access("\(directory)/initdb", X_OK) == 0
  }

  /// The version in a path such as `/usr/lib/postgresql/15/bin`; `nil` if the path has none.
  private static func majorVersion(of directory: String) -> Int? {
    directory.split(separator: "/").dropLast().last.flatMap { Int($0) }
  }
}
