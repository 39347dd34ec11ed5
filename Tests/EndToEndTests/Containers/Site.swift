import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// One deployment's own parts: a name, a database with the demo's people, and the values of its variables.
struct Site: Sendable {
  /// The key that calls need.
  static let key = "0123456789abcdef-key"

  let name: String
  let around: Surroundings
  let database: Connection
  /// With what the tokens of its phones begin.
  let tokens: String
  /// The values of variables that a deployment gives its runner.
  let variables: [String: String]

  /// - Parameters:
  ///   - name: a word of letters, for its database and containers.
  ///   - number: another one for each site.
  init(_ name: String, _ number: Int) async throws {
    (self.name, tokens) = (name, String(format: "%04x", number))
    around = try await Surroundings.shared
    try await around.connection(to: "postgres").script("CREATE DATABASE \(name)")
    database = around.connection(to: name)
    variables = try around.provider().merging([
      "DATABASE_URL": "postgres://postgres@db/\(name)", "RUNNER_KEY": Self.key,
    ]) { $1 }
  }

  var engine: ContainerEngine { around.engine }

  /// Loads the demo's people, whose phones are this site's alone.
  func loadPeople() async throws {
    try await database.script(try House.text("Runner/Demo/demo.sql"))
    _ = try await database.query("UPDATE device_tokens SET token = \(tokens) || substr(token, 5)")
  }

