import FoundationEssentials
import Glibc
import LocalPostgres
import System
import TestSupport

/// Runs a test with a project folder of its own, whose path has a space, and removes all that belongs to it afterwards.
package func withProject(_ body: (String) async throws -> Void) async throws {
  let folder = try TemporaryDirectory()
  let project = "\(folder.path)/a project"
  try Folder.make(project, mode: 0o700)
  let layout = try ClusterLayout(project: project)
  let socketDirectory = SocketDirectory.path(for: layout, runtimeDirectory: nil)
  defer {
    withExtendedLifetime(folder) {}
    if let server = Postmaster.running(in: layout.data) {
      server.send(SIGQUIT)
      _ = waitForEnd(of: server.process, atMost: .seconds(120))
    }
    for path in [layout.home, socketDirectory] { try? FileManager.default.removeItem(atPath: path) }
  }
  try await body(project)
}
