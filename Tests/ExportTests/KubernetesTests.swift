import FoundationEssentials
import FunctionKit
import HTTP1
import Testing

@testable import Export
@testable import Gateway
@testable import Manifest

/// Who reaches the runners of a cluster, by which names and paths, and what its migrations are called.
struct KubernetesTests {
  private func text(_ file: String, of deployment: Deployment) throws -> String {
    try #require(try ExportEngine.kubernetes.files(of: deployment).first { $0.path == file }).text
  }

  /// The variables of a runner as the kubelet sets them, which puts in only variables that stand before.
  private func variables(of deployment: Deployment, in namespace: String) throws -> [String: String] {
    let fields: [Substring: String] = ["status.podIP": "10.1.2.3", "metadata.namespace": namespace]
    let entry = /- name: ([A-Z_]+)\n(?: +valueFrom:\n +fieldRef: \{fieldPath: ([A-Za-z.]+)\}| +value: "?([^"\n]*)"?)\n/
    var values = ["RUNNER_KEY": "0123456789abcdef"]
    for found in try text("runner.yaml", of: deployment).matches(of: entry) {
      let value = found.output.2.flatMap { fields[$0] } ?? found.output.3.map(String.init)
      values[String(found.output.1)] = values.reduce(try #require(value)) {
        $0.replacing("$(\($1.key))", with: $1.value)
      }
    }
    return values
  }

  /// Two tenants have the same files in two namespaces, and each has its own names.
  @Test(arguments: [("one", "two"), ("two", "one")])
  func aRunnerIsCalledByTheNamesOfItsServiceOnly(_ own: String, _ other: String) throws {
    let deployment = try Deployment(of: try Bundle.of(#""a": {}"#), hosts: ["push.example.com"])
    let access = try GatewayAccess(
      host: "0.0.0.0", manifest: deployment.manifest, environment: Environment(variables(of: deployment, in: own)))
    let check = try #require(access.origins)
    func status(_ host: String) -> Int? {
      check.refusal(of: HTTP1Request(method: "POST", path: "/", headers: ["host": host]))?.status
    }

    for host in [
      "push-functions", "push-functions.\(own)", "push-functions.\(own).svc", "push-functions.\(own).svc.cluster.local",
      "push-functions.\(own).svc.cluster.local:80", "10.1.2.3:54321", "push.example.com", "localhost",
    ] {
      #expect(status(host) == nil, "\(host)")
    }
    for host in [
      "push-functions.\(other)", "push-functions.\(other).svc.cluster.local", "other.\(own).svc", "10.1.2.4:54321",
      "www.example.com",
    ] {
      #expect(status(host) == 403, "\(host)")
    }
  }

  /// Whether an Ingress or an HTTPRoute lets a path in.
  ///
  /// Sources: [Ingress, path types](https://kubernetes.io/docs/concepts/services-networking/ingress/#path-types),
  /// [HTTPPathMatch](https://gateway-api.sigs.k8s.io/reference/spec/#httppathmatch).
  private func lets(_ path: String, through text: String) -> Bool {
    let exact = [#"{path: "\#(path)", pathType: Exact,"#, #"{type: Exact, value: "\#(path)"}"#]
    let prefixes = text.matches(of: /path: "([^"]+)", pathType: Prefix,|type: PathPrefix, value: "([^"]+)"/)
      .compactMap { $0.output.1 ?? $0.output.2 }
    return exact.contains { text.contains($0) }
      || prefixes.contains { $0 == "/" || path == $0 || path.hasPrefix("\($0)/") }
  }

  @Test(arguments: ["ingress.yaml", "route.yaml"]) func onlyWhatClientsMayCallIsLetIn(_ file: String) throws {
    let deployment = try Deployment(of: try Bundle.own(), hosts: ["push.example.com", "api.example.com"])
    let written = try text(file, of: deployment)
    let closed = deployment.manifest.functions.filter { !$0.isCalled }.map { "/functions/v1/\($0.name)" }

    for path in deployment.publicPaths {
      #expect(lets(path.replacing(/\{[^}]+\}/, with: "x"), through: written), "\(path)")
    }
    for path in closed + [
      "/", "/_/console/", "/_/health", "/_/ready", "/_/state", "/metrics", "/functions/v1", "/api/v1",
      "/api/v1/devicesx",
    ] {
      #expect(!lets(path, through: written), "\(path)")
    }
    #expect(closed.count > 10 && written.contains(#"["push.example.com", "api.example.com"]"#))
    #expect(written.contains("- host: \"api.example.com\"\n      http:\n") == (file == "ingress.yaml"))
  }

  @Test(arguments: ["ingress.yaml", "route.yaml"]) func aRouteThatWouldLetInEverythingIsLeftOut(_ file: String) throws {
    let routes = #""GET /{name}", "GET /page/{name}", "GET /page/{a}/{b}""#
    let manifest = try Bundle.of(#""page": {"triggers": [{"http": "function", "routes": [\#(routes)]}]}"#)
    let written = try text(file, of: try Deployment(of: manifest))

    #expect(written.contains("because it would let in everything: /{name}\n"))
    #expect(!lets("/metrics", through: written) && lets("/page/x", through: written))
    #expect(lets("/functions/v1/page", through: written))
  }

  @Test func whereNobodyCallsThereIsNoWayIn() throws {
    let deployment = try Deployment(of: try Bundle.of(#""a": {}"#), hosts: ["push.example.com"])
    let files = try ExportEngine.kubernetes.files(of: deployment).map(\.path)

    #expect(!files.contains("ingress.yaml") && !files.contains("route.yaml"))
    #expect(try text("kustomization.yaml", of: deployment).contains(#"migrate.yaml", "runner.yaml"]"#))
  }

  /// A rule of an HTTPRoute has 64 matches at most.
  @Test func manyPathsAreSeveralRoutes() throws {
    let routes = (0..<130).map { "\"GET /r\($0)\"" }.joined(separator: ",")
    let manifest = try Bundle.of(#""a": {"triggers": [{"http": "function", "routes": [\#(routes)]}]}"#)
    let written = try text("route.yaml", of: try Deployment(of: manifest))
    let documents = written.split(separator: "\n---\n")

    #expect(documents.map { $0.ranges(of: "- path: ").count } == [64, 64, 3])
    #expect(documents[2].contains("\n  name: push-functions-3\n"))
    #expect((0..<130).allSatisfy { lets("/r\($0)", through: written) })
  }

  /// A job cannot be changed: that of the next version is another one.
  @Test(
    arguments: [
      (nil, "latest"), ("registry.example.com:5000/app", "latest"), ("registry.example.com:5000/app:1.2.3", "1-2-3"),
      ("app:1.2_RC.", "1-2-rc"),
      ("app:1.2.3@sha256:\(String(repeating: "0123456789abcdef", count: 4))", "0123456789ab"),
    ] as [(String?, String)])
  func aMigrationIsCalledAfterItsVersion(_ image: String?, _ version: String) throws {
    let written = try text("migrate.yaml", of: try Deployment(of: try Bundle.rich(), image: image))

    #expect(written.contains("\n  name: push-functions-migrate-\(version)\n"), "\(written)")
    #expect(written.contains(" job/push-functions-migrate-\(version)\n"))
  }

  @Test(arguments: ["runner.yaml", "migrate.yaml"]) func podsTakeTheVeryBytesThatADigestNames(_ file: String) throws {
    let image = "registry.example.com/app:1.2.3@sha256:\(String(repeating: "0123456789abcdef", count: 4))"
    let written = try text(file, of: try Deployment(of: try Bundle.rich(), image: image))

    #expect(written.matches(of: /\n +image: (.+)\n/).map { String($0.output.1) } == [image])
  }

  @Test func theNamespaceAndWhoIsAllowedCallTheRunnersAndNobodyElse() throws {
    let deployment = try Deployment(of: try Bundle.own())
    let policy = try text("network.yaml", of: deployment)
    let parts = policy.split(separator: "\n  egress:\n")
    func entries(_ text: Substring) -> [String] {
      text.matches(of: /\n(?: {8}- | {4}- )([^\n]+)/).map { String($0.output.1) }
    }

    // Whom a policy selects is closed for all that it does not let through.
    #expect(policy.contains("operator: In, values: [push-functions, push-functions-migrate]}\n"))
    #expect(policy.contains("\n  policyTypes: [Ingress, Egress]\n"))
    for (file, label) in [("runner.yaml", "push-functions"), ("migrate.yaml", "push-functions-migrate")] {
      let labels = "\n    metadata:\n      labels:\n        app.kubernetes.io/name: \(label)\n"
      #expect(try text(file, of: deployment).contains("\n  template:\(labels)"))
    }
    #expect(
      entries(parts[0]) == ["from:", "podSelector: {}", "namespaceSelector:", "{protocol: TCP, port: 54321}"])
    #expect(parts[0].contains("- namespaceSelector:\n            matchLabels: {push-functions/calls: allowed}\n"))
    #expect(
      entries("\n" + parts[1]) == [
        "ports: [{protocol: UDP, port: 53}, {protocol: TCP, port: 53}]", "to: [{podSelector: {}}]", "ports:",
        "{protocol: TCP, port: 443}", "{protocol: TCP, port: 2197}", "{protocol: TCP, port: 5432}",
        "{protocol: TCP, port: 6543}",
      ])
  }

  @Test func theRunnersStandApartAndStartWhereThereIsNoRoomForThat() throws {
    let runners = try text("runner.yaml", of: try Deployment(of: try Bundle.own()))
    let constraint = /topologyKey: (.+)\n +whenUnsatisfiable: (.+)\n +labelSelector: .+io.name: (.+)\}\}\n/
    let found = runners.matches(of: constraint).map { [$0.output.1, $0.output.2, $0.output.3] }
    let keys: [Substring] = ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]

    #expect(runners.contains("\n  replicas: 2\n"))
    #expect(found == keys.map { [$0, "ScheduleAnyway", "push-functions"] })
  }

  /// As much as the benchmark lets all processes take together, and the bodies of calls.
  @Test func aRunnerAsksForTheMemoryThatItTakes() throws {
    let benchmark = try String(
      contentsOfFile: "\(Validator.repository)/Tests/Benchmarks/ArtefactBenchmark.swift", encoding: .utf8)
    let limit = /"artefact: MiB of PSS[^\n]*\n[^\n]*limits: \[\.valueAtMost\(([0-9]+)\)\]/
    let measured = try #require(benchmark.firstMatch(of: limit).flatMap { Int($0.output.1) })
    let runners = try text("runner.yaml", of: try Deployment(of: try Bundle.own()))
    let asked = try #require(
      runners.firstMatch(of: /requests: \{cpu: [0-9]+m, memory: ([0-9]+)Mi\}/).flatMap { Int($0.output.1) })

    let taken = measured + BodyMemory.usual

    #expect((taken...taken + taken / 4).contains(asked))
    #expect(runners.contains(" take \(measured) MiB (PSS, the limit in \"make bench\")"))
  }

  @Test func theLongestNameAndVersionFitIntoOneName() throws {
    let name = String(repeating: "a", count: Deployment.longestDeploymentName)
    let image = "app:a-long-tag-of-2026-11-29-0123456789ab"
    let deployment = try Deployment(of: try Bundle.rich(), name: name, image: image)

    #expect(try text("migrate.yaml", of: deployment).contains("\n  name: \(name)-migrate-0123456789ab\n"))
  }
}
