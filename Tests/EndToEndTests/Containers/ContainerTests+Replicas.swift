import Foundation
import Postgres
import TestSupport
import Testing

extension ContainerTests {
  /// Two runners from one file of compose behind nginx, while clients call and people vote without end.
  ///
  /// No image is built of an earlier commit: both images have the programs under test. The newer one has a migration
  /// more, which runs while runners of the older one serve.
  @Test func twoRunnersBehindOneProxySurviveAKillAndAnUpgrade() async throws {
    let (site, image) = (try await Site("replicas", 9), try await Self.dockerImage.value)
    let ports = [54_409, 54_410]
    let runners = [
      try await ComposePlace(site, image: image, project: "replica-1", port: ports[0]),
      try await ComposePlace(site, image: image, project: "replica-2", port: ports[1]),
    ]
    try await note("`export compose`, two runners behind nginx", of: runners, DeploymentTable.Step.allCases) { isDone in
      let newer = try await Self.newerImage(than: image, site.engine)
      isDone(.built)
      for runner in runners { try await runner.migrate() }
      try await site.loadPeople()
      try await awaitReady(runners)
      let balancer = try await Balancer(site, ports, clients: 2)
      let voting = site.keepVoting()
      defer { voting.cancel() }
      try await balancer.expectSpread(over: ports)
      try await eventually("each has half of the events") {
        try await site.database.query(
          "SELECT count(*)::int AS n FROM runner.leases WHERE owner IS NOT NULL GROUP BY owner"
        ).decode("n", as: Int.self) == [8, 8]
      }
      isDone(.served)

      _ = try await runners[0].end(by: "KILL")
      try await balancer.expectSpread(over: [ports[1]])
      try await runners[0].start()
      try await awaitReady(runners)
      // nginx tries again ten seconds after it reached nothing.
      try await balancer.expectSpread(over: ports)
      let lost = balancer.refused
      try #require(lost.count <= 2 && lost.allSatisfy { $0 == "502" }, "more than what was under way: \(lost)")
      isDone(.killed)

      for runner in runners {
        try await runner.upgrade(to: newer)
        try await awaitReady(runners)
        try await balancer.expectSpread(over: ports)
      }
      voting.cancel()
      try await voting.value
      try await balancer.stop()
      try #require(balancer.refused.count == lost.count, "refused while it was upgraded: \(balancer.refused)")
      let newest = try await site.database.query("SELECT FROM runner.migrations WHERE name = 'apps/9999_newer'")
      try #require(newest.count == 1)
      isDone(.drained)

      try await site.expectToldOnce()
      try await runners[0].expectShown()
      let accepted = Set(balancer.answers.filter { $0.status == "201" }.map { String($0.token) })
      let devices = try await site.database.query("SELECT token FROM device_tokens WHERE token ~ '^0{31}'")
        .decode("token", as: String.self)
      try #require(accepted.isSubset(of: devices) && Set(devices).count == devices.count)
      try #require(devices.count <= accepted.count + lost.count)
      isDone(.pushed)

      for runner in runners {
        try await expectNoRoot(runner)
        try await expectNothingElsewhere(runner)
      }
      isDone(.contained)
      try await expectOneSentenceWithoutSecret(runners[1])
      isDone(.secret)
    }
  }

  private func awaitReady(_ runners: [ComposePlace]) async throws {
    for runner in runners {
      try await eventually("the runner at \(runner.port) is ready") { try await runner.call("/_/ready") == "200" }
    }
  }

  private static func newerImage(than image: String, _ engine: ContainerEngine) async throws -> String {
    let folder = try engine.makeFolder("newer")
    for (file, text) in [
      "9999_newer.sql": "-- Compatible\nCOMMENT ON TABLE votes IS 'newer';\n",
      "Dockerfile": "FROM \(image)\nCOPY 9999_newer.sql /opt/push-functions/Shared/Schema/apps/\n",
    ] {
      try text.write(toFile: "\(folder)/\(file)", atomically: true, encoding: .utf8)
    }
    let newer = "localhost/push-functions:newer"
    try await engine.build("\(folder)/Dockerfile", newer, of: folder)
    return newer
  }
}
