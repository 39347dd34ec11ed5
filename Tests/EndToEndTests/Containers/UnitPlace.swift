import Foundation
import TestSupport

/// The package for Debian under systemd, in a container that boots: the page's commands for one machine.
struct UnitPlace: Place {
  let site: Site
  let drains = true
  private var settings: String { "\(site.engine.folder.path)/machine-\(site.name)" }

  /// Makes the package, boots the machine, and installs it.
  init(_ site: Site) async throws {
    self.site = site
    let folder = try site.engine.makeFolder("machine-\(site.name)")
    let words = ["--skip-build", "--level", "1", "--out", "\(folder)/dist"]
    _ = try ContainerEngine.text(
      try await BuiltExecutables.run(
        "\(House.root.path)/Runner/dist", words,
        environment: [
          "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": folder,
          "PUSH_FUNCTIONS_PRODUCTS": BuiltExecutables.directory,
        ], timeout: .seconds(900)), words)
    try await site.engine.podman(
      "run", "--detach", "--name", site.name, "--network", "inside", "--systemd", "always", "--privileged",
      "--volume", "\(folder):/machine", "localhost/system", "/sbin/init")
    try writeSettings(secret: site.variables["DATABASE_URL"])
    try await eventually("the machine has booted") {
      ["running", "degraded"].contains(try await inside("systemctl is-system-running || true"))
    }
    _ = try await inside(
      """
      apt-get install -y /machine/dist/*.deb >/dev/null
      install -d -m 700 /etc/push-functions/secrets /etc/systemd/system/push-functions.service.d
      cd /opt/push-functions/deploy/systemd
      cp environment /etc/push-functions/
      printf %s '\(site.variables["DATABASE_URL"] ?? "")' >/etc/push-functions/secrets/DATABASE_URL
      printf %s '\(Site.key)' >/etc/push-functions/secrets/RUNNER_KEY
      {
        echo '[Service]'
        echo EnvironmentFile=/machine/settings
        echo ExecStart=
        sed -n 's/^ExecStart=.*/& --emulator/p' push-functions.service
      } >/etc/systemd/system/push-functions.service.d/test.conf
      mkdir /etc/systemd/system/push-functions-migrate.service.d
      printf '[Service]\\nEnvironmentFile=/machine/settings\\n' \
        >/etc/systemd/system/push-functions-migrate.service.d/test.conf
      cp \(Self.authority) /etc/push-functions/ca.pem
      systemctl daemon-reload
      """)
  }

  private static let authority = "/machine/ca.pem"

  /// The settings that `/etc/push-functions/environment` may have, and the secrets: in a container, systemd 252 gives a
  /// unit with a user of its own no credential that it can read.
  private func writeSettings(secret: String?) throws {
    let key = site.variables["APNS_KEY"]?.replacing("\n", with: " ") ?? ""
    var values = site.variables.merging(["APNS_KEY": key, "APNS_CA_PATH": "/etc/push-functions/ca.pem"]) { $1 }
    values["DATABASE_URL"] = secret
    let text = values.map { "\($0.key)=\"\($0.value)\"\n" }.joined()
    try text.write(toFile: "\(settings)/settings", atomically: true, encoding: .utf8)
    let authority = try Data(contentsOf: URL(filePath: site.around.authority))
    try authority.write(to: URL(filePath: "\(settings)/ca.pem"))
  }

  /// Runs a script on the machine, and returns what it prints.
  private func inside(_ script: String) async throws -> String {
    try await site.engine.podman("exec", site.name, "bash", "-euo", "pipefail", "-c", script)
  }

  private func property(_ name: String) async throws -> String {
    try await inside("systemctl show --property \(name) --value push-functions")
  }

  func migrate() async throws { _ = try await inside("systemctl start push-functions-migrate") }

  func start() async throws { _ = try await inside("systemctl enable --now push-functions") }

  /// Makes a package of a later version, with a migration more.
  func makeLaterPackage() async throws {
    let script = #"""
      umask 022
      dpkg-deb --raw-extract "$1"/dist/*.deb "$1/later"
      sed -i 's/^Version: .*/Version: 9.9/' "$1/later/DEBIAN/control"
      printf "%s\n" '-- Compatible' "COMMENT ON TABLE votes IS 'later';" \
        >"$1/later/opt/push-functions/Shared/Schema/apps/9999_later.sql"
      dpkg-deb --root-owner-group -Zxz -z1 --build "$1/later" "$1/later.deb"
      """#
    let words = ["-euo", "pipefail", "-c", script, "bash", settings]
    _ = try ContainerEngine.text(try await BuiltExecutables.run("/bin/bash", words, timeout: .seconds(300)), words)
  }

  /// Installs that package where this one serves.
  func upgrade() async throws { _ = try await inside("apt-get install -y /machine/later.deb >/dev/null") }

  /// Does what `apt-get` calls so, and returns the files that are left of the package, less what an administrator made.
  func take(away command: String) async throws -> [String] {
    try await inside(
      """
      apt-get \(command) -y push-functions >/dev/null
      find / -xdev -name '*push-functions*' -not -path '/etc/systemd/system/push-functions*.d' | sort
      """
    ).split(separator: "\n").map(String.init)
  }

  /// The service's journal.
  func journal() async throws -> String { try await inside("journalctl --unit push-functions --output cat") }

  func log() async -> String {
    let said = try? await inside("journalctl --unit 'push-functions*' --lines 40")
    return "\(site.name):\n\(said ?? "It has no journal.")\n"
  }

  func call(_ path: String) async throws -> String { try await site.call(path, in: site.name) }

  func end(by signal: String) async throws -> String {
    if signal == "TERM" {
      _ = try await inside("systemctl stop push-functions")
    } else {
      let process = try await property("MainPID")
      _ = try await inside("systemctl kill --signal \(signal) --kill-who main push-functions")
      try await eventually("process \(process) has ended") { try await property("MainPID") != process }
    }
    return try await property("ExecMainStatus")
  }

  func users() async throws -> [String] {
    try await inside("ps -e -o user:20=,args= | awk '/ \\/opt\\/push-functions\\// { print $1 }'")
      .split(separator: "\n").map(String.init)
  }

  func version() async throws -> String { try await inside("/opt/push-functions/bin/runner --version") }

  /// The files of its user, which systemd makes for it alone; systemd gives it the secrets, too.
  func writtenElsewhere() async throws -> [String] {
    try await inside(
      #"""
      process=$(systemctl show --property MainPID --value push-functions)
      find / -ignore_readdir_race \( -path /proc -o -path /sys -o -path /run/credentials -o -path /var/lib/private/push-functions \) -prune \
        -o -user "$(awk '/^Uid:/ { print $2 }' "/proc/$process/status")" -print
      """#
    ).split(separator: "\n").map(String.init)
  }

  /// It has none there, or an empty one where systemd gives it.
  func startWithoutSecret() async throws -> (exit: Int32, said: String) {
    _ = try await end(by: "TERM")
    try writeSettings(secret: nil)
    _ = try await inside(": >/etc/push-functions/secrets/DATABASE_URL; systemctl start push-functions || true")
    return (
      Int32(try await property("ExecMainStatus")) ?? -1,
      try await inside("journalctl --unit push-functions --lines 20 --output cat")
    )
  }
}
