import Foundation
import FunctionKit
import TestSupport

/// A bundle that runs as one of its exports says.
protocol Place: Sendable {
  var site: Site { get }
  /// Whether it goes on for a while after a signal to end, and is not ready meanwhile.
  var drains: Bool { get }

  /// The steps that it has; the rest of the table does not apply to it.
  var steps: [DeploymentTable.Step] { get }

  /// Brings the database up to date.
  func migrate() async throws
  /// Brings the demo's people into the database.
  func loadPeople() async throws
  /// Starts it, for the first time or again, unless it starts by itself.
  func start() async throws
  /// The status of a call.
  func call(_ path: String) async throws -> String
  /// Ends its main process, and waits until it has ended.
  ///
  /// - Returns: its exit status, which counts after `TERM` only.
  func end(by signal: String) async throws -> String
  /// The users whose processes it has.
  func users() async throws -> [String]
  /// The version that its runner prints.
  func version() async throws -> String
  /// The files that it has made or changed outside of its state folder.
  func writtenElsewhere() async throws -> [String]
  /// Expects its phones to show what was accepted.
  func expectShown() async throws
  /// Starts it where it cannot read `DATABASE_URL`: its exit status, and what it says.
  func startWithoutSecret() async throws -> (exit: Int32, said: String)
  /// The last lines that its programs have written.
  func log() async -> String
}

extension Place {
  var steps: [DeploymentTable.Step] { DeploymentTable.Step.allCases }

  func loadPeople() async throws { try await site.loadPeople() }

  func expectShown() async throws {
    let pushes = try await site.around.pushes(to: site.tokens)
    try await site.database.expectEachShownOnce(pushes.filter { $0["status"]?.intValue == 200 })
  }
}

/// The image with all programs, as the page says: of `export docker`, or of `make image`.
struct ImagePlace: Place {
  let site: Site
  let image: String
  let port: Int
  let drains = false
  /// Further options of `podman run`.
  var options: [String] = []

  private static let runner = "/opt/push-functions/bin/runner"

  func migrate() async throws {
    try await site.engine.podman(
      "run", "--rm", "--network", "inside", "--env", "DATABASE_URL=\(site.variables["DATABASE_URL"] ?? "")", image,
      Self.runner, "migrate")
  }

  func start() async throws {
    let engine = site.engine
    guard try await engine.run(["podman", "container", "exists", site.name]).exit != 0 else {
      try await engine.podman("start", site.name)
      return
    }
    let command = try await engine.podman("image", "inspect", "--format", "{{json .Config.Cmd}}", image)
    let usual = try RawJSON(validating: Array(command.utf8)[...]).elements?.compactMap(\.stringValue) ?? []
    let variables = site.variables.merging(["APNS_CA_PATH": "/ca.pem"]) { $1 }
    let run = [
      "podman", "run", "--detach", "--name", site.name, "--network", "inside", "--read-only",
      "--read-only-tmpfs=false", "--publish", "127.0.0.1:\(port):54321", "--volume",
      "\(site.name)-state:/var/lib/push-functions", "--volume", "\(site.around.authority):/ca.pem:ro",
    ]
    let environment = variables.flatMap { ["--env", "\($0.key)=\($0.value)"] }
    let all = run + environment + options + [image] + usual + ["--emulator"]
    _ = try ContainerEngine.text(try await engine.run(all), run)
  }

  func call(_ path: String) async throws -> String { try await site.call(path, port: port) }
  func end(by signal: String) async throws -> String { try await site.end(site.name, by: signal) }
  func users() async throws -> [String] { try await site.users(of: site.name) }
  func version() async throws -> String { try await site.version(in: site.name) }
  func writtenElsewhere() async throws -> [String] { try await site.writtenElsewhere(by: site.name) }
  func log() async -> String { await site.log(of: site.name) }

  func startWithoutSecret() async throws -> (exit: Int32, said: String) {
    let folder = try site.engine.makeFolder("unreadable-\(site.name)")
    let file = "\(folder)/DATABASE_URL"
    try "x".write(toFile: file, atomically: true, encoding: .utf8)
    guard chmod(file, 0o400) == 0 else { throw SystemError("chmod") }
    let outcome = try await site.engine.run([
      "podman", "run", "--rm", "--volume", "\(folder):/secrets:ro", "--env", "CREDENTIALS_DIRECTORY=/secrets", image,
    ])
    return (outcome.exit, outcome.stdout + outcome.stderr)
  }
}
