import Foundation
import FunctionKit
import TestSupport

/// `vote-cast` on an engine, as a container that `runner host` serves, and a runner beside it that sends it the votes.
struct HostPlace: Place {
  /// How the engine starts the function's container.
  enum Engine: String {
    case knative, openfaas, lambda
  }

  let engine: Engine
  /// Of the function's container.
  let image: String
  let runner: ImagePlace
  /// The surroundings of the function on Lambda.
  private let sandbox: LambdaSandbox?
  let drains = false

  var site: Site { runner.site }
  private var container: String { "votes-\(engine.rawValue)" }

  /// - Parameters:
  ///   - runner: the image of the runner.
  ///   - port: where that one is reached.
  init(_ engine: Engine, _ site: Site, image: String, runner runnerImage: String, port: Int) async throws {
    (self.engine, self.image) = (engine, image)
    let folder = try site.engine.makeFolder("bundle-\(site.name)")
    let text = try House.text("functions.json")
    var bundle = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    var functions = bundle["functions"] as? [String: Any] ?? [:]
    sandbox = engine == .lambda ? try await LambdaSandbox(site.engine) : nil
    // As the export's comment says.
    var target: [String: Any] =
      sandbox.map { ["url": "http://\($0.address)/", "aws": ["region": "eu-central-1"]] }
      ?? ["url": "http://votes-\(engine.rawValue):8080/", "engine": engine.rawValue]
    // Its host takes one request at a time, and here is no engine that would start more of them.
    if engine == .openfaas { target["concurrency"] = 1 }
    functions["vote-cast"] = (functions["vote-cast"] as? [String: Any] ?? [:])
      .filter { !["mode", "batch", "environment", "rehearses", "connections"].contains($0.key) }
      .merging(target) { $1 }
    bundle["functions"] = functions
    let file = "\(folder)/functions.json"
    try JSONSerialization.data(withJSONObject: bundle).write(to: URL(filePath: file))
    guard chmod(file, 0o644) == 0 else { throw SystemError("chmod") }
    runner = ImagePlace(
      site: site, image: runnerImage, port: port,
      options: [
        "--volume", "\(file):/opt/push-functions/functions.json:ro", "--env", "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
        "--env", "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      ])
  }

  func migrate() async throws { try await runner.migrate() }

  /// The runner starts once, and goes on whatever becomes of the function.
  func start() async throws {
    let podman = site.engine
    if try await podman.run(["podman", "container", "exists", container]).exit == 0 {
      try await podman.podman("start", container)
      return
    }
    let run = ["podman", "run", "--detach", "--name", container, "--network", "inside"]
    let words = run + Self.confined + (try await start(with: "DATABASE_URL=\(site.variables["DATABASE_URL"] ?? "")"))
    _ = try ContainerEngine.text(try await podman.run(words), words)
    try await runner.start()
    try await eventually("the runner is ready") { try await runner.call("/_/ready") == "200" }
  }

  /// As the manifests confine it.
  private static let confined = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]

  /// The image with what the engine puts around it; with nothing in place of the secret if it is `nil`.
  private func start(with variable: String?) async throws -> [String] {
    switch engine {
    case .knative:
      let folder = try await site.export("knative", "--image", image, "--force")
      let text = try String(contentsOfFile: "\(folder)/vote-cast.yaml", encoding: .utf8)
      let line =
        text.split(separator: "\n").first { $0.contains("command: [") }?.split(separator: "command: ").last ?? ""
      let command = try RawJSON(validating: Array(line.utf8)[...]).elements?.compactMap(\.stringValue) ?? []
      return ["--env", "K_SERVICE=vote-cast", "--env", "PORT=8080"] + (variable.map { ["--env", $0] } ?? [])
        + ["--entrypoint", "[]", image] + command
    case .openfaas:
      let secrets = try site.engine.makeFolder("openfaas-\(variable == nil ? "none" : "secrets")")
      if let variable {
        let value = variable.drop { $0 != "=" }.dropFirst()
        let file = "\(secrets)/database-url"
        try value.write(toFile: file, atomically: true, encoding: .utf8)
        guard chmod(file, 0o444) == 0 else { throw SystemError("chmod") }
      }
      return ["--volume", "\(secrets):/var/openfaas/secrets:ro", image]
    case .lambda:
      let folder = try await site.export("lambda", "--force")
      let text = try String(contentsOfFile: "\(folder)/template.yaml", encoding: .utf8)
      let function = text.components(separatedBy: "\n  VoteCast:\n").last ?? ""
      func words(_ member: String) throws -> [String] {
        let line = function.split(separator: "\n").first { $0.contains("  \(member): [") }
        let list = line?.split(separator: "\(member): ").last ?? ""
        return try RawJSON(validating: Array(list.utf8)[...]).elements?.compactMap(\.stringValue) ?? []
      }
      let entry = String(decoding: RawJSON(array: try words("EntryPoint").map { RawJSON($0) }).bytes, as: UTF8.self)
      // Lambda takes another user than the image's.
      return ["--user", "993:990", "--env", "AWS_LAMBDA_RUNTIME_API=\(sandbox?.address ?? "")"]
        + (variable.map { ["--env", $0] } ?? []) + ["--entrypoint", entry, image] + (try words("Command"))
    }
  }

  /// Nobody but Lambda calls a function there.
  func call(_ path: String) async throws -> String {
    if let sandbox { return try await sandbox.readiness() }
    return try await site.call(path == "/functions/v1/echo" ? "/_/health" : path, port: 8_080, in: container)
  }

  func end(by signal: String) async throws -> String { try await site.end(container, by: signal) }
  func users() async throws -> [String] { try await site.users(of: container) }
  func version() async throws -> String { try await site.version(in: container) }
  func writtenElsewhere() async throws -> [String] { try await site.writtenElsewhere(by: container) }
  func log() async -> String { await site.log(of: container) + runner.log() }

  func startWithoutSecret() async throws -> (exit: Int32, said: String) {
    let words = ["podman", "run", "--rm"] + Self.confined + (try await start(with: nil))
    let outcome = try await site.engine.run(words)
    return (outcome.exit, outcome.stdout + outcome.stderr)
  }
}