  /// Votes ten times a second, until it is cancelled.
  func keepVoting() -> Task<Void, any Error> {
    Task {
      while !Task.isCancelled {
        // It ends after a vote, and not within.
        try await Task { try await database.vote(1) }.value
        try? await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  /// Waits until nothing is left to be done, and expects each vote to be told once.
  func expectToldOnce() async throws {
    try await database.settle()
    let told = try await database.query(
      """
      SELECT (SELECT count(*) FROM votes) AS votes, (SELECT count(*) FROM runner.dead_letters) AS dead,
        (SELECT count(*) FROM handled_events WHERE function = 'vote-cast' AND source LIKE '/%') AS handled,
        (SELECT count(*) FROM deliveries WHERE state = 'accepted') AS accepted,
        (SELECT count(*) FROM decisions WHERE function = 'vote-cast' AND decision = 'notify') AS decisions,
        (SELECT count(DISTINCT event_id) FROM decisions WHERE function = 'vote-cast' AND decision = 'notify') AS events
      """
    ).only()
    let counts = ["votes", "handled", "dead", "accepted", "decisions", "events"].map { "\($0) \(told[$0] ?? "")" }
    let reasons = try await database.query("SELECT to_jsonb(d)::text AS letter FROM runner.dead_letters d LIMIT 3")
      .decode("letter", as: String.self)
    try #require(told["handled"] == told["votes"] && told["dead"] == "0", "\(name): \(counts)\(reasons)")
    try #require(told["decisions"] == told["events"] && told["accepted"] != "0", "\(name): \(counts)")
  }

  /// Writes what `runner export` makes for an engine.
  ///
  /// - Returns: the folder, one of the site's own unless given.
  func export(_ export: String, _ options: String..., into folder: String? = nil) async throws -> String {
    let folder = folder ?? "\(engine.folder.path)/deploy-\(name)"
    let words = ["export", export, "--project", House.root.path, "--out", folder] + options
    _ = try ContainerEngine.text(try await BuiltExecutables.run("runner", words), words)
    return folder
  }

  /// A file of an export as a person changes it for a place.
  ///
  /// - Parameter changes: what takes the place of which words, each of which has to be there.
  func changed(_ file: String, _ changes: [(words: String, replacement: String)]) throws -> String {
    try changes.reduce(try String(contentsOfFile: file, encoding: .utf8)) { text, change in
      guard text.contains(change.words) else { throw ProgramFailure(description: "\(file) has no \(change.words)") }
      return text.replacing(change.words, with: change.replacement)
    }
  }

  /// A folder with a file for each variable, as secrets are mounted; with the authority's certificate as `APNS_CA`.
  ///
  /// - Parameter place: where the folder is mounted.
  /// - Returns: the folder, whose files are user 65532's.
  func secrets(at place: String) throws -> String {
    let folder = try engine.makeFolder("secrets-\(name)")
    let authority = try String(contentsOfFile: around.authority, encoding: .utf8)
    let added = ["APNS_CA": authority, "APNS_CA_PATH": "\(place)/APNS_CA"]
    for (name, value) in variables.merging(added, uniquingKeysWith: { $1 }) {
      let file = "\(folder)/\(name)"
      try value.write(toFile: file, atomically: true, encoding: .utf8)
      guard chown(file, 65532, 65532) == 0, chmod(file, 0o400) == 0 else { throw SystemError("chown") }
    }
    return folder
  }

  /// The status of a call, made in the network of a container: by its address that no other machine has.
  ///
  /// - Parameter name: that of the host which is called, if it is another one.
  func call(_ path: String, port: Int = 54_321, in container: String, as name: String? = nil) async throws -> String {
    let process = try await engine.podman("inspect", "--format", "{{.State.Pid}}", container)
    return try await call(path, port: port, as: name, through: ["nsenter", "--net", "--target", process])
  }

  /// The status of a call to a port of the loopback; functions get an event.
  func call(
    _ path: String, port: Int, as name: String? = nil, through words: [String] = []
  ) async throws -> String {
    let url = name.map { "http://\($0)\(path)" } ?? "http://127.0.0.1:\(port)\(path)"
    let event = path.hasPrefix("/functions/") ? ["--data", "{}"] : []
    return try await engine.run(
      words + [
        "curl", "--silent", "--max-time", "20", "--output", "/dev/null", "--write-out", "%{http_code}", "--header",
        "apikey: \(Self.key)", "--connect-to", "::127.0.0.1:\(port)",
      ] + event + [url]
    ).stdout
  }

  /// Ends a container's program by a signal, and waits until it has ended.
  ///
  /// - Returns: its exit status.
  func end(_ container: String, by signal: String) async throws -> String {
    if signal == "TERM" {
      try await engine.podman("stop", "--time", "60", container)
    } else {
      let process = try await engine.podman("inspect", "--format", "{{.State.Pid}}", container)
      _ = try ContainerEngine.text(try await engine.run(["kill", "-s", signal, process]), ["kill", process])
      // It is none, or another one where a policy starts it again.
      try await eventually("\(container) has ended") {
        try await engine.podman("inspect", "--format", "{{.State.Pid}}", container) != process
      }
    }
    return try await engine.podman("inspect", "--format", "{{.State.ExitCode}}", container)
  }

  /// The version that the runner of a container prints.
  func version(in container: String) async throws -> String {
    try await engine.podman("exec", container, "/opt/push-functions/bin/runner", "--version")
  }

  /// The files that a container wrote outside of its state folder: in its own layer, and as its user in mounted ones.
  ///
  /// Places where something is mounted are no files of its own, and neither are secrets.
  func writtenElsewhere(by container: String) async throws -> [String] {
    let process = try await engine.podman("inspect", "--format", "{{.State.Pid}}", container)
    func inside(_ script: String) async throws -> [String] {
      let words = ["bash", "-euo", "pipefail", "-c", script, "bash", process]
      return try ContainerEngine.text(try await engine.run(words), words).split(separator: "\n").map(String.init)
    }
    let mounts = try await inside(#"cut -d' ' -f5 "/proc/$1/mountinfo""#)
    let layer = try await engine.podman("diff", container).split(separator: "\n").filter { line in
      let path = line.dropFirst(2)
      return !mounts.contains { $0 == path || $0.hasPrefix("\(path)/") }
    }
    let files = try await inside(
      #"""
      root=/proc/$1/root user=$(awk '/^Uid:/ { print $2 }' "/proc/$1/status")
      find "$root/" -ignore_readdir_race \( -path "$root/proc" -o -path "$root/sys" -o -path "$root/run/secrets" \
        -o -path "$root/var/lib/push-functions" \) -prune -o -user "$user" -print
      """#)
    return layer.map(String.init)
      + files.filter { !mounts.contains("/\($0.split(separator: "/").dropFirst(3).joined(separator: "/"))") }
  }

  /// The last lines of a container's log, under its name.
  func log(of container: String) async -> String {
    let said = try? await engine.run(["podman", "logs", "--tail", "40", container])
    return "\(container):\n\(said.map { $0.stdout + $0.stderr } ?? "It has no log.")\n"
  }

  /// The users whose processes a container has.
  func users(of container: String) async throws -> [String] {
    try await engine.podman("top", container, "user").split(separator: "\n").dropFirst().map(String.init)
  }
}
