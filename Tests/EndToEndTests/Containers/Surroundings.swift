import Foundation
import FunctionKit
import Postgres
import TestSupport

/// The surroundings of every deployment, each in a container: a PostgreSQL called `db`, and the push emulator, called
/// `phones`.
struct Surroundings: Sendable {
  let engine: ContainerEngine
  /// The folder of the push emulator.
  private let emulator: String
  private let programs: [RunningProgram]

  private static let made = Task { try await Surroundings() }

  /// Those of all tests.
  static var shared: Surroundings { get async throws { try await made.value } }

  private init() async throws {
    let engine = try await ContainerEngine.shared
    let sockets = try engine.makeFolder("sockets")
    emulator = try engine.makeFolder("emulator")
    self.engine = engine
    let server = try engine.start([
      "podman", "run", "--name", "db", "--network", "inside", "--volume", "\(sockets):/sockets", "localhost/system",
      "bash", "-euc", Self.serve,
    ])
    let phones = try engine.start([
      "podman", "run", "--name", "phones", "--hostname", "phones", "--network", "inside", "--volume",
      "\(BuiltExecutables.directory):/products:ro", "--volume", "\(emulator):/emulator", "localhost/system",
      "/products/push-emulator", "serve", "--directory", "/emulator", "--host", "phones", "--port", "2197",
      "--sandbox-port", "2198", "--fcm-port", "2199",
    ])
    programs = [server, phones]
    try await phones.line { $0.hasPrefix(#"{"ready":true"#) }
    try FileManager.default.copyItem(atPath: "\(emulator)/ca.pem", toPath: authority)
    guard chmod(authority, 0o644) == 0 else { throw SystemError("chmod") }
    try await server.line { $0.contains("listening on Unix socket") }
    let connection = connection(to: "postgres")
    try await eventually("PostgreSQL takes connections") { (try? await connection.query("SELECT 1")) != nil }
    try await nameContainers()
  }

  /// Writes the names of both into the hosts file of every container that starts after this.
  ///
  /// podman's own name server is loaded again whenever a container starts or ends, and may not answer meanwhile.
  private func nameContainers() async throws {
    let file = "\(engine.folder.path)/hosts"
    var text = try String(contentsOfFile: file, encoding: .utf8)
    for name in ["db", "phones"] {
      let address = try await engine.podman(
        "inspect", "--format", "{{.NetworkSettings.Networks.inside.IPAddress}}", name)
      text += "\(address) \(name)\n"
    }
    try text.write(toFile: file, atomically: true, encoding: .utf8)
  }

  private static let serve = """
    install -d -o postgres /data
    chown postgres /sockets
    programs=$(echo /usr/lib/postgresql/*/bin)
    as="setpriv --reuid postgres --regid postgres --clear-groups"
    $as $programs/initdb --no-sync --auth trust --username postgres --encoding UTF8 --locale C.UTF-8 /data >/dev/null
    echo 'host all all all trust' >>/data/pg_hba.conf
    exec $as $programs/postgres -D /data -c listen_addresses=* -c unix_socket_directories=/sockets -c fsync=off \
      -c max_connections=400
    """

  /// The URL of a database for this process.
  private func url(of database: String) -> String {
    "postgresql:///\(database)?host=\(engine.folder.path)/sockets&user=postgres"
  }

  /// A connection of this process to a database.
  func connection(to database: String) -> Connection {
    Connection(url: url(of: database), applicationName: "test", statementTimeout: .seconds(300))
  }

  /// The certificate of the authority that senders have to trust, which every user may read.
  var authority: String { "\(engine.folder.path)/authority.pem" }

  /// The settings of a runner's provider, less the place of ``authority``.
  func provider() throws -> [String: String] {
    let key = try FileManager.default.contentsOfDirectory(atPath: emulator).first { $0.hasSuffix(".p8") } ?? ""
    return [
      "APNS_URL": "https://phones:2197", "APNS_SANDBOX_URL": "https://phones:2198", "APNS_TEAM_ID": "LOCALTEAM1",
      "APNS_KEY_ID": String(key.dropFirst("AuthKey_".count).dropLast(".p8".count)), "APNS_PRODUCTION": "false",
      "APNS_KEY": try String(contentsOfFile: "\(emulator)/\(key)", encoding: .utf8),
      "APNS_BUNDLE_ID": "com.swiftly-developed.feedbackkit.admin",
    ]
  }

  /// Those of podman, runc and PostgreSQL.
  func versions() async throws -> String {
    let podman = try await engine.podman("version", "--format", "{{.Client.Version}}")
    let runc = try await engine.run(["runc", "--version"]).stdout.split(separator: "\n").first ?? ""
    let server = try await connection(to: "postgres").query("SHOW server_version").only()["server_version"] ?? ""
    let number = server.split(separator: " ").first ?? ""
    return "podman \(podman), \(runc.replacing("version ", with: "")) and PostgreSQL \(number)"
  }

  /// The pushes to the phones whose tokens begin so.
  func pushes(to tokens: String) async throws -> [RawJSON] {
    let text = try await engine.podman(
      "exec", "--env", "PUSH_EMULATOR_URL=https://phones:2197", "--env", "APNS_CA_PATH=/emulator/ca.pem", "phones",
      "/products/push-emulator", "pushes", "--json", "--last", "50000", "--token", "\(tokens)*")
    return try text.split(separator: "\n").map { try RawJSON(validating: Array($0.utf8)[...]) }
  }
}
