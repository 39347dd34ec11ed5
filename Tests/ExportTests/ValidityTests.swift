import FunctionKit
import TestSupport
import Testing

@testable import Export
@testable import Manifest

/// The engines' own validators accept every export.
@Suite(.heavy)
struct ValidityTests {
  private func exports(_ engine: ExportEngine) throws -> [WrittenExport] {
    [
      try WrittenExport(engine, of: try Bundle.own()), try WrittenExport(engine, of: try Bundle.rich(for: engine)),
    ]
  }

  private func expectValid(_ program: String, _ arguments: [String]) async throws {
    let outcome = try await Validator.run(program, arguments)
    #expect(outcome.exit == 0, "\(outcome.stdout)\(outcome.stderr)")
  }

  @Test(.needs("systemd-analyze")) func theUnitsAreKnownToSystemdAndExposeLittle() async throws {
    for export in try exports(.systemd) {
      let units = export.paths(".service")
      #expect(units.count == 2)
      for unit in units {
        // In tenths: 1.5.
        try await expectValid("systemd-analyze", ["security", "--offline=true", "--threshold=15", unit])
      }
      // The program that a unit names has to be there.
      let installed = try WrittenExport(
        export.files.filter { $0.path.hasSuffix(".service") }.map {
          ExportedFile($0.path, $0.text.replacing("/opt/push-functions/bin/runner", with: "/bin/true"))
        })
      let outcome = try await Validator.run("systemd-analyze", ["verify"] + installed.paths(".service"))
      #expect(outcome.exit == 0 && outcome.stdout + outcome.stderr == "")
    }
  }

  @Test(.needs("kubernetes-validate"), arguments: ["1.30", "1.36", "1.37"])
  func kubernetesKnowsTheObjects(_ version: String) async throws {
    for export in try exports(.kubernetes) {
      let files = ["runner.yaml", "migrate.yaml", "network.yaml", "ingress.yaml"].map(export.path)
      try await expectValid("kubernetes-validate", ["--strict", "-k", version] + files)
    }
  }

  @Test(.needs("kubernetes-validate")) func kubernetesWouldSayWhatItDoesNotKnow() async throws {
    let export = try WrittenExport(.kubernetes, of: try Bundle.own())
    let broken = try export.folder.write(
      export.text("runner.yaml").replacing("terminationGracePeriodSeconds", with: "terminationGracePeriod"),
      to: "broken.yaml")

    #expect(try await Validator.run("kubernetes-validate", ["--strict", "-k", "1.37", broken]).exit != 0)
  }

  @Test(.needs("check-jsonschema")) func theGatewayAPIKnowsTheFields() async throws {
    for export in try exports(.kubernetes) {
      try await expectValid(
        "check-jsonschema", ["--schemafile", "\(Validator.schemas)/httproute.json", export.path("route.yaml")])
    }
  }

  /// The same files in the namespaces of two tenants.
  @Test(.needs("kubectl"), arguments: ["one", "two"])
  func everythingGoesIntoOneNamespace(_ tenant: String) async throws {
    let folder = try TemporaryDirectory()
    let deployment = try Deployment(of: try Bundle.own(), hosts: ["push.example.com"])
    _ = try ExportFolder("\(folder.path)/kubernetes").write(ExportEngine.kubernetes.files(of: deployment), force: false)
    // As older versions of kubectl call folders, such as Debian's.
    let overlay = ExportedFile("kustomization.yaml", "namespace: \(tenant)\nbases: [../kubernetes]")
    _ = try ExportFolder("\(folder.path)/\(tenant)").write([overlay], force: false)

    let outcome = try await Validator.run("kubectl", ["kustomize", "\(folder.path)/\(tenant)"])
    let kinds = outcome.stdout.matches(of: /(?m)^kind: ([A-Za-z]+)$/).map { String($0.output.1) }

    #expect(outcome.exit == 0, "\(outcome.stderr)")
    #expect(
      kinds.sorted() == [
        "Deployment", "Ingress", "Job", "NetworkPolicy", "PodDisruptionBudget", "Service", "ServiceAccount",
      ])
    #expect(outcome.stdout.ranges(of: "\n  namespace: \(tenant)\n").count == kinds.count)
  }

  /// Their validators need a cluster; typed models of their resources do not.
  @Test(.needs("cloudcoil-model-codegen")) func knativeAndKEDAKnowTheObjects() async throws {
    let script = "\(Validator.schemas)/resources.py"
    let files =
      try exports(.knative).map { ($0, $0.paths(".yaml")) } + exports(.kubernetes).map { ($0, [$0.path("keda.yaml")]) }
    for (_, paths) in files { try await expectValid("python", [script] + paths) }
  }

  @Test(.needs("check-jsonschema")) func composeFilesFollowTheSpecification() async throws {
    let development = try WrittenExport(try Deployment(of: try Bundle.own()).development)
    for export in try exports(.compose) + [development] {
      try await expectValid(
        "check-jsonschema", ["--builtin-schema", "vendor.compose-spec", export.path("compose.yaml")])
    }
    try await expectValid(
      "check-jsonschema",
      ["--schemafile", "\(Validator.schemas)/devcontainer.json", development.path("devcontainer.json")])
  }

  @Test(.needs("check-jsonschema")) func openFaaSKnowsTheFields() async throws {
    for export in try exports(.openfaas) {
      try await expectValid(
        "check-jsonschema", ["--schemafile", "\(Validator.schemas)/openfaas.json", export.path("stack.yaml")])
    }
  }

  @Test(.needs("hadolint")) func theImagesAreWrittenWell() async throws {
    let development = try WrittenExport(try Deployment(of: try Bundle.own()).development)
    for export in try exports(.docker) + exports(.openfaas) + [development] {
      try await expectValid("hadolint", [export.path("Dockerfile")])
    }
  }

  @Test(.needs("cfn-lint")) func cloudFormationKnowsTheTemplate() async throws {
    for export in try exports(.lambda) { try await expectValid("cfn-lint", [export.path("template.yaml")]) }
  }

  @Test(.needs("promtool")) func prometheusAcceptsTheRules() async throws {
    let export = try WrittenExport(.systemd, of: try Bundle.own())
    try await expectValid("promtool", ["check", "rules", export.path("monitoring/alerts.yml")])
  }

  /// Each figure that a rule or a panel reads is one that the runner has.
  @Test func theDashboardAndTheRulesReadFiguresThatExist() async throws {
    let export = try WrittenExport(.systemd, of: try Bundle.own())
    let dashboard = try RawJSON(validating: Array(export.text("monitoring/dashboard.json").utf8)[...])
    let expressions = dashboard["panels"]?.elements?.compactMap { $0["targets"]?.elements?[0]["expr"]?.stringValue }
    let words = ((expressions ?? []) + [export.text("monitoring/alerts.yml")]).joined(separator: " ")
      .matches(of: /push_runner_[a-z_]+/).map { String($0.0) }
    let sources = try await BuiltExecutables.run(
      "/bin/grep", ["-rhoE", "push_runner_[a-z_]+", "\(Validator.repository)/Runner/Metrics"])
    let known = Set(sources.stdout.split(separator: "\n").map(String.init))

    #expect(words.count > 12)
    for word in words {
      let family = word.hasSuffix("_bucket") ? String(word.dropLast("_bucket".count)) : word
      #expect(known.contains(family), "\(word)")
    }
    #expect(expressions?.count == 12 + (try Bundle.own().metrics.count))
  }
}
