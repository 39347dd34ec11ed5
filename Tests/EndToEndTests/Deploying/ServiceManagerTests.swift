import Foundation
import FunctionKit
import TestSupport
import Testing

/// The messages that systemd hears of a runner with `Type=notify`, and the secrets that it gives to it.
@Suite(.heavy)
struct ServiceManagerTests {
  private static let echo = #"{"functions":{"echo":{}}}"#

  @Test(arguments: [false, true])
  func itHearsOfTheStartEverySignOfLifeAndTheEnd(_ isAbstract: Bool) async throws {
    let folder = try TemporaryDirectory()
    let address = isAbstract ? "@\(folder.path)/notify" : "\(folder.path)/notify"
    let socket = try NotifySocket(address)
    let runner = try await RunningRunner(Self.echo)
    let served = try await runner.start(environment: ["NOTIFY_SOCKET": address, "WATCHDOG_USEC": "200000"])

    // Calls are answered when it says so.
    let ready = try await socket.datagram(with: "READY=1")
    #expect(ready.contains("STATUS="))
    #expect(try await served.call("echo", "{}").status == 200)
    for _ in 0..<3 { _ = try await socket.datagram(with: "WATCHDOG=1") }
    let serving = try await socket.datagram(with: "STATUS=Serving 1 functions at \(served.url)")
    #expect(serving.contains("WATCHDOG=1"))

    served.program.send(SIGTERM)
    _ = try await socket.datagram(with: "STOPPING=1")
    #expect(try await served.program.exit() == 0)
  }

  @Test func aRunnerThatIsNotReadySaysWhy() async throws {
    let folder = try TemporaryDirectory()
    let socket = try NotifySocket("\(folder.path)/notify")
    let cluster = try await PrivateCluster()
    let runner = try await RunningRunner(Self.echo, database: cluster.url())
    let served = try await runner.start(environment: [
      "NOTIFY_SOCKET": "\(folder.path)/notify", "WATCHDOG_USEC": "200000",
    ])
    _ = try await socket.datagram(with: "STATUS=Serving 1 functions at \(served.url)")

    try await cluster.stop()

    // It lives on: a restart would not mend the database.
    let away = try await socket.datagram(with: "STATUS=Not ready: the database does not answer")
    #expect(away.contains("WATCHDOG=1"))
  }

  /// Functions see neither the socket nor the folder of secrets.
  @Test func aSecretComesFromTheFolderOfCredentials() async throws {
    let folder = try TemporaryDirectory()
    try folder.write("0123456789abcdef-credential\n", to: "RUNNER_KEY")
    let runner = try await RunningRunner(
      #"{"functions":{"look":{"executable":"look","mode":"oneshot"}}}"#,
      scripts: ["look": #"cat > /dev/null; env | grep -cE 'CREDENTIALS|NOTIFY' | sed 's/.*/{"seen":&}/'"#])
    let served = try await runner.start(environment: [
      "CREDENTIALS_DIRECTORY": folder.path, "NOTIFY_SOCKET": "\(folder.path)/nobody",
    ])

    #expect(try await served.call("look").status == 401)
    let answer = try await served.call(
      "look", headers: [("Authorization", "Bearer 0123456789abcdef-credential")])
    #expect(answer.status == 200 && answer.json?["seen"]?.intValue == 0)
  }
}
