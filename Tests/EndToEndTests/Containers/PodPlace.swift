import Foundation
import TestSupport

/// The export for Kubernetes, by `podman kube play`: the pods of its Job and of its Deployment.
///
/// podman 4.3 knows no Job, no namespace and no address of a pod, puts no variable into another one, and does not decode
/// secrets: their files come from a folder.
struct PodPlace: Place {
  let site: Site
  let drains = true
  private let folder: String
  private let secrets: String
  private static let container = "push-functions-runner"

  /// - Parameter image: of `export docker`.
  init(_ site: Site, image: String) async throws {
    self.site = site
    folder = try await site.export("kubernetes", "--image", image, "--host-name", "push.example.com")
    secrets = try site.secrets(at: "/run/secrets/push-functions")
  }

  func migrate() async throws {
    let outcome = try await runJob(named: "push-functions-migrate")
    guard outcome.exit == 0 else { throw ProgramFailure(description: outcome.said) }
  }

  /// Its policy starts what was killed.
  func start() async throws {
    if try await site.engine.run(["podman", "container", "exists", Self.container]).exit == 0 {
      _ = try await site.engine.run(["podman", "start", Self.container])
    } else {
      try await play("push-functions", of: "Deployment", in: "runner.yaml")
    }
  }

  /// By the Service's name, as pods of its namespace call it.
  func call(_ path: String) async throws -> String {
    try await call(path, as: "push-functions.default.svc.cluster.local")
  }

  /// The status of a call by a name; podman has no Service that would answer to it.
  func call(_ path: String, as name: String) async throws -> String {
    try await site.call(path, in: Self.container, as: name)
  }
  func end(by signal: String) async throws -> String { try await site.end(Self.container, by: signal) }
  func users() async throws -> [String] { try await site.users(of: Self.container) }
  func version() async throws -> String { try await site.version(in: Self.container) }
  func writtenElsewhere() async throws -> [String] { try await site.writtenElsewhere(by: Self.container) }
  func log() async -> String { await site.log(of: Self.container) }

  func startWithoutSecret() async throws -> (exit: Int32, said: String) {
    guard chown("\(secrets)/DATABASE_URL", 0, 0) == 0 else { throw SystemError("chown") }
    return try await runJob(named: "push-functions-unreadable")
  }

  private func runJob(named pod: String) async throws -> (exit: Int32, said: String) {
    try await play(pod, of: "Job", in: "migrate.yaml")
    let status = try await site.engine.podman("wait", "\(pod)-migrate")
    let log = try await site.engine.run(["podman", "logs", "\(pod)-migrate"])
    return (Int32(status) ?? -1, log.stdout + log.stderr)
  }

  /// Plays the template of a document as a pod.
  private func play(_ pod: String, of kind: String, in file: String) async throws {
    let text = try site.changed(
      "\(folder)/\(file)",
      [
        (
          #"secret: {secretName: "push-functions", defaultMode: 0440}"#,
          #"hostPath: {path: "\#(secrets)", type: Directory}"#
        )
      ])
    let document = text.components(separatedBy: "\n---\n").first { $0.contains("\nkind: \(kind)\n") } ?? ""
    guard let template = document.components(separatedBy: "\n  template:\n").dropFirst().first else {
      throw ProgramFailure(description: "\(file) has no \(kind) with a template.")
    }
    let lines = template.split(separator: "\n").map { $0.dropFirst(4) }.joined(separator: "\n")
      .replacing("metadata:\n", with: "metadata:\n  name: \(pod)\n", maxReplacements: 1)
      .replacing(#""serve", "#, with: #""serve", "--emulator", "#)
      .replacing(/valueFrom:\s+fieldRef: \{fieldPath: status\.podIP\}/, with: "value: 127.0.0.1")
      .replacing(/valueFrom:\s+fieldRef: \{fieldPath: metadata\.namespace\}/, with: "value: default")
      .replacing("$(POD_IP)", with: "127.0.0.1").replacing("$(POD_NAMESPACE)", with: "default")
    let path = "\(folder)/\(pod).pod.yaml"
    try "apiVersion: v1\nkind: Pod\n\(lines)\n".write(toFile: path, atomically: true, encoding: .utf8)
    try await site.engine.podman("kube", "play", "--network", "inside", path)
  }
}
