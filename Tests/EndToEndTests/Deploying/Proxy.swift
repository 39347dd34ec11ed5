import Foundation
import FunctionKit
import TestSupport

/// nginx with the exported configuration, on free ports, in front of a runner with a function that notes its events.
final class Proxy: Sendable {
  let served: Served
  let folder: TemporaryDirectory
  private let program: RunningProgram
  private let port: UInt16
  private let plainPort: UInt16

  private static let kept = SharedProxy()

  /// The same one for tests that change nothing.
  static func shared(_ manifest: String) async throws -> Proxy { try await kept.proxy(manifest) }

  /// - Parameters:
  ///   - app: the URL of an app's own server.
  ///   - changes: what the configuration says otherwise for a test.
  init(_ manifest: String, beside app: String? = nil, changing changes: [String: String] = [:]) async throws {
    let runner = try await RunningRunner(
      manifest,
      scripts: ["look": #"cat >> got; echo >> got; echo '{"statusCode":200,"body":"seen"}'"#],
      database: RunningRunner.makeDatabase())
    try await runner.copyMigrations()
    served = try await runner.start(environment: try await Self.exportedSettings(runner))
    folder = try TemporaryDirectory()
    let site = try await Self.exported(runner, folder, beside: app)
    _ = try await BuiltExecutables.run(
      "/usr/bin/openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=push.example.com", "-addext",
        "subjectAltName=DNS:push.example.com", "-keyout", "\(folder.path)/privkey.pem", "-out",
        "\(folder.path)/fullchain.pem",
      ], environment: ["HOME": folder.path])
    // It cannot choose ports by itself and say which.
    for _ in 0..<10 {
      let (port, plain) = (try RunningProgram.freePort(), try RunningProgram.freePort())
      let text = site.replacing("listen 443 ssl http2;", with: "listen 127.0.0.1:\(port) ssl http2;")
        .replacing("listen 80;", with: "listen 127.0.0.1:\(plain);")
        .replacing("127.0.0.1:54321", with: String(served.url.dropFirst("http://".count)))
        .replacing("/etc/ssl/push-functions", with: folder.path)
        .split(separator: "\n").filter { !$0.contains("listen [::]") }.joined(separator: "\n")
      for words in changes.keys where !text.contains(words) {
        throw ProgramFailure(description: "The configuration has no \(words)")
      }
      try folder.write(changes.reduce(text) { $0.replacing($1.key, with: $1.value) }, to: "site.conf")
      let program = try RunningProgram(
        try BuiltExecutables.installed("nginx"), ["-p", folder.path, "-c", try Self.main(folder), "-e", "stderr"])
      if await program.listens(on: port) {
        (self.program, self.port, plainPort) = (program, port, plain)
        return
      }
    }
    throw ProgramFailure(description: "No port was free.")
  }

  /// Calls with curl, which checks the certificate; the path as it is.
  func call(_ path: String, _ options: String...) async throws -> (status: String, body: String) {
    try await call(path, options)
  }

  func call(_ path: String, _ options: [String]) async throws -> (status: String, body: String) {
    let outcome = try await BuiltExecutables.run(
      "/usr/bin/curl",
      [
        "-sS", "--path-as-is", "--cacert", "\(folder.path)/fullchain.pem", "--resolve",
        "push.example.com:\(port):127.0.0.1", "-w", "\n%{http_code}", "https://push.example.com:\(port)\(path)",
      ] + options, environment: ["HOME": folder.path])
    let lines = outcome.stdout.split(separator: "\n", omittingEmptySubsequences: false)
    return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n") + outcome.stderr)
  }

  /// Calls without TLS; the head of the answer.
  func callPlainly(_ path: String) async throws -> String {
    try await BuiltExecutables.run(
      "/usr/bin/curl", ["-sS", "-I", "-H", "Host: push.example.com", "http://127.0.0.1:\(plainPort)\(path)"],
      environment: ["HOME": folder.path]
    ).stdout
  }

  /// Sends bytes over TLS, and returns all that comes back until the end.
  func send(_ text: String) async throws -> String {
    let file = try folder.write(text, to: "request-\(UInt64.random(in: 0 ... .max))")
    let command = "openssl s_client -quiet -connect 127.0.0.1:\(port) < '\(file)' 2>/dev/null"
    return try await BuiltExecutables.run("/bin/sh", ["-c", command], environment: ["HOME": folder.path]).stdout
  }

  private static func exported(
    _ runner: RunningRunner, _ folder: TemporaryDirectory, beside app: String?
  ) async throws -> String {
    let words = app.map { ["nginx", "--beside", $0] } ?? ["systemd"]
    let outcome = try await runner.run(["export"] + words + ["--out", "\(folder.path)/export"])
    guard outcome.exit == 0 else { throw ProgramFailure(description: outcome.stderr) }
    return try String(contentsOfFile: "\(folder.path)/export/nginx.conf", encoding: .utf8)
  }

  /// The runner's settings for its proxy, as it exports them.
  private static func exportedSettings(_ runner: RunningRunner) async throws -> [String: String] {
    let outcome = try await runner.run(["export", "systemd", "--out", "\(runner.project.path)/export"])
    guard outcome.exit == 0 else { throw ProgramFailure(description: outcome.stderr) }
    let text = try String(contentsOfFile: "\(runner.project.path)/export/environment", encoding: .utf8)
    let name = "RUNNER_TRUSTED_PROXIES"
    let line = text.split(separator: "\n").first { $0.hasPrefix("\(name)=") }
    return line.map { [name: String($0.dropFirst(name.count + 1))] } ?? [:]
  }

  /// It is one process: a worker would be left behind when its master is killed.
  private static func main(_ folder: TemporaryDirectory) throws -> String {
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder.path)/\($0);" }
    return try folder.write(
      """
      daemon off; master_process off; pid \(folder.path)/pid; events {}
      http { access_log off; \(temporary.joined(separator: " ")) include \(folder.path)/site.conf; }
      """, to: "nginx.conf")
  }
}

/// Starts one, for all who ask.
private actor SharedProxy {
  private var task: Task<Proxy, any Error>?

  func proxy(_ manifest: String) async throws -> Proxy {
    let task = self.task ?? Task { try await Proxy(manifest) }
    self.task = task
    return try await task.value
  }
}
