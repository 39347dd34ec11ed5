import Foundation
import TestSupport

/// nginx beside the containers, with the exported configuration for several runners, and clients who call without end.
final class Balancer: Sendable {
  /// A client's registration, and the answer to it: 000 if nothing came.
  struct Answer {
    let status: Substring
    let token: Substring
  }

  private let folder: String
  private let nginx: RunningProgram
  private let clients: [RunningProgram]

  /// - Parameters:
  ///   - ports: those of the runners.
  ///   - count: how many clients there are.
  init(_ site: Site, _ ports: [Int], clients count: Int) async throws {
    let folder = try site.engine.makeFolder("nginx")
    self.folder = folder
    let certificate = [
      "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=push.example.com", "-addext",
      "subjectAltName=DNS:push.example.com", "-keyout", "\(folder)/privkey.pem", "-out", "\(folder)/fullchain.pem",
    ]
    _ = try ContainerEngine.text(
      try await BuiltExecutables.run("/usr/bin/openssl", certificate, environment: ["HOME": folder]), certificate)
    let servers = ports.map { "server 127.0.0.1:\($0);" }.joined(separator: "\n    ")
    try site.changed(
      "\(try await site.export("nginx", into: folder))/nginx.conf",
      [
        ("server 127.0.0.1:54321;", servers), ("/etc/ssl/push-functions", folder),
        // All clients have one address here.
        ("rate=50r/s", "rate=5000r/s"), ("    listen [::]:80;\n", ""), ("    listen [::]:443 ssl http2;\n", ""),
      ]
    ).write(toFile: "\(folder)/site.conf", atomically: true, encoding: .utf8)
    let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
    try """
    daemon off; master_process off; pid \(folder)/pid; events {}
    http { log_format place 'to $upstream_addr'; access_log /dev/stdout place; \(places.joined()) include \(folder)/site.conf; }
    """.write(toFile: "\(folder)/main.conf", atomically: true, encoding: .utf8)
    try "".write(toFile: "\(folder)/open", atomically: true, encoding: .utf8)
    nginx = try site.engine.start([
      try BuiltExecutables.installed("nginx"), "-p", folder, "-c", "\(folder)/main.conf", "-e", "stderr",
    ])
    try await eventually("nginx listens") { try await site.call("/", port: 80) == "301" }
    clients = try (0..<count).map {
      try site.engine.start(["bash", "-euo", "pipefail", "-c", Self.client, "bash", folder, "\($0)"])
    }
  }

  /// Registers one device after the other, some five in a second, until the folder's file `open` is gone.
  private static let client = #"""
    n=0
    while [[ -e $1/open ]]; do
      token=$(printf '%032x%032x' "$2" "$((++n))")
      status=$(curl --silent --max-time 60 --cacert "$1/fullchain.pem" --resolve push.example.com:443:127.0.0.1 \
        --output /dev/null --write-out '%{http_code}' --header 'Authorization: Bearer demo-ada' --json \
        "{\"token\":\"$token\",\"app\":\"messageai\",\"platform\":\"iOS\",\"bundleId\":\"com.messageai.app\",
          \"environment\":\"sandbox\"}" \
        https://push.example.com/api/v1/devices/register) || true
      echo "$status $token"
      sleep 0.2
    done
    """#

  /// The answers to all clients until now.
  var answers: [Answer] {
    clients.flatMap { client in
      client.lines.map { line in
        let words = line.split(separator: " ")
        return Answer(status: words.first ?? "", token: words.last ?? "")
      }
    }
  }

  /// How many answers there are of what was not accepted.
  var refused: [Substring] { answers.map(\.status).filter { $0 != "201" } }

  /// How many calls were passed on to the runner of a port alone.
  func calls(to port: Int) -> Int { nginx.lines.count { $0 == "to 127.0.0.1:\(port)" } }

  /// Waits until every runner has answered some more calls.
  func expectSpread(over ports: [Int]) async throws {
    let before = ports.map(calls)
    try await eventually("calls are spread over \(ports)") {
      zip(ports, before).allSatisfy { calls(to: $0) >= $1 + 3 }
    }
  }

  /// Ends the clients after their present calls.
  func stop() async throws {
    try FileManager.default.removeItem(atPath: "\(folder)/open")
    for client in clients {
      guard try await client.exit() == 0 else {
        throw ProgramFailure(description: client.lines.joined(separator: "\n"))
      }
    }
  }
}
